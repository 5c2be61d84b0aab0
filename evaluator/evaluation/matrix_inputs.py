"""Matrices of scores as lists: down to which rank measures read them, and the pairs and columns that they leave out."""

from __future__ import annotations

import polars as pl

from .. import load
from ..config.data import Data
from ..config.data_sources import InMemory
from ..config.whole_config import Evaluation
from ..engines.spark.session import SparkSession
from ..load.in_memory.matrices import Matrix, unnamed_columns
from ..load.opening import FAILURES, open_rows
from ..load.scan import ReadError
from ..support.errors import ConfigError, DataError


def seen_pairs(where: str, rows: object, train: load.Source | None, session: SparkSession | None = None) -> pl.DataFrame | None:
    """Return the pairs of train that a matrix masks as seen, with ids as text; `None` if the matrix masks none.

    `session` reads a train table on Spark. Raises `ConfigError` if `train` is missing.
    """
    if not is_masked(rows):
        return None
    if train is None:
        raise ConfigError(f"{where}: seen items are not known", "give data.train, or remove mask_seen")
    as_text = train.with_kinds({"user": "text", "item": "text"})
    try:
        if train.scan.format == "table" and session is not None:
            from ..engines.spark.shuffle import table_frame  # only here: most runs need no Spark

            return table_frame(session, as_text).select("user", "item")
        return open_rows(as_text.scan).select("user", "item").collect()
    except (*FAILURES, ReadError) as error:
        raise load.explain(train, ReadError(str(error))) from error


def refuse_unknown_columns(where: str, rows: object, test: load.Source | None) -> None:
    """Raise `DataError` if most test rows have items that are no columns of a matrix of scores without ids of items.

    A test set that only Spark can read is not checked.
    """
    n_items = unnamed_columns(rows)
    if n_items is None or test is None or test.scan.format == "table":
        return
    try:
        tested = open_rows(test.with_kinds({"user": "text", "item": "text"}).scan).select(pl.col("item").cast(pl.Int64, strict=False))
        items = tested.collect()["item"]
    except FAILURES as error:
        raise load.explain(test, ReadError(str(error))) from error
    n_lost = len(items) - int(items.is_between(0, n_items - 1).sum())
    if n_lost * 2 > len(items):
        raise DataError(
            f"{where}: {n_lost:,} of {len(items):,} test rows have an item that this matrix of scores does not have: "
            f"its columns have no ids, so they are the items 0 to {n_items - 1:,}",
            "give the ids of the columns, receval.Matrix(scores, items=ids); for candidates of each user give their ids too: (ids, scores)",
        )


def is_masked(rows: object) -> bool:
    """Return whether rows are a matrix of scores that masks the items of train."""
    return isinstance(rows, Matrix) and rows.mask_seen


def masks_seen(data: Data) -> bool:
    """Return whether a matrix of scores of a config masks the items of train."""
    return any(isinstance(source.frame, InMemory) and is_masked(source.frame.rows) for _, source in data.sources())


def deepest(evaluation: Evaluation) -> int | None:
    """Return how many items of a list measures read at most.

    `None` means all: a measure has no cut-off, removes items from lists first, or looks at all items with the same score.
    """
    definitions = [inner for definition in evaluation.computed for inner in definition.all]
    leaves_out = any(
        definition.lists.leaves_out
        or definition.lists.judges_ties
        or (definition.params.get("ties", "list_order") != "list_order" and "ties" in definition.metric.axes)
        for definition in definitions
    )
    cutoffs = [definition.k for definition in definitions if definition.metric.cut]
    if leaves_out or not cutoffs or None in cutoffs or any(not definition.metric.cut for definition in evaluation.computed):
        return None
    return max(k for k in cutoffs if k is not None)
