"""Model-level values: exact sums that the body of a metric collects part by part, also by item, and the values computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..exact_sums.exact import ExactSums
from ..exact_sums.group_sums import GroupLimbs
from ..metrics.item_tables import ITEM_TABLES, ItemSums, ItemTerms
from ..metrics.measure import Measure
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.ids import Ids

_PENDING: Final = 2**20
"""Minimal number of rows in blocks that wait to be merged: merging 20 blocks at once costs little more than merging two."""
_SPARSEST: Final = 8
"""Integer keys are looked up in a plain array if the array is at most this many times as long as there are rows."""


class _Block(Struct, frozen=True, eq=False):
    """Sums by key: first those of known items, by ascending `index`, then those of other `keys`, ascending.

    `counts` are integers below 2^53, `values` exact sums of finite floats of any size.
    """

    index: Array
    keys: pl.Series
    counts: Mapping[str, Array]
    values: Mapping[str, GroupLimbs]

    def __len__(self) -> int:
        return len(self.index) + len(self.keys)


class KeyedSums:
    """Sums of terms by item that merge with `+`; the result of `sums` is the same to the last bit in any order of merging."""

    def __init__(self, blocks: Sequence[_Block]) -> None:
        self._blocks = tuple(blocks)

    @classmethod
    def from_terms(cls, terms: ItemTerms) -> KeyedSums:
        """Add up terms by item; `count` is their number. 1 M rows over 50,000 items take 5 ms, and 30 ms more for each of `values`.

        Edge cases: `ValueError` if one of the values is NaN or infinite.
        """
        return cls([_summed(terms)])

    def __add__(self, other: KeyedSums) -> KeyedSums:
        blocks = (*self._blocks, *other._blocks)
        if sum(map(len, blocks[1:])) <= max(len(blocks[0]), _PENDING):
            return KeyedSums(blocks)
        return KeyedSums([_merged(blocks)])

    def __reduce__(self) -> tuple[Any, ...]:
        return KeyedSums, ((self._merged(),),)

    def _merged(self) -> _Block:
        if len(self._blocks) > 1:
            self._blocks = (_merged(self._blocks),)
        return self._blocks[0]

    def sums(self, ids: pl.Series) -> ItemSums:
        """Return the sums as floats, each rounded once, in ascending order of the ids; `ids` are those of the known items."""
        block = self._merged()
        columns: dict[str, Array] = {name: column.astype(np.float64) for name, column in block.counts.items()}
        columns |= {name: column.values() for name, column in block.values.items()}
        known_ids = ids.gather(block.index)
        if not len(block.keys):
            return ItemSums(known_ids, block.index, columns)
        items = pl.concat([known_ids.cast(block.keys.dtype), block.keys]) if len(known_ids) else block.keys
        index = np.concatenate([block.index, np.full(len(block.keys), -1, dtype=np.int64)])
        order = items.arg_sort().to_numpy()
        return ItemSums(items.gather(order), index[order], {name: column[order] for name, column in columns.items()})


def _summed(terms: ItemTerms) -> _Block:
    is_known = terms.item_index >= 0
    if not is_known.any() and not terms.values:
        return _counted(terms)
    if is_known.all():
        keys, index = terms.items.clear(), terms.item_index
    else:
        others = np.flatnonzero(~is_known)
        keys, other_codes = _distinct(terms.items.gather(others))
        index = terms.item_index[is_known]
    rows = np.bincount(index) if len(index) else np.zeros(0, dtype=np.int64)
    present = np.flatnonzero(rows)
    if not len(keys) and not terms.counts and not terms.values:
        return _Block(present, keys, {"count": rows[present]}, {})
    position = np.cumsum(rows > 0) - 1
    if len(keys):
        code = np.empty(len(is_known), dtype=np.int64)
        code[is_known] = position[index]
        code[others] = other_codes + len(present)
    else:
        code = position[index]
    n = len(present) + len(keys)
    counts = {name: np.bincount(code, column, n).astype(np.int64) for name, column in terms.counts.items()}
    values = {name: GroupLimbs.from_values(column, code, n) for name, column in terms.values.items()}
    return _Block(present, keys, {"count": np.bincount(code, minlength=n)} | counts, values)


def _counted(terms: ItemTerms) -> _Block:
    """Return the counts of terms without a known item."""
    if terms.items.dtype.is_integer() and not terms.counts:
        keys, codes = _distinct(terms.items)
        return _Block(np.empty(0, dtype=np.int64), keys, {"count": np.bincount(codes, minlength=len(keys))}, {})
    frame = pl.DataFrame({"key": terms.items} | {f"count {name}": column for name, column in terms.counts.items()})
    sums = frame.group_by("key").agg(pl.len().cast(pl.Int64).alias("count"), pl.col("^count .*$").sum()).sort("key")
    counts = {name: sums[f"count {name}"].to_numpy() for name in terms.counts}
    return _Block(np.empty(0, dtype=np.int64), sums["key"], {"count": sums["count"].to_numpy()} | counts, {})


def _distinct(keys: pl.Series) -> tuple[pl.Series, Array]:
    """Return the distinct keys in ascending order, and the index of each key among them."""
    if keys.dtype.is_integer() and len(keys):
        values = keys.to_numpy()
        least, most = int(values.min()), int(values.max())
        if most - least < _SPARSEST * len(values):
            rows = np.bincount(values - least)
            return pl.Series(np.flatnonzero(rows) + least, dtype=keys.dtype), (np.cumsum(rows > 0) - 1)[values - least]
    if keys.dtype.is_numeric():
        distinct_keys, codes = np.unique(keys.to_numpy(), return_inverse=True)
        return pl.Series(distinct_keys, dtype=keys.dtype), codes
    distinct = keys.unique().sort()
    return distinct, Ids(distinct).index_of(keys)


def _merged(blocks: Sequence[_Block]) -> _Block:
    """Merge blocks into one."""
    index, positions = _distinct_indexes([block.index for block in blocks])
    having = [block.keys for block in blocks if len(block.keys)]
    keys, codes = _distinct(pl.concat(having)) if having else (blocks[0].keys, np.empty(0, dtype=np.int64))
    groups, start = [], 0
    for block, position in zip(blocks, positions, strict=True):
        groups.append(np.concatenate([position, codes[start : start + len(block.keys)] + len(index)]))
        start += len(block.keys)
    n = len(index) + len(keys)
    counts = {name: np.zeros(n, dtype=np.int64) for name in blocks[0].counts}
    for block, group in zip(blocks, groups, strict=True):
        for name, column in block.counts.items():
            counts[name][group] += column
    values = {
        name: GroupLimbs.regroup([(block.values[name], group) for block, group in zip(blocks, groups, strict=True)], n)
        for name in blocks[0].values
    }
    return _Block(index, keys, counts, values)


def _distinct_indexes(indexes: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Return the distinct indexes in ascending order, and the positions of those of each array among them."""
    most = max((int(index[-1]) for index in indexes if len(index)), default=-1)
    if most < _SPARSEST * sum(map(len, indexes)):
        present = np.zeros(most + 1, dtype=np.bool_)
        for index in indexes:
            present[index] = True
        position = np.cumsum(present) - 1
        return np.flatnonzero(present), [position[index] for index in indexes]
    distinct = np.unique(np.concatenate(indexes))
    return distinct, [np.searchsorted(distinct, index) for index in indexes]


class CollectSums:
    """Collector of the sums that the bodies of metrics ask for while a part is measured."""

    def __init__(self) -> None:
        self.totals: list[ExactSums] = []
        self.items: dict[Any, KeyedSums] = {}

    def total(self, values: Array, counts: Array) -> Array:
        """Add up the values of users that count and have one (not NaN); return a column of ones.

        `OverflowError` if one of them is infinite: leaving it out would give a wrong sum that looks right.
        """
        counted = np.broadcast_to(counts, values.shape) & ~np.isnan(values)
        if np.isinf(values[counted]).any():
            raise OverflowError
        self.totals.append(ExactSums.from_values(np.ascontiguousarray(values, dtype=np.float64), counted))
        return np.ones((len(values), 1))

    def item_columns(self, measure: Measure, name: str, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
        """Add up a table of items; return its columns without rows."""
        kind, key = ITEM_TABLES[name], item_key(measure, name, params)
        if key not in self.items:
            self.items[key] = KeyedSums.from_terms(kind.terms(measure, **params))
        return kind.empty()


class ReplaySums:
    """Source of the sums over all parts, in the order in which they were collected."""

    def __init__(self, totals: Sequence[ExactSums], items: Mapping[Any, KeyedSums]) -> None:
        self._totals, self._items = iter(totals), items

    def total(self, values: Array, counts: Array) -> Array:
        """Return the next sum, as a column."""
        return next(self._totals).values()[:, None]

    def item_columns(self, measure: Measure, name: str, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
        """Return the columns of a table of items over all parts."""
        sums = self._items[item_key(measure, name, params)].sums(measure.prepared.items.ids)
        return ITEM_TABLES[name].finish(sums, measure.prepared, **params)


def item_key(measure: Measure, name: str, params: Mapping[str, Scalar]) -> Any:
    """Return the key of a table of items: its name, its parameters, and the users and lists that it reads."""
    return name, tuple(sorted(params.items())), measure.population
