"""Values of Cornac 3.0.1: its metrics of the first k items of each list; lists in order of score, ties in file order."""

from __future__ import annotations

import numpy as np
from common import KS, MODELS, REPEATING, Values, ordered_lists, truth_rows
from cornac import metrics

NAMES = ("NDCG", "NCRR", "HitRatio", "Precision", "Recall", "FMeasure")


def main() -> None:
    """Evaluate the models whose lists do not repeat an item; a test user without a list has an empty one."""
    values, nobody = Values("cornac"), np.array([], dtype=str)
    for relevance in ("all", "rating>=4"):
        wanted: dict[str, dict[str, None]] = {}
        for row in truth_rows(relevance):
            wanted.setdefault(row["user_id"], {})[row["item_id"]] = None
        for model in (model for model in MODELS if model not in REPEATING):
            lists = {user: np.array(items) for user, items in ordered_lists(model).items()}
            for name in NAMES:
                for k in KS:
                    metric = getattr(metrics, name)(k=k)
                    found = [
                        metric.compute(gt_pos=np.array(list(items)), pd_rank=lists.get(user, nobody)) for user, items in wanted.items()
                    ]
                    values.add(model, name, k, relevance, float(np.mean(found)), users=len(wanted))
    values.write("cornac")


if __name__ == "__main__":
    main()
