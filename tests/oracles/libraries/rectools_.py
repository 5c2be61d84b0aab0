"""Values of RecTools 0.19.0. The lists are ordered by their rank column; the catalogue is the items file."""

from __future__ import annotations

from typing import Any

import pandas as pd
from common import KS, MODELS, Values, read, truth_rows
from rectools.metrics import MAP, MCC, MRR, NDCG, PAP, Accuracy, F1Beta, HitRate, PartialAUC, Precision, Recall

METRICS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (Precision, {}),
    (Precision, {"r_precision": True}),
    (Recall, {}),
    (F1Beta, {"beta": 1.0}),
    (F1Beta, {"beta": 0.5}),
    (Accuracy, {}),
    (MCC, {}),
    (HitRate, {}),
    (NDCG, {}),
    (NDCG, {"divide_by_achievable": True}),
    (NDCG, {"log_base": 3}),
    (MRR, {}),
    (MAP, {}),
    (MAP, {"divide_by_k": True}),
    (PartialAUC, {}),
    (PAP, {}),
    (PartialAUC, {"insufficient_handling": "exclude"}),
    (PAP, {"insufficient_handling": "exclude"}),
)


def main() -> None:
    """Evaluate every model; the mean is over the users of the truth."""
    values = Values("rectools")
    catalog = [row["item_id"] for row in read("items")]
    for relevance in ("all", "rating>=4"):
        truth = pd.DataFrame(truth_rows(relevance))
        for model in MODELS:
            lists = pd.DataFrame(read(model))
            for metric, options in METRICS:
                more = {"catalog": catalog} if metric in (Accuracy, MCC) else {}
                params = {"set": ",".join(f"{key}={value}" for key, value in options.items())} if options else None
                for k in KS:

                    def users(metric=metric, options=options, k=k, lists=lists, truth=truth, more=more) -> pd.Series:
                        return metric(k=k, **options).calc_per_user(reco=lists, interactions=truth, **more)

                    def value(metric=metric, options=options, k=k, lists=lists, truth=truth, more=more) -> float:
                        return metric(k=k, **options).calc(reco=lists, interactions=truth, **more)

                    count = int(users().notna().sum())
                    values.add(model, metric.__name__, k, relevance, value, users=count, params=params)
    values.write("rectools")


if __name__ == "__main__":
    main()
