"""A fingerprint of the test set: a hash of all test rows that does not depend on the order of rows, parts or files.

Each row (user, item, rating) has a hash of 64 bits, and the hashes of all rows are added modulo 2^64, twice with different seeds. Ids are
hashed as text, so the hash is the same whether ids were read as integers or as text. The functions are our own because those of dataframe
libraries change from version to version, and files store the hash.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from ..results.result import TruthFingerprint
from ..tables.ids import gather, user_starts

Words = NDArray[np.uint64]

_BASE: Final = np.uint64(0x100000001B3)
_SEEDS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_ROWS: Final = 1 << 14
"""Arrays of so many rows stay in the cache of a core, which halves the time."""
_ZERO: Final = np.uint64(ord("0") + 1)
_NO_RATING: Final = np.uint64(0x5851F42D4C957F2D)


class TruthHash(Struct, frozen=True):
    """Numbers of users and rows of some test rows, and their two sums of hashes; hashes of different users merge with `+`."""

    users: int
    rows: int
    sums: tuple[int, int]

    def __add__(self, other: TruthHash) -> TruthHash:
        first, second = ((mine + more) % 2**64 for mine, more in zip(self.sums, other.sums, strict=True))
        return TruthHash(self.users + other.users, self.rows + other.rows, (first, second))

    @property
    def fingerprint(self) -> TruthFingerprint:
        """Form that results store."""
        return TruthFingerprint(self.users, self.rows, "".join(f"{total:016x}" for total in self.sums))


def truth_hash(test: pl.DataFrame) -> TruthHash:
    """Hash the rows of a frame with the columns user, item, and rating where there are any; the rows hold all of each user's."""
    starts = user_starts(test["user"])  # a user's rows stand together nearly always, and then the id is hashed once
    users, ends = gather(test["user"], starts), np.append(starts, len(test))
    hashes, table = hash_ids(users), _small_numbers(test["item"])
    sums, n_users = np.zeros(len(_SEEDS), np.uint64), max(1, _ROWS * len(users) // max(1, len(test)))
    for first in range(0, len(users), n_users):
        of_block = ends[first : first + n_users + 1]
        rows = test.slice(int(of_block[0]), int(of_block[-1] - of_block[0]))
        sums += _sums_of_rows(rows, hashes[first : first + n_users], np.diff(of_block), table)
    return TruthHash(users.n_unique(), len(test), (int(sums[0]), int(sums[1])))


def _sums_of_rows(test: pl.DataFrame, users: Words, lengths: NDArray[np.int64], table: Words | None) -> Words:
    """Return the sum of the hashes of some rows for each seed.

    `users` are the hashes of the users, who have `lengths` rows each. `table` has the hashes of the items, if these are small numbers.
    """
    items = hash_ids(test["item"]) if table is None else table[test["item"].to_numpy()]
    ratings = test["rating"].cast(pl.Float64).to_numpy() + 0.0 if "rating" in test.columns else None
    bits = _NO_RATING if ratings is None else ratings.view(np.uint64)  # adding 0 made -0.0 and 0.0 one
    sums = []
    for seed in _SEEDS:
        rows = np.repeat(spread_bits(users ^ seed), lengths)
        rows += items
        rows = spread_bits(rows)
        rows ^= bits
        sums.append(spread_bits(rows).sum(dtype=np.uint64))
    return np.array(sums)


def _small_numbers(ids: pl.Series) -> Words | None:
    """Return the hashes of all numbers up to the largest of these ids, and of a few more; `None` unless the ids are small numbers."""
    if not ids.dtype.is_integer() or not len(ids) or ids.null_count():
        return None
    numbers = ids.to_numpy()
    n_bits = int(numbers.max()).bit_length()
    return _hashes_below(n_bits) if 1 << n_bits <= 4 * len(numbers) and numbers.min() >= 0 else None


@lru_cache(2)
def _hashes_below(n_bits: int) -> Words:
    """Return the hashes of the numbers with so many bits; parts of a run have the same items."""
    blocks = (np.arange(first, min(first + _ROWS, 1 << n_bits), dtype=np.uint64) for first in range(0, 1 << n_bits, _ROWS))
    return np.concatenate([_number_hashes(block) for block in blocks])


def hash_ids(ids: pl.Series) -> Words:
    """Return a hash of each id as it is written."""
    if ids.dtype.is_integer():
        numbers = ids.to_numpy()
        if len(numbers) and numbers.min() >= 0:
            return _number_hashes(numbers.astype(np.uint64))
    return _text_hashes(ids.cast(pl.String))


def _number_hashes(numbers: Words) -> Words:
    """Return the hash of the text of each number from its digits, the last digit first: making the text takes several times as long."""
    rest, lengths, sums = numbers.copy(), np.ones(len(numbers), np.uint64), np.zeros(len(numbers), np.uint64)
    for place in range(len(str(numbers.max()))):
        above = rest // np.uint64(10)
        added = (sums + (rest - above * np.uint64(10)) + _ZERO) * _BASE
        if place:
            has_digit = rest > 0
            lengths += has_digit
            added = np.where(has_digit, added, sums)
        sums, rest = added, above
    return spread_bits(sums + lengths)


def _text_hashes(text: pl.Series) -> Words:
    """A polynomial over the bytes of each text, mixed."""
    lengths = text.str.len_bytes().to_numpy().astype(np.int64)
    if not len(lengths) or not lengths.any():
        return spread_bits(np.zeros(len(lengths), np.uint64))
    joined = np.frombuffer(text.str.join("").item().encode(), np.uint8).astype(np.uint64) + np.uint64(1)
    starts = np.cumsum(lengths) - lengths
    powers = np.cumprod(np.full(int(lengths.max()), _BASE), dtype=np.uint64)
    within = np.arange(len(joined)) - np.repeat(starts, lengths)
    sums = np.zeros(len(lengths), np.uint64)
    filled = lengths > 0
    sums[filled] = np.add.reduceat(joined * powers[within], starts[filled])
    return spread_bits(sums + lengths.astype(np.uint64))


def spread_bits(words: Words) -> Words:
    """Spread every bit over all bits (the finalizer of SplitMix64, Steele et al. 2014)."""
    mixed, shifted = words.copy(), np.empty_like(words)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= np.right_shift(mixed, np.uint64(shift), out=shifted)
        mixed *= np.uint64(factor)
    mixed ^= np.right_shift(mixed, np.uint64(31), out=shifted)
    return mixed
