"""Check that a convention speaks of metrics and axes that there are; and the range of the values of a metric."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from math import inf

from ..conventions import PROTOCOL, Convention
from ..names.formula import is_formula
from .registry import METRICS


def bounds_of(metric: str) -> tuple[float, float]:
    """The bounds of a metric such as `nDCG(gain=linear)`; infinite where it has none, is arithmetic, or is not known here."""
    known: Mapping[str, object] = METRICS
    name = metric.partition("(")[0]
    return METRICS[name].bounds if name in known and not is_formula(metric) else (-inf, inf)


def check(convention: Convention) -> None:
    """Raise `ValueError` with file and line if a convention speaks of a metric that there is not, or of an axis it has not."""
    problems = []
    for (name, axis), location in convention.locations.items():
        if name not in METRICS:
            close = difflib.get_close_matches(name, METRICS, n=1)
            problems.append(f"{location}: no metric is called '{name}'" + (f" — did you mean '{close[0]}'?" if close else ""))
        elif axis and axis not in PROTOCOL and axis not in METRICS[name].axes.values():
            problems.append(f"{location}: {name} has no axis '{axis}'")
    if problems:
        raise ValueError("\n".join(dict.fromkeys(problems)))
