"""Row filters as Polars expressions over the texts of columns, so that every format and engine keeps the same rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any, Final

import polars as pl

from ..names.row_filter import Comparison, Condition, Junction, Membership, Missing, Negation, Value

_SIGNS: Final[Mapping[str, Callable[[Any, Any], pl.Expr]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def kept_rows(condition: Condition, names: Mapping[str, str]) -> pl.Expr:
    """Return an expression that is true for the rows that a condition keeps, and false or null for others.

    `names` are the columns of the frame, all of text, by the names that the condition has for them. Beside a number a text is read as a
    number, and beside true or false as a truth value in any case; beside a text it is compared as it is written, so dates and times in
    ISO 8601 are ordered by time. A missing value keeps no row except by `is null`.
    """
    match condition:
        case Comparison(column, sign, value):
            return _SIGNS[sign](_read(names[column], value), value)
        case Membership(column, values):
            return reduce(operator.or_, (_read(names[column], value) == value for value in values))
        case Missing(column):
            return _text(names[column]).is_null()
        case Negation(part):
            return ~kept_rows(part, names)
        case Junction(word, parts):
            joined = operator.and_ if word == "and" else operator.or_
            return reduce(joined, (kept_rows(part, names) for part in parts))


def compared_with_numbers(condition: Condition) -> frozenset[str]:
    """Return the columns that a condition compares with numbers: their texts must all be numbers."""
    return frozenset(_compared_with_numbers(condition))


def no_number(name: str) -> pl.Expr:
    """Return an expression that is true where a text is neither missing nor a number."""
    return _text(name).is_not_null() & _number(name).is_null()


def _compared_with_numbers(condition: Condition) -> Iterator[str]:
    match condition:
        case Comparison(column, _, value):
            values: tuple[Value, ...] = (value,)
        case Membership(column, values):
            pass
        case Missing():
            return
        case Negation(part):
            yield from _compared_with_numbers(part)
            return
        case Junction(_, parts):
            for part in parts:
                yield from _compared_with_numbers(part)
            return
    if any(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        yield column


def _read(name: str, value: Value) -> pl.Expr:
    """Return a column of text as what a value is: a number, a truth value or a text."""
    if isinstance(value, bool):
        return _text(name).str.to_lowercase() == "true"
    return _text(name) if isinstance(value, str) else _number(name)


def _text(name: str) -> pl.Expr:
    """Return a column of text in which an empty text is a missing value."""
    return pl.when(pl.col(name) != "").then(pl.col(name))


def _number(name: str) -> pl.Expr:
    return _text(name).str.strip_chars().cast(pl.Float64, strict=False)
