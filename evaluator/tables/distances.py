"""Distances of pairs of items: by their categories, by the users they share, or from a file."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import polars as pl

from .array import Array
from .category_columns import MOST_BITS, categories_of
from .cooccurrence import cooccurrence
from .ids import Ids
from .prepared import Prepared


class Distance(Protocol):
    """A distance of items."""

    def index_of(self, items: pl.Series) -> Array:
        """The index by which the distance knows each item, -1 for items that it does not know."""
        ...

    def between(self, first: Array, second: Array) -> Array:
        """The distance of each pair of items, given their indexes; NaN where they have none."""
        ...


def distance_of(prepared: Prepared, kind: str) -> Distance:
    """The distance called `kind`: `jaccard`, `cosine` and `hamming` of categories, `cooccurrence` in train, or that of the `file`."""
    key = ("distance", kind)
    if key not in prepared.memo:
        made: Distance
        if kind == "file":
            assert prepared.distances is not None
            made = FileDistance(prepared.distances)
        else:
            made = CooccurrenceDistance(prepared) if kind == "cooccurrence" else CategoryDistance(prepared, kind)
        prepared.memo[key] = made
    distance: Distance = prepared.memo[key]
    return distance


class CategoryDistance:
    """The distance of the categories of two items, A and B.

    `jaccard` 1 - |A∩B|/|A∪B| and `cosine` 1 - |A∩B|/√(|A|·|B|) of items that both have categories; `hamming` |A| + |B| - 2·|A∩B| of items
    of the catalogue.
    """

    def __init__(self, prepared: Prepared, kind: str) -> None:
        self._prepared, self._kind = prepared, kind
        self._size = prepared.item_column("n_categories").astype(np.float64)
        has_distance = prepared.in_catalogue if kind == "hamming" else self._size[:-1] > 0
        self._has_distance = np.append(has_distance, False)
        self._few = int(prepared.category_code.max(initial=0)) <= MOST_BITS

    def index_of(self, items: pl.Series) -> Array:
        """The index of each item among those known before."""
        return self._prepared.items.index_of(items)

    def between(self, first: Array, second: Array) -> Array:
        """The distance of each pair of items, NaN where they have none."""
        sizes, other_sizes, common = self._size[first], self._size[second], self._common(first, second)
        known = self._has_distance[first] & self._has_distance[second]
        if self._kind == "hamming":
            value = sizes + other_sizes - common * 2.0
        else:
            either = sizes + other_sizes - common if self._kind == "jaccard" else np.sqrt(sizes * other_sizes)
            value = 1.0 - common / np.where(known, either, 1.0)
        return np.where(known, value, np.nan)

    def _common(self, first: Array, second: Array) -> Array:
        """The number of categories that both items of each pair have."""
        if self._few:
            sets = self._prepared.item_column("kind")
            return np.bitwise_count(sets[first] & sets[second]).astype(np.float64)
        prepared, width = self._prepared, int(self._prepared.category_code.max()) + 1
        held = prepared.category_item * width + prepared.category_code  # ascending: in the order of items and codes
        pair, code = categories_of(prepared, first)
        wanted = second[pair] * width + code
        at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
        return np.bincount(pair, held[at] == wanted, len(first))


class CooccurrenceDistance:
    """1 - c(i,j)/√(u(i)·u(j)), with c the train users who have both items and u those who have one; 1 for items that share no user."""

    def __init__(self, prepared: Prepared) -> None:
        self._items = prepared.items
        self._users = np.append(prepared.train_users, 0).astype(np.float64)
        self._both = cooccurrence(prepared)

    def index_of(self, items: pl.Series) -> Array:
        """The index of each item among those known before."""
        return self._items.index_of(items)

    def between(self, first: Array, second: Array) -> Array:
        """The distance of each pair of items."""
        users, other_users = self._users[first], self._users[second]
        known = np.flatnonzero((users > 0) & (other_users > 0))
        value = np.ones(len(first))
        both = self._both.counts(first[known], second[known])
        value[known] = 1.0 - both / np.sqrt(users[known] * other_users[known])
        return value


class FileDistance:
    """The distances of a table `item other distance`, which holds a pair both ways."""

    def __init__(self, distances: pl.DataFrame) -> None:
        self.ids = Ids(pl.concat([distances["item"], distances["other"].alias("item")]).unique().sort())
        keys = self._keys(self.ids.index_of(distances["item"]), self.ids.index_of(distances["other"]))
        order = np.argsort(keys, kind="stable")
        self._pairs, self._distances = keys[order], distances["distance"].to_numpy().astype(np.float64)[order]

    def index_of(self, items: pl.Series) -> Array:
        """The index of each item among those of the file."""
        return self.ids.index_of(items)

    def between(self, first: Array, second: Array) -> Array:
        """The distance of each pair of items, NaN where the file does not hold it."""
        if not len(self._pairs):
            return np.full(len(first), np.nan)
        keys = self._keys(first, second)
        at = np.minimum(np.searchsorted(self._pairs, keys), len(self._pairs) - 1)
        known = (first >= 0) & (second >= 0) & (self._pairs[at] == keys)
        return np.where(known, self._distances[at], np.nan)

    def _keys(self, first: Array, second: Array) -> Array:
        keys: Array = first * len(self.ids) + second
        return keys
