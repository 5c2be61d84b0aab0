"""Student's t, the noncentral t and the gamma distribution, by the formulas of handbooks: scipy would be a third of an installation.

Shares agree with those of `scipy.special` to a relative 10⁻¹¹, also far out in the tails.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Final

from ..support.lazy import np

_EPSILON: Final = 2.0**-52
_MANY: Final = 1e4
"""With more degrees of freedom than this the normal deviate of a t value is exact, and a fraction would lose digits."""
_INFINITELY_MANY: Final = 1e15
_LARGE: Final = 1e3
"""Gamma distributions of a larger shape are integrated: their series and fractions are long."""
_MOST_STEPS: Final = 200
_MOST_TERMS: Final = 100_000
"""More than any number needs; NaN never converges."""
_LAST_STEP: Final = 2.0**-34
"""After a step as short as this the next one changes no digit: the error is squared from step to step."""
_LEAST: Final = 1e-300
"""Smaller quantiles are 0."""


def below_t(t: float, df: float) -> float:
    """Return the share of Student's t distribution with `df` degrees of freedom below `t`.

    It is half of the regularised incomplete beta function of df/(df + t²) (DLMF 8.17), and with many degrees of freedom the normal share
    of Hill (Algorithm 395, 1970).

    Edge cases: NaN for NaN; infinite `df` is the normal distribution.
    """
    if t > 0:
        return 1 - below_t(-t, df)
    if math.isinf(df):
        return 0.5 * math.erfc(-t / math.sqrt(2))
    df = min(df, _INFINITELY_MANY)
    square = t * t / df
    if math.isinf(square):
        return 0.0
    if df > _MANY:
        return 0.5 * math.erfc(_normal_deviate(square, df) / math.sqrt(2))
    front = math.sqrt(square) * math.exp(-0.5 * (df + 1) * math.log1p(square)) / _beta_with_half(df / 2)
    if t * t < 3:
        return 0.5 - front * _beta_fraction(square / (1 + square), 0.5, df / 2)
    return front / df * _beta_fraction(1 / (1 + square), df / 2, 0.5)


@lru_cache(4096)
def t_at(share: float, df: float) -> float:
    """Return the quantile of Student's t distribution with `df` degrees of freedom: the number below which `share` of it lies.

    Edge cases: -∞ and ∞ for the shares 0 and 1.
    """
    df = min(df, _INFINITELY_MANY)

    def density(t: float) -> float:
        return math.exp(-0.5 * (df + 1) * math.log1p(t * t / df)) / (math.sqrt(df) * _beta_with_half(df / 2))

    if share == 0.5:
        return 0.0
    tail, sign = (share, -1) if share < 0.5 else (1 - share, 1)
    if tail <= 0:
        return sign * math.inf
    return sign * _where(lambda t: below_t(-t, df), density, tail, -NormalDist().inv_cdf(tail))


def below_noncentral_t(t: float, df: float, noncentrality: float) -> float:
    """Return the share of the noncentral t distribution below `t`: the mean of Φ(t·s - noncentrality) over s = χ/√df.

    Over log s the trapezoidal rule is exact to rounding, because the integrand and its derivatives vanish at both ends.
    """
    step = 1 / (32 * math.sqrt(max(1.0, df)))
    logs = np.arange(-45 / min(df, 45.0), 0.5 + 0.5 * math.log1p(90 / df), step)
    s = np.exp(logs)
    weights = np.exp(df * (logs - (s * s - 1) / 2))
    shares = np.array([math.erfc((noncentrality - t * scale) / math.sqrt(2)) for scale in s.tolist()])
    return float(weights @ shares / (2 * weights.sum()))


def above_gamma(number: float, shape: float) -> float:
    """Return the share of the gamma distribution with this `shape` and scale 1 above `number` (DLMF 8.2, 8.9 and 8.11).

    Edge cases: a distribution of shape 0 is only 0.
    """
    if number <= 0:
        return 1.0
    if shape <= 0 or math.isinf(number):
        return 0.0
    density = _gamma_density(number, shape)
    below = number < shape
    part = (_integral if shape > _LARGE else _gamma_series if below else _gamma_fraction)(number, shape)
    return 1 - density * part if below else density * part


@lru_cache(4096)
def gamma_at(share: float, shape: float) -> float:
    """Return the quantile of the gamma distribution with this `shape` and scale 1: the number below which `share` of it lies.

    Edge cases: 0 for the share 0 or the shape 0, ∞ for the share 1.
    """
    if share <= 0 or shape <= 0:
        return 0.0
    if share >= 1:
        return math.inf
    start = shape * max(0.1, 1 - 1 / (9 * shape) + NormalDist().inv_cdf(share) / (3 * math.sqrt(shape))) ** 3  # Wilson and Hilferty, 1931
    return _where(lambda x: above_gamma(x, shape), lambda x: _gamma_density(x, shape) / x, 1 - share, start)


def _where(above: Callable[[float], float], density: Callable[[float], float], share: float, start: float) -> float:
    """Return the positive number with this `share` of a distribution above it: steps of Newton over logarithms, kept between bounds."""
    low, high, x = 0.0, math.inf, start
    for _ in range(_MOST_STEPS):
        found = above(x)
        low, high = (x, high) if found > share else (low, x)
        slope = density(x) * x
        step = found / slope * math.log(found / share) if found > 0 and slope > 0 else -math.inf
        new = x * math.exp(min(max(step, -5.0), 5.0))
        if abs(step) <= _LAST_STEP:
            return new  # without a look at the bounds: rounding may move the step over one of them
        if not low < new < high:
            new = math.sqrt(low * high) if low > 0 and math.isfinite(high) else 8 * x if high > x else x / 8
        if abs(new - x) <= _EPSILON * x or new < _LEAST:
            return new
        x = new
    return x


def _normal_deviate(square: float, df: float) -> float:
    a = df - 0.5
    b = 48 * a * a
    y = a * math.log1p(square)
    return (((((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b) + y + 3) / b + 1) * math.sqrt(y)


def _beta_with_half(a: float) -> float:
    """Return B(a, 1/2); of large gamma functions the ratio is a series (DLMF 5.11.13)."""
    if a < 30:
        return math.sqrt(math.pi) * math.gamma(a) / math.gamma(a + 0.5)
    series = 0.0
    for term in (869 / 4194304, -399 / 262144, -21 / 32768, 5 / 1024, 1 / 128, -1 / 8, 1.0):
        series = series / a + term
    return math.sqrt(math.pi / a) / series


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return a·B(x; a, b) / (xᵃ·(1 - x)ᵇ) as a continued fraction (DLMF 8.17.22)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        n = a + 2 * m
        for term in (m * (b - m) * x / ((n - 1) * n), -(a + m) * (a + b + m) * x / (n * (n + 1))):
            c, d = 1 + term / c, 1 / (1 + term * d)
            value *= c * d
        if abs(c * d - 1) <= 2 * _EPSILON:
            break
    return value


def _gamma_density(x: float, a: float) -> float:
    """Return xᵃ·e⁻ˣ / Γ(a); for a large shape by Stirling's series, without differences of large numbers."""
    if a < 20:
        return math.exp(a * math.log(x) - x - math.lgamma(a))
    u = (x - a) / a
    bent = sum(-((-u) ** n) / n for n in range(2, 18)) if abs(u) < 0.1 else math.log1p(u) - u
    return math.sqrt(a / (2 * math.pi)) * math.exp(a * bent - (1 / 12 - (1 / 360 - 1 / (1260 * a * a)) / (a * a)) / a)


def _gamma_series(x: float, a: float) -> float:
    total = term = 1 / a
    for n in range(1, _MOST_TERMS):
        term *= x / (a + n)
        total += term
        if term <= _EPSILON * total:
            break
    return total


def _gamma_fraction(x: float, a: float) -> float:
    b = x + 1 - a
    c, d = math.inf, 1 / b
    value = d
    for n in range(1, _MOST_TERMS):
        b += 2
        c, d = b + n * (a - n) / c, 1 / (b + n * (a - n) * d)
        value *= c * d
        if abs(c * d - 1) <= 2 * _EPSILON:
            break
    return value


def _integral(x: float, a: float) -> float:
    """Return the share between `x` and the end of its side, divided by the density, by the double exponential rule (Takahasi and Mori)."""
    sign = -1 if x < a else 1
    linear, quadratic = abs(x - a + 1) / x, a / (x * x)
    scale = 2 / (linear + math.sqrt(linear * linear + 2 * quadratic))
    y = np.arange(-4.5, 4.5, 1 / 24)
    unit = np.exp(y - np.exp(-y))
    s = scale * unit
    inside = s < (x if sign < 0 else math.inf)
    s, weights = s[inside], (scale * (1 + np.exp(-y)) * unit / 24)[inside]
    return float(weights @ np.exp((a - 1) * np.log1p(sign * s / x) - sign * s)) / x
