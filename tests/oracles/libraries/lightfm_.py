"""Values of LightFM (its fork rectools-lightfm 1.17.3): `lightfm.evaluation` of a model with fixed scores for the whole catalogue."""

from __future__ import annotations

from functools import partial

import numpy as np
from common import KS, MODELS, REPEATING, Values, read, scores, truth_rows
from lightfm import LightFM, evaluation
from scipy.sparse import csr_matrix


def matrix(pairs: set[tuple[str, str]], users: list[str], items: list[str]) -> csr_matrix:
    """Return pairs of user and item as a matrix of ones."""
    places = [users.index(user) for user, _ in pairs], [items.index(item) for _, item in pairs]
    return csr_matrix((np.ones(len(pairs), dtype=np.float32), places), shape=(len(users), len(items)))


def fixed(whole: np.ndarray) -> LightFM:
    """Return a model that predicts the scores of a matrix: the vector of a user is a unit vector, that of an item has all its scores."""
    model = LightFM(no_components=len(whole)).fit(csr_matrix(whole.shape, dtype=np.float32), epochs=0)
    model.user_embeddings = np.eye(len(whole), dtype=np.float32)
    model.item_embeddings = np.ascontiguousarray(whole.T, dtype=np.float32)
    return model


def main() -> None:
    """Evaluate the models that list only items of the catalogue, each once; other items have the scores -1, -2, ... in its order."""
    values = Values("lightfm", "rectools-lightfm")
    items = [row["item_id"] for row in read("items")]
    history = {(row["user_id"], row["item_id"]) for row in read("train")}
    for relevance in ("all", "rating>=4"):
        wanted = {(row["user_id"], row["item_id"]) for row in truth_rows(relevance)}
        users = sorted({user for user, _ in wanted})
        test, train = matrix(wanted, users, items), matrix({pair for pair in history if pair[0] in users}, users, items)
        for name in (name for name in MODELS if name not in (*REPEATING, "unknown")):
            listed = scores(name)
            others = {item: -float(place) for place, item in enumerate(items, 1)}
            model = fixed(np.array([list((others | listed.get(user, {})).values()) for user in users]))
            for metric in ("precision_at_k", "recall_at_k", "reciprocal_rank", "auc_score"):
                for k in KS if metric.endswith("_at_k") else (None,):
                    cut = {} if k is None else {"k": k}
                    found = partial(getattr(evaluation, metric), model, test, train_interactions=train, **cut)
                    values.add(name, metric, k, relevance, lambda found=found: found().mean(), users=len(users))
    values.write("lightfm")


if __name__ == "__main__":
    main()
