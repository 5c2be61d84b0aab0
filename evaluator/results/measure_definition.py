"""`MeasureDefinition`: one metric with all its settings, as results store it, and the settings that its value depends on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ..conventions import load
from ..metrics import METRICS, Metric
from ..metrics.settings_read import axes_read
from ..syntax.measure_strings import Scalar


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
        mine, others = (dict(side.axes) | dict(side.params) | side._plain() for side in (self, other))
        newer = {name: value for name, value in load("receval").axes.items() if name in (set(self.axes) ^ set(other.axes))}
        mine, others = newer | mine, newer | others
        names = sorted(mine.keys() | others.keys())
        own = [(name, mine.get(name), others.get(name)) for name in names if mine.get(name) != others.get(name)]
        pairs = zip(self.components.items(), other.components.values(), strict=False)
        return own + [(f"{choice} of {name}", value, two) for (name, part), more in pairs for choice, value, two in part.differences(more)]

    def _plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("metric", "threshold", "graded", "average", "population", "of_models")}
        return plain | {"components": tuple(self.components)}


def axes_read_by(one: MeasureDefinition) -> frozenset[str]:
    """Return the axes that the values of a measure depend on; all of them for a metric that is not known."""
    if one.metric not in METRICS:
        return frozenset(one.axes)
    return axes_read(with_params(one), one.axes, one.population, one.average)


def with_params(one: MeasureDefinition) -> list[tuple[Metric, dict[str, Any]]]:
    """Return the metric of a measure and those that it combines, each with its parameters."""
    metric = METRICS[one.metric]
    parts = [part for part in one.components.values() if part.metric in METRICS]
    return [(metric, params_of(metric, one)), *(pair for part in parts for pair in with_params(part))]


def params_of(metric: Metric, definition: MeasureDefinition) -> dict[str, Any]:
    """Return every parameter of the formula with its value; results store an infinite number as a text."""
    given = dict(definition.params)
    numbers = {name: float(value) for name, number in metric.numbers.items() if (value := given.get(name, number.default)) is not None}
    texts = {name: str(given.get(name, text.default or "")) for name, text in metric.texts.items()}
    return {key: definition.axes[axis] for key, axis in metric.axes.items()} | numbers | texts
