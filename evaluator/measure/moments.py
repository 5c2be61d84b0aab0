"""Sums of users' values that merge: all that means, sums, standard deviations and intervals of measures are computed from."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from ..names.aggregate_names import SMALLEST_FACTOR, interval_level
from ..sums.exact import ExactSums

_LOGARITHMS: Final = frozenset({"geometric"})


class Moments(Struct, frozen=True):
    """Exact sums over the values of the users who count for one measure.

    `n` users count; the value of `n_undefined` of them is NaN, that of others may be infinite. `total` is the sum of the finite values,
    `squares` that of their squares and `logarithms` that of their natural logarithms; the last two are `None` if no aggregate needs them.
    """

    n: int
    n_undefined: int
    n_positive_infinite: int
    n_negative_infinite: int
    total: Fraction
    squares: Fraction | None = None
    logarithms: Fraction | None = None


class MomentTable(Struct, frozen=True, eq=False):
    """The moments of several measures, one column of `counts` and one sum each; tables of different users merge with `+`.

    The rows of `counts` are users who count, of these undefined (NaN) ones, those with the value +infinity, those with -infinity.
    """

    counts: NDArray[np.int64]
    totals: ExactSums
    squares: ExactSums | None = None
    logarithms: ExactSums | None = None

    @classmethod
    def of(cls, values: NDArray[np.float64], counted: ArrayLike | None = None, aggregates: Collection[str] = ("mean",)) -> MomentTable:
        """Sum what `aggregates` need over `values`, shape (measures, users), of those users who are `counted` (default: all).

        Edge cases: `counted` may have fewer dimensions than `values`. The values of users who do not count may be anything.
        """
        n_measures, n_users = values.shape
        counts = np.zeros((4, n_measures), dtype=np.int64)
        mask = None if counted is None else np.broadcast_to(np.asarray(counted, dtype=np.bool_), values.shape)
        counts[0] = n_users if mask is None else np.count_nonzero(mask, axis=1)
        finite = np.isfinite(values)
        if not finite.all():
            within = np.ones(values.shape, dtype=np.bool_) if mask is None else mask
            kinds = (np.isnan(values), np.isposinf(values), np.isneginf(values))
            counts[1:] = [np.count_nonzero(kind & within, axis=1) for kind in kinds]
            mask = finite & within
        elif mask is not None and (counts[0] == n_users).all():
            mask = None
        logarithms = None
        if _LOGARITHMS.intersection(aggregates):
            logarithms = ExactSums.of(np.log(np.maximum(values, SMALLEST_FACTOR)), mask)
        return cls(
            counts,
            ExactSums.of(values, mask),
            ExactSums.of_squares(values, mask) if any(map(_needs_squares, aggregates)) else None,
            logarithms,
        )

    def __add__(self, other: MomentTable) -> MomentTable:
        """Merge with the moments of other users; `ValueError` unless both are of the same measures and aggregates."""
        return MomentTable(
            self.counts + other.counts,
            self.totals + other.totals,
            _merged(self.squares, other.squares),
            _merged(self.logarithms, other.logarithms),
        )

    def measure(self, index: int) -> Moments:
        """The moments of the measure at `index`."""
        n, undefined, positive_infinite, negative_infinite = self.counts[:, index].tolist()
        return Moments(
            n,
            undefined,
            positive_infinite,
            negative_infinite,
            self.totals.fraction(index),
            None if self.squares is None else self.squares.fraction(index),
            None if self.logarithms is None else self.logarithms.fraction(index),
        )


def _needs_squares(aggregate: str) -> bool:
    return aggregate == "std" or interval_level(aggregate) is not None


def _merged(left: ExactSums | None, right: ExactSums | None) -> ExactSums | None:
    if left is None and right is None:
        return None
    if left is None or right is None:
        raise ValueError("moments for different aggregates do not merge")
    return left + right
