"""The histogram of the ranks of relevant items, for bounds over the whole catalogue of models that rank sampled candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from ..metrics.definition import Definition
from ..stats.catalogue_bounds import worth_of
from ..tables.array import Array
from ..tables.rows import LISTS, Rows
from .partial import merge_by_key
from .per_user import Scorer
from .task import is_bounded

_EQUAL = 1e-6


class RankCounts(Struct, frozen=True, eq=False):
    """Numbers of users with a list and one relevant item, by the `first` and `last` rank that its score allows; merges with `+`.

    `sizes` are their numbers by the length of the list, if it has the item. Among the `numbers`, `lacking` lists do not have it, `tied`
    ones have it among equal scores; `several` users have more than one relevant item, `unlisted` have some and no list. For each measure,
    `counted` users have a value, and `other` ones have another value than its formula for one relevant item. The keys of `items` are the
    different items in the lists.
    """

    first: Mapping[int, int]
    last: Mapping[int, int]
    sizes: Mapping[int, int]
    numbers: Mapping[str, int]
    counted: Mapping[int, int]
    other: Mapping[int, int]
    items: Mapping[object, int]

    def __add__(self, more: RankCounts) -> RankCounts:
        return RankCounts(*(merge_by_key(getattr(self, name), getattr(more, name)) for name in self.__struct_fields__))

    @property
    def n_users(self) -> int:
        """The number of users with a list and one relevant item."""
        return sum(self.sizes.values()) + self.numbers["lacking"]


def rank_counts(scorer: Scorer, definitions: Sequence[Definition], values: Array) -> RankCounts:
    """Count the ranks of the users of a part as the first bounded measure reads the lists; `values` are those of all measures."""
    bounded = {index: definition for index, definition in enumerate(definitions) if is_bounded(definition)}
    first = next(iter(bounded.values()))
    _, n_relevant, lengths = scorer.counts(first)
    hits: Rows = scorer.tables.get("tied_hits", scorer.choice(first), at="first", single=first.lists.score_type == "float32")
    own: Rows = scorer.tables.get("hits", scorer.choice(first))
    ranked = (lengths > 0) & (n_relevant == 1)
    rank, low, high = (np.zeros(len(lengths), dtype=np.int64) for _ in range(3))
    rank[own.user], low[hits.user], high[hits.user] = own["rank"], hits["rank"], hits["last"]
    held = ranked & (rank > 0)
    counted, other = {}, {}
    for index, definition in bounded.items():
        assert definition.k is not None
        worth = np.append(worth_of(definition.metric.name, definition.k), 0.0)
        expected = np.where(held, worth[np.minimum(rank, len(worth)) - 1], 0.0)
        has_value = np.isfinite(values[index])
        differs = np.abs(np.where(has_value, values[index], 0.0) - expected) > _EQUAL
        counted[index], other[index] = int(has_value.sum()), int((np.where(has_value, differs, ranked)).sum())
    return RankCounts(
        _histogram(low[held]),
        _histogram(high[held]),
        _histogram(lengths[held]),
        {
            "lacking": int((ranked & ~held).sum()),
            "tied": int((held & (high > low)).sum()),
            "several": int(((lengths > 0) & (n_relevant > 1)).sum()),
            "unlisted": int(((lengths == 0) & (n_relevant > 0)).sum()),
        },
        counted,
        other,
        dict.fromkeys(scorer.part.rows(LISTS).item.unique().to_list(), 1),
    )


def _histogram(numbers: Array) -> dict[int, int]:
    counts = np.bincount(numbers)
    return {int(number): int(counts[number]) for number in np.flatnonzero(counts)}
