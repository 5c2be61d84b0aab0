"""Values of replay-rec 0.22.0, with polars and with pandas frames."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import polars as pl
from common import KS, MODELS, SIDE_MODELS, Values, genres, read, truth_rows
from replay.metrics import (
    MAP,
    MRR,
    NDCG,
    CategoricalDiversity,
    ConfidenceInterval,
    Coverage,
    HitRate,
    Median,
    Novelty,
    Precision,
    Recall,
    RocAuc,
    Surprisal,
    Unexpectedness,
)

METRICS = (HitRate, Precision, Recall, MAP, MRR, NDCG, RocAuc)
COLUMNS = {"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}
MODES = {"Median": Median(), "ConfidenceInterval": ConfidenceInterval(0.95)}
FRAMES = {"polars": pl.DataFrame, "pandas": pd.DataFrame}


def beyond(values: Values, backend: str) -> None:
    """Evaluate the metrics of the lists, with the train rows, a base list or genres. An item without genres has no category row."""
    frame, found = FRAMES[backend], genres()
    params: dict[str, Any] = {"backend": backend}
    base = read("clean")
    known = {"train": read("train"), "clean": base}
    frames = {name: frame(rows)[["user_id", "item_id"] + ["score"] * (name == "clean")] for name, rows in known.items()}
    kinds = {"first genre of the item, if it has one": 1, "one row per genre of the item": None}
    for model in SIDE_MODELS:
        rows = read(model)
        listed = {row["user_id"] for row in rows}
        lists = frame(rows)[["user_id", "item_id", "score"]]
        asked: list[tuple[Any, tuple[Any, ...], int | None, dict[str, Any]]] = [
            (Coverage(list(KS), **COLUMNS), (lists, frames["train"]), None, {}),
            (Novelty(list(KS), **COLUMNS), (lists, frames["train"]), len({row["user_id"] for row in known["train"]}), {}),
            (Surprisal(list(KS), **COLUMNS), (lists, frames["train"]), len(listed), {}),
            (Unexpectedness(list(KS), **COLUMNS), (lists, frames["clean"]), len(listed), {"base_recommendations": "clean"}),
        ]
        for category, upto in kinds.items():
            named = [
                {"user_id": row["user_id"], "category_id": name, "score": row["score"]}
                for row in rows
                for name in found.get(row["item_id"], [])[:upto]
            ]
            columns = {"query_column": "user_id", "category_column": "category_id", "rating_column": "score"}
            users = len({row["user_id"] for row in named})
            asked.append((CategoricalDiversity(list(KS), **columns), (frame(named),), users, {"category": category}))
        for metric, inputs, users, more in asked:
            name = type(metric).__name__
            for k in KS:

                def value(metric=metric, inputs=inputs, name=name, k=k) -> float:
                    return metric(*inputs)[f"{name}@{k}"]

                values.add(model, name, k, "none", value, users=users, params=params | more)


def main() -> None:
    """Evaluate every model; the mean is over the users with test rows. Other modes are tried only for polars and `all`."""
    warnings.simplefilter("ignore")  # duplicates are announced each time
    values = Values("replay-rec")
    for backend, frame in FRAMES.items():
        beyond(values, backend)
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
