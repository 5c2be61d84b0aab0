"""`MeasureDefinition`: everything that a value depends on beside the data, so that values of two results can be told to mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ..names.measure_strings import Scalar


class MeasureDefinition(Struct, frozen=True):
    """One metric with every choice made; the cut-off belongs to the row of a value.

    `axes` are those of the protocol and those that the formula of the metric reads, `params` its other parameters. `threshold` is the least
    relevant rating where one is in effect, `graded` whether ratings are gains. `average` says how users are combined where the config asks
    for no aggregates. A measure `of_models` has no value per user; arithmetic of measures has the `metric` formula and its measures as
    `components`. `needs` are the inputs beside the test file and the lists.
    """

    metric: str
    convention: str
    higher_is_better: bool | None
    average: str = "mean"
    population: str = "test"
    of_models: bool = False
    threshold: float | None = None
    graded: bool = False
    axes: Mapping[str, Scalar] = field(default_factory=dict)
    params: Mapping[str, Scalar] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    components: Mapping[str, MeasureDefinition] = field(default_factory=dict)

    def differences(self, other: MeasureDefinition) -> list[tuple[str, Any, Any]]:
        """What another definition decides otherwise: the name of the choice, and both values; the names of conventions do not matter."""
        mine, others = (dict(one.axes) | dict(one.params) | one._plain() for one in (self, other))
        names = sorted(mine.keys() | others.keys())
        own = [(name, mine.get(name), others.get(name)) for name in names if mine.get(name) != others.get(name)]
        pairs = zip(self.components.items(), other.components.values(), strict=False)
        return own + [(f"{choice} of {name}", one, two) for (name, part), more in pairs for choice, one, two in part.differences(more)]

    def _plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("metric", "threshold", "graded", "average", "population", "of_models")}
        return plain | {"components": tuple(self.components)}


class TruthFingerprint(Struct, frozen=True):
    """What tells one truth from another: the numbers of its users and rows, and a hash of all rows (user, item and rating) in any order."""

    users: int
    rows: int
    hash: str
