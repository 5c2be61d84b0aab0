"""Values of recommenders 1.2.1 (its Python evaluation)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from common import KS, MODELS, SIDE_MODELS, Values, genres, ordered_rows, read, truth_rows
from recommenders.evaluation import python_evaluation

COLUMNS = {"col_user": "user_id", "col_item": "item_id", "col_prediction": "score"}
PLAIN = ("precision_at_k", "recall_at_k", "r_precision_at_k", "map", "map_at_k")
NDCG_NOTE = "mean over every user of the truth, also those without a list"


PAIR = {"col_user": "user_id", "col_item": "item_id"}


def top(model: str, k: int) -> pd.DataFrame:
    """Return the first k rows of each user."""
    return pd.DataFrame(ordered_rows(model)).groupby("user_id", sort=False).head(k)[["user_id", "item_id"]].reset_index(drop=True)


def beyond(values: Values) -> None:
    """Evaluate coverage, diversity, novelty and serendipity on the lists cut to k, and the errors of the predicted ratings."""
    train, found = pd.DataFrame(read("train")), genres()
    names = sorted({name for kinds in found.values() for name in kinds})
    vectors = [(item, np.array([float(name in kinds) for name in names])) for item, kinds in found.items() if kinds]
    features = pd.DataFrame(vectors, columns=["item_id", "features"])
    genre = {"item_feature_df": features, "item_sim_measure": "item_feature_vector", "col_item_features": "features"}
    plain = ("catalog_coverage", "distributional_coverage", "novelty", "diversity", "serendipity")
    asked = [(name, name, {}) for name in plain]
    asked += [(f"{name}[item_feature_vector=genres]", name, genre) for name in ("diversity", "serendipity")]
    for model in SIDE_MODELS:
        for k in KS:
            lists = top(model, k)
            for metric, name, more in asked:
                call = partial(getattr(python_evaluation, name), train, lists, **PAIR, **more)
                users = int(lists["user_id"].nunique())
                note = "items without a genre have no features" if more else None
                values.add(model, metric, k, "none", call, users=users, params={"input": f"top {k} per user"}, note=note)
    truth, predicted = pd.DataFrame(read("test")), pd.DataFrame(read("ratings_pred"))
    for metric in ("rmse", "mae", "rsquared", "exp_var"):
        call = partial(getattr(python_evaluation, metric), truth, predicted, **PAIR, col_rating="rating", col_prediction="prediction")
        values.add("ratings_pred", metric, None, "rating values", call, note="inner join: only the pairs with a prediction")
    truth["rating"] = (truth["rating"] >= 4).astype(float)
    both = predicted.merge(truth[["user_id", "item_id"]])
    low, high = both["prediction"].min(), both["prediction"].max()
    both["prediction"] = (both["prediction"] - low) / (high - low)
    for metric in ("auc", "logloss"):
        call = partial(getattr(python_evaluation, metric), truth, both, **PAIR, col_rating="rating", col_prediction="prediction")
        note = "scaled over the pairs that are also in test"
        values.add("ratings_pred", metric, None, "rating>=4", call, params={"prediction": "min-max scaled to 0..1"}, note=note)


def main() -> None:
    """Evaluate every model."""
    values = Values("recommenders")
    for relevance in ("all", "rating>=4", "graded"):
        truth = pd.DataFrame(truth_rows(relevance))[["user_id", "item_id", "rating"]]
        everyone = set(truth["user_id"])
        for model in MODELS:
            lists = pd.DataFrame(ordered_rows(model))[["user_id", "item_id", "score"]]
            both = len(everyone & set(lists["user_id"]))
            asked = [(name, {}) for name in PLAIN if relevance != "graded"]
            kinds = ("raw", "exp") if relevance == "graded" else ("binary",)
            asked += [("ndcg_at_k", {"score_type": kind, "discfun_type": base}) for kind in kinds for base in ("log2", "loge")]
            for metric, options in asked:
                users = None if metric == "r_precision_at_k" else len(everyone) if metric == "ndcg_at_k" else both
                note = NDCG_NOTE if metric == "ndcg_at_k" and both < len(everyone) else None
                for k in KS:

                    def value(metric=metric, options=options, k=k, truth=truth, lists=lists) -> float:
                        return getattr(python_evaluation, metric)(truth, lists, **COLUMNS, col_rating="rating", k=k, **options)

                    values.add(model, metric, k, relevance, value, users=users, params=options or None, note=note)
    beyond(values)
    values.write("recommenders")


if __name__ == "__main__":
    main()
