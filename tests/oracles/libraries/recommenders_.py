"""Values of recommenders 1.2.1 (its Python evaluation)."""

from __future__ import annotations

import pandas as pd
from common import KS, MODELS, Values, ordered_rows, truth_rows
from recommenders.evaluation import python_evaluation

COLUMNS = {"col_user": "user_id", "col_item": "item_id", "col_prediction": "score"}
PLAIN = ("precision_at_k", "recall_at_k", "r_precision_at_k", "map", "map_at_k")
NDCG_NOTE = "mean over every user of the truth, also those without a list"


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
    values.write("recommenders")


if __name__ == "__main__":
    main()
