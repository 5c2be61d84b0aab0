"""Convert row filters into Polars expressions over texts of columns, so that every format and engine keeps the same rows."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import polars as pl

from ..support.patterns import regex
from ..syntax.row_filter import ColumnTest, Condition, Junction, Missing, Negation, OneOf, Value
from .columns import LARGEST_EXACT
from .scan import NO_VALUE

_SIGNS: Final[Mapping[str, Callable[[Any, Any], pl.Expr]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MOST_EXACT: Final = 1 << 126
"""Integers of this size are compared as floating-point numbers: no type of Polars has larger ones."""
_T: Final = r"^(\d{4}-\d\d-\d\d)T"
_TIME: Final = regex(r"\d{4}-\d\d-\d\d[T ]")
"""The start of a date and a time."""
_LAYOUTS: Final = {
    f"YYYY{sign}MM{sign}DD": rf"(?s)^\s*[0-9]{{4}}[{sign}][0-9]{{2}}(?:[{sign}][0-9]{{2}}(?:[^0-9].*)?)?$" for sign in ("-", "/", ".")
}
"""Layouts of dates whose texts are ordered by time, each with a pattern for Python and Polars."""
_ANY_DATE: Final = r"^\s*(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2}))(?:[^0-9./-]|$)"


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
                if isinstance(value, int) and LARGEST_EXACT <= abs(value) < _MOST_EXACT:
                    whole = _whole_number(names[column], decimal_comma)
                    return pl.coalesce(_SIGNS[sign](whole, pl.lit(value, dtype=pl.Int128)), compared)
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


class TextComparison(NamedTuple):
    """A comparison of a column with a text; of several that refuse the same texts only the first is used."""

    column: str
    sign: str
    value: str

    @property
    def is_ordered(self) -> bool:
        """True if it says which of two texts is first."""
        return self.sign in ("<", "<=", ">", ">=")

    def wrong(self, name: str) -> pl.Expr:
        """Return an expression that is true for texts of the column `name` that this comparison would compare wrongly.

        Dates must have the layout of the compared one. Other text is compared with text as written, unless most of it are dates: then it
        must not have dates that text does not order by time.
        """
        layout, text, other = _layout(name), pl.col(name).is_not_null() & (pl.col(name) != ""), date_layout(self.value)
        if not self.is_ordered:  # a date that is written in another way is not recognised as the same, where some are written so
            return text & (layout != other).fill_null(False) & (layout == other).any() if other else pl.lit(False)
        if other == "other":
            return text
        if other is not None:
            return text & (layout != other).fill_null(True)
        n_dates, first = layout.is_not_null().sum(), layout.filter(text).first()
        return text & (layout == "other").fill_null(False) & ((2 * n_dates >= text.sum()) | (first == "other").fill_null(False))


def text_comparisons(condition: Condition) -> list[TextComparison]:
    """Return the comparisons of a condition with texts, one of those that compare a column in the same way with the same layout."""
    found: dict[tuple[str, bool, str | None], TextComparison] = {}
    for column, sign, value in _comparisons(condition):
        if isinstance(value, str):
            comparison = TextComparison(column, sign, value)
            found.setdefault((column, comparison.is_ordered, date_layout(value)), comparison)
    return list(found.values())


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
    layout = next((layout for layout, pattern in _LAYOUTS.items() if re.search(pattern, text)), None)
    return layout or ("other" if re.search(_ANY_DATE, text) else None)


def _layout(name: str) -> pl.Expr:
    """Return the layouts of the texts of a column, as `date_layout` does; null for other text."""
    text, patterns = pl.col(name).str.strip_chars(), (*_LAYOUTS.items(), ("other", _ANY_DATE))
    return pl.coalesce(pl.when(text.str.contains(pattern)).then(pl.lit(layout)) for layout, pattern in patterns)


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


def _whole_number(name: str, decimal_comma: bool) -> pl.Expr:
    """Return numbers as exact integers; null for one that is none. Larger than 2⁵³, also those with a fraction or an exponent are whole."""
    text = pl.col(name).str.strip_chars().str.replace(r"[.,]0*$" if decimal_comma else r"\.0*$", "")
    return pl.coalesce(text.cast(pl.Int128, strict=False), _number(name, decimal_comma).cast(pl.Int128, strict=False))


def _is_missing_number(name: str) -> pl.Expr:
    return pl.col(name).str.to_lowercase().is_in(NO_VALUE).fill_null(True)
