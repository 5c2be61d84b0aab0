"""Values of rs_metrics 0.6.0.

One user without a list makes its precision nan, so precision is asked once more for the truth of the users with a list.
"""

from __future__ import annotations

import warnings

import rs_metrics
from common import KS, MODELS, Values, ordered_lists, truth_rows

METRICS = ("hitrate", "precision", "recall", "mrr", "mapr", "ndcg")


def main() -> None:
    """Evaluate every model; the mean is over the users of the truth. Without a cut-off, ndcg fails in the library."""
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
    values.write("rs_metrics")


if __name__ == "__main__":
    main()
