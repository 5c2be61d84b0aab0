"""`Comparison`: models beside a base model, measure by measure, and what is concluded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl
from msgspec import Struct, field

from ..stats.records import Difference, Settings
from .spread import Spread

FORMAT_VERSION: Final = 2
"""The version of the JSON form. 1: verdicts were better, worse, same, tiny, unknown, identical and none. 2: better, worse, equivalent,
identical, inconclusive and null; `p_equivalent` and `probability_equivalent` were `p_same` and `probability_same`."""


class Comparison(Struct, frozen=True):
    """Differences of models from a base, or between all pairs of models.

    `base` is the model that the others are compared with, `None` if all pairs are. `differences` are over all users: those of `judged`
    measures have a verdict, corrected together; the others are shown. `by_group` are those within groups of users, corrected together.
    `values` has the value of every model by measure and model, `higher_is_better` the direction of every measure. `letters` say of all
    pairs, by measure and model, which are not clearly different: those that share a letter. `losers` are the users with the largest
    losses, by model and measure, largest first, with the columns user, base, model and difference. `spreads` are those of the
    differences of users. `notes` are sentences on what was compared.
    """

    base: str | None
    models: tuple[str, ...]
    differences: tuple[Difference, ...]
    settings: Settings
    judged: tuple[str, ...]
    values: Mapping[tuple[str, str], float | None]
    higher_is_better: Mapping[str, bool | None]
    by_group: tuple[Difference, ...] = ()
    letters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    losers: Mapping[tuple[str, str], pl.DataFrame] = field(default_factory=dict)
    spreads: tuple[Spread, ...] = ()
    notes: tuple[str, ...] = ()
    paired: bool = True

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order of the results."""
        return tuple(dict.fromkeys(difference.subject.measure for difference in self.differences))

    @property
    def others(self) -> tuple[str, ...]:
        """The models that are compared with the base; of all pairs all models."""
        return tuple(model for model in self.models if model != self.base)

    def of(self, model: str, base: str | None = None) -> tuple[Difference, ...]:
        """The differences of a model from the base, or from another model."""
        against = base or self.base
        return tuple(one for one in self.differences if one.subject.model == model and one.subject.base == against)
