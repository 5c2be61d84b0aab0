"""Bounds of the values over the whole catalogue of models that rank sampled candidates, and the order of models that they show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final, Literal

from msgspec import Struct, field

from .row import listed

Verdict = Literal["kept", "reversed", "inconclusive"]
"""Whether two models have the same order over the whole catalogue as among the candidates."""
_FEW_MORE: Final = 1.05
FALLING: Final = "no rank is more likely than the one before it"


class MeasureBounds(Struct, frozen=True, omit_defaults=True):
    """The least and greatest value of a measure over the whole catalogue, rounded outwards; `falling` under the assumption `FALLING`."""

    measure: str
    value: float
    low: float
    high: float
    falling: tuple[float, float] | None = None

    @property
    def sharpest(self) -> tuple[float, float]:
        """The bounds that decide on the order of models."""
        return self.falling or (self.low, self.high)


class CatalogueBounds(Struct, frozen=True):
    """The bounds of a model.

    `sampled` items were drawn for each of `n_users` from a `catalogue`, which has the relevant item too. The bounds of all `n_models` of
    the run hold together in the share `level` of draws. The lists of `lacking` users do not have their relevant item, and `tied` users
    have it among equal scores: they count with every rank that this allows. The lists of all users have `n_items` different items.
    `refused` is the reason why there are no bounds, or empty; `not_falling` is true if no distribution with `FALLING` fits the ranks;
    `left_out` are reasons by measure.
    """

    sampled: int
    catalogue: int
    replacement: bool
    level: float
    n_models: int
    n_users: int
    lacking: int = 0
    tied: int = 0
    unlisted: int = 0
    n_items: int = 0
    values: tuple[MeasureBounds, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    not_falling: bool = False

    @property
    def has_more_items(self) -> bool:
        """True if the lists have more different items than the catalogue, by more than the few that a user may know."""
        return self.n_items > _FEW_MORE * self.catalogue

    @property
    def by_measure(self) -> Mapping[str, MeasureBounds]:
        """The bounds of each measure that has some."""
        return {value.measure: value for value in self.values}


def sentence_of(bounds: CatalogueBounds) -> str:
    """Return a sentence on the bounds of a model, or on why it has none, for the finding of its lists; empty if no measure has some."""
    if bounds.refused:
        return f"There are no bounds over the whole catalogue: {bounds.refused}."
    each = listed([f"{value.measure} is from {value.low:g} to {value.high:g}" for value in bounds.values])
    return f"Over the whole catalogue of {bounds.catalogue:,} items {each} ({100 * bounds.level:g} %)." if each else ""


class OrderOfModels(Struct, frozen=True):
    """The order of two models in a measure: `first` has the higher value among the candidates, or is named first if they are equal."""

    measure: str
    first: str
    second: str
    verdict: Verdict


def orders(bounds: Mapping[str, CatalogueBounds]) -> Iterator[OrderOfModels]:
    """Yield the order of all pairs of models in each measure: known if their bounds do not overlap."""
    measures = dict.fromkeys(value.measure for of_model in bounds.values() for value in of_model.values)
    for measure in measures:
        having = [(name, of_model.by_measure[measure]) for name, of_model in bounds.items() if measure in of_model.by_measure]
        for pair in combinations(having, 2):
            (first, upper), (second, lower) = sorted(pair, key=lambda one: -one[1].value)
            (low, high), (other_low, other_high) = upper.sharpest, lower.sharpest
            verdict: Verdict = "inconclusive"
            if upper.value != lower.value:
                verdict = "kept" if low > other_high else "reversed" if other_low > high else verdict
            yield OrderOfModels(measure, first, second, verdict)
