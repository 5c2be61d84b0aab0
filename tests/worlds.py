"""Random small data for every file of the data section, and the values of measures on it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl
from hypothesis import strategies as st
from receval import Result

from tests.conftest import model_values, per_user, table
from tests.variants import COLUMN, CUTOFFS, VARIANTS

World = dict[str, pl.DataFrame]
OF_ITEMS = {"categories": "categories", "split": "|", "vector": "vector"}
"""Keys of data.items for the columns of a world."""
OF_TEST = {"categories": "rating"}
"""Keys of data.test: for measures by categories of test rows, these are the ratings."""


def pairs(chance: random.Random, users: Iterable[Any], items: Iterable[Any], share: float) -> list[tuple[Any, Any]]:
    items = list(items)
    return [(user, item) for user in users for item in items if chance.random() < share]


def repeated(chance: random.Random, train: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of train, some of them several times in half of the worlds, as in a log of events."""
    most = chance.choice((1, 4))
    return train[[row for row in range(len(train)) for _ in range(chance.randint(1, most))]]


def sides(chance: random.Random, users: range, items: range) -> World:
    """Draw side inputs in which something is always missing: a category, a group, a pair, a user."""
    known = [*items, 200]
    genres = {item: "|".join(sorted({chance.choice("ABCD") for _ in range(chance.randint(0, 3))})) or None for item in known}
    kinds = {item: chance.choice(("new", "old", "old", None)) for item in known} | {0: "new", 200: "old"}
    prices = {item: None if item % 5 == 3 else ((item * 7 + 1) % 11) / 10 for item in known}
    vectors = {item: None if item % 7 == 4 else f"[{item % 3}, {item % 5 - 1.5}, 0]" for item in known}
    of_items = [
        (item, "A|C" if item == 0 else genres[item], kinds[item], prices[item], vectors[item])
        for item in known
        if item in (0, 200) or chance.random() < 0.9
    ]
    of_users = [(user, chance.choice(("a", "b", "b", None))) for user in (*users, 98, 99) if chance.random() < 0.9]
    texts = {COLUMN: pl.String}
    return {
        "train": repeated(
            chance, table(["user", "item"], [*pairs(chance, users, items, 0.3), (0, 1), (98, 2)]).unique(maintain_order=True)
        ),
        "items": pl.DataFrame(
            of_items, schema={"item": pl.Int64, "categories": pl.String, **texts, "price": pl.Float64, "vector": pl.String}, orient="row"
        ),
        "users": pl.DataFrame([*of_users, (97, "a"), (96, "b")], schema={"user": pl.Int64, **texts}, orient="row"),
        "baseline": table(
            ["user", "item", "score"], [(u, i, chance.random()) for u, i in pairs(chance, users, (*items, 101), 0.4)] + [(97, 0, 0.5)]
        ),
        "previous_policy": table(
            ["item", "score"], [(i, chance.choice((0.5, 1.0, 2.5, 0.0))) for i in items if chance.random() < 0.9] + [(200, 1.0)]
        ),
        "predictions": table(
            ["user", "item", "prediction"], [(0, 0, 4.5), *((u, i, chance.uniform(0, 5)) for u, i in pairs(chance, users, items, 0.7))]
        ).unique(["user", "item"], keep="first", maintain_order=True),
        "distances": table(
            ["item", "other", "distance"], [(i, j, chance.random()) for i, j in pairs(chance, known, known, 0.5) if i < j] + [(0, 200, 0.5)]
        ),
    }


@st.composite
def worlds(draw: Any) -> World:
    """Draw small data: ties, short lists, users on one side only, unknown items, zero ratings, items seen in train."""
    chance = random.Random(draw(st.integers(0, 2**32)))  # of which all follows: already the first example of Hypothesis is an awkward world
    users, items = range(chance.randint(1, 6)), range(chance.randint(1, 12))
    tied = chance.random() < 0.5
    lists = [
        (user, item, float(chance.randint(0, 3)) if tied else chance.random())
        for user in (*users, 99)
        for item in chance.sample([*items, 100, 101], chance.randint(0, len(items)))
    ]
    if chance.random() < 0.5:  # duplicates
        lists += [(user, item, chance.random()) for user, item, _ in lists if chance.random() < 0.3]
    test = [(user, item, chance.randint(0, 5)) for user, item in pairs(chance, users, items, 0.4)]
    test.insert(0, (0, 0, 5))
    lists.insert(0, (0, 0, 0.5))
    return {
        "test": table(["user", "item", "rating"], test).unique(["user", "item"], keep="first", maintain_order=True),
        "lists": table(["user", "item", "score"], lists),
        **sides(chance, users, items),
    }


def measured(evaluate: Callable[..., Result], world: Mapping[str, Any], metrics: Iterable[str] = VARIANTS, **options: Any) -> Result:
    """Return the values of `metrics` on a world, at every cut-off unless the options set others."""
    given = {"relevance": {"graded": True}, "top_k": ["none" if k is None else k for k in CUTOFFS], **options}
    return evaluate(**world, metrics=list(metrics), **given)


def assert_same(
    one: Result, other: Result, names: Mapping[Any, Any] | None = None, users: set[Any] | None = None, near: float = 1e-12
) -> None:
    """Assert that both have the same values, those of whole models too; `names` maps the users of `one`, `users` limits the comparison."""
    before, after = per_user(one), per_user(other)
    assert users is not None or {(names or {}).get(user, user) for user in before} == after.keys()
    for user, expected in before.items():
        if users is None or user in users:
            assert_near(expected, after[(names or {}).get(user, user)], user, near)
    if users is None:
        assert_near(model_values(one), model_values(other), "all", max(near, 1e-12))  # their sums have no fixed order


def assert_near(expected: Mapping[str, Any], found: Mapping[str, Any], where: Any, near: float) -> None:
    assert expected.keys() == found.keys()
    for label, value in expected.items():
        if label not in ("user", "n_recommended"):
            assert equal(value, found[label], near), (where, label, value, found[label])


def equal(value: float | None, other: float | None, near: float) -> bool:
    """Return whether two values are the same: missing, undefined (NaN), or near each other."""
    if value is None or other is None:
        return value is other
    return (math.isnan(value) and math.isnan(other)) or math.isclose(value, other, rel_tol=1e-9 if near else 0, abs_tol=near)
