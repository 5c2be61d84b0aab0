"""T04, X13 and X14: values that are too few, impossible, or no better than popularity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import narwhals as nw

from ..result import Row
from .examiner import Examiner, Symptom, shared

_TOLERANCE = 1e-9
_Z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)


class Measured(NamedTuple):
    """One measure of one model: its row, its bounds, and its column of per-user values (empty: it has none)."""

    row: Row
    bounds: tuple[float, float]
    column: str

    @property
    def value(self) -> float | None:
        """The value, where it is one that the bounds hold for."""
        return self.row.value if self.row.aggregate in ("mean", "system") else None


def values(x: Examiner, model: str, per_user: nw.DataFrame[Any], of: Sequence[Measured]) -> list[Symptom]:
    """X13 and T04: values that are out of bounds, and too few of them."""
    found = _impossible(x, model, per_user, of)
    first = next((one for one in of if one.column), None)
    return found + (_too_few(x, model, _defined(per_user, first.column)[first.column], first.row.label) if first else [])


def _defined(per_user: nw.DataFrame[Any], column: str) -> nw.DataFrame[Any]:
    """The users who count and have a value: where it is not defined it is NaN."""
    return per_user.filter(~nw.col(column).is_null()).filter(~nw.col(column).is_nan())


def measured(x: Examiner, model: str, rows: Sequence[Row], baseline: Mapping[str, float], best: Mapping[str, float]) -> list[Symptom]:
    """X13 and X14: values above the `best` possible ones, or at or below those of the popularity `baseline`.

    Both are by label, over the users who count for the model.
    """
    return _above(x, model, _beside(rows, best)) + _no_better(x, model, _beside(rows, baseline))


def _beside(rows: Sequence[Row], others: Mapping[str, float]) -> list[tuple[Row, float, float]]:
    """The rows with their values and those of the others."""
    return [(row, row.value, others[row.label]) for row in rows if row.value is not None and row.label in others]


def _impossible(x: Examiner, model: str, per_user: nw.DataFrame[Any], of: Sequence[Measured]) -> list[Symptom]:
    found: list[Symptom] = []
    for one in of if x.asks("X13") else ():
        label, (least, most) = one.row.label, one.bounds
        low, high = least - _TOLERANCE, most + _TOLERANCE
        if one.column:
            value = nw.col(one.column)
            defined = _defined(per_user, one.column)
            odd = defined.filter((value < low) | (value > high)).select("user", value.alias(label))
            n, total = len(odd), len(defined)
            if n:
                extreme = max(odd[label].to_list(), key=abs)
                sentence = f"{label} of {shared(n, total, 'users')} is not between {least:g} and {most:g}, up to {extreme:.4g}."
                examples = [f"user {user}: {value:.4g}" for user, value in sorted(odd.rows())[:5]]
                found += x.symptom("X13", sentence, n, total, model=model, examples=examples, rows=odd.lazy)
        elif one.value is not None and not low <= one.value <= high:
            found += x.symptom("X13", f"{label} is {one.value:.4g}, not between {least:g} and {most:g}.", 1, 1, model=model)
    return found


def _above(x: Examiner, model: str, compared: Sequence[tuple[Row, float, float]]) -> list[Symptom]:
    above = [
        f"{row.label} {value:.4f} above {best:.4f}" for row, value, best in compared if row.higher_is_better and value > best + _TOLERANCE
    ]
    sentence = f"The model is better than the best possible list: {', '.join(above[:3])}{_more(above)}."
    return x.symptom("X13", sentence, len(above), len(compared), model=model)


def _no_better(x: Examiner, model: str, compared: Sequence[tuple[Row, float, float]]) -> list[Symptom]:
    margin = x.limit("X14", "margin")
    below = [
        f"{row.label} {value:.4f} against {floor:.4f}"
        for row, value, floor in compared
        if (value - floor) * (1 if row.higher_is_better else -1) <= margin
    ]
    said = shared(len(below), len(compared), "measures")
    more = f" by more than {margin:g}" if margin else ""
    sentence = f"{said} are not above the popularity baseline{more}: {', '.join(below[:3])}{_more(below)}."
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
        some = "Only 1 user counts" if n == 1 else f"Only {n:,} users count" if n else "No user counts"
        found += x.symptom("T04", f"{some} for {label}; fewer than {least:g} tell little.", 1, 1, model=model)
    if mde and n > 1:
        spread = float(counted.std(ddof=1))
        wanted = math.ceil((_Z * spread / mde) ** 2)
        if n < wanted:
            sentence = (
                f"{n:,} users count for {label}, whose standard deviation is {spread:.4f}: to see a difference of {mde:g} takes {wanted:,}."
            )
            found += x.symptom("T04", sentence, 1, 1, model=model, details={"users_needed": wanted})
    return found
