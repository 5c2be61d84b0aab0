"""Convert row filters into Polars expressions over texts of columns, so that every format and engine keeps the same rows."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import polars as pl

from ..names.row_filter import ColumnTest, Condition, Junction, Missing, Negation, OneOf, Value
from .scan import NO_VALUE

_SIGNS: Final[Mapping[str, Callable[[Any, Any], pl.Expr]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_T: Final = r"^(\d{4}-\d\d-\d\d)T"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]")
"""The start of a date and a time."""
_YEAR_FIRST: Final = re.compile(r"\d{4}([-/.])\d\d(?:\1\d\d(?!\d).*)?", re.DOTALL)
"""A date whose text is ordered by time."""
_ANY_DATE: Final = re.compile(r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](?:\d{4}|\d\d))(?![\d./-])")


def kept_rows(condition: Condition, names: Mapping[str, str], *, decimal_comma: bool = False) -> pl.Expr:
    """Return an expression that is true for rows that a condition keeps, and false or null for others.

    `names` maps names in the condition to columns of the frame, all of text. Compared with a number, a text is read as a number; with true
    or false, as a boolean in any case; with a text, it is compared as written, so that dates and times in ISO 8601 are ordered by time,
    whether a T or a space is between them. Rows with a missing value are kept only by `is null`.
    """

    def kept(condition: Condition) -> pl.Expr:
        match condition:
            case ColumnTest(column, sign, value):
                compared: pl.Expr = _SIGNS[sign](*_sides(names[column], value, decimal_comma))
                return compared
            case OneOf(column, values):
                return pl.any_horizontal(kept(ColumnTest(column, "==", value)) for value in values)
            case Missing(column):
                return _text(names[column]).is_null()
            case Negation(part):
                return ~kept(part)
            case Junction(word, parts):
                return (pl.all_horizontal if word == "and" else pl.any_horizontal)(map(kept, parts))

    return kept(condition)


def compared_with_numbers(condition: Condition) -> frozenset[str]:
    """Return the columns that a condition compares with numbers: their texts must all be numbers."""
    return frozenset(
        column for column, _, value in _comparisons(condition) if isinstance(value, int | float) and not isinstance(value, bool)
    )


def ordered_texts(condition: Condition) -> list[tuple[str, str, str]]:
    """Return the columns that a condition orders as text, each with the sign and the text."""
    return [(column, sign, value) for column, sign, value in _comparisons(condition) if isinstance(value, str) and sign[0] in "<>"]


def orders_by_time(held: str, compared: str) -> bool:
    """Return whether texts of a column can be compared with a text: neither is a date, or both are written so that text orders them."""
    layout, other = date_layout(held), date_layout(compared)
    return layout == other != "other" or (other is None and layout != "other")


def no_number(name: str, *, decimal_comma: bool = False) -> pl.Expr:
    """Return an expression that is true for text that is neither a number nor a word for a missing one, such as NA."""
    return ~_is_missing_number(name) & _number(name, decimal_comma).is_null()


def _comparisons(condition: Condition) -> Iterator[tuple[str, str, Value]]:
    """Yield every comparison of a condition: column, sign and value."""
    match condition:
        case ColumnTest(column, sign, value):
            yield column, sign, value
        case OneOf(column, values):
            yield from ((column, "==", value) for value in values)
        case Negation(part):
            yield from _comparisons(part)
        case Junction(_, parts):
            for part in parts:
                yield from _comparisons(part)


def date_layout(text: str) -> str | None:
    """Return the layout of a text that begins with a date: YYYY-MM-DD, also with / or ., or `other`, which text does not order by time."""
    text = text.strip()
    if year_first := _YEAR_FIRST.fullmatch(text):
        return f"YYYY{year_first[1]}MM{year_first[1]}DD"
    return "other" if _ANY_DATE.match(text) else None


def _sides(name: str, value: Value, decimal_comma: bool) -> tuple[pl.Expr, Value]:
    """Return a text column converted to the type of a value (number, boolean or text), and the value."""
    if isinstance(value, bool):
        return _text(name).str.to_lowercase() == "true", value
    if not isinstance(value, str):
        return _number(name, decimal_comma), float(value)
    if _TIME.match(value):
        return _text(name).str.replace(_T, "${1} "), re.sub(_T, r"\1 ", value)
    return _text(name), value


def _text(name: str) -> pl.Expr:
    """Return a text column in which empty text is missing."""
    return pl.when(pl.col(name) != "").then(pl.col(name))


def _number(name: str, decimal_comma: bool) -> pl.Expr:
    text = pl.col(name).str.strip_chars()
    number = (text.str.replace(",", ".", literal=True) if decimal_comma else text).cast(pl.Float64, strict=False)
    return pl.when(~_is_missing_number(name)).then(number)


def _is_missing_number(name: str) -> pl.Expr:
    return pl.col(name).str.to_lowercase().is_in(NO_VALUE).fill_null(True)
