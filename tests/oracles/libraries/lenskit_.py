"""Values of LensKit 2025.8.1, through `RunAnalysis`. Lists of users without test rows are removed first (note L1)."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from common import KS, MODELS, SIDE_MODELS, Values, genres, ordered_rows, read, truth_rows
from lenskit.data import ItemList, ItemListCollection, from_interactions_df
from lenskit.metrics import (
    DCG,
    MAE,
    NDCG,
    RBP,
    RMSE,
    ExposureGini,
    Hit,
    ListGini,
    ListLength,
    MeanPopRank,
    Precision,
    Recall,
    RecipRank,
    RunAnalysis,
    entropy,
    rank_biased_entropy,
)
from lenskit.metrics.ranking import AveragePrecision

BINARY: tuple[tuple[Any, dict[str, Any]], ...] = (
    (Hit, {}),
    (Precision, {}),
    (Recall, {}),
    (RecipRank, {}),
    (AveragePrecision, {}),
    (NDCG, {}),
    (DCG, {}),
    (RBP, {"patience": 0.85}),
    (RBP, {"patience": 0.5}),
    (RBP, {"patience": 0.85, "normalize": True}),
)
GRADED: tuple[tuple[Any, dict[str, Any]], ...] = ((NDCG, {"gain": "rating"}), (DCG, {"gain": "rating"}))


def collection(rows: list[dict[str, Any]], field: str, ordered: bool) -> ItemListCollection:
    """Return one item list per user, with the field of the rows."""
    users: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        users.setdefault(row["user_id"], []).append(row)
    made = ItemListCollection.empty(["user_id"])
    for user, found in users.items():
        values = {field: [row[field] for row in found]}
        made.add(ItemList(item_ids=[row["item_id"] for row in found], ordered=ordered, **values), user_id=user)
    return made


def per_list(metric: Any, lists: ItemListCollection, truth: ItemListCollection) -> pd.Series:
    """Return the value of every list, before missing ones are filled."""
    return RunAnalysis(metric).measure(lists, truth).list_metrics(fill_missing=False).iloc[:, 0]


def onehot(items: Any, found: dict[str, list[str]]) -> np.ndarray:
    """Return a matrix with one row per item and one column per genre."""
    names = sorted({name for kinds in found.values() for name in kinds})
    return np.array([[float(name in found.get(item, [])) for name in names] for item in items])


def whole(metric: Any, lists: ItemListCollection, truth: ItemListCollection, mean: bool) -> float:
    """Return the mean of the lists' values, or the value over all."""
    found = RunAnalysis(metric).measure(lists, truth)
    return float(found.list_summary()["mean"].iloc[0] if mean else found.global_metrics().iloc[0])


def beyond(values: Values) -> None:
    """Evaluate the metrics of the lists alone, with the train rows, and the errors of the predicted ratings."""
    rows, train = truth_rows("all"), from_interactions_df(pd.DataFrame(read("train")))
    known, found = {row["user_id"] for row in rows}, genres()
    truth = collection(rows, "rating", ordered=False)
    for model in SIDE_MODELS:
        listed = ordered_rows(model)
        kept = [row for row in listed if row["user_id"] in known]
        lists = collection(kept, "score", ordered=True)
        note = "L1" if len(kept) < len(listed) else None
        values.add(model, "ListLength", None, "none", partial(whole, ListLength(), lists, truth, True), users=len(lists), note=note)
        for k in (*KS, None):
            for metric in (ListGini, ExposureGini):
                for told, items in (("train vocabulary", train), ("items file", len(found))):
                    call = partial(whole, metric(n=k, items=items), lists, truth, False)
                    values.add(model, metric.__name__, k, "none", call, users=len(lists), params={"items": told}, note=note)
            for function in (entropy, rank_biased_entropy):
                shares = [function(ranking, onehot(ranking.ids(), found), n=k) for ranking in lists.lists()]
                params = {"categories": "genre one-hot of each list", "mean": "of the lists' values"}
                values.add(model, function.__name__, k, "none", sum(shares) / len(shares), users=len(shares), params=params, note=note)
            call = partial(whole, MeanPopRank(train, n=k), lists, truth, True)
            values.add(model, "MeanPopRank", k, "none", call, users=len(lists), note=note)
    predicted = collection(read("ratings_pred"), "prediction", ordered=False)
    scored = ItemListCollection.empty(["user_id"])
    for key, predictions in predicted.items():
        scored.add(ItemList(item_ids=predictions.ids(), scores=predictions.field("prediction")), user_id=key.user_id)
    for metric in (RMSE, MAE):
        for mode in ("list", "global"):
            call = partial(whole, metric(), scored, truth, mode == "list")
            values.add("ratings_pred", metric.__name__, None, "rating values", call, params={"missing_scores": "error", "mode": mode})
            params = {"missing_scores": "ignore", "missing_truth": "ignore"}
            params |= {"mean": "of the per-user values" if mode == "list" else "global_metrics()"}
            call = partial(whole, metric(missing_scores="ignore", missing_truth="ignore"), scored, truth, mode == "list")
            users = len(scored) if mode == "list" else None
            values.add("ratings_pred", metric.__name__, None, "rating values", call, users=users, params=params)


def main() -> None:
    """Evaluate every model; the mean is over the lists."""
    warnings.simplefilter("ignore")
    values = Values("lenskit")
    for relevance in ("all", "rating>=4", "graded"):
        rows = truth_rows(relevance)
        known = {row["user_id"] for row in rows}
        truth = collection(rows, "rating", ordered=False)
        for model in MODELS:
            listed = ordered_rows(model)
            kept = [row for row in listed if row["user_id"] in known]
            lists = collection(kept, "score", ordered=True)
            note = "L1" if len(kept) < len(listed) else ""
            for metric, options in GRADED if relevance == "graded" else BINARY:
                for k in (*KS, None):

                    def value(metric=metric, options=options, k=k, lists=lists, truth=truth) -> float:
                        return RunAnalysis(metric(n=k, **options)).measure(lists, truth).list_summary()["mean"].iloc[0]

                    try:
                        gaps = int(per_list(metric(n=k, **options), lists, truth).isna().sum())
                    except Exception:  # the call below notes the error
                        gaps = 0
                    notes = [note, f"{gaps} lists without a value, filled with the metric's default" if gaps else ""]
                    more = {"users": len(lists), "params": options or None, "note": "; ".join(filter(None, notes))}
                    values.add(model, metric.__name__, k, relevance, value, **more)
    beyond(values)
    values.write("lenskit")


if __name__ == "__main__":
    main()
