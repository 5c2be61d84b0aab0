"""Values of replay-rec 0.22.0, with polars and with pandas frames."""

from __future__ import annotations

import warnings

import pandas as pd
import polars as pl
from common import KS, MODELS, Values, read, truth_rows
from replay.metrics import MAP, MRR, NDCG, ConfidenceInterval, HitRate, Median, Precision, Recall, RocAuc

METRICS = (HitRate, Precision, Recall, MAP, MRR, NDCG, RocAuc)
COLUMNS = {"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}
MODES = {"Median": Median(), "ConfidenceInterval": ConfidenceInterval(0.95)}
FRAMES = {"polars": pl.DataFrame, "pandas": pd.DataFrame}


def main() -> None:
    """Evaluate every model; the mean is over the users of the truth. The other modes are asked for polars and `all` only."""
    warnings.simplefilter("ignore")  # duplicates are announced each time
    values = Values("replay-rec")
    for backend, frame in FRAMES.items():
        for relevance in ("all", "rating>=4"):
            rows = truth_rows(relevance)
            truth = frame(rows)[["user_id", "item_id"]]
            users = len({row["user_id"] for row in rows})
            for model in MODELS:
                lists = frame(read(model))[["user_id", "item_id", "score"]]
                for metric in METRICS:
                    name = metric.__name__
                    found = metric(list(KS), **COLUMNS)(lists, truth)
                    for k in KS:
                        values.add(model, name, k, relevance, found[f"{name}@{k}"], users=users, params={"backend": backend})
                    if backend != "polars" or relevance != "all":
                        continue
                    for mode, descriptor in MODES.items():
                        found = metric([5, 10], **COLUMNS, mode=descriptor)(lists, truth)
                        for k in (5, 10):
                            params = {"backend": backend, "mode": mode}
                            values.add(model, f"{name}-{mode}", k, relevance, found[f"{name}-{mode}@{k}"], users=users, params=params)
    values.write("replay-rec")


if __name__ == "__main__":
    main()
