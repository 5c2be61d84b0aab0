"""Tallies of checks, merged over parts."""

from __future__ import annotations

from functools import reduce
from operator import add

import polars as pl
from receval.health.tallies import Examples


def test_merged_tallies_keep_only_the_first_examples_of_all_parts():
    parts = [Examples.of(pl.DataFrame({"user": [(7 * number) % 200, 150]})) for number in range(200)]
    for merged in (reduce(add, parts), reduce(add, reversed(parts))):
        assert merged.values("user") == [0, 1, 2, 3, 4]
        assert len(merged.frames) < 64
