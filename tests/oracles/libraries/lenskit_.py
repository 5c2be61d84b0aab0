"""Values of LensKit 2025.8.1, through `RunAnalysis`. The lists of users without truth are removed first (note L1)."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
from common import KS, MODELS, Values, ordered_rows, truth_rows
from lenskit.data import ItemList, ItemListCollection
from lenskit.metrics import DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank, RunAnalysis
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
    """One item list a user, with the field that the rows have."""
    users: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        users.setdefault(row["user_id"], []).append(row)
    made = ItemListCollection.empty(["user_id"])
    for user, found in users.items():
        values = {field: [row[field] for row in found]}
        made.add(ItemList(item_ids=[row["item_id"] for row in found], ordered=ordered, **values), user_id=user)
    return made


def per_list(metric: Any, lists: ItemListCollection, truth: ItemListCollection) -> pd.Series:
    """The value of every list, before gaps are filled."""
    return RunAnalysis(metric).measure(lists, truth).list_metrics(fill_missing=False).iloc[:, 0]


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
    values.write("lenskit")


if __name__ == "__main__":
    main()
