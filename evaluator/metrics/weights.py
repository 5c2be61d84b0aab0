"""Weights of relevant items in measures of accuracy, from a column of the test rows or of the items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..syntax.measure_strings import Scalar
from ..syntax.value_columns import source_and_column
from ..tables import pair_values  # noqa: F401, declares the tables
from ..tables.array import Array
from ..tables.graph import table
from ..tables.rows import Rows, in_order, number_rows
from .measure import Measure, gain_of
from .registry import Text
from .table_views import CutTable

KEY: Final = "relevant"
"""The key of the column of `evaluation.weights` that weights relevant items: `rows` or `items`."""
WEIGHT: Final = {"weight": Text("", "the column of the weights of relevant items, or none", KEY, shown=True)}
"""The parameter of a metric whose relevant items can have weights; empty without weights."""


def needs_of_weight(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the column of weights that a measure needs."""
    return (".".join(source_and_column(str(params["weight"]))),) if params.get("weight") else ()


def is_column(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if the column of weights or values is not written as it must be."""
    if column := params.get("weight") or params.get("column"):
        source_and_column(str(column))


def weighted(m: Measure, name: str, **params: Scalar) -> CutTable:
    """Return a table whose rows have the weight of their pair in `value`.

    The relevant test rows of a pair are added up, unless `truth_duplicates` combines them into one row (`first`, `last`, `sum`), or counts
    each of them (`rows`, `rows_count`).
    """
    repeated = "relevant" if m.truth_duplicates == "best" else m.truth_duplicates
    return m.table(name, column=m.params["weight"], repeated=repeated, **params)


def ideal_with_weights(m: Measure, gain: str) -> CutTable:
    """Return the relevant items, the highest product of gain and weight first: `rank`, `gain`, `value`."""
    return weighted(m, "weighted_ideal", kind=gain, offset=m.offset)


@table(
    "weighted_ideal",
    uses=("valued_relevant",),
    params=("kind", "offset"),
    columns=("rank", "gain", "value"),
    title="The best possible list",
)
def weighted_ideal(valued_relevant: Rows, kind: str, offset: float) -> Rows:
    """Return the relevant items of each user, the highest product of gain and value first: `rank`, `gain`, `value`."""
    rows = valued_relevant
    each: Array = gain_of(kind, rows["gain"], offset) * rows["value"]
    ordered = rows.take(in_order(rows.user, [(each, True), (rows["gain"], True)]))
    return ordered.with_columns(rank=number_rows(rows.user, rows.n_users))
