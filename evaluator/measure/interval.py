"""Percentiles, and how sure a mean is: the percentile bootstrap."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], q: float) -> float:
    """The value below which q % of `values` lie.

    With the n values in ascending order, that at position (n - 1)·q/100 counted from 0; between two positions it is interpolated
    linearly, as numpy does (type 7 of Hyndman & Fan, 1996).

    Edge cases: of one value it is that value. `ValueError` if there is none, or q is not within 0 and 100.
    """
    import numpy as np

    if len(values) == 0:
        raise ValueError("there is no percentile of no values")
    if not 0 <= q <= 100:
        raise ValueError(f"a percentile is within 0 and 100, not {q}")
    return float(np.percentile(np.asarray(values, dtype=np.float64), q))


def bootstrap(values: Sequence[float], resamples: int = 1000, level: float = 0.95, seed: int = 0) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean (Efron, 1979).

    A resample draws n of the n values with replacement; the interval goes from the 50·(1 - level) to the 50·(1 + level) percentile of
    the means of all resamples. Which values are drawn depends on `seed` and n only, by a generator whose numbers numpy keeps the same
    for good (`RandomState`), and the values are put in ascending order first: the same values in any order give the same interval on
    every machine. It takes time in proportion to n·resamples, and memory to n.

    Edge cases: of values that are all equal, and so of one value, both ends are that value. `ValueError` if there is no value, fewer
    than one resample, or a level that is not between 0 and 1.
    """
    import numpy as np

    if len(values) == 0:
        raise ValueError("there is no interval of no values")
    if resamples < 1:
        raise ValueError(f"a bootstrap takes at least one resample, not {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval is between 0 and 1, not {level}")
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if ordered[0] == ordered[-1]:
        return float(ordered[0]), float(ordered[0])
    random = np.random.RandomState(seed)
    means = [ordered[random.randint(n, size=n, dtype=np.int32)].sum() / n for _ in range(resamples)]
    low, high = np.percentile(means, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)
