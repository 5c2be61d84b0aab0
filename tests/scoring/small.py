"""Small parts on literal frames, and tasks from a config, for tests of measuring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from receval.config.whole_config import Evaluation
from receval.scoring.task import Task
from receval.tables.ids import Ids
from receval.tables.prepared import Prepared


def frame(columns: str, rows: Sequence[tuple[Any, ...]], kinds: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Return rows with the column `row`, their position in the file; the rows of a user are together."""
    schema = {name: (kinds or {}).get(name, pl.Float64 if name in ("score", "rating") else pl.Int64) for name in columns.split()}
    made = pl.DataFrame(list(rows), schema=schema, orient="row").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    return made.sort("user", maintain_order=True)


def prepared(train: pl.DataFrame | None = None, catalogue: Sequence[Any] = (), ids: Any = pl.Int64) -> Prepared:
    """Return the prepared facts on items of `train` and of a `catalogue`; without one the catalogue is that of train."""
    rows = pl.DataFrame(schema={"user": ids, "item": ids}) if train is None else train
    items = pl.concat([rows["item"], pl.Series("item", list(catalogue), dtype=rows["item"].dtype)]).unique().sort()
    known = Ids(items)
    counts = np.bincount(known.index_of(rows["item"]), minlength=len(items))
    users = np.bincount(known.index_of(rows.unique(["user", "item"])["item"]), minlength=len(items))
    in_catalogue = items.is_in(list(catalogue)).to_numpy() if len(catalogue) else counts > 0
    numbers = {"items": float(in_catalogue.sum()), "train_items": float((counts > 0).sum())}
    sources = frozenset({"train"} if train is not None else set()) | frozenset({"items"} if len(catalogue) else set())
    return Prepared(known, counts, users, np.zeros(len(items), dtype=np.int64), counts > 0, in_catalogue, numbers, sources=sources)


def task(known: Prepared, metrics: Sequence[str], top_k: Sequence[int | None] = (10,), **options: Any) -> Task:
    """Return the task of measuring `metrics`; `aggregates` and `keeps_values` are options of the task, others belong to the config."""
    own = {name: options.pop(name) for name in ("aggregates", "keeps_values") if name in options}
    evaluation = Evaluation(metrics=list(metrics), top_k=list(top_k), **options)
    return Task(known, tuple(evaluation.definitions), **own)
