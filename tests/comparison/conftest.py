"""Small results to compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from receval.results.result import Result

ITEMS = 12
Lists = Callable[..., pl.DataFrame]


def rated_items(n_users: int = 60, seed: int = 1, first: int = 1) -> pl.DataFrame:
    """Return two relevant items, and one that is not, for each user."""
    random = np.random.default_rng(seed)
    rows = [(user, int(item), rating) for user in range(first, first + n_users)
            for item, rating in zip(random.permutation(ITEMS)[:3], (5, 4, 1), strict=True)]  # fmt: skip
    return pl.DataFrame(rows, schema=["user", "item", "rating"], orient="row")


def lists_of(users: Sequence[int], seed: int, length: int = 5) -> pl.DataFrame:
    """Return random lists."""
    random = np.random.default_rng(seed)
    rows = [(user, int(item), float(length - rank)) for user in users for rank, item in enumerate(random.permutation(ITEMS)[:length])]
    return pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")


def change_lists(lists: pl.DataFrame, users: Sequence[int], seed: int) -> pl.DataFrame:
    """Return the lists, with those of some users drawn again."""
    return pl.concat([lists.filter(~pl.col("user").is_in(list(users))), lists_of(users, seed)])


@pytest.fixture
def result(evaluate: Any) -> Callable[..., Result]:
    """Return a function that evaluates two models over 60 users, with changed settings or data."""

    def result(test: pl.DataFrame | None = None, models: dict[str, pl.DataFrame] | None = None, **given: Any) -> Result:
        users = range(1, 61)
        base = lists_of(users, seed=2)
        models = models or {"base": base, "model": change_lists(base, range(1, 41), seed=3)}
        asked = {"metrics": ["nDCG", "Recall"], "top_k": [3, 5], "relevance": {"threshold": 4}} | given
        return evaluate(rated_items() if test is None else test, models, **asked)

    return result
