"""Tables of a result: `ValueRow`, a row per value, and `LedgerRow`, who counts for it. Columns and types are the same in every run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final, Literal, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import astuple

from ..support.lazy import pl
from ..syntax.short_names import is_spread
from .row import Ledger, Row


class ValueRow(Struct, frozen=True):
    """One value, in `results.csv`, `results.parquet` and JSON Lines."""

    run_id: str
    model: str
    measure: str
    metric: str
    k: int | None
    aggregate: str
    by: str | None
    group: str | None
    fold: str | None
    run: str | None
    value: float | None
    ci_low: float | None
    ci_high: float | None
    n_users: int
    higher_is_better: bool | None
    convention: str | None


LedgerWord = Literal[
    "counted", "counted_without_list", "counted_without_relevant_item", "counted_without_test_row",
    "left_out_without_list", "left_out_without_relevant_item", "left_out_without_test_row", "left_out_without_value",
    "left_out_not_in_other_file", "only_in_other_file", "counted_with_list", "counted_with_train_rows",
]  # fmt: skip
"""The words for the users of a value, in the order of the fields of a `Ledger`; how many are in the files is said in JSON."""


class LedgerRow(Struct, frozen=True):
    """A number of users of one value, in `ledger.csv`: which users they are, and the value over them, if it is known."""

    run_id: str
    model: str
    measure: str
    aggregate: str
    fold: str | None
    run: str | None
    which_users: LedgerWord
    n_users: int
    value_over_these_users: float | None


_FIELDS: Final = tuple(
    name for name in Ledger.__struct_fields__ if not name.startswith("in_") and name not in ("covered_value", "warm_value")
)
_WORDS: Final[dict[str, LedgerWord]] = dict(zip(_FIELDS, get_args(LedgerWord), strict=True))


def value_rows(rows: Iterable[Row], run_id: str) -> Iterator[ValueRow]:
    """Yield the rows of the table of values."""
    for row in rows:
        low, high = row.interval or (None, None)
        yield ValueRow(
            run_id, row.model, row.measure, row.metric, row.k, row.aggregate, row.by, row.group, row.fold, row.run, row.value,
            low, high, row.n_users, row.higher_is_better, None if row.protocol is None else row.protocol.convention,
        )  # fmt: skip


def ledger_rows(rows: Iterable[Row], run_id: str) -> Iterator[LedgerRow]:
    """Yield the rows of the ledger: numbers above 0, of values with users that are filled in, left out, added, uncovered or cold."""
    for row in rows:
        if row.ledger is None or is_spread(row.aggregate):
            continue
        for word, n, value in _numbers(row.ledger, row.value):
            yield LedgerRow(run_id, row.model, row.measure, row.aggregate, row.fold, row.run, word, n, value)


def _numbers(ledger: Ledger, value: float | None) -> Iterator[tuple[LedgerWord, int, float | None]]:
    """Yield each word with its number of users and the value over them; nothing if all users count as they are."""
    values = {"counted": value, "covered": ledger.covered_value, "warm": ledger.warm_value}
    parts = {name for name in ("covered", "warm") if getattr(ledger, name) not in (None, ledger.counted)}
    if ledger.filled or ledger.left_out or ledger.others or parts:
        for name, word in _WORDS.items():
            if name == "counted" or (getattr(ledger, name) and (name in parts or name not in ("covered", "warm"))):
                yield word, getattr(ledger, name), values.get(name)


@cache
def columns_of_table(row: type[Struct]) -> dict[str, type[pl.DataType]]:
    """Return the columns of a table of such rows, with their types."""
    kinds = {name: next(part for part in (*get_args(kind), kind) if part is not type(None)) for name, kind in get_type_hints(row).items()}
    types: dict[Any, type[pl.DataType]] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    return {name: types.get(kind, pl.String) for name, kind in kinds.items()}


def as_frame(row: type[Struct], rows: Iterable[Struct]) -> pl.DataFrame:
    """Return rows as a frame, which has its columns and their types without any row too."""
    cells: Sequence[tuple[Any, ...]] = [astuple(record) for record in rows]
    return pl.DataFrame(cells, schema=columns_of_table(row), orient="row")
