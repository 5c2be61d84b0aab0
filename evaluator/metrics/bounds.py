"""The least and the largest value of a metric, by its printed name."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from ..names.formula import is_formula
from .registry import METRICS


def bounds_of(metric: str) -> tuple[float, float]:
    """The bounds of a metric such as `nDCG(gain=linear)`; infinite where it has none, is arithmetic, or is not known here."""
    known: Mapping[str, object] = METRICS
    name = metric.partition("(")[0]
    return METRICS[name].bounds if name in known and not is_formula(metric) else (-inf, inf)
