"""Values over γ: a measure under exposure at several γ, the effective number of relevant items, and where two models cross."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from statistics import harmonic_mean
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..checks import EFFECTIVE
from ..metrics import METRICS, find
from ..syntax.formula import is_formula
from ..syntax.measure_strings import MetricSpec, parse
from .result import Result
from .spellings import without_aggregate

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""
EQUAL: Final = -1.0
"""The γ at which all relevant items count alike."""
GAMMAS: Final = (EQUAL, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
"""The usual points of a curve: from no weights at all, γ = -1, to the largest γ of Yang et al. (2018)."""
FEWEST: Final = 3
"""Smallest number of points of a curve."""
_GAMMA, _IPS = "gamma", "ips"


class Crossing(Struct, frozen=True):
    """Two models whose order changes: `first` has higher values below `gamma`, which is interpolated, `second` above."""

    first: str
    second: str
    gamma: float


class GammaCurve(Struct, frozen=True):
    """The values of each model of one measure at some `gammas`, ascending.

    `effective` is the number of relevant items of equal weight that are as good (Kish); `None` where no user has a value. `no_train` is the
    number of relevant items without train rows. They count like all others only at γ = -1, so that values jump there.
    """

    measure: str
    gammas: tuple[float, ...]
    values: Mapping[str, tuple[float | None, ...]]
    effective: tuple[float | None, ...]
    no_train: int = 0

    @property
    def jumps(self) -> bool:
        """True if the values at the first γ are not those to which values near it tend."""
        return self.no_train > 0 and self.gammas[0] == EQUAL

    @property
    def crossings(self) -> tuple[Crossing, ...]:
        """Where two models cross, by γ; not beside a γ where values jump."""
        every = (crossing for pair in combinations(self.values, 2) for crossing in self._crossings(*pair))
        return tuple(sorted(every, key=lambda crossing: (crossing.gamma, crossing.first, crossing.second)))

    def _crossings(self, first: str, second: str) -> Iterator[Crossing]:
        ahead = [
            (gamma, one - other)
            for gamma, one, other in [*zip(self.gammas, self.values[first], self.values[second], strict=True)][self.jumps :]
            if one is not None and other is not None and one != other
        ]
        for (low, before), (high, after) in pairwise(ahead):
            if before * after < 0:
                names = (first, second) if before > 0 else (second, first)
                yield Crossing(*names, low + (high - low) * before / (before - after))


class GammaCurves(Struct, frozen=True):
    """The curves of a result, a measure each, and what its run said about the data."""

    curves: tuple[GammaCurve, ...]
    remarks: tuple[str, ...] = ()


def over_gamma(label: str) -> tuple[MetricSpec, float] | None:
    """Return a measure without its γ, and the γ; `None` for a label of another measure."""
    measure, _ = without_aggregate(label)
    name = measure.partition("@")[0].partition("(")[0]
    if is_formula(measure) or name not in METRICS or _GAMMA not in METRICS[name].numbers:
        return None
    spec = parse(measure)
    given = dict(spec.params)
    if _GAMMA not in given:
        return None
    return replace(spec, params=tuple(pair for pair in spec.params if pair[0] != _GAMMA)), float(given.pop(_GAMMA))


def at_gammas(spec: MetricSpec) -> tuple[MetricSpec, ...]:
    """Return a measure at the usual γ: Recall and DCG in their form with propensities; none for other measures, and for columns."""
    name = find(spec.name).forms.get(_IPS, spec.name)
    given = {key: value for key, value in spec.params if key not in (_GAMMA, "weight")}
    if _GAMMA not in find(name).numbers or "." in str(given.get(_IPS, "")):
        return ()
    return tuple(MetricSpec(name, (), (*given.items(), (_GAMMA, gamma)), spec.k) for gamma in GAMMAS)


def gamma_curves(result: Result) -> GammaCurves:
    """Return the curves of the measures that a result has at three γ or more."""
    found: dict[str, dict[float, dict[str, float | None]]] = {}
    titles: dict[tuple[str, float], str] = {}
    models = [name for name in result.models if name not in result.yardsticks]
    for row in result.rows:
        if row.model in models and row.by is None and row.aggregate in ("mean", "micro", "weighted") and (read := over_gamma(row.measure)):
            spec, gamma = read
            found.setdefault(str(spec), {}).setdefault(gamma, {})[row.model] = row.value
            titles[str(spec), gamma] = row.metric
    sizes: dict[str, list[Mapping[str, Any]]] = {}
    for of in result.findings:
        for name in of.details["measures"] if of.check == EFFECTIVE else ():
            sizes.setdefault(name, []).append(of.details)  # one of each fold
    curves = []
    for measure, points in found.items():
        if len(points) >= FEWEST:
            gammas = tuple(sorted(points))
            values = {name: tuple(points[gamma].get(name) for gamma in gammas) for name in models}
            of_each = [sizes.get(titles[measure, gamma], []) for gamma in gammas]
            effective = tuple(len(of) * harmonic_mean([one["effective"] for one in of]) if of else None for of in of_each)
            curves.append(GammaCurve(measure, gammas, values, effective, sum(one["no_train"] for one in of_each[0])))
    return GammaCurves(tuple(curves), tuple(result.remarks))
