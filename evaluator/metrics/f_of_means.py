"""The F of two values of a table: arithmetic of measures, where it is not the F of two means over the same users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from ..conventions import AXES, PROTOCOL, Convention
from ..syntax.measure_strings import CUTOFF_KEYS, UNSET, Cutoff, MetricSpec, cutoff, parse
from .definition import ROWS, Definition
from .registry import Metric, find

_OF: Final = "of"
_F: Final = "f_of"
Resolve = Callable[[MetricSpec], Definition]
"""Function that resolves a measure alone, as a table would show it."""


def as_arithmetic(spec: MetricSpec, convention: Convention, load: Callable[[str], Convention], resolve: Resolve) -> str | None:
    """Return the arithmetic of an F that combines the values of two measures (`of` = `means`), such as `2*AUC*Gini@5/(AUC + Gini@5)`.

    `None` for any other measure, and if both values are means over the users that count for the F: then it is computed as a measure.
    """
    named = dict(spec.params).get("convention")
    chosen = convention if named is None else load(str(named))
    read = chosen.read(replace(spec, params=tuple(pair for pair in spec.params if pair[0] != "convention")))
    entry = find(read.name)
    given = dict(read.params)
    if _F not in entry.axes.values() or AXES[_F].read(given.get(_OF, chosen.axes_of(entry.name)[_F]), _OF) != "means":
        return None
    parts = _parts(read, entry, named, chosen)
    formulas = [as_arithmetic(part, convention, load, resolve) for part in parts]
    if len(parts) != 2 or (not any(formulas) and _are_means(parts, resolve, replace(read, components=()), named)):
        return None
    beta = entry.numbers["beta"].read("beta", given.get("beta", entry.numbers["beta"].usual))
    weight = given.get("weight", chosen.axes_of(entry.name)[entry.axes["weight"]])
    return f_text([f"({formula})" if formula else str(part) for formula, part in zip(formulas, parts, strict=True)], beta, str(weight))


def f_text(names: list[str], beta: float, weight: str) -> str:
    """Return the F of two measures as arithmetic."""
    factor = beta**2 if weight == "beta_squared" else beta
    times = "" if factor == 1 else f"{factor:.12g}*"
    return f"{1 + factor:.12g}*{names[0]}*{names[1]}/({times}{names[0]} + {names[1]})"


def _parts(read: MetricSpec, entry: Metric, named: object, convention: Convention) -> list[MetricSpec]:
    """Return the two metrics, each as a measure of its own: with the cut-off and the settings of the protocol of the F."""
    given = dict(read.params)
    cut: Cutoff = next((cutoff(given[key]) for key in CUTOFF_KEYS if key in given), read.k)
    shared = {key: value for key, value in given.items() if key == "threshold" or key in PROTOCOL or key.startswith(ROWS)}
    shared |= {} if named is None else {"convention": str(named)}
    parts = []
    for part in read.components or tuple(map(parse, entry.combines)):
        params = tuple((shared | dict(part.params)).items())
        parts.append(MetricSpec(part.name, part.components, params, cut if find(convention.read(part).name).cut else UNSET))
    return parts


def _are_means(parts: list[MetricSpec], resolve: Resolve, read: MetricSpec, named: object) -> bool:
    """Return whether both values are plain means over the users that count for the F."""
    whole = resolve(read if named is None else replace(read, params=(*read.params, ("convention", str(named)))))
    resolved = [resolve(part) for part in parts]
    return all(
        not definition.metric.per_model
        and not definition.combines_means
        and definition.average in ("mean", "weighted")
        and _counted(definition) == _counted(whole)
        for definition in resolved
    )


def _counted(definition: Definition) -> tuple[object, ...]:
    return definition.population, definition.user_rules
