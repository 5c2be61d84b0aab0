"""Values of Evidently 0.7.23: its ranking metrics, of users with a list; test rows that are not listed are appended below the list."""

from __future__ import annotations

import warnings

import pandas as pd
from common import KS, Values, ordered_lists, truth_rows
from evidently import DataDefinition, Dataset, Recsys, Report
from evidently.metrics import MAP, MRR, NDCG, FBetaTopK, HitRate, PrecisionTopK, RecallTopK

FULL = ("clean", "missing", "extra", "unknown")  # models without duplicates and ties, whose lists have at least ten items
METRICS = (PrecisionTopK, RecallTopK, NDCG, MRR, HitRate, FBetaTopK)
LISTED = {"truth": "only users with a list"}


def table(model: str, relevance: str) -> pd.DataFrame:
    """Return the rows of every listed user with a test row by rank, with a target of 1 for test rows."""
    wanted: dict[str, list[str]] = {}
    for row in truth_rows(relevance):
        wanted.setdefault(row["user_id"], []).append(row["item_id"])
    rows = []
    for user, items in ordered_lists(model).items():
        below = [item for item in wanted.get(user, []) if item not in items]
        ranked = enumerate([*items, *below], 1) if user in wanted else ()
        rows += [(user, item, int(item in wanted[user]), rank) for rank, item in ranked]
    return pd.DataFrame(rows, columns=["user_id", "item_id", "target", "prediction"]).sort_values("prediction", kind="stable")


def main() -> None:
    """Evaluate every model."""
    warnings.simplefilter("ignore")
    values = Values("evidently")
    kind = Recsys(user_id="user_id", item_id="item_id", target="target", prediction="prediction", recommendations_type="rank")
    for relevance in ("all", "rating>=4"):
        for model in FULL:
            data = Dataset.from_pandas(table(model, relevance), data_definition=DataDefinition(ranking=[kind]))
            asked = [metric(k=max(KS)) for metric in (*METRICS, MAP)]
            for metric, found in zip(asked, Report(asked).run(data, None).dict()["metrics"], strict=True):
                by_k = list(found["value"]["value"].values())
                for k in KS:
                    values.add(model, type(metric).__name__, k, relevance, by_k[k - 1], params=LISTED)
    values.write("evidently")


if __name__ == "__main__":
    main()
