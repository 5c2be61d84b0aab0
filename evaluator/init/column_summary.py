"""The values of one column, as text → what they show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

import polars as pl

from ..engine.files import NO_VALUE
from ..load import sniff
from ..load.columns import usual_roles
from .records import Column

_SHOWN: Final = 300
_COMMA: Final = r"^\s*[+-]?(\d+|\d*,\d+)\s*$"


def column(name: str, place: int, values: pl.Series, holds: Callable[[Collection[str]], bool]) -> Column:
    """What a column shows; of one that holds lists, what their values do. Numbers may stand beside words for no value."""
    single = flat(values)
    empty = single.is_null() | (single == "")
    distinct = single.filter(~empty).unique(maintain_order=True)
    no_value = single.str.to_lowercase().is_in([word for word in NO_VALUE if word]) & ~empty
    numbers, comma = _numbers(distinct.filter(~distinct.str.to_lowercase().is_in(NO_VALUE)))
    found = Column(
        name,
        place,
        usual_roles(name),
        "text",
        distinct.len(),
        values.len() - int(empty.sum()),
        values=tuple(distinct.head(_SHOWN)),
        listed=values.dtype == pl.List,
        holds=holds,
    )
    if numbers is None:
        return found
    integer = numbers.len() == distinct.len() and distinct.str.contains(sniff.PLAIN_INTEGER).all()
    return replace(
        found,
        kind="integer" if integer else "decimal",
        least=numbers.min(),  # type: ignore[arg-type]
        most=numbers.max(),  # type: ignore[arg-type]
        stepped=bool(((numbers * 2) % 1 == 0).all()),
        no_value=int(no_value.sum()),
        comma=comma,
    )


def _numbers(texts: pl.Series) -> tuple[pl.Series | None, bool]:
    """The numbers that texts are, if all are, and whether decimals follow a comma."""
    for comma in (False, True):
        written = texts.str.replace(",", ".", literal=True) if comma and texts.str.contains(_COMMA).all() else texts
        numbers = written.cast(pl.Float64, strict=False)
        if texts.len() and numbers.is_not_null().all() and numbers.is_finite().all():
            return numbers, comma
    return None, False


def flat(values: pl.Series) -> pl.Series:
    """The values of a column, one by one where it holds lists."""
    return values.explode(empty_as_null=False) if values.dtype == pl.List else values
