"""`MeasureDefinition`: one metric with all its settings, as results store it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ..conventions import load
from ..names.measure_strings import Scalar


class MeasureDefinition(Struct, frozen=True):
    """One metric with all its settings; the cut-off belongs to the row of a value.

    `axes` are those of the protocol and those that the formula of the metric reads, `params` its other parameters. `threshold` is the
    lowest relevant rating if there is one; `graded`: ratings are gains. `average` says how users are combined if the config asks for no
    aggregates. A measure `of_models` has no per-user values; a formula has the `metric` formula and its measures as `components`. `needs`
    are the inputs besides the test file and the lists.
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
        """Return the settings in which another definition differs: name, own value, other value; names of conventions are ignored.

        An axis that only one of them has is newer than the other: that one has the value of the convention receval, which changes nothing.
        """
        mine, others = (dict(one.axes) | dict(one.params) | one._plain() for one in (self, other))
        newer = {name: value for name, value in load("receval").axes.items() if name in (set(self.axes) ^ set(other.axes))}
        mine, others = newer | mine, newer | others
        names = sorted(mine.keys() | others.keys())
        own = [(name, mine.get(name), others.get(name)) for name in names if mine.get(name) != others.get(name)]
        pairs = zip(self.components.items(), other.components.values(), strict=False)
        return own + [(f"{choice} of {name}", one, two) for (name, part), more in pairs for choice, one, two in part.differences(more)]

    def _plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("metric", "threshold", "graded", "average", "population", "of_models")}
        return plain | {"components": tuple(self.components)}
