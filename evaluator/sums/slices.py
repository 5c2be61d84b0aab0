"""Floats cut into slices of bits, so that a plain sum of each slice is exact.

A sum of floats depends on the order of its terms because every addition rounds. It does not round if all terms are multiples of one power
of two and the sum stays below 2^53 times that power. So each term is cut into such multiples, of a coarse power first and of finer ones for
what is left, until nothing is left (Demmel and Nguyen, 2015, cut in the same way, but stop early).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Slice(NamedTuple):
    """One slice of the bits of all terms: a `multiples` of n · 2^`unit` adds n · 2^`exponent` to the sum of its term.

    The two exponents differ only for terms that had to be scaled, since they are close to the largest or the smallest float.
    """

    multiples: NDArray[np.float64]
    unit: int
    exponent: int

    def scaled(self, shift: int) -> Slice:
        """The same slice of terms 2^`shift` times as large."""
        return self._replace(exponent=self.exponent + shift)


_LARGE: Final = 2.0**960
_DOWNSCALE: Final = 192
"""Larger terms are divided by two to this power. It is a multiple of 32, so that they stay on the grid of group sums."""

_TINY_ROOT: Final = 2.0**-480
_LARGE_ROOT: Final = 2.0**480
_ROOT_SCALE: Final = 600
"""Numbers beyond these bounds are multiplied by two to plus or minus this power before they are squared."""

_TINY_CUBE_ROOT: Final = 2.0**-280
_LARGE_CUBE_ROOT: Final = 2.0**280
_CUBE_ROOT_SCALE: Final = 400
"""The same for numbers that are cubed; what is still beyond the bounds is multiplied again."""

_SPLITTER: Final = 2.0**27 + 1


def slices(terms: NDArray[np.float64], bits: int, grid: int = 1) -> Iterator[Slice]:
    """Cut `terms` into slices that add up to them exactly.

    The multiples of a slice are at most 2^`bits` units in size: a sum of up to 2^(53 - `bits`) of them is exact in any order. With a
    `grid`, exponents are 16 plus multiples of it; `bits` must then be the grid. The array of a slice is overwritten by the next one.

    Edge cases: there is no slice if all terms are 0. `ValueError` if a term is NaN or infinite.
    """
    peak = max(float(terms.max(initial=0.0)), -float(terms.min(initial=0.0)))
    if not math.isfinite(peak):
        raise ValueError("an exact sum needs finite terms: mask NaN and infinity")
    if peak >= _LARGE:  # what is added below to round would overflow
        large = np.abs(terms) >= _LARGE
        scaled = np.where(large, terms, 0.0) * 2.0**-_DOWNSCALE
        yield from (part.scaled(_DOWNSCALE) for part in slices(scaled, bits, grid))
        terms = np.where(large, 0.0, terms)
        peak = float(np.abs(terms).max(initial=0.0))
    if peak == 0:
        return
    mantissa, exponent = math.frexp(peak)
    exponent -= bits + (mantissa == 0.5)
    exponent += (16 - exponent) % grid
    multiples, rest = np.empty_like(terms), np.empty_like(terms)
    while True:
        # The sum of a term and this number rounds to a multiple of 2^exponent; taking the number away again is exact.
        rounder = math.ldexp(1.5, exponent + 52)
        np.add(terms, rounder, out=multiples)
        np.subtract(multiples, rounder, out=multiples)
        np.subtract(terms, multiples, out=rest)
        yield Slice(multiples, exponent, exponent)
        if not rest.any():
            return
        terms, exponent = rest, exponent - bits


def square_slices(terms: NDArray[np.float64], bits: int) -> Iterator[Slice]:
    """Cut the squares of `terms` into slices that add up to the exact, unrounded squares.

    A square is the rounded product and its rounding error, which is itself a float (Dekker, 1971).

    Edge cases: those of `slices`.
    """
    sizes = np.abs(terms)
    if not np.isfinite(sizes).all():
        raise ValueError("an exact sum needs finite terms: mask NaN and infinity")
    tiny, large = (sizes < _TINY_ROOT) & (sizes > 0), sizes > _LARGE_ROOT
    if tiny.any() or large.any():  # the product or its error would leave the range of floats
        yield from _scaled_square_slices(np.where(tiny, terms, 0.0), _ROOT_SCALE, bits)
        yield from _scaled_square_slices(np.where(large, terms, 0.0), -_ROOT_SCALE, bits)
        terms = np.where(tiny | large, 0.0, terms)
    yield from _scaled_square_slices(terms, 0, bits)


def cube_slices(terms: NDArray[np.float64], bits: int) -> Iterator[Slice]:
    """Cut the cubes of `terms` into slices that add up to the exact, unrounded cubes.

    A square is a float and its rounding error, and so is each of the two multiplied by the term: a cube is four floats.

    Edge cases: those of `slices`.
    """
    sizes = np.abs(terms)
    if not np.isfinite(sizes).all():
        raise ValueError("an exact sum needs finite terms: mask NaN and infinity")
    tiny, large = (sizes < _TINY_CUBE_ROOT) & (sizes > 0), sizes > _LARGE_CUBE_ROOT
    if tiny.any() or large.any():
        for beyond, scale in ((tiny, _CUBE_ROOT_SCALE), (large, -_CUBE_ROOT_SCALE)):
            scaled = np.ldexp(np.where(beyond, terms, 0.0), scale)
            yield from (part.scaled(-3 * scale) for part in (cube_slices(scaled, bits) if beyond.any() else ()))
        terms = np.where(tiny | large, 0.0, terms)
    halves = _halves(terms)
    squares, rests = _products(terms, terms, halves, halves)
    for factors in (squares, rests):
        if factors.any():
            for addends in _products(factors, terms, _halves(factors), halves):
                yield from slices(addends, bits)


def _scaled_square_slices(terms: NDArray[np.float64], scale: int, bits: int) -> Iterator[Slice]:
    terms = np.ldexp(terms, scale) if scale else terms
    halves = _halves(terms)
    for addends in _products(terms, terms, halves, halves):
        yield from (part.scaled(-2 * scale) for part in slices(addends, bits))


_Floats = NDArray[np.float64]
_Halves = tuple[_Floats, _Floats]


def _halves(terms: _Floats) -> _Halves:
    """The upper and the lower half of the bits of each term, the products of which are exact."""
    widened = _SPLITTER * terms
    high = widened - (widened - terms)
    return high, terms - high


def _products(left: _Floats, right: _Floats, of_left: _Halves, of_right: _Halves) -> tuple[_Floats, _Floats]:
    """The rounded products and their rounding errors (Dekker, 1971), given the halves of both sides."""
    products = left * right
    high = of_left[0] * of_right[0] - products
    return products, ((high + of_left[0] * of_right[1]) + of_left[1] * of_right[0]) + of_left[1] * of_right[1]
