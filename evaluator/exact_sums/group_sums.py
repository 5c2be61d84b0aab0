"""Exact sums by group, such as by item: the order of rows or parts does not change them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Final

from msgspec import Struct

from ..support.lazy import np
from .exact import round_fraction, slices

_BLOCK: Final = 2**20
"""Rows per step: this many 32-bit numbers add up exactly in a float."""
_BITS: Final = 32
_ZERO_EXPONENT: Final = 16


class GroupLimbs(Struct, frozen=True, eq=False):
    """Exact sums of finite floats by group, as integer limbs: the sum of group g is Σᵢ `limbs[i, g]` · 2^(`exponent` + 32·i).

    Nothing is rounded before `values`. Limbs are in [-2^31, 2^31), and neither the first nor the last row of limbs is all 0, so that equal
    sums over equally many groups have equal limbs.
    """

    limbs: np.typing.NDArray[np.int64]
    exponent: int = _ZERO_EXPONENT

    @classmethod
    def zeros(cls, n_groups: int) -> GroupLimbs:
        """Return sums without terms."""
        return cls(np.zeros((0, n_groups), dtype=np.int64))

    @classmethod
    def from_values(cls, values: np.typing.NDArray[np.float64], groups: np.typing.NDArray[np.integer], n_groups: int) -> GroupLimbs:
        """Sum `values` by their group, an integer from 0 to `n_groups` - 1.

        Edge cases: a group without a value has the sum 0. `ValueError` if a value is NaN or infinite, a group is out of range, or the
        lengths differ.
        """
        if len(values) != len(groups):
            raise ValueError(f"{len(values)} values have {len(groups)} groups")
        if len(groups) and (groups.min() < 0 or groups.max() >= n_groups):
            raise ValueError(f"groups are numbered from 0 to {n_groups - 1}, not {groups.min()} to {groups.max()}")
        sums = cls.zeros(n_groups)
        for start in range(0, len(values), _BLOCK):
            block = slice(start, start + _BLOCK)
            by_exponent: dict[int, np.typing.NDArray[np.int64]] = {}
            for multiples, unit, exponent in slices(values[block], _BITS, grid=_BITS):
                totals = np.ldexp(np.bincount(groups[block], multiples, n_groups), -unit).astype(np.int64)
                by_exponent[exponent] = by_exponent[exponent] + totals if exponent in by_exponent else totals
            sums += _stack(by_exponent, n_groups)
        return sums

    def __add__(self, other: GroupLimbs) -> GroupLimbs:
        """Merge with the sums of other terms; a group that only one of the two has counts as 0 in the other."""
        n_groups = max(self.limbs.shape[1], other.limbs.shape[1])
        lowest = min(self.exponent, other.exponent)
        offsets = [(sums.exponent - lowest) // _BITS for sums in (self, other)]
        n_limbs = max(offset + len(sums.limbs) for offset, sums in zip(offsets, (self, other), strict=True))
        limbs = np.zeros((n_limbs, n_groups), dtype=np.int64)
        for offset, sums in zip(offsets, (self, other), strict=True):
            limbs[offset : offset + len(sums.limbs), : sums.limbs.shape[1]] += sums.limbs
        return _carry(limbs, lowest)

    @classmethod
    def regroup(cls, parts: Sequence[tuple[GroupLimbs, np.typing.NDArray[np.integer]]], n_groups: int) -> GroupLimbs:
        """Merge sums whose groups are numbered differently.

        Each part comes with the new number, below `n_groups`, of each of its groups; these numbers are distinct within a part.
        """
        parts = [(sums, groups) for sums, groups in parts if len(sums.limbs)]
        if not parts:
            return cls.zeros(n_groups)
        lowest = min(sums.exponent for sums, _ in parts)
        n_limbs = max((sums.exponent - lowest) // _BITS + len(sums.limbs) for sums, _ in parts)
        limbs = np.zeros((n_limbs, n_groups), dtype=np.int64)
        for sums, groups in parts:
            for row, limb in enumerate(sums.limbs, (sums.exponent - lowest) // _BITS):
                limbs[row, groups] += limb
        return _carry(limbs, lowest)

    def values(self) -> np.typing.NDArray[np.float64]:
        """Return the sums as floats, each correctly rounded once; infinite above the largest float."""
        exponents = self.exponent + _BITS * np.arange(len(self.limbs))
        with np.errstate(over="ignore"):
            floats = np.ldexp(self.limbs.astype(np.float64), exponents[:, np.newaxis])
        if np.isfinite(floats).all():
            with suppress(OverflowError):
                return np.array([math.fsum(parts) for parts in floats.T.tolist()], dtype=np.float64)
        return np.array([round_fraction(self._fraction(group)) for group in range(self.limbs.shape[1])], dtype=np.float64)

    def _fraction(self, group: int) -> Fraction:
        integer = sum(int(limb) << _BITS * i for i, limb in enumerate(self.limbs[:, group]))
        return Fraction(integer) * Fraction(2) ** self.exponent


def exact_group_sums(
    values: np.typing.NDArray[np.float64], groups: np.typing.NDArray[np.integer], n_groups: int
) -> np.typing.NDArray[np.float64]:
    """Sum `values` by their group, an integer from 0 to `n_groups` - 1; each sum is correctly rounded, whatever the order of rows.

    Edge cases: those of `GroupLimbs.from_values`.
    """
    return GroupLimbs.from_values(values, groups, n_groups).values()


def _stack(by_exponent: dict[int, np.typing.NDArray[np.int64]], n_groups: int) -> GroupLimbs:
    if not by_exponent:
        return GroupLimbs.zeros(n_groups)
    lowest = min(by_exponent)
    limbs = np.zeros(((max(by_exponent) - lowest) // _BITS + 1, n_groups), dtype=np.int64)
    for exponent, totals in by_exponent.items():
        limbs[(exponent - lowest) // _BITS] = totals
    return _carry(limbs, lowest)


def _carry(limbs: np.typing.NDArray[np.int64], exponent: int) -> GroupLimbs:
    """Carry the excess of each limb to the next, and leave out first and last limbs that are 0 in all groups."""
    half = 1 << (_BITS - 1)
    rows: list[np.typing.NDArray[np.int64]] = []
    carry = np.zeros(limbs.shape[1], dtype=np.int64)
    for row in limbs:
        total = row + carry
        carry = (total + half) >> _BITS
        rows.append(total - (carry << _BITS))
    while carry.any():
        total, carry = carry, (carry + half) >> _BITS
        rows.append(total - (carry << _BITS))
    used = [i for i, row in enumerate(rows) if row.any()]
    if not used:
        return GroupLimbs.zeros(limbs.shape[1])
    return GroupLimbs(np.stack(rows[used[0] : used[-1] + 1]), exponent + _BITS * used[0])
