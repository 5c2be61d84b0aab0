"""Bounds that hold if hardly any user changed: the largest possible change of one user is counted once more than it was observed.

Student's t knows only the users in the sample. If a model loses a hit for 0.1 % of all users, it does so for none of 1,000 users in 37 % of
samples, and then t is certain that it loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..syntax.short_names import SMALLEST_FACTOR
from .confidence import Confidence, ScaledConfidence, ScaledLogarithm, StudentT
from .difference import PLAIN, PLAIN_IN_FOLDS
from .distributions import above_gamma, gamma_at
from .estimates import Estimate
from .paired import PairedSums
from .power import provable_margin
from .units import FEW_BELOW

_MOST_USERS: Final = 2**62
_MOST_SHARE: Final = 1e6
"""Largest relative gain or loss to search; a bound beyond it does not exist."""
_HALVINGS: Final = 50
_SMALL: Final = 5
"""If all users together spread less than this many who change as much as possible, one who is missing from the sample would count."""


class ValueRange(Struct, frozen=True):
    """Lowest and highest value that a user can have; `is_observed` if these are the observed ones, for a measure without bounds."""

    least: float
    largest: float
    is_observed: bool = False

    @property
    def is_finite(self) -> bool:
        """True if there is a largest change."""
        return math.isfinite(self.least) and math.isfinite(self.largest)

    def term_range(self, factor: float = 1.0) -> ValueRange:
        """Return the range of b - `factor`·a over two values a and b of a user; with 1 it is that of their difference."""
        ends = (-factor * self.least, -factor * self.largest)
        return ValueRange(self.least + min(ends), self.largest + max(ends), self.is_observed)

    def negated(self) -> ValueRange:
        """Return the range of the values with the opposite sign."""
        return ValueRange(-self.largest, -self.least, self.is_observed)


class RareChanges(Struct, frozen=True, eq=False):
    """Mean of the terms of `n` users, each within `terms`, of which rare extreme ones may be missing from the sample.

    One more user with the most extreme term is added, and the tail is that of a gamma distribution instead of the normal one (Fay and
    Feuer, 1997). With w the distance from the mean to the worst term and κ = 1 + (n·se/w)², the lower bound is mean - w·(1 + Q(κ) - κ)/(n +
    1), where Q is the 1 - α quantile of the gamma distribution of shape κ. If k users lose w each, this is the exact bound of a Poisson
    count; if nobody changed it is 3.0·w/(n + 1), at the level of 95 %.

    Edge cases: no bound leaves the range of the terms.
    """

    mean: float
    se: float
    n: int
    terms: ValueRange

    def below(self, number: float) -> float:
        """Return the p value of the hypothesis that the true mean is at most `number`."""
        return _p_value(self.mean - number, self.mean - self.terms.least, self.se, self.n)

    def above(self, number: float) -> float:
        """Return the p value of the hypothesis that the true mean is at least `number`."""
        return _p_value(number - self.mean, self.terms.largest - self.mean, self.se, self.n)

    def at(self, share: float) -> float:
        """Return the bound of a one-sided interval."""
        if share < 0.5:
            return max(self.terms.least, self.mean - distance(1 - share, self.mean - self.terms.least, self.se, self.n))
        return min(self.terms.largest, self.mean + distance(share, self.terms.largest - self.mean, self.se, self.n))


class MissingSides(NamedTuple):
    """The sides of a difference on which large changes may be missing from the sample."""

    losses: bool = True
    gains: bool = True


_BOTH: Final = MissingSides()


class GuardedConfidence(Struct, frozen=True, eq=False):
    """The more careful of two confidences on each of the `sides`, and the `inner` one on the other."""

    inner: Confidence
    rare: Confidence
    sides: MissingSides = _BOTH

    def below(self, number: float) -> float:
        """Return the larger p value."""
        p = self.inner.below(number)
        return max(p, self.rare.below(number)) if self.sides.losses else p

    def above(self, number: float) -> float:
        """Return the larger p value."""
        p = self.inner.above(number)
        return max(p, self.rare.above(number)) if self.sides.gains else p

    def at(self, share: float) -> float:
        """Return the bound that is farther out."""
        end = self.inner.at(share)
        if share < 0.5:
            return min(end, self.rare.at(share)) if self.sides.losses else end
        return max(end, self.rare.at(share)) if self.sides.gains else end


def guard(estimate: Estimate, values: ValueRange | None, sides: MissingSides = _BOTH) -> Confidence | None:
    """Return the confidence of a mean difference that also counts rare large changes; unchanged if these have no bound.

    A sum is guarded as a multiple of its mean, a geometric mean on logarithms. Clusters count as independent units, each of which may
    change as much as one user. Give no range for medians and percentiles, which a few users hardly change. The plain t test is not guarded.
    """
    confidence = estimate.confidence
    if confidence is None or values is None or not values.is_finite or estimate.n < 2 or estimate.test in (PLAIN, PLAIN_IN_FOLDS):
        return confidence
    units = estimate.n_units
    if isinstance(confidence, ScaledLogarithm):
        inner = confidence.logarithm
        if not isinstance(inner, StudentT):
            return confidence
        least, largest = (math.log(max(end, SMALLEST_FACTOR)) for end in (values.least, values.largest))
        rare = RareChanges(inner.estimate, inner.se, units, ValueRange(least, largest).term_range())
        return ScaledLogarithm(confidence.base, GuardedConfidence(inner, rare, sides))
    if estimate.difference is None or estimate.se is None:
        return confidence
    factor = confidence.factor if isinstance(confidence, ScaledConfidence) else 1.0
    rare = RareChanges(estimate.difference / factor, estimate.se / factor, units, values.term_range())
    return GuardedConfidence(confidence, ScaledConfidence(factor, rare) if factor != 1 else rare, sides)


def guard_if_rare(estimate: Estimate, values: ValueRange | None) -> Estimate:
    """Return the estimate; if large changes may be missing from the sample, its confidence also counts them, see `sides_of_missing`."""
    sides = sides_of_missing(estimate, values)
    return replace(estimate, confidence=guard(estimate, values, sides)) if any(sides) else estimate


def sides_of_missing(estimate: Estimate, values: ValueRange | None) -> MissingSides:
    """Return whether large losses, and large gains, may be missing from the sample.

    Both may be if hardly any unit changed: if 0.4 % of users gain 1 and 4 % lose 0.1, nobody gains in 14 % of samples of 500 users, and all
    who changed lose. Those of one side may be if fewer than ten users changed to this side, and all changes together are small: if 0.5 % of
    users gain 1 and half of them lose 0.01, nobody gains in 37 % of samples of 200. They are small if Σ(d - m)², in units of the largest
    one squared, is below 5: then a wrong difference is found in more than 2.5 % of samples. This is for users who count alike, and bounds
    that are known. No test of a mean holds for every distribution (Bahadur and Savage, 1956): rare gains beside small changes to both
    sides are not guarded.
    """
    units = estimate.independent
    is_plain = estimate.test in (PLAIN, PLAIN_IN_FOLDS)
    if units is None or values is None or not values.is_finite or estimate.se is None or is_plain:
        return MissingSides(losses=False, gains=False)
    if units.are_rare:
        return _BOTH
    is_of_means = units.are_users and not values.is_observed and not isinstance(estimate.confidence, ScaledLogarithm)
    is_small = is_of_means and (units.n * estimate.se) ** 2 < _SMALL * reach_of(estimate, values) ** 2
    return MissingSides(is_small and (estimate.down or 0) < FEW_BELOW, is_small and (estimate.up or 0) < FEW_BELOW)


def reach_of(estimate: Estimate, values: ValueRange) -> float:
    """Return the largest change of a user, in units of the estimate, which may be that of a sum."""
    factor = estimate.confidence.factor if isinstance(estimate.confidence, ScaledConfidence) else 1.0
    return (values.largest - values.least) * factor


def relative_bounds(sums: PairedSums, values: ValueRange, sign: int, alpha: float) -> tuple[float | None, float | None]:
    """Return bounds of the gain as a share of the base value: the margins that `RareChanges` of b - (1 + θ)·a just shows and just refutes.

    With a `sign` of -1 lower is better, and the gain θ is a decrease of the value. `None` for a bound that does not exist.
    """
    n, a, d = sums.n, float(sums.base / sums.n), float(sums.difference() / sums.n)
    aa = max(0.0, float(sums.base_squares - sums.base**2 / n))
    dd = max(0.0, float(sums.difference_squares() - sums.difference() ** 2 / n))
    products = (sums.model_squares - sums.base_squares - sums.difference_squares()) / 2
    ad = float(products - sums.base * sums.difference() / n)

    def at(theta: float, share: float) -> float:
        """Return the bound of the mean of the terms of a gain of `theta`."""
        c = sign * theta
        variance = max(0.0, dd - 2 * c * ad + c * c * aa) / (n - 1)
        terms = values.term_range(1 + c)
        mean = sign * (d - c * a)
        return RareChanges(mean, math.sqrt(variance / n), n, terms if sign > 0 else terms.negated()).at(share)

    gain = sign * d / a
    least = -1.0 if sign > 0 and values.least >= 0 else -_MOST_SHARE
    most = 1.0 if sign < 0 and values.least >= 0 else _MOST_SHARE
    return _end(lambda theta: at(theta, alpha) >= 0, gain, least), _end(lambda theta: at(theta, 1 - alpha) <= 0, gain, most)


def _end(holds: Callable[[float], bool], start: float, limit: float) -> float | None:
    """Return where `holds` becomes true on the way from `start` to `limit`; if nowhere, `None` for ±10⁶, else `limit`."""
    way, step = limit - start, 1e-4
    if way == 0:
        return limit
    towards = math.copysign(1.0, way)
    while step < abs(way) and not holds(start + towards * step):
        step *= 2
    if step >= abs(way):
        if abs(limit) == _MOST_SHARE:
            return None
        step = abs(way)
    near, far = 0.0 if step <= 1e-4 else step / 2, step
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        near, far = (near, middle) if holds(start + towards * middle) else (middle, far)
    return start + towards * far


def detectable_if_rare(se: float, n: int, reach: float, alpha: float = 0.05) -> float:
    """Return the difference that is detected with probability 80 % if large changes, up to `reach`, may be missing from the sample."""
    return distance(1 - alpha / 2, reach, se, n) + provable_margin(se, 0.5)


def margin_to_show(sd: float, n: int, reach: float, alpha: float = 0.05) -> float:
    """Return the smallest loss that `n` users can rule out (80 %) if the true loss is 0; at least that of the t test.

    `sd` is the deviation of the terms of users, `reach` the largest loss of one user.
    """
    se = sd / math.sqrt(n)
    return max(provable_margin(se, alpha), distance(1 - alpha, reach, se, n) + provable_margin(se, 0.5))


def users_to_show(sd: float, reach: float, margin: float, alpha: float = 0.05) -> int | None:
    """Return the users needed to rule out (80 %) losses beyond `margin` if the true loss is 0; `None` if there cannot be so many."""
    most = 2
    while margin_to_show(sd, most, reach, alpha) > margin:
        most *= 2
        if most > _MOST_USERS:
            return None
    fewest = most // 2
    while most - fewest > 1:
        middle = (fewest + most) // 2
        fewest, most = (middle, most) if margin_to_show(sd, middle, reach, alpha) > margin else (fewest, middle)
    return most


def distance(share: float, reach: float, se: float, n: int) -> float:
    """Return the distance of the bound from the mean: w·(1 + Q(κ) - κ)/(n + 1), with `reach` w from the mean to the most extreme term."""
    if reach <= 0:
        return 0.0
    shape = _shape(reach, se, n)
    return reach * (1 + gamma_at(share, shape) - shape) / (n + 1)


def _p_value(gap: float, reach: float, se: float, n: int) -> float:
    """Return the share at which the bound is `gap` from the mean."""
    if reach <= 0:
        return float(gap <= 0)
    shape = _shape(reach, se, n)
    return above_gamma(gap * (n + 1) / reach - 1 + shape, shape)


def _shape(reach: float, se: float, n: int) -> float:
    return 1 + (n * se / reach) ** 2
