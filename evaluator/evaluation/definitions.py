"""The measures of a run → their definitions in full, as results keep them."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from ..conventions.axes import PROTOCOL
from ..metrics.definition import Definition
from ..results.definition import MeasureDefinition
from .models import Evaluated
from .plan import looks_at_train


def definitions_of(models: Iterable[Evaluated]) -> dict[str, MeasureDefinition]:
    """The definition of every measure of some models, by its name in their rows."""
    by_name: dict[str, MeasureDefinition] = {}
    for model in models:
        for definition, rows in zip(model.plan.definitions, model.finished.rows, strict=True):
            by_name |= {row.metric: in_full(definition) for row in rows if row.metric not in by_name}
        by_name |= {composite.formula.text: _of_formula(composite.definitions) for composite in model.plan.composites}
    return by_name


def in_full(definition: Definition) -> MeasureDefinition:
    """A definition with the value of every axis that it reads."""
    metric = definition.metric
    axes = {name: definition.axes[name] for name in (*PROTOCOL, *dict.fromkeys(metric.axes.values()))}
    return MeasureDefinition(
        metric=metric.name,
        convention=definition.convention,
        higher_is_better=definition.higher_is_better,
        average=definition.average,
        population=definition.population,
        of_models=metric.system,
        threshold=definition.truth.threshold,
        graded=definition.truth.graded,
        axes=axes,
        params={name: value if isfinite(value) else str(value) for name, value in definition.numbers.items()} | dict(definition.texts),
        needs=tuple(sorted(definition.needs | ({"train"} if looks_at_train(definition) else set()))),
        components={part.label: in_full(part) for part in definition.components},
    )


def _of_formula(parts: Iterable[Definition]) -> MeasureDefinition:
    components = {part.label: in_full(part) for part in parts}
    conventions = ", ".join(dict.fromkeys(part.convention for part in components.values()))
    return MeasureDefinition("formula", conventions, None, average="formula", of_models=True, components=components)
