"""Confidence distributions: for every number, how compatible the data are with a true value on either side of it.

A test, an interval, a bound, a proof of equivalence and a gate are five uses of the same distribution, so they cannot disagree.
"""

from __future__ import annotations

import math
from typing import Final, Protocol

from msgspec import Struct

from ..support.lazy import np
from .distributions import below_t, t_at

_ENOUGH: Final = 355
"""A mean is nearly normal over more than 355 users times their squared skewness (Kohavi et al., KDD 2014), which is n times its own."""
_UNSKEWED: Final = 1e-9
"""Below this, squares of the skewness are lost in rounding."""
_FAR: Final = 1e100
"""Beyond this, no p value depends on a correction, and powers may overflow."""


class Confidence(Protocol):
    """Confidence distribution of an estimate (Xie and Singh, 2013)."""

    def below(self, number: float) -> float:
        """Return the one-sided p value of the hypothesis that the true value is at most `number`: the confidence that it is."""

    def above(self, number: float) -> float:
        """Return the one-sided p value of the hypothesis that the true value is at least `number`."""

    def at(self, share: float) -> float:
        """Return the number that the true value is below with confidence `share`: the bound of a one-sided interval."""


class StudentT(Struct, frozen=True):
    """A mean with its standard error, the degrees of freedom of that error, and its skewness (the skewness of the values divided by √n).

    t = (mean - μ) / SE is skewed if the mean is, and SE is correlated with it. With s the skewness of the mean,

        h(t) = t + s/6 + s·t²/3 + s²·t³/27

    has the t distribution up to terms of order 1/n (Johnson, JASA 1978); the cubic term makes h increase everywhere (Hall, 1992), so that
    every bound is the true value at which the test changes its outcome.

    If few users changed, or if they are few for their skewness (`is_skewed`), it is known too roughly for this: with heavy tails it is
    correlated with the mean, and the interval would be too short. A `cautious` confidence claims only what both t and h(t) support.

    Edge cases: without skewness it is Student's t; without spread (`se` 0) the true value is the estimate.
    """

    estimate: float
    se: float
    df: float
    skewness: float = 0.0
    cautious: bool = False

    @property
    def statistic(self) -> float | None:
        """The t value, corrected for skewness, of the hypothesis that the true value is 0; `None` without spread."""
        if not self.se:
            return None
        sign = -1 if self.estimate < 0 else 1
        return sign * claimed_t(sign * self.estimate / self.se, sign * self.skewness, cautious=self.is_cautious)

    @property
    def is_cautious(self) -> bool:
        """True if the skewness is known only roughly."""
        return self.cautious or is_skewed(self.skewness)

    def below(self, number: float) -> float:
        """Return the share of t values below the distance of `number` from the estimate, in standard errors."""
        return self._share(self.estimate - number, 1)

    def above(self, number: float) -> float:
        """Return the share of t values above that distance."""
        return self._share(self.estimate - number, -1)

    def at(self, share: float) -> float:
        """Return the estimate plus a quantile of t values times the standard error."""
        if not self.se:
            return self.estimate
        # Use the symmetry, so that the interval of swapped models is the same with opposite signs, to the last bit.
        quantile = t_at(max(share, 1 - share), self.df)
        distance = self._uncorrected(-quantile if share >= 0.5 else quantile)
        if self.is_cautious:
            distance = min(distance, -quantile) if share >= 0.5 else max(distance, quantile)
        return self.estimate - self.se * distance

    def _share(self, distance: float, sign: int) -> float:
        """Return the p value of the hypothesis that the true value is at most (`sign` 1) or at least (-1) the estimate minus `distance`."""
        if self.se == 0:
            return 0.5 if distance == 0 else float(sign * distance < 0)
        t = distance / self.se
        return below_t(-claimed_t(sign * t, sign * self.skewness, cautious=self.is_cautious), self.df)

    def _uncorrected(self, corrected: float) -> float:
        """Return the t for which h(t) is `corrected`: h(t) - s/6 is ((1 + s·t/3)³ - 1) / s."""
        s = self.skewness
        cubed = s * (corrected - s / 6)
        if abs(s) < _UNSKEWED:
            return corrected - s / 6 - s * corrected * corrected / 3
        root = math.expm1(math.log1p(cubed) / 3) if cubed > -1 else -math.cbrt(-1 - cubed) - 1
        return 3 * root / s


def is_skewed(skewness: float) -> bool:
    """Return whether a mean has fewer users than 355 times the squared skewness of their values, which is √n times `skewness`."""
    return _ENOUGH * skewness**2 > 1


def claimed_t(t: float, skewness: float, *, cautious: bool) -> float:
    """Return h(t) of `StudentT`; if `cautious`, the lower of h(t) and t."""
    if abs(t) > _FAR:
        return t
    corrected = t + skewness / 6 + skewness * t * t / 3 + skewness * skewness * t * t * t / 27
    return min(t, corrected) if cautious else corrected


class Replicates(Struct, frozen=True, eq=False):
    """Estimates of resamples, in ascending order (percentile bootstrap: Efron, 1979)."""

    ordered: np.typing.NDArray[np.float64]

    def below(self, number: float) -> float:
        """Return the share of estimates up to `number`; the estimate of the data itself counts as one more on either side."""
        return (1 + int(np.searchsorted(self.ordered, number, side="right"))) / (1 + len(self.ordered))

    def above(self, number: float) -> float:
        """Return the share of estimates from `number` up."""
        return (1 + len(self.ordered) - int(np.searchsorted(self.ordered, number, side="left"))) / (1 + len(self.ordered))

    def at(self, share: float) -> float:
        """Return the percentile of the estimates."""
        return float(np.percentile(self.ordered, 100 * share))


class StudentizedReplicates(Struct, frozen=True, eq=False):
    """The t values of resamples around the estimate, in ascending order (bootstrap-t: Efron, 1981; Hall, 1988)."""

    estimate: float
    se: float
    ordered: np.typing.NDArray[np.float64]

    def below(self, number: float) -> float:
        """Return the share of t values at or above that of the estimate, if `number` were the true value."""
        return Replicates(self.ordered).above((self.estimate - number) / self.se)

    def above(self, number: float) -> float:
        """Return the share of t values at or below that of the estimate, if `number` were the true value."""
        return Replicates(self.ordered).below((self.estimate - number) / self.se)

    def at(self, share: float) -> float:
        """Return the estimate minus a percentile of the t values times the standard error."""
        return self.estimate - Replicates(self.ordered).at(1 - share) * self.se


class ScaledConfidence(Struct, frozen=True, eq=False):
    """A multiple of an estimate, such as a sum, which is n times the mean."""

    factor: float
    inner: Confidence

    def below(self, number: float) -> float:
        """Return the p value of the unscaled estimate."""
        return self.inner.below(number / self.factor)

    def above(self, number: float) -> float:
        """Return the p value of the unscaled estimate."""
        return self.inner.above(number / self.factor)

    def at(self, share: float) -> float:
        """Return the bound of the unscaled estimate times the factor."""
        return self.factor * self.inner.at(share)


class ScaledLogarithm(Struct, frozen=True, eq=False):
    """A difference base·(r - 1), if the confidence is that of the logarithm of the ratio r."""

    base: float
    logarithm: Confidence

    def below(self, number: float) -> float:
        """Return the p value of the hypothesis that the ratio is at most 1 + number/base."""
        ratio = 1 + number / self.base
        return self.logarithm.below(math.log(ratio)) if ratio > 0 else 0.0

    def above(self, number: float) -> float:
        """Return the p value of the hypothesis that the ratio is at least 1 + number/base."""
        ratio = 1 + number / self.base
        return self.logarithm.above(math.log(ratio)) if ratio > 0 else 1.0

    def at(self, share: float) -> float:
        """Return the bound of the ratio, as a difference."""
        return self.base * math.expm1(self.logarithm.at(share))


def two_sided(confidence: Confidence) -> float:
    """Return the p value of the hypothesis that the true value is 0."""
    return min(1.0, 2 * min(confidence.below(0.0), confidence.above(0.0)))


def not_within(confidence: Confidence, margin: float) -> float:
    """Return the p value of the hypothesis that the true value is outside of ±`margin`: two one-sided tests (Schuirmann, 1987)."""
    return min(1.0, max(confidence.below(-margin), confidence.above(margin)))


def probability_within(confidence: Confidence, margin: float) -> float:
    """Return the probability that the true value is within ±`margin`, under a flat prior."""
    return min(1.0, max(0.0, 1 - confidence.below(-margin) - confidence.above(margin)))
