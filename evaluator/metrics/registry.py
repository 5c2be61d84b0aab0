"""The registry: one record per metric, filled by the `@metric` decorator beside each definition."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import narwhals as nw

from ..conventions import AXES, Convention
from ..naming import UNSET, MetricSpec, Scalar, parse
from .measure import Measure, Ratio, Reductions

Define = Callable[[Measure], "nw.Expr | Ratio"]


@dataclass(frozen=True)
class Metric:
    """What receval knows of one metric.

    `axes` maps the parameter names of measure strings to axes (`gain` → `ndcg_gain`); `numbers` maps parameters of the
    metric's own to their defaults (numbers above 0); `combines` names the default metrics of a metric of metrics;
    `cut` is false where a cut-off has no meaning; `average` is how users are combined unless the config says otherwise.
    """

    name: str
    define: Define
    family: str
    bounds: tuple[float, float]
    reference: str
    aliases: tuple[str, ...] = ()
    axes: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    combines: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    higher_is_better: bool = True
    cut: bool = True
    average: str = "mean"

    @property
    def doc(self) -> str:
        """The docstring of the definition: the formula and its edge cases."""
        return self.define.__doc__ or ""


METRICS: Final[dict[str, Metric]] = {}


def metric(
    name: str,
    *,
    family: str,
    reference: str,
    bounds: tuple[float, float] = (0.0, 1.0),
    aliases: Iterable[str] = (),
    axes: Mapping[str, str] | None = None,
    numbers: Mapping[str, float] | None = None,
    combines: tuple[str, ...] = (),
    needs: Iterable[str] = (),
    higher_is_better: bool = True,
    cut: bool = True,
    average: str = "mean",
) -> Callable[[Define], Define]:
    """Enter the decorated definition into the registry."""

    def enter(define: Define) -> Define:
        METRICS[name] = Metric(
            name=name,
            define=define,
            family=family,
            bounds=bounds,
            reference=reference,
            aliases=tuple(aliases),
            axes=axes or {},
            numbers=numbers or {},
            combines=combines,
            needs=frozenset(needs),
            higher_is_better=higher_is_better,
            cut=cut,
            average=average,
        )
        return define

    return enter


def find(name: str) -> Metric:
    """The metric called `name` (a name or an alias, in any case, `-` and `_` ignored); `ValueError` if there is none."""
    found = _spellings().get(_fold(name))
    if found is None:
        written = {_fold(spelling): spelling for entry in METRICS.values() for spelling in (entry.name, *entry.aliases)}
        close = difflib.get_close_matches(_fold(name), written, n=1)
        hint = f" — did you mean '{written[close[0]]}'?" if close else f"; known: {', '.join(METRICS)}"
        raise ValueError(f"unknown metric '{name}'{hint}")
    return found


@cache
def _spellings() -> dict[str, Metric]:
    return {_fold(spelling): entry for entry in METRICS.values() for spelling in (entry.name, *entry.aliases)}


def resolve(spec: MetricSpec, convention: Convention) -> MetricSpec:
    """The canonical form of `spec`: canonical names, checked parameters, defaults left out; `ValueError` if wrong."""
    entry = find(spec.name)
    given: dict[str, Scalar] = {}
    for key, value in spec.params:
        checked = _read(entry, key, value)
        if checked != defaults(entry, convention)[key]:
            given[key] = checked
    if spec.of and len(spec.of) != len(entry.combines):
        takes = f"takes {len(entry.combines)} metrics" if entry.combines else "takes no other metrics"
        raise ValueError(f"{entry.name} {takes}, not {len(spec.of)}")
    of = tuple(resolve(part, convention) for part in spec.of)
    if tuple(part.title for part in of) == entry.combines:
        of = ()
    if not entry.cut and isinstance(spec.k, int):
        raise ValueError(f"{entry.name} looks at the whole list and takes no cut-off: write '{entry.name}'")
    ordered = tuple((key, given[key]) for key in (*entry.axes, *entry.numbers) if key in given)
    return MetricSpec(entry.name, of, ordered, spec.k if entry.cut else None)


def parts(spec: MetricSpec) -> tuple[MetricSpec, ...]:
    """The metrics that a resolved `spec` combines, at its cut-off where they have one."""
    of = spec.of or tuple(parse(name) for name in find(spec.name).combines)
    return tuple(part.at(spec.k if find(part.name).cut else None) for part in of)


def parameters(spec: MetricSpec, convention: Convention) -> dict[str, Scalar]:
    """Every parameter of a resolved `spec` with its value."""
    return defaults(find(spec.name), convention) | dict(spec.params)


def defaults(entry: Metric, convention: Convention) -> dict[str, Scalar]:
    """The value of every parameter of `entry` where a measure string gives none."""
    return {key: convention[axis] for key, axis in entry.axes.items()} | dict(entry.numbers)


def needs(spec: MetricSpec) -> frozenset[str]:
    """The inputs that a resolved `spec` needs beside the truth and the lists."""
    return find(spec.name).needs.union(*(needs(part) for part in parts(spec)))


def is_pooled(spec: MetricSpec) -> bool:
    """Whether the metric is a ratio whose parts can be summed over users."""
    asked = Reductions()
    entry = find(spec.name)
    of = tuple(nw.lit(0.0) for _ in entry.combines)
    params = {key: AXES[axis].values[0] if AXES[axis].values else 2.0 for key, axis in entry.axes.items()}
    return isinstance(entry.define(Measure(1, params | dict(entry.numbers), asked, of)), Ratio)


def label(spec: MetricSpec) -> str:
    """The printed name of a resolved `spec`; metrics without cut-offs are printed without one."""
    return spec.title if not find(spec.name).cut or spec.k is UNSET else str(spec)


def _read(entry: Metric, key: str, value: Scalar) -> Scalar:
    if key in entry.axes:
        return AXES[entry.axes[key]].read(value)
    if key in entry.numbers:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-6 <= value <= 1e6:
            raise ValueError(f"{key} of {entry.name} is a number above 0 (from 1e-6 to 1e6), not {value!r}")
        return float(value)
    allowed = (*entry.axes, *entry.numbers)
    close = difflib.get_close_matches(key, allowed, n=1)
    hint = f" — did you mean '{close[0]}'?" if close else (f"; it has {', '.join(allowed)}" if allowed else "; it has none")
    raise ValueError(f"{entry.name} has no parameter '{key}'{hint}")


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").replace(" ", "").lower()
