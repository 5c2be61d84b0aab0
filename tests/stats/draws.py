"""Random per-user values like those of measures: many zeros, few levels, many users without a difference."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def draw_pair(seed: int, n: int, shift: float = 0.0) -> Pair:
    """Draw values of `n` users for two models; half of the users have the same value with both."""
    random = np.random.default_rng(seed)
    base = np.where(random.random(n) < 0.4, 0.0, np.round(random.random(n), 3))
    moved = np.clip(base + shift + random.normal(0, 0.2, n), 0, 1)
    return base, np.where(random.random(n) < 0.5, base, moved)


pairs = st.builds(draw_pair, st.integers(0, 10**6), st.integers(12, 300), st.floats(-0.1, 0.1))
changing_pairs = pairs.filter(lambda pair: np.unique(pair[1] - pair[0]).size > 3)
"""Pairs for which scipy has a test: it needs some spread."""


def cautious(differences: NDArray[np.float64], n_changed: int) -> int:
    """Return 1 if the correction for skewness is cautious: fewer than 100 users changed, or there are few for the skewness."""
    return int(n_changed < 100 or 355 * float(stats.skew(differences)) ** 2 > len(differences))


def skewed_t(differences: NDArray[np.float64], mean: float = 0.0, cautious: int = 0) -> float:
    """Return the t value of a `mean`, corrected for skewness as in Hall (1992): t + γ(2t² + 1)/(6√n) + γ²t³/(27n).

    With `cautious` 1 or -1 return the lower, or the higher, one of it and t.
    """
    n, gamma = len(differences), float(stats.skew(differences))
    t = (differences.mean() - mean) * n**0.5 / differences.std(ddof=1)
    corrected = t + gamma * (2 * t**2 + 1) / (6 * n**0.5) + gamma**2 * t**3 / (27 * n)
    return float(cautious * min(cautious * t, cautious * corrected) if cautious else corrected)
