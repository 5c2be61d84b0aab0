"""A result without infinite values: no format for machines could hold them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

from msgspec.structs import replace

from .result import Result, Row

_NUMBERS: Final = ("value", "std", "achieved", "repeats_std")
_OF_SOME_USERS: Final = ("covered_value", "warm_value")


def without_infinite(result: Result) -> Result:
    """Return the result with no value in the place of each that is infinite; its notes say which measures have none."""
    rows, by_group, repeated = (tuple(map(_finite, rows)) for rows in (result.rows, result.by_group, result.repeated))
    return replace(result, rows=rows, by_group=by_group, repeated=repeated)


def _finite(row: Row) -> Row:
    if row.ledger is not None and (lacking := _infinite(row.ledger, _OF_SOME_USERS)):
        row = replace(row, ledger=replace(row.ledger, **lacking))
    lacking = _infinite(row, _NUMBERS)
    return replace(row, **lacking) if lacking else row


def _infinite(record: Any, names: Sequence[str]) -> dict[str, None]:
    """The fields of a record that are infinite, as such without a value."""
    return {name: None for name in names if (number := getattr(record, name)) is not None and not isfinite(number)}
