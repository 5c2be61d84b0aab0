"""Summarise one column of text: its kind, its range, its distinct values."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

import polars as pl
from msgspec.structs import replace

from ..load import sniff
from ..load.columns import usual_roles
from ..load.opening import NO_VALUE
from .records import ColumnSummary

_N_EXAMPLES: Final = 300
_DECIMAL_COMMA: Final = r"^\s*[+-]?(\d+|\d*,\d+)\s*$"


def summarise_column(name: str, number: int, values: pl.Series, contains_any: Callable[[Collection[str]], bool]) -> ColumnSummary:
    """Summarise a column of text, or of lists of text: then their values. Numbers may be mixed with words for missing values."""
    texts = flat(values)
    is_empty = texts.is_null() | (texts == "")
    distinct = texts.filter(~is_empty).unique(maintain_order=True)
    is_missing_word = texts.str.to_lowercase().is_in([word for word in NO_VALUE if word]) & ~is_empty
    numbers, decimal_comma = _numbers(distinct.filter(~distinct.str.to_lowercase().is_in(NO_VALUE)))
    column = ColumnSummary(
        name,
        number,
        usual_roles(name),
        "text",
        n_distinct=distinct.len(),
        n_filled=values.len() - int(is_empty.sum()),
        examples=tuple(distinct.head(_N_EXAMPLES)),
        is_list=values.dtype == pl.List,
        contains_any=contains_any,
    )
    if numbers is None:
        return column
    is_integer = numbers.len() == distinct.len() and distinct.str.contains(sniff.PLAIN_INTEGER).all()
    return replace(
        column,
        kind="integer" if is_integer else "decimal",
        minimum=numbers.min(),
        maximum=numbers.max(),
        half_steps=bool(((numbers * 2) % 1 == 0).all()),
        n_missing_words=int(is_missing_word.sum()),
        decimal_comma=decimal_comma,
    )


def _numbers(texts: pl.Series) -> tuple[pl.Series | None, bool]:
    """Parse texts as numbers, `None` if any is not one; and whether decimals follow a comma."""
    for decimal_comma in (False, True):
        plain = texts.str.replace(",", ".", literal=True) if decimal_comma and texts.str.contains(_DECIMAL_COMMA).all() else texts
        numbers = plain.cast(pl.Float64, strict=False)
        if texts.len() and numbers.is_not_null().all() and numbers.is_finite().all():
            return numbers, decimal_comma
    return None, False


def flat(values: pl.Series) -> pl.Series:
    """Return the values of a column, lists taken apart."""
    return values.explode(empty_as_null=False) if values.dtype == pl.List else values
