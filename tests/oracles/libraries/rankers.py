"""Values of libraries of rankers, `python libraries/rankers.py sklearn|torchmetrics|xgboost|lightgbm`: the documents of each test user."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from common import KS, MODELS, REPEATING, Values, documents

Documents = list[list[tuple[float, int]]]


def flat(users: Documents) -> tuple[Any, Any, list[int]]:
    """Return the scores and grades of all documents, and the number of each user's."""
    scores, grades = (np.array([pair[side] for user in users for pair in user], dtype=np.float64) for side in (0, 1))
    return scores, grades, list(map(len, users))


def sklearn(users: Documents, metric: str, k: int) -> float:
    """Return the mean over users of a function of sklearn.metrics."""
    from sklearn import metrics

    return float(np.mean([getattr(metrics, metric)([[y for _, y in user]], [[s for s, _ in user]], k=k) for user in users]))


def sklearn_labels(users: Documents, metric: str) -> float:
    """Return the mean over users of a function of sklearn.metrics that takes no cut-off and at least two labels of 0 and 1."""
    from sklearn import metrics

    alone = [float(metric == "coverage_error" and user[0][1] > 0) for user in users if len(user) == 1]
    several = [user for user in users if len(user) > 1]
    values = [getattr(metrics, metric)([[int(y > 0) for _, y in user]], [[s for s, _ in user]]) for user in several]
    return float(np.mean(alone + values))


def torchmetrics(users: Documents, metric: str, k: int) -> float:
    """Return the value of a class of torchmetrics.retrieval."""
    import torch
    from torchmetrics import retrieval

    scores, grades, sizes = flat(users)
    index = torch.tensor(np.repeat(np.arange(len(sizes)), sizes))
    return float(getattr(retrieval, metric)(top_k=k)(torch.tensor(scores, dtype=torch.float32), torch.tensor(grades.astype(int)), index))


def xgboost(users: Documents, metric: str, k: int) -> float:
    """Return the value that a booster without a round prints for scores given as its base margin."""
    import xgboost as library

    scores, grades, sizes = flat(users)
    data = library.DMatrix(np.zeros((len(scores), 1)), label=grades, group=sizes, base_margin=scores)
    booster = library.Booster({"objective": "rank:ndcg", "base_score": 0.0, "eval_metric": f"{metric}@{k}"}, [data])
    return float(booster.eval_set([(data, "test")]).rpartition(":")[2])


def lightgbm(users: Documents, metric: str, k: int) -> float:
    """Return the value of a booster without a round, for scores given as its initial scores."""
    import lightgbm as library

    scores, grades, sizes = flat(users)
    quiet = {"verbose": -1, "feature_pre_filter": False}
    data = library.Dataset(np.zeros((len(scores), 1)), label=grades, group=sizes, init_score=scores, params=quiet)
    booster = library.Booster({"objective": "lambdarank", "metric": [metric], "eval_at": [k], **quiet}, data)
    ((_, _, value, *_),) = map(tuple, booster.eval_train())
    return float(value)


LIBRARIES: dict[str, tuple[str, Callable[[Documents, str, int], float], tuple[str, ...]]] = {
    "sklearn": ("scikit-learn", sklearn, ("ndcg_score", "dcg_score")),
    "torchmetrics": (
        "torchmetrics",
        torchmetrics,
        ("RetrievalMAP", "RetrievalMRR", "RetrievalPrecision", "RetrievalRecall", "RetrievalHitRate"),
    ),
    "xgboost": ("xgboost", xgboost, ("ndcg", "map")),
    "lightgbm": ("lightgbm", lightgbm, ("ndcg", "map")),
}


def main() -> None:
    """Evaluate the models whose lists do not repeat an item."""
    name = sys.argv[1]
    package, value, metrics = LIBRARIES[name]
    values = Values(name, package)
    for relevance in ("all", "rating>=4"):
        for model in (model for model in MODELS if model not in REPEATING):
            users = list(documents(model, relevance).values())
            for metric in metrics:
                for k in KS:
                    values.add(model, metric, k, relevance, partial(value, users, metric, k), users=len(users))
            if name == "sklearn":
                listed = list(documents(model, relevance, below_list=0).values())
                for metric in ("coverage_error", "label_ranking_loss"):
                    values.add(model, metric, None, relevance, partial(sklearn_labels, listed, metric), users=len(listed))
    values.write(name)


if __name__ == "__main__":
    main()
