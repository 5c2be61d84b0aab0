"""Estimates: a difference, also as a share of the base value, with its error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ..exact_sums.exact import ExactSums, round_fraction
from ..exact_sums.group_sums import exact_group_sums
from ..support.lazy import np
from .confidence import Confidence, StudentT, claimed_t, is_skewed
from .distributions import t_at
from .paired import Floats, PairedSums, alike, differences_of, units_of_weights
from .units import Units

_MOST_STEPS: Final = 100
_NO_SQUARES: Final = 1e-200
"""Sums of squares below this, in units of the squared mean of the base, come from rounding."""


class Relative(Struct, frozen=True):
    """Difference as a share of the base value; the ends of its interval are `None` if the base value may be 0."""

    value: float
    low: float | None = None
    high: float | None = None

    @classmethod
    def from_difference(cls, difference: float, base_value: float) -> Relative | None:
        """Return the share alone; `None` unless the base value is above 0."""
        return cls(difference / base_value) if base_value > 0 else None


def relative_difference(sums: PairedSums, alpha: float, *, plain: bool = False) -> Relative | None:
    """Return the difference of means as a share of the base mean, with its interval (Fieller, 1954), corrected for skewness.

    θ is in the interval if the mean of d - θ·a does not differ from 0 at level `alpha`, by the same test as the difference itself; with
    `plain` that is Student's t without the correction.

    Edge cases: `None` unless the base value is above 0. No ends if the base value itself does not differ from 0, or for one user.
    """
    if sums.n == 0 or sums.base <= 0:
        return None
    share = sums.difference() / sums.base
    if sums.n == 1:
        return Relative(round_fraction(share))
    quantile, shares = t_at(1 - alpha / 2, sums.n - 1), _Shares.from_sums(sums, share)
    shares = replace(shares, cautious=False, eee=0.0, eea=0.0, eaa=0.0, aaa=0.0) if plain else shares
    step = shares.step(quantile)
    low, high = (_crossing(partial(shares.t, sign), quantile, step) for sign in (-1, 1))
    if low is None or high is None:
        return Relative(round_fraction(share))
    return Relative(round_fraction(share), round_fraction(share) - low, round_fraction(share) + high)


class _Shares(Struct, frozen=True):
    """Centred sums of powers of a and of e = d - θ·a, where θ is the relative difference, so that the mean of e is 0."""

    n: int
    cautious: bool
    mean: float
    ee: float
    ea: float
    aa: float
    eee: float
    eea: float
    eaa: float
    aaa: float

    @classmethod
    def from_sums(cls, sums: PairedSums, share: Fraction) -> _Shares:
        """Return the sums for θ = `share`, in units of about the mean of a."""
        mean, factor = sums.base / sums.n, 1 + share
        unit = Fraction(2) ** math.frexp(round_fraction(mean))[1]
        aaa, daa, dda = sums.base_cubes, sums.difference_base_squares, sums.difference_squares_base
        ee = sums.difference_squares(factor)
        ea = (sums.model_squares - sums.base_squares - sums.difference_squares()) / 2 - share * sums.base_squares
        if ee <= sums.rounding(factor):
            ee = Fraction(0)
        eaa, eea = daa - share * aaa, dda - 2 * share * daa + share * share * aaa
        squares = (ee, ea, sums.base_squares - sums.n * mean**2)
        third = aaa - 3 * mean * sums.base_squares + 2 * sums.n * mean**3
        cubes = (sums.difference_cubes(factor), eea - mean * ee, eaa - 2 * mean * ea, third)
        in_units = [
            round_fraction(number, unit**power) for power, of_power in enumerate(((mean,), squares, cubes), 1) for number in of_power
        ]
        made = cls(sums.n, sums.is_sparse, *in_units)
        return replace(made, cautious=True) if made.ee and is_skewed(made.eee / made.ee**1.5) else made

    def t(self, sign: int, size: float) -> float:
        """Return the t value of the mean of e - `sign`·`size`·a, positive on the side opposite to `sign`."""
        beyond = sign * size
        squares = self.ee - 2 * beyond * self.ea + beyond**2 * self.aa
        if squares <= _NO_SQUARES:
            return math.inf
        cubes = self.eee - 3 * beyond * self.eea + 3 * beyond**2 * self.eaa - beyond**3 * self.aaa
        skewness = max(-1.0, min(1.0, cubes / squares**1.5))
        t = size * self.mean / math.sqrt(squares / (self.n * (self.n - 1)))
        return claimed_t(t, -sign * skewness, cautious=self.cautious)

    def step(self, quantile: float) -> float:
        """Return the approximate distance of the ends of the interval from the relative difference."""
        return quantile * math.sqrt(self.ee / (self.n * (self.n - 1))) / self.mean


def _crossing(increasing: Callable[[float], float], level: float, step: float) -> float | None:
    """Return the number above 0 at which a function reaches `level`, searched from `step`; `None` if it never does, 0 if `step` is 0."""
    if step == 0:
        return 0.0
    low, high, steps = 0.0, step, 0
    while not increasing(high) > level:
        low, high, steps = high, 2 * high, steps + 1
        if steps > _MOST_STEPS:
            return None
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if increasing(middle) > level else (middle, high)
    return high


_SPREADLESS: Final = 1e-24
"""A variance below this share of the mean square comes from rounding."""
_FEW: Final = 30
"""Users of equal weight below which the interval of a weighted mean is approximate."""

SKEWED: Final = "The differences are skewed: test and interval are corrected for that; the ends of the interval are approximate."
CONSTANT: Final = "The difference is the same for every user: only its sign can be tested, not its size."


class Estimate(Struct, frozen=True, eq=False):
    """Difference model - base of a measure; `confidence` is `None` if its error is unknown.

    `up` users have a higher value with the model, `down` a lower one. `p` and `statistic` are those of a test that does not follow from the
    confidence, such as a rank test, and `test` is the method, see `Difference`. `relative` is the difference as a share of the base value,
    with its interval. `sums` are those over paired users, if the estimate depends on nothing else. `units` are the independent units,
    if these are not users who count alike. `training` is the part of the squared standard error that more users do not reduce, because it
    comes from `runs` of training each model (the smaller number of both). `untested` is the reason why there is no interval, if it is not
    that users have no values.
    """

    n: int
    base_value: float | None
    value: float | None
    difference: float | None
    confidence: Confidence | None = None
    sd: float | None = None
    se: float | None = None
    df: float | None = None
    up: int | None = None
    down: int | None = None
    n_unpaired: int = 0
    statistic: float | None = None
    p: float | None = None
    relative: Relative | None = None
    test: str = "t"
    sums: PairedSums | None = None
    units: Units | None = None
    training: float = 0.0
    runs: int | None = None
    untested: str = ""
    notes: tuple[str, ...] = ()

    @property
    def n_changed(self) -> int | None:
        """Number of users whose value differs; `None` if users are not paired."""
        return None if self.up is None or self.down is None else self.up + self.down

    @property
    def independent(self) -> Units | None:
        """The independent units, of which all guards count those that changed; `None` if users are not paired."""
        if self.units is not None or self.n_changed is None:
            return self.units
        return Units.from_users(self.n, self.n_changed)

    @property
    def n_units(self) -> int:
        """Number of independent units."""
        return self.n if self.units is None else self.units.n

    def with_t(self, se: float, df: float, skewness: float = 0.0, *, cautious: bool = False) -> Estimate:
        """Return the estimate with a standard error and Student's t, corrected for the `skewness` of the mean."""
        assert self.difference is not None
        confidence = StudentT(self.difference, se, df, skewness, cautious)
        return replace(self, se=se, df=df, statistic=confidence.statistic, confidence=confidence)

    def with_jackknife(self, changes: Floats, df: float, units: Units, n: int = 1) -> Estimate:
        """Return the estimate with the error of the jackknife: `changes` / `n` is by how much each of G units moves it if left out.

        SE² = (G - 1)/G · Σ j², and the skewness of the estimate is Σ j³ / (Σ j²)^1.5 (MacKinnon, Nielsen and Webb, 2023);
        it counts as 0 if there are fewer than 30 units, whose skewness is not known.
        """
        row = changes[np.newaxis]
        squares, cubes = float(ExactSums.with_squares(row)[1].values()[0]), float(ExactSums.from_cubes(row).values()[0])
        se = math.sqrt((len(changes) - 1) / len(changes) * squares) / n if self.sd else 0.0
        skewness = max(-1.0, min(1.0, cubes / squares**1.5)) if se and units.n >= _FEW else 0.0
        return replace(self.with_t(se, df, skewness, cautious=units.are_sparse), units=units)


def paired_estimate(sums: PairedSums, alpha: float | None) -> Estimate:
    """Return the mean difference of paired users by Student's t (Student, 1908), corrected for skewness (Johnson, 1978).

    The difference as a share of the base value has an interval if an `alpha` is given.

    Edge cases: no difference without users, no interval for one user.
    """
    n, difference = sums.n, sums.difference()
    if n == 0:
        return Estimate(0, None, None, None, n_unpaired=sums.n_unpaired)
    a, b, d = (round_fraction(total, n) for total in (sums.base, sums.model, difference))
    estimate = Estimate(n, a, b, d, up=sums.up, down=sums.down, n_unpaired=sums.n_unpaired)
    if n == 1:
        return replace(estimate, relative=Relative.from_difference(d, a))
    sd = standard_deviation(difference, sums.difference_squares(), n)
    skewness = skewness_of_mean(difference, sums.difference_squares(), sums.difference_cubes(), n) if sd else 0.0
    notes = (CONSTANT,) if sd == 0 and sums.n_changed else ()
    estimate = estimate.with_t(sd / math.sqrt(n), n - 1, skewness, cautious=sums.is_sparse)
    relative = Relative.from_difference(d, a) if alpha is None else relative_difference(sums, alpha)
    return replace(estimate, sd=sd, relative=relative, notes=notes)


def standard_deviation(total: Fraction, squares: Fraction, n: int, rounding: Fraction = Fraction(0)) -> float:
    """Return √((Σd² - (Σd)²/n) / (n - 1)) from sums; 0 if the result is only rounding error of the terms."""
    centred = squares - total * total / n
    return math.sqrt(round_fraction(centred, n - 1)) if centred > max(rounding, Fraction(_SPREADLESS) * squares) else 0.0


def skewness_of_mean(total: Fraction, squares: Fraction, cubes: Fraction, n: int) -> float:
    """Return the skewness of a mean of `n` values with spread, from their sums: that of the values / √n, Σ(d - m)³ / (Σ(d - m)²)^1.5."""
    mean = total / n
    second, third = squares - mean * total, cubes - 3 * mean * squares + 2 * mean * mean * total
    size = min(1.0, math.sqrt(round_fraction(third * third, second**3)))  # it is never above 1, but for rounding
    return size if third >= 0 else -size


def mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Return the mean and the standard deviation of finite values in any order; the deviation of one value is 0."""
    (total, squares), n = (sums.fraction(0) for sums in ExactSums.with_squares(values[np.newaxis])), len(values)
    return round_fraction(total / n), standard_deviation(total, squares, n) if n > 1 else 0.0


_ROUNDING: Final = 1e-9


def interval_of_mean(mean: float, std: float, n: int, alpha: float, *, are_shares: bool) -> tuple[float, float]:
    """Return the interval of a mean over `n` users: Student's t, or that of a share (Wilson, 1927) if every value is 0 or 1.

    `are_shares`: no value is outside of 0 and 1. Then all are 0 or 1 if Σv² = Σv. For few hits t covers less than it says: at a share of
    1 % and 300 users 87 to 91 % instead of 95 %.
    """
    if not are_shares or abs(std**2 * (n - 1) / n - mean * (1 - mean)) > _ROUNDING:
        confidence = StudentT(mean, std / math.sqrt(n), n - 1)
        return confidence.at(alpha / 2), confidence.at(1 - alpha / 2)
    z = t_at(1 - alpha / 2, math.inf)
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


class RatioTerms(NamedTuple):
    """Numerator and denominator of each user; NaN for a user who does not count."""

    numerators: Floats
    denominators: Floats


def pooled_estimate(base: RatioTerms, model: RatioTerms) -> Estimate:
    """Return the difference of two pooled ratios R = Σx/Σy by the delta method (Deng, Knoblich and Lu, 2018).

    A user adds l = (x - R·y)/mean(y) to a ratio; the standard error is that of the mean of l of the model minus l of the base.

    Edge cases: no difference if a denominator sums to 0. `up` and `down` count the users whose own ratio differs; it is 0 if their
    denominator is 0.
    """
    has_base, has_model = (np.isfinite(side.numerators) & np.isfinite(side.denominators) for side in (base, model))
    among = has_base & has_model
    n, n_unpaired = int(np.count_nonzero(among)), int(np.count_nonzero(has_base ^ has_model))
    left, right = (RatioTerms(side.numerators[among], side.denominators[among]) for side in (base, model))
    of_base, of_model = _ratio(left), _ratio(right)
    if n == 0 or of_base is None or of_model is None:
        return Estimate(n, None, None, None, n_unpaired=n_unpaired)
    base_value, value, difference = round_fraction(of_base), round_fraction(of_model), round_fraction(of_model - of_base)
    of_users = differences_of(_user_values(left), _user_values(right))
    up, down = int(np.count_nonzero(of_users > 0)), int(np.count_nonzero(of_users < 0))
    relative = Relative.from_difference(difference, base_value)
    estimate = Estimate(n, base_value, value, difference, up=up, down=down, n_unpaired=n_unpaired, relative=relative)
    if n == 1:
        return estimate
    sd = mean_and_deviation(differences_of(_influence(left, base_value), _influence(right, value)))[1]
    notes = (CONSTANT,) if sd == 0 and (up or down) else ()
    return replace(estimate.with_t(sd / math.sqrt(n), n - 1), sd=sd, notes=notes)


FEW_ALIKE: Final = "Some users weigh so much that all count like fewer than 30 of equal weight: the interval is approximate."
ONE_HEAVY: Final = "One user or cluster has all the weight: there is no interval."


def weighted_estimate(base: RatioTerms, model: RatioTerms, clusters: np.typing.NDArray[np.integer] | None = None) -> Estimate:
    """Return the difference of two weighted means, or pooled ratios, R = Σx/Σy by the jackknife; y is the weight of a user.

    A user changes a mean by j = (x - R·y)/(Σy - y) if left out, and SE² = (n - 1)/n · Σ (j of the model - j of the base)². With equal
    weights this is the error of a mean of paired differences; with heavy weights the delta method, which divides by Σy, is too small.
    `clusters` has a number per user: the terms of users with the same number are added up first. The `units` of the estimate are as many
    users, or clusters, of equal weight (Kish, 1965): (Σy)² / Σy².

    Edge cases: as for `pooled_estimate`. No interval if one user, or one cluster, has all the weight.
    """
    estimate = pooled_estimate(base, model)
    if estimate.base_value is None or estimate.value is None:
        return estimate
    among = np.all([np.isfinite(terms) for side in (base, model) for terms in side], axis=0)
    sides = [RatioTerms(*(terms[among] for terms in side)) for side in (base, model)]
    changed = units_changed(sides)
    if clusters is not None:
        _, codes = np.unique(clusters[among], return_inverse=True)
        changed = np.bincount(codes, changed) > 0
        sides = [RatioTerms(*(exact_group_sums(terms, codes, int(codes.max()) + 1) for terms in side)) for side in sides]
    weights = sides[0].denominators
    if any((side.denominators >= side.denominators.sum()).any() for side in sides):
        return replace(estimate, confidence=None, sd=None, se=None, df=None, statistic=None, notes=(ONE_HEAVY,))
    changes = changes_without(sides[1], estimate.value) - changes_without(sides[0], estimate.base_value)
    n_alike = alike(weights)
    units = units_of_weights(max(2, round(n_alike)), weights, changed)
    estimate = estimate.with_jackknife(changes, len(weights) - 1, units)
    notes = (*estimate.notes, FEW_ALIKE) if n_alike < _FEW else estimate.notes
    return replace(estimate, sd=(estimate.se or 0.0) * math.sqrt(len(weights)), notes=notes)


def changes_without(side: RatioTerms, ratio: float) -> Floats:
    """Return by how much each user, or cluster, moves the ratio if left out, with the sign turned."""
    return np.asarray((side.numerators - ratio * side.denominators) / (side.denominators.sum() - side.denominators))


def units_changed(sides: Sequence[RatioTerms]) -> np.typing.NDArray[np.bool_]:
    """Return a mask of the users whose own ratio differs between the two sides."""
    return np.asarray(differences_of(*map(_user_values, sides)) != 0)


def _ratio(side: RatioTerms) -> Fraction | None:
    sums = ExactSums.from_values(np.stack(side))
    return sums.fraction(0) / sums.fraction(1) if sums.fraction(1) > 0 else None


def _influence(side: RatioTerms, ratio: float) -> Floats:
    """Return the contribution of each user to the ratio."""
    return (side.numerators - ratio * side.denominators) / mean_and_deviation(side.denominators)[0]


def _user_values(side: RatioTerms) -> Floats:
    return np.divide(side.numerators, side.denominators, out=np.zeros(len(side.numerators)), where=side.denominators > 0)


UNPAIRED: Final = "Not paired by user: the interval is wider than a paired one."


class Summary(Struct, frozen=True):
    """Mean of a measure over `n` users, and the standard deviation of their values (divisor n - 1); `None` if it is not known."""

    mean: float
    std: float | None
    n: int


def unpaired_estimate(base: Summary, model: Summary) -> Estimate:
    """Return the difference of two means over different users, or over users whose values were not kept (Welch, 1947).

    SE² = s²_a/n_a + s²_b/n_b; degrees of freedom by Satterthwaite. The number of users is the smaller of the two.

    Edge cases: no interval for one user, or without a deviation.
    """
    difference = model.mean - base.mean
    relative, n = Relative.from_difference(difference, base.mean), min(base.n, model.n)
    estimate = Estimate(n, base.mean, model.mean, difference, relative=relative, test="welch", notes=(UNPAIRED,))
    if base.std is None or model.std is None or n < 2:
        return estimate
    terms = [(side.std**2 / side.n, side.n - 1) for side in (base, model) if side.std is not None]
    variance = sum(term for term, _ in terms)
    df = variance**2 / sum(term**2 / of_term for term, of_term in terms) if variance else sum(of_term for _, of_term in terms)
    return estimate.with_t(math.sqrt(variance), df)
