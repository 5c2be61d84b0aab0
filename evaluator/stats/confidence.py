"""How sure an estimate is: for every number, how compatible the data are with a true value on either side of it.

A test, an interval, a bound, a proof of equality and a gate are five readings of the same thing, so they cannot disagree.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .special import below_t, t_at


class Confidence(Protocol):
    """The confidence distribution of an estimate (Xie and Singh, 2013)."""

    def below(self, number: float) -> float:
        """The one-sided p value of the hypothesis that the true value is at most `number`: how sure one may be that it is below."""

    def above(self, number: float) -> float:
        """The one-sided p value of the hypothesis that the true value is at least `number`."""

    def at(self, share: float) -> float:
        """The number that the true value is below with confidence `share`: the bound of a one-sided interval."""


class StudentT(Struct, frozen=True):
    """An estimate that is normal around the true value, with its standard error and the degrees of freedom of that.

    Edge cases: without any spread (`se` 0) the true value is the estimate.
    """

    estimate: float
    se: float
    df: float

    def below(self, number: float) -> float:
        """Share of t values below the distance of `number` from the estimate, in standard errors."""
        return self._share(number - self.estimate)

    def above(self, number: float) -> float:
        """Share of t values above."""
        return self._share(self.estimate - number)

    def at(self, share: float) -> float:
        """The estimate and so many standard errors."""
        # By symmetry, so that the interval of swapped models is the same one with other signs, to the last bit.
        half = t_at(max(share, 1 - share), self.df) * self.se if self.se else 0.0
        return self.estimate + (half if share >= 0.5 else -half)

    def _share(self, distance: float) -> float:
        if self.se == 0:
            return 0.5 if distance == 0 else float(distance > 0)
        return below_t(distance / self.se, self.df)


class Replicates(Struct, frozen=True, eq=False):
    """The estimates of resamples, in ascending order (percentile bootstrap: Efron, 1979)."""

    ordered: NDArray[np.float64]

    def below(self, number: float) -> float:
        """The share of estimates up to `number`, with the estimate of the data itself counted as one more on either side."""
        return (1 + int(np.searchsorted(self.ordered, number, side="right"))) / (1 + len(self.ordered))

    def above(self, number: float) -> float:
        """The share of estimates from `number` up."""
        return (1 + len(self.ordered) - int(np.searchsorted(self.ordered, number, side="left"))) / (1 + len(self.ordered))

    def at(self, share: float) -> float:
        """The percentile of the estimates."""
        return float(np.percentile(self.ordered, 100 * share))


class StudentizedReplicates(Struct, frozen=True, eq=False):
    """The t values of resamples around the estimate, in ascending order (bootstrap-t: Efron, 1981; Hall, 1988)."""

    estimate: float
    se: float
    ordered: NDArray[np.float64]

    def below(self, number: float) -> float:
        """The share of t values from that of the estimate up, if `number` were the true value."""
        return Replicates(self.ordered).above((self.estimate - number) / self.se)

    def above(self, number: float) -> float:
        """The share of t values up to that of the estimate, if `number` were the true value."""
        return Replicates(self.ordered).below((self.estimate - number) / self.se)

    def at(self, share: float) -> float:
        """The estimate less so many standard errors as the percentile of t values says."""
        return self.estimate - Replicates(self.ordered).at(1 - share) * self.se


class Scaled(Struct, frozen=True, eq=False):
    """A multiple of an estimate, such as a sum that is n times the mean."""

    factor: float
    inner: Confidence

    def below(self, number: float) -> float:
        """That of the estimate itself."""
        return self.inner.below(number / self.factor)

    def above(self, number: float) -> float:
        """That of the estimate itself."""
        return self.inner.above(number / self.factor)

    def at(self, share: float) -> float:
        """The bound of the estimate, multiplied."""
        return self.factor * self.inner.at(share)


class ScaledLogarithm(Struct, frozen=True, eq=False):
    """A difference base·(r - 1), where the confidence is that of the logarithm of the ratio r."""

    base: float
    logarithm: Confidence

    def below(self, number: float) -> float:
        """That the ratio is below 1 + number/base."""
        ratio = 1 + number / self.base
        return self.logarithm.below(math.log(ratio)) if ratio > 0 else 0.0

    def above(self, number: float) -> float:
        """That the ratio is above 1 + number/base."""
        ratio = 1 + number / self.base
        return self.logarithm.above(math.log(ratio)) if ratio > 0 else 1.0

    def at(self, share: float) -> float:
        """The bound of the ratio, as a difference."""
        return self.base * math.expm1(self.logarithm.at(share))


def two_sided(confidence: Confidence) -> float:
    """The p value of the hypothesis that the true value is 0."""
    return min(1.0, 2 * min(confidence.below(0.0), confidence.above(0.0)))


def not_within(confidence: Confidence, margin: float) -> float:
    """The p value of the hypothesis that the true value is outside of ±`margin`: two one-sided tests (Schuirmann, 1987)."""
    return min(1.0, max(confidence.below(-margin), confidence.above(margin)))


def probability_within(confidence: Confidence, margin: float) -> float:
    """The probability that the true value is within ±`margin`, under a flat prior."""
    return min(1.0, max(0.0, 1 - confidence.below(-margin) - confidence.above(margin)))
