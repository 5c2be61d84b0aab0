"""A fingerprint of the lists of a model, which tells if two models recommend the same; parts and row order do not change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from ..conventions.axis import Lists
from ..metrics.definition import Definition
from ..tables.ids import gather
from ..tables.lists import Reading
from .per_user import Scorer
from .truth_hash import Words, hash_ids, spread_bits

_SEEDS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


class ListHash(Struct, frozen=True):
    """Two sums of the hashes of all ranked items, modulo 2^64; those of different users merge with `+`."""

    sums: tuple[int, int]

    def __add__(self, other: ListHash) -> ListHash:
        first, second = ((mine + more) % 2**64 for mine, more in zip(self.sums, other.sums, strict=True))
        return ListHash((first, second))

    @property
    def fingerprint(self) -> str:
        """Form that results store."""
        return "".join(f"{total:016x}" for total in self.sums)


def list_hash(scorer: Scorer, definitions: Sequence[Definition]) -> ListHash:
    """Hash user, rank and item of every list up to its largest cut-off, as the measures read it: once for each choice of their settings."""
    cutoffs: dict[Lists, list[Definition]] = {}
    for definition in definitions:
        cutoffs.setdefault(definition.lists, []).append(definition)
    users, sums = hash_ids(scorer.part.users), np.zeros(len(_SEEDS), np.uint64)
    for alike in cutoffs.values():
        known = [rank for definition in alike if (rank := definition.last_rank) is not None]
        sums += _sums(scorer.tables.get("reading", scorer.choice(alike[0])), users, max(known) if len(known) == len(alike) else None)
    return ListHash((int(sums[0]), int(sums[1])))


def _sums(reading: Reading, users: Words, k: int | None) -> Words:
    """Return the sum of the hashes of the rows with a rank up to `k`, by default of all, for each seed."""
    cut, user, rank, item = reading.rank if reading.cut is None else reading.cut, reading.user, reading.rank, reading.item
    if k is not None:
        kept = np.flatnonzero(cut <= k)
        user, rank, item = user[kept], rank[kept], gather(item, kept)
    items, ranks = hash_ids(item), rank.astype(np.uint64)
    return np.array([spread_bits(spread_bits(spread_bits(users[user] ^ seed) + items) + ranks).sum(dtype=np.uint64) for seed in _SEEDS])
