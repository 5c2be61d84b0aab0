"""Values as text for people, and lines of values as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ..content.numbers import decimals, number
from ..metrics import find
from ..names.aggregate_names import interval_level
from ..names.formula import is_formula
from ..results.result import Row
from .blocks import Grid

_BESIDE: Final = 4
"""How many measures stand beside each other, so that a table fits a screen."""


class Formats(Struct, frozen=True):
    """How many decimals the values of each measure have, by its label; `rounded` if somebody asked for so many."""

    places: Mapping[str, int]
    rounded: bool = False

    @staticmethod
    def of(rows: Iterable[Row], digits: int | None = None) -> Formats:
        """As many decimals as the values of `rows` need, or `digits` for all that are no counts; an interval has those of its mean."""
        by_measure: dict[str, list[Row]] = {}
        for row in rows:
            by_measure.setdefault(row.measure if interval_level(row.aggregate) is not None else row.label, []).append(row)
        places = {}
        for some in by_measure.values():
            whole = _counts(some)
            fitting = decimals((value for row in some for value in (row.value, row.repeats_std)), whole)
            chosen = fitting if digits is None or (whole and fitting == 0) else digits
            places.update(dict.fromkeys((row.label for row in some), chosen))
        return Formats(places, digits is not None)

    def text(self, label: str, value: float | None) -> str:
        """A value of the measure of that label."""
        return number(value, self.places[label], self.rounded)

    def shown(self, row: Row | None) -> str:
        """The value of a row; a mean over folds or runs with its standard deviation."""
        if row is None:
            return ""
        spread = self.text(row.label, row.repeats_std)
        return self.text(row.label, row.value) + (f" ± {spread}" if spread else "")


def _counts(rows: Sequence[Row]) -> bool:
    """Whether the values of one measure are numbers of things: those of coverage may be, and are if one is above 1."""
    if is_formula(rows[0].metric):
        return False
    metric = find(rows[0].metric.partition("(")[0])
    return metric.counts and ("form" not in metric.axes or any((row.value or 0.0) > 1 for row in rows))


def grids(heads: tuple[str, ...], lines: Mapping[tuple[str, ...], Mapping[str, str]]) -> Iterator[Grid]:
    """Tables of `lines`, whose first cells, under `heads`, are their keys, and of whose values by label four stand beside each other."""
    labels = tuple(dict.fromkeys(label for values in lines.values() for label in values))
    for start in range(0, len(labels), _BESIDE):
        some = labels[start : start + _BESIDE]
        rows = tuple((*key, *(values.get(label, "") for label in some)) for key, values in lines.items())
        yield Grid((*heads, *some), rows, numbers=frozenset(some))
