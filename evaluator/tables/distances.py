"""Distances of pairs of items: by their categories, by the users they share, or from a file."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from msgspec import Struct, field

from ..support.lazy import np, pl
from .array import Array
from .ids import Ids
from .item_columns import MOST_BITS, categories_of
from .prepared import Prepared
from .rows import starts_of

_MOST_PAIRS: Final = 8_000_000
"""Most pairs whose counts are kept from one part to the next."""


class Cooccurrence(Struct, eq=False):
    """The pairs of train by item and by user, and the pair counts computed so far.

    The users of item i begin at `item_starts[i]` in `users`, the items of user u at `user_starts[u]` in `items`.
    """

    users: Array
    item_starts: Array
    items: Array
    user_starts: Array
    n_items: int
    cached_counts: tuple[Array, Array] = field(default_factory=lambda: (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)))
    """Pairs counted so far, as ascending numbers, and their counts."""

    def counts(self, first: Array, second: Array) -> Array:
        """Return the number of train users who have both items, for each pair of indexes of known items."""
        sizes = np.diff(self.item_starts)
        swap = (sizes[first] > sizes[second]) | ((sizes[first] == sizes[second]) & (first > second))
        rare, common = np.where(swap, second, first), np.where(swap, first, second)
        pairs, pair_of_row = np.unique(rare * self.n_items + common, return_inverse=True)
        return self._cached_pairs(pairs)[pair_of_row]

    def _cached_pairs(self, pairs: Array) -> Array:
        known, counts = self.cached_counts
        at = np.searchsorted(known, pairs)
        new = np.append(known, -1)[at] != pairs
        result = np.append(counts, 0)[at]
        result[new] = self._count(pairs[new])
        if len(known) + int(new.sum()) > _MOST_PAIRS:
            self.cached_counts = (pairs, result)
        elif new.any():
            everything, everywhere = np.concatenate([known, pairs[new]]), np.concatenate([counts, result[new]])
            order = np.argsort(everything, kind="stable")
            self.cached_counts = (everything[order], everywhere[order])
        return result

    def _count(self, pairs: Array) -> Array:
        """Count distinct ascending pairs: for each rarer item, how often its users have each of the other items."""
        rare, common = np.divmod(pairs, self.n_items)
        counts = np.zeros(len(pairs), dtype=np.int64)
        bounds = np.flatnonzero(np.concatenate([[True], rare[1:] != rare[:-1], [True]])) if len(pairs) else np.zeros(1, dtype=np.int64)
        position = np.full(self.n_items, -1, dtype=np.int64)
        for start, end in pairwise(bounds):
            position[common[start:end]] = np.arange(end - start)
            item = rare[start]
            users = self.users[self.item_starts[item] : self.item_starts[item + 1]]
            wanted = position[self._items_of(users)]
            counts[start:end] = np.bincount(wanted[wanted >= 0], minlength=end - start)
            position[common[start:end]] = -1
        return counts

    def _items_of(self, users: Array) -> Array:
        starts = self.user_starts[users]
        lengths = self.user_starts[users + 1] - starts
        within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        found: Array = self.items[np.repeat(starts, lengths) + within]
        return found


def cooccurrence(prepared: Prepared) -> Cooccurrence:
    """Return the co-occurrence of the items of train, computed once."""
    if "cooccurrence" not in prepared.memo:
        prepared.memo["cooccurrence"] = _train_cooccurrence(prepared)
    made: Cooccurrence = prepared.memo["cooccurrence"]
    return made


def _train_cooccurrence(prepared: Prepared) -> Cooccurrence:
    assert prepared.train_by_item is not None
    train = prepared.train_by_item
    n_items = len(prepared.items)
    user = train["user"].rank("dense").to_numpy().astype(np.int64) - 1
    pairs = np.unique(user * n_items + prepared.items.index_of(train["item"]))
    by_user, items = np.divmod(pairs, n_items)
    order = np.argsort(items, kind="stable")
    return Cooccurrence(by_user[order], starts_of(items[order], n_items), items, starts_of(by_user, int(user.max(initial=-1)) + 1), n_items)


class Distance:
    """A distance between items; `ids` are those that it knows."""

    ids: Ids

    def index_of(self, items: pl.Series) -> Array:
        """Return the index of each item in this distance, -1 for items that it does not know."""
        return self.ids.index_of(items)

    def between(self, first: Array, second: Array) -> Array:
        """Return the distance of each pair of items, given their indexes; NaN for a pair without a distance."""
        raise NotImplementedError


def distance_of(prepared: Prepared, kind: str) -> Distance:
    """Return the distance called `kind`: `jaccard`, `cosine` or `hamming` of categories, `cooccurrence` in train, `vectors` or `file`."""
    key = ("distance", kind)
    if key not in prepared.memo:
        made: Distance
        if kind == "file":
            assert prepared.distances is not None
            made = FileDistance(prepared.distances)
        elif kind == "vectors":
            made = VectorDistance(prepared)
        else:
            made = CooccurrenceDistance(prepared) if kind == "cooccurrence" else CategoryDistance(prepared, kind)
        prepared.memo[key] = made
    distance: Distance = prepared.memo[key]
    return distance


class CategoryDistance(Distance):
    """Distance between the categories of two items, A and B.

    `jaccard` is 1 - |A∩B|/|A∪B| and `cosine` 1 - |A∩B|/√(|A|·|B|), for two items with categories; `hamming` is |A| + |B| - 2·|A∩B|, for two
    items of the catalogue.
    """

    def __init__(self, prepared: Prepared, kind: str) -> None:
        self._prepared, self._kind, self.ids = prepared, kind, prepared.items
        self._size = prepared.item_column("n_categories").astype(np.float64)
        has_distance = prepared.in_catalogue if kind == "hamming" else self._size[:-1] > 0
        self._has_distance = np.append(has_distance, False)
        self._few = int(prepared.category_code.max(initial=0)) <= MOST_BITS

    def between(self, first: Array, second: Array) -> Array:
        """Return the distance of each pair of items, NaN for a pair without a distance."""
        sizes, other_sizes, common = self._size[first], self._size[second], self._common(first, second)
        known = self._has_distance[first] & self._has_distance[second]
        if self._kind == "hamming":
            value = sizes + other_sizes - common * 2.0
        else:
            either = sizes + other_sizes - common if self._kind == "jaccard" else np.sqrt(sizes * other_sizes)
            value = 1.0 - common / np.where(known, either, 1.0)
        return np.where(known, value, np.nan)

    def _common(self, first: Array, second: Array) -> Array:
        """Return the number of categories that both items of each pair have."""
        if self._few:
            sets = self._prepared.item_column("kind")
            return pl.Series(sets[first] & sets[second]).bitwise_count_ones().to_numpy().astype(np.float64)
        prepared, width = self._prepared, int(self._prepared.category_code.max()) + 1
        held = prepared.category_item * width + prepared.category_code  # ascending, because items and codes are
        pair, code = categories_of(prepared, first)
        wanted = second[pair] * width + code
        at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
        return np.bincount(pair, held[at] == wanted, len(first))


class CooccurrenceDistance(Distance):
    """1 - c(i,j)/√(u(i)·u(j)): c is the number of train users who have both items, u of those who have one; 1 if no user has both."""

    def __init__(self, prepared: Prepared) -> None:
        self.ids = prepared.items
        self._users = np.append(prepared.train_users, 0).astype(np.float64)
        self._both = cooccurrence(prepared)

    def between(self, first: Array, second: Array) -> Array:
        """Return the distance of each pair of items."""
        users, other_users = self._users[first], self._users[second]
        known = np.flatnonzero((users > 0) & (other_users > 0))
        value = np.ones(len(first))
        both = self._both.counts(first[known], second[known])
        value[known] = 1.0 - both / np.sqrt(users[known] * other_users[known])
        return value


class VectorDistance(Distance):
    """1 - Σ_d a_d·b_d / (|a|·|b|), the cosine distance of the vectors of two items; an item without a vector, or with 0 alone, has none."""

    def __init__(self, prepared: Prepared) -> None:
        assert prepared.vectors is not None
        self.ids = prepared.items
        self._vectors = np.concatenate([prepared.vectors, np.full((len(prepared.vectors), 1), np.nan)], axis=1)

    def between(self, first: Array, second: Array) -> Array:
        """Return the distance of each pair of items, NaN for a pair without a distance."""
        product = np.zeros(len(first))
        for of_dimension in self._vectors:  # one by one, so that a sum does not depend on the other pairs
            product += of_dimension[first] * of_dimension[second]
        return 1.0 - product


class FileDistance(Distance):
    """Distances of a table `item other distance`, which has each pair in both directions."""

    def __init__(self, distances: pl.DataFrame) -> None:
        self.ids = Ids(pl.concat([distances["item"], distances["other"].alias("item")]).unique().sort())
        keys = self._keys(self.ids.index_of(distances["item"]), self.ids.index_of(distances["other"]))
        order = np.argsort(keys, kind="stable")
        self._pairs, self._distances = keys[order], distances["distance"].to_numpy().astype(np.float64)[order]

    def between(self, first: Array, second: Array) -> Array:
        """Return the distance of each pair of items, NaN for a pair that is not in the file."""
        if not len(self._pairs):
            return np.full(len(first), np.nan)
        keys = self._keys(first, second)
        at = np.minimum(np.searchsorted(self._pairs, keys), len(self._pairs) - 1)
        known = (first >= 0) & (second >= 0) & (self._pairs[at] == keys)
        return np.where(known, self._distances[at], np.nan)

    def _keys(self, first: Array, second: Array) -> Array:
        keys: Array = first * len(self.ids) + second
        return keys
