"""Measures that are pooled over users: a ratio of two sums, such as all hits by all places."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from ..sums.exact import ExactSums, rounded
from .estimates import CONSTANT, Estimate, mean_and_deviation
from .paired import Floats, differences_of
from .relative import Relative


class RatioTerms(NamedTuple):
    """The numerator and the denominator of each user; NaN for a user who does not count."""

    numerators: Floats
    denominators: Floats


def pooled_estimate(base: RatioTerms, model: RatioTerms) -> Estimate:
    """The difference of two pooled ratios R = Σx/Σy by the delta method (Deng, Knoblich and Lu, 2018).

    A user adds l = (x - R·y)/mean(y) to a ratio; the standard error is that of the mean of l of the model less l of the base.

    Edge cases: no difference if a denominator sums to 0. `up` and `down` count the users whose own ratio differs, 0 where their
    denominator is 0.
    """
    has_base, has_model = (np.isfinite(side.numerators) & np.isfinite(side.denominators) for side in (base, model))
    among = has_base & has_model
    n, n_unpaired = int(np.count_nonzero(among)), int(np.count_nonzero(has_base ^ has_model))
    left, right = (RatioTerms(side.numerators[among], side.denominators[among]) for side in (base, model))
    of_base, of_model = _ratio(left), _ratio(right)
    if n == 0 or of_base is None or of_model is None:
        return Estimate(n, None, None, None, n_unpaired=n_unpaired)
    base_value, value, difference = rounded(of_base), rounded(of_model), rounded(of_model - of_base)
    of_users = differences_of(_of_users(left), _of_users(right))
    up, down = int(np.count_nonzero(of_users > 0)), int(np.count_nonzero(of_users < 0))
    relative = Relative.of(difference, base_value)
    estimate = Estimate(n, base_value, value, difference, up=up, down=down, n_unpaired=n_unpaired, relative=relative)
    if n == 1:
        return estimate
    sd = mean_and_deviation(differences_of(_influence(left, base_value), _influence(right, value)))[1]
    notes = (CONSTANT,) if sd == 0 and (up or down) else ()
    return replace(estimate.with_t(sd / math.sqrt(n), n - 1), sd=sd, notes=notes)


def _ratio(side: RatioTerms) -> Fraction | None:
    sums = ExactSums.of(np.stack(side))
    return sums.fraction(0) / sums.fraction(1) if sums.fraction(1) > 0 else None


def _influence(side: RatioTerms, ratio: float) -> Floats:
    """What each user adds to the ratio."""
    return (side.numerators - ratio * side.denominators) / mean_and_deviation(side.denominators)[0]


def _of_users(side: RatioTerms) -> Floats:
    return np.divide(side.numerators, side.denominators, out=np.zeros(len(side.numerators)), where=side.denominators > 0)
