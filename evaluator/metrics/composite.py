"""Several objectives at once: metrics of other metrics, computed for each user and then averaged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from .arrays import add, where
from .measure import Measure
from .notation import tex
from .registry import Text, metric


def _parts(params: Mapping[str, Scalar], name: str) -> list[str]:
    """Split a parameter into its parts: one for each metric, or one for all."""
    return [part.strip() for part in str(params[name]).split(";")]


def _part_per_metric(parts: list[str], name: str, n_metrics: int) -> list[str]:
    """Return one part for each metric; `ValueError` if their number differs."""
    if len(parts) == 1:
        return parts * n_metrics
    if len(parts) != n_metrics:
        raise ValueError(f"{name} has {len(parts)} values for {n_metrics} metrics")
    return parts


def _validate(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if a part of a parameter is not a finite number, or not true or false."""
    try:
        points = [float(part) for part in _parts(params, "points")]
    except ValueError:
        raise ValueError(f"points must be numbers separated by semicolons, not {params['points']!r}") from None
    if not all(map(math.isfinite, points)):
        raise ValueError(f"points must be finite numbers, not {params['points']!r}")
    name = "higher_is_better"
    if name in params and not {part.lower() for part in _parts(params, name)} <= {"true", "false"}:
        raise ValueError(f"{name} must be true and false separated by semicolons, not {params[name]!r}")


def _validate_combined(params: Mapping[str, Scalar], n_metrics: int) -> None:
    """Raise `ValueError` if a parameter does not have a part for each metric."""
    for name in ("points", "higher_is_better"):
        if name in params:
            _part_per_metric(_parts(params, name), name, n_metrics)


def _points(m: Measure) -> list[float]:
    return [float(part) for part in _part_per_metric(_parts(m.params, "points"), "points", len(m.components))]


composite = partial(
    metric,
    family="composite",
    uses=(),
    validate=_validate,
    validate_combined=_validate_combined,
    combines=("Precision", "Recall"),
    any_number=True,
    bounds=(0.0, math.inf),
)


@composite(
    "EucDistance",
    texts={"points": Text("1", "the utopia point: the best possible values, one number per metric")},
    higher_is_better=False,
    tex=r"\sqrt{\sum_m (M_m - z_m)^2}",
    reference="Zeleny, Multiple criteria decision making, 1982; WarpRec multiobjective/eucdistance.py",
)
def euc_distance(m: Measure) -> Array:
    """The distance of a user's values from the best possible ones; use it to judge several metrics in one number.

    `points` has one number per metric, separated by `;`, or one number for all; in a config it may be a list.

    Edge cases: the metrics are not scaled, so give each point in the unit of its metric.
    """
    return np.sqrt(add(*((value - point) ** 2 for value, point in zip(m.components, _points(m), strict=True))))


@composite(
    "Hypervolume",
    texts={
        "points": Text("0", "the nadir point: the worst values that count, one number per metric"),
        "higher_is_better": Text("true", "true if higher is better, else false, one per metric"),
    },
    tex=tex(
        r"\prod_m \max(<higher_is_better>, 0)",
        higher_is_better=lambda params: r"\sigma_m\,(M_m - z_m)" if "false" in str(params["higher_is_better"]).lower() else "M_m - z_m",
    ),
    reference="Zitzler and Thiele, IEEE TEC 3(4), 1999; WarpRec multiobjective/hypervolume.py",
)
def hypervolume(m: Measure) -> Array:
    """The volume between a user's values and the worst ones that count; use it if a model must be good on all of several metrics.

    `points` is written as for EucDistance.

    Edge cases: 0 as soon as one metric is not better than its point, or has no value.
    """
    name = "higher_is_better"
    better = [part.lower() == "true" for part in _part_per_metric(_parts(m.params, name), name, len(m.components))]
    volume = np.ones((1, 1))
    for value, point, rises in zip(m.components, _points(m), better, strict=True):
        side = value - point if rises else point - value
        volume = volume * where(np.isfinite(value), np.maximum(side, 0.0), 0.0)
    return volume
