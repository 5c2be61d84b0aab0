"""Several objectives at once: metrics of other metrics, computed for each user and then averaged.

`points` are numbers, one per metric, with `;` between them, or a single one for all; in a config a list will do.
"""

from __future__ import annotations

import math

import narwhals as nw

from .measure import ZERO, Measure, added
from .registry import Text, metric


def _parts(m: Measure, name: str) -> list[str]:
    """The parts of a parameter, one for each metric; `ValueError` if there are not as many."""
    parts = [part.strip() for part in str(m.params[name]).split(";")]
    if len(parts) == 1:
        return parts * len(m.of)
    if len(parts) != len(m.of):
        raise ValueError(f"{name} holds {len(parts)} values for {len(m.of)} metrics")
    return parts


def _numbers(m: Measure, name: str) -> list[float]:
    try:
        found = [float(part) for part in _parts(m, name)]
    except ValueError as error:
        wrong = "could not convert" in str(error)
        raise ValueError(f"{name} holds numbers with ; between them, not {m.params[name]!r}" if wrong else str(error)) from None
    if not all(map(math.isfinite, found)):
        raise ValueError(f"{name} holds finite numbers, not {m.params[name]!r}")
    return found


def _truths(m: Measure, name: str) -> list[bool]:
    parts = [part.lower() for part in _parts(m, name)]
    if not set(parts) <= {"true", "false"}:
        raise ValueError(f"{name} holds true and false with ; between them, not {m.params[name]!r}")
    return [part == "true" for part in parts]


@metric(
    "EucDistance",
    family="composite",
    combines=("Precision", "Recall"),
    any_number=True,
    texts={"points": Text("1", "the utopia point: what would be best, one number per metric")},
    bounds=(0.0, math.inf),
    higher_is_better=False,
    reference="Zeleny, Multiple criteria decision making, 1982; WarpRec multiobjective/eucdistance.py",
)
def euc_distance(m: Measure) -> nw.Expr:
    """How far a user's values are from the best that there could be.

    EucDistance = √(Σ_m (value_m - point_m)²)

    Edge cases: the metrics are weighed as they are: give points in their own units.
    """
    points = _numbers(m, "points")
    return added(*((value - point) * (value - point) for value, point in zip(m.of, points, strict=True))).sqrt()


@metric(
    "Hypervolume",
    family="composite",
    combines=("Precision", "Recall"),
    any_number=True,
    texts={
        "points": Text("0", "the nadir point: the worst that counts, one number per metric"),
        "higher_is_better": Text("true", "whether more is better, one true or false per metric"),
    },
    bounds=(0.0, math.inf),
    reference="Zitzler and Thiele, IEEE TEC 3(4), 1999; WarpRec multiobjective/hypervolume.py",
)
def hypervolume(m: Measure) -> nw.Expr:
    """The volume between a user's values and the worst that counts.

    Hypervolume = Π_m max(0, value_m - point_m), and point_m - value_m where less is better (`higher_is_better`)

    Edge cases: 0 as soon as one metric is not better than its point.
    """
    points, better = _numbers(m, "points"), _truths(m, "higher_is_better")
    product: nw.Expr | None = None
    for value, point, rises in zip(m.of, points, better, strict=True):
        side = nw.max_horizontal(value - point if rises else point - value, ZERO)
        product = side if product is None else product * side
    assert product is not None
    return product
