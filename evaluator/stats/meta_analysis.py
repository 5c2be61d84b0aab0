"""The mean effect over data sets, each with its own true effect: a meta-analysis with random effects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from .distributions import below_t, t_at

LEAST_FOR_INTERVAL: Final = 3
"""With two data sets the quantile of t is 12.7 for one difference: an interval would say nothing."""
_MOST_STEPS: Final = 200


class MeanEffect(Struct, frozen=True):
    """The mean of the effects of `n` data sets, and `tau`, the standard deviation of their true effects.

    `low` and `high` are its interval, `further` is that of the true effect on one more data set, and `p` that of a mean of 0; they are
    `None` with two data sets.
    """

    n: int
    mean: float
    tau: float
    se: float
    low: float | None = None
    high: float | None = None
    further: tuple[float, float] | None = None
    p: float | None = None


def mean_effect(effects: Sequence[float], variances: Sequence[float] | None, alpha: float = 0.05) -> MeanEffect:
    """Combine the effects of data sets, whose squared standard errors are `variances`, all above 0.

    A data set has the weight w = 1/(v + τ²), with the variance τ² between data sets of Paule and Mandel (1982). The interval is that of
    Hartung, Knapp, Sidik and Jonkman, μ ± t(m - 1)·se with se² = Σ w·(y - μ)² / ((m - 1)·Σ w), but se is at least that of data sets that
    count alike, √(Σ (y - ȳ)² / (m·(m - 1))), whose t interval holds for any variances (Bakirov and Székely, 2005): if one data set has
    most of the weight, the other is far too narrow. A further data set lies within about μ ± t(m - 2)·√(τ² + se²)
    (Higgins, Thompson and Spiegelhalter, 2009).

    Edge cases: without `variances` all data sets count alike, and τ² is the variance of their effects, errors included.
    """
    m = len(effects)
    tau2 = _variance(effects) if variances is None else between_variance(effects, variances)
    weights = [1.0] * m if variances is None else [1 / (v + tau2) for v in variances]
    mean, total = _weighted(effects, weights), math.fsum(weights)
    squares = math.fsum(w * (y - mean) ** 2 for y, w in zip(effects, weights, strict=True)) / (m - 1)
    se = math.sqrt(max(squares / total, _variance(effects) / m))
    if m < LEAST_FOR_INTERVAL:
        return MeanEffect(m, mean, math.sqrt(tau2), se)
    reach, further = t_at(1 - alpha / 2, m - 1) * se, t_at(1 - alpha / 2, m - 2) * math.sqrt(tau2 + se * se)
    p = 2 * below_t(-abs(mean) / se, m - 1) if se else float(mean == 0)
    return MeanEffect(m, mean, math.sqrt(tau2), se, mean - reach, mean + reach, (mean - further, mean + further), p)


def between_variance(effects: Sequence[float], variances: Sequence[float]) -> float:
    """Return τ² of Paule and Mandel: Σ (y - μ)²/(v + τ²) is m - 1; 0 if it is less already without τ²."""

    def excess(tau2: float) -> float:
        weights = [1 / (v + tau2) for v in variances]
        mean = _weighted(effects, weights)
        return math.fsum(w * (y - mean) ** 2 for y, w in zip(effects, weights, strict=True)) - (len(effects) - 1)

    low, high = 0.0, _variance(effects)
    if excess(0.0) <= 0:
        return 0.0
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return high


def _weighted(effects: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(w * y for y, w in zip(effects, weights, strict=True)) / math.fsum(weights)


def _variance(effects: Sequence[float]) -> float:
    mean = math.fsum(effects) / len(effects)
    return math.fsum((y - mean) ** 2 for y in effects) / (len(effects) - 1)
