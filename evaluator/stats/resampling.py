"""Tests by ranks and by resampling users: random signs and the bootstrap. The order of users does not change a number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ..support.errors import ConfigError
from .confidence import Confidence, Replicates, StudentizedReplicates, StudentT
from .difference import Settings
from .distributions import below_t
from .estimates import Estimate
from .paired import Floats

_DECIMALS: Final = 12
"""Decimals to which sizes of differences are compared, so that rounding does not break ties."""
_MANY_USERS: Final = 1_000

WARNING: Final = (
    "Wilcoxon's test compares ranks, not means: above 1,000 users it finds far too many differences where the mean difference is 0."
)


def with_ranks(estimate: Estimate, differences: Floats) -> Estimate:
    """Return the estimate with the p value of the signed-rank test (Wilcoxon, 1945), by its normal approximation.

    Users without a difference are left out, tied sizes share their mean rank, and the variance is corrected for ties. The interval stays
    that of t, because ranks say nothing about the mean.

    Edge cases: p is 1 if nobody changed.
    """
    changed = np.round(differences[differences != 0], _DECIMALS)
    sizes, inverse, counts = np.unique(np.abs(changed), return_inverse=True, return_counts=True)
    n = len(changed)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]
    positive, negative = float(ranks[changed > 0].sum()), float(ranks[changed < 0].sum())
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts.astype(np.float64) ** 3 - counts).sum()) / 48
    notes = (*estimate.notes, WARNING) if estimate.n > _MANY_USERS else estimate.notes
    statistic = min(positive, negative)
    p = 2 * below_t(-abs(positive - negative) / 2 / math.sqrt(variance), math.inf) if len(sizes) and variance > 0 else 1.0
    return replace(estimate, test="wilcoxon", statistic=statistic, p=p, notes=notes)


_EXACT: Final = 13
"""Maximal number of changed users for which all combinations of signs are tried."""
_ROUNDING: Final = 1e-12
_CELLS: Final = 2**22
"""Number of random draws in memory at a time."""
_MOST_DRAWS: Final = 2 * 10**8
_LEAST_RESAMPLES: Final = 999
_TOO_MANY_DRAWS: Final = 5 * 10**10
_ABOVE_FLOOR: Final = 4
"""The lowest possible p value (for the bootstrap 2 / resamples) is below the level to reach by at least this factor."""


def affordable_resamples(n: int, settings: Settings) -> int:
    """Return the number of resamples of `n` users: that of the settings, but at most 2·10⁸ draws of users, or 999 resamples.

    There are always as many as the family of differences needs; `ConfigError` if these are too many.
    """
    needed = resamples_needed(settings)
    if needed > _LEAST_RESAMPLES and needed * n > _TOO_MANY_DRAWS:
        raise ConfigError(
            f"test {settings.test}: {settings.family:,} comparisons need {needed:,} resamples, too many for {n:,} users",
            "use the t test (--test t), or test fewer measures (--measure)",
        )
    return max(needed, min(settings.resamples, max(_LEAST_RESAMPLES, _MOST_DRAWS // max(n, 1))))


def resamples_needed(settings: Settings) -> int:
    """Return the resamples that a difference needs to be shown in its family: 4/α for each comparison, more with the correction `by`."""
    if settings.family == 1 or settings.correction == "none":
        return 0
    factor = math.fsum(1 / i for i in range(1, settings.family + 1)) if settings.correction == "by" else 1.0
    return math.ceil(_ABOVE_FLOOR * settings.family * factor / settings.alpha)


def fewer_resamples(n: int, settings: Settings) -> tuple[str, ...]:
    """Return a note if there are fewer resamples than the settings ask for."""
    affordable, configured = affordable_resamples(n, settings), settings.resamples
    return () if affordable >= configured else (f"{affordable:,} resamples instead of {configured:,}, because more would take too long.",)


def with_sign_flips(estimate: Estimate, differences: Floats, settings: Settings) -> Estimate:
    """Return the estimate with the p value of the permutation test: how often random signs give a mean as far from 0 (Fisher, 1935).

    All combinations are tried if at most 13 users changed; otherwise signs are drawn at random and the data count as one more draw.
    """
    changed = np.sort(differences[differences != 0])
    total, tolerance = abs(float(changed.sum())), _ROUNDING * float(np.abs(changed).sum())
    if len(changed) <= _EXACT:
        signs = 1 - 2 * ((np.arange(2 ** len(changed))[:, np.newaxis] >> np.arange(len(changed))) & 1)
        return replace(estimate, test="permutation", p=float(np.mean(np.abs(signs @ changed) >= total - tolerance)))
    resamples = affordable_resamples(len(changed), settings)
    random, at_least = np.random.RandomState(settings.seed), 0
    for size in _batches(resamples, len(changed)):
        n_bytes = -(-len(changed) // 8)
        bits = np.frombuffer(random.bytes(size * n_bytes), dtype=np.uint8).reshape(size, n_bytes)
        flips = np.unpackbits(bits, axis=1, count=len(changed))
        sums = changed.sum() - 2 * (flips @ changed)
        at_least += int(np.count_nonzero(np.abs(sums) >= total - tolerance))
    notes = (*estimate.notes, *fewer_resamples(len(changed), settings))
    return replace(estimate, test="permutation", p=(1 + at_least) / (1 + resamples), notes=notes)


def with_bootstrap(estimate: Estimate, differences: Floats, settings: Settings) -> Estimate:
    """Return the estimate with the confidence of the bootstrap over users (Efron, 1979), percentile or `bootstrap-t`.

    Users without a difference are not drawn one by one: the number of drawn users that have one is binomial.

    Edge cases: without spread the estimate stays unchanged.
    """
    estimate = replace(estimate, test=settings.test)
    if not estimate.se:
        return estimate
    changed, n = np.sort(differences[differences != 0]), len(differences)
    resamples = affordable_resamples(len(changed), settings)
    estimate = replace(estimate, df=None, notes=(*estimate.notes, *fewer_resamples(len(changed), settings)))
    random = np.random.RandomState(settings.seed)
    means, deviations = np.empty(resamples), np.empty(resamples)
    for i, n_drawn in enumerate(random.binomial(n, len(changed) / n, resamples).tolist()):
        drawn = changed[random.randint(len(changed), size=n_drawn)]
        means[i] = drawn.sum() / n
        deviations[i] = math.sqrt(max(0.0, float((drawn * drawn).sum()) / n - means[i] ** 2) / (n - 1))
    if settings.test == "bootstrap":
        return replace(estimate, confidence=Replicates(np.sort(means)))
    assert isinstance(estimate.confidence, StudentT)
    centred = means - estimate.confidence.estimate
    t = np.divide(centred, deviations, out=np.copysign(np.inf, centred), where=deviations > 0)
    return replace(estimate, confidence=_studentized(estimate.confidence, t))


def _studentized(student: StudentT, t: Floats) -> Confidence:
    finite = t[np.isfinite(t)]
    largest = float(np.abs(finite).max(initial=0.0))
    return StudentizedReplicates(student.estimate, student.se, np.sort(np.clip(t, -largest, largest)))


def percentile_replicates(base: Floats, model: Floats, percentage: float, settings: Settings) -> NDArray[np.float64]:
    """Return the difference of a percentile, such as the median, in resamples of users, in ascending order.

    A user is drawn with both values. The values are sorted once: a percentile of a resample follows from how often each user is in it. Time
    is proportional to users times resamples.
    """
    order = np.lexsort((model, base))
    a, b, n = base[order], model[order], len(base)
    by_b = np.argsort(b, kind="stable")
    resamples, at = affordable_resamples(n, settings), (n - 1) * (percentage / 100)
    draws = _kept_draws if resamples * n <= _CELLS else _draws
    return np.sort(
        np.concatenate(
            [_value_at(at, b[by_b], times.take(by_b, axis=1)) - _value_at(at, a, times) for times in draws(n, resamples, settings.seed)]
        )
    )


def _draws(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.int32]]:
    """Yield how often each of `n` users is in each resample, some resamples at a time."""
    random = np.random.RandomState(seed)
    for size in _batches(resamples, n):
        users = random.randint(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
        yield np.bincount(users.reshape(-1), minlength=size * n).reshape(size, n).astype(np.int32)


@lru_cache(1)  # for the pairs of models and measures that have the same users
def _kept_draws(n: int, resamples: int, seed: int) -> tuple[NDArray[np.int32], ...]:
    return tuple(_draws(n, resamples, seed))


def _value_at(at: float, ascending: Floats, times: NDArray[np.int32]) -> Floats:
    """Return the value at place `at`, from 0, among ascending values that are each there so many `times`: one per row, as of NumPy."""
    reached, below = times.cumsum(axis=1, dtype=np.int32), int(at)
    low, high = (ascending[(reached > min(place, len(ascending) - 1)).argmax(axis=1)] for place in (below, below + 1))
    share = at - below
    return np.asarray(high - (high - low) * (1 - share) if share >= 0.5 else low + (high - low) * share)


def _batches(resamples: int, n: int) -> Iterator[int]:
    most = max(1, _CELLS // max(n, 1))
    for start in range(0, resamples, most):
        yield min(most, resamples - start)
