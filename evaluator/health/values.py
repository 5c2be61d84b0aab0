"""T04, X13 and X14: values that are too few, impossible, or no better than popularity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import narwhals as nw

from .examiner import Examiner, Symptom, shared

_TOLERANCE = 1e-9
_Z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


class Measured(NamedTuple):
    """One measure of one model: its label, its bounds, its column of per-user values (empty: it has none), its mean, and its direction."""

    label: str
    bounds: tuple[float, float]
    column: str
    value: float | None
    higher_is_better: bool | None


def values(
    x: Examiner,
    model: str,
    per_user: nw.DataFrame[Any],
    measured: Sequence[Measured],
    baseline: Mapping[str, float],
    best: Mapping[str, float],
) -> list[Symptom]:
    """Every finding in the values of one model.

    `baseline` and `best` are the values of the popularity baseline and of the best possible lists, by label, where they were computed.
    """
    found = _impossible(x, model, per_user, measured) + _above(x, model, measured, best)
    found += _no_better(x, model, measured, baseline)
    first = next((one for one in measured if one.column), None)
    return found + (_too_few(x, model, per_user[first.column].drop_nulls(), first.label) if first else [])


def _impossible(x: Examiner, model: str, per_user: nw.DataFrame[Any], measured: Sequence[Measured]) -> list[Symptom]:
    found: list[Symptom] = []
    for one in measured if x.asks("X13") else ():
        low, high = one.bounds[0] - _TOLERANCE, one.bounds[1] + _TOLERANCE
        if one.column:
            odd = per_user.filter((nw.col(one.column) < low) | (nw.col(one.column) > high)).select(
                "user", nw.col(one.column).alias(one.label)
            )
            n, total = len(odd), len(per_user[one.column].drop_nulls())
            if n:
                extreme = max(odd[one.label].to_list(), key=abs)
                said = shared(n, total, "users")
                sentence = f"{one.label} of {said} is not between {one.bounds[0]:g} and {one.bounds[1]:g}, up to {extreme:.4g}."
                examples = [f"user {user}: {value:.4g}" for user, value in sorted(odd.rows())[:5]]
                rows = odd.lazy()
                found += x.symptom("X13", sentence, n, total, model=model, examples=examples, rows=lambda rows=rows: rows)  # type: ignore[misc]
        elif one.value is not None and not low <= one.value <= high:
            sentence = f"{one.label} is {one.value:.4g}, not between {one.bounds[0]:g} and {one.bounds[1]:g}."
            found += x.symptom("X13", sentence, 1, 1, model=model)
    return found


def _above(x: Examiner, model: str, measured: Sequence[Measured], best: Mapping[str, float]) -> list[Symptom]:
    above = [
        f"{one.label} {one.value:.4f} above {best[one.label]:.4f}"
        for one in measured
        if one.higher_is_better and one.value is not None and one.label in best and one.value > best[one.label] + _TOLERANCE
    ]
    sentence = f"The model is better than the best possible list: {', '.join(above[:3])}{_more(above)}."
    return x.symptom("X13", sentence, len(above), len(best), model=model)


def _no_better(x: Examiner, model: str, measured: Sequence[Measured], baseline: Mapping[str, float]) -> list[Symptom]:
    if not x.asks("X14"):
        return []
    margin = x.limit("X14", "margin")
    compared = [one for one in measured if one.label in baseline and one.value is not None and one.higher_is_better is not None]
    below = [
        f"{one.label} {one.value:.4f} against {baseline[one.label]:.4f}"
        for one in compared
        if one.value is not None and (one.value - baseline[one.label]) * (1 if one.higher_is_better else -1) <= margin
    ]
    sentence = (
        f"{shared(len(below), len(compared), 'measures')} are not above the popularity baseline: {', '.join(below[:3])}{_more(below)}."
    )
    return x.symptom("X14", sentence, len(below), len(compared), model=model)


def _more(found: Sequence[str]) -> str:
    return f" and {len(found) - 3} more" if len(found) > 3 else ""


def _too_few(x: Examiner, model: str, counted: nw.Series[Any], label: str) -> list[Symptom]:
    if not x.asks("T04"):
        return []
    n, least = len(counted), x.limit("T04", "min_users")
    mde = x.settings["T04"].limits["mde"]
    found: list[Symptom] = []
    if n < least:
        found += x.symptom("T04", f"Only {n:,} users count for {label}; fewer than {least:g} tell little.", 1, 1, model=model)
    if mde and n > 1:
        spread = float(counted.std(ddof=1))
        wanted = math.ceil((_Z * spread / mde) ** 2)
        if n < wanted:
            sentence = (
                f"{n:,} users count for {label}, whose standard deviation is {spread:.4f}: to see a difference of {mde:g} takes {wanted:,}."
            )
            found += x.symptom("T04", sentence, 1, 1, model=model, details={"users_needed": wanted})
    return found
