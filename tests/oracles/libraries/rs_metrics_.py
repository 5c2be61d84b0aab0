"""Values of rs_metrics 0.6.0.

One user without a list makes its precision nan, so precision is also computed for the test rows of the users with a list.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import rs_metrics
from common import KS, MODELS, SIDE_MODELS, Values, genres, ordered_lists, read, truth_rows

METRICS = ("hitrate", "precision", "recall", "mrr", "mapr", "ndcg")


def beyond(values: Values) -> None:
    """Evaluate the metrics that read the items file, the train rows or the genres."""
    if not hasattr(np, "NaN"):
        np.NaN = np.nan  # a_ndcg uses a name that numpy 2 has removed
    items, log, found = [row["item_id"] for row in read("items")], pd.DataFrame(read("train")), genres()
    truth: dict[str, list[str]] = {}
    for row in truth_rows("all"):
        truth.setdefault(row["user_id"], []).append(row["item_id"])
    aspects = {}
    for user, wanted in truth.items():
        names = sorted({name for item in wanted for name in found[item]})
        aspects[user] = [[item for item in wanted if name in found[item]] for name in names]
    told = {"alpha": 0.5, "aspects": "per user: one list of test items per genre found among the user's test items, genres sorted"}
    for model in SIDE_MODELS:
        lists = ordered_lists(model)
        kept = {user: wanted for user, wanted in truth.items() if aspects[user] and lists.get(user)}
        note = "users without a list or without an aspect removed first" if len(kept) < len(truth) else None
        for k in KS:
            asked: list[tuple[str, Any, int | None, dict[str, Any]]] = [
                ("coverage", (items, lists), None, {"items": "items file"}),
                ("popularity", (log, lists), len(lists), {"log": "train"}),
                ("surprisal", (log, lists), len(lists), {"log": "train"}),
            ]
            for metric, inputs, users, params in asked:
                values.add(model, metric, k, "none", partial(getattr(rs_metrics, metric), *inputs, k=k), users=users, params=params)
            call = partial(rs_metrics.a_ndcg, kept, lists, aspects, k=k, alpha=0.5)
            values.add(model, "a_ndcg", k, "all", call, users=len(kept), params=told, note=note)


def main() -> None:
    """Evaluate every model; the mean is over the users with test rows. Without a cut-off, ndcg fails in the library."""
    warnings.simplefilter("ignore")
    values = Values("rs_metrics")
    for relevance in ("all", "rating>=4"):
        truth: dict[str, list[str]] = {}
        for row in truth_rows(relevance):
            truth.setdefault(row["user_id"], []).append(row["item_id"])
        for model in MODELS:
            lists = ordered_lists(model)
            listed = {user: items for user, items in truth.items() if user in lists}
            asked = [(metric, truth, None) for metric in METRICS] + [("precision", listed, {"truth": "only users with a list"})]
            for metric, wanted, params in asked:
                for k in (*KS, None):

                    def value(metric=metric, wanted=wanted, k=k, lists=lists) -> float:
                        return getattr(rs_metrics, metric)(wanted, lists, k=k)

                    values.add(model, metric, k, relevance, value, users=len(wanted), params=params)
    beyond(values)
    values.write("rs_metrics")


if __name__ == "__main__":
    main()
