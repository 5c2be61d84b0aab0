"""Random worlds in which every item has a score and a grade, as libraries of rankers take them, and the values of receval for them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import receval

WORLDS = 30
CUTS = (1, 2, 3, None)
User = tuple[list[float], list[int]]
"""The score and the grade of every item of a user, by the number of the item."""


def worlds(tied: bool = True, graded: bool = True, least: int = 1) -> Iterator[list[User]]:
    """Yield random worlds: users with the scores and the grades of all items."""
    for seed in range(WORLDS):
        chance = random.Random(seed)
        n = chance.randint(least, 7)
        some = [-1.0, 0.0, 0.5, 0.5, 1.0, 3.0] if tied else []
        users = []
        for _ in range(chance.randint(1, 5)):
            scores = [chance.choice(some) for _ in range(n)] if tied else chance.sample([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0], n)
            users.append((scores, [chance.choice([0, 0, 1, 2, 3] if graded else [0, 0, 1]) for _ in range(n)]))
        yield users


def rows(users: list[User], column: str) -> dict[str, list[Any]]:
    """Return a column of all users and items as a table."""
    every = [(u, i, value) for u, user in enumerate(users) for i, value in enumerate(user[column == "rating"])]
    return dict(zip(("user", "item", column), map(list, zip(*every, strict=True)), strict=True))


def values(users: list[User], convention: str, measures: list[str], **more: Any) -> dict[str, float]:
    """Return the value of every measure."""
    found = receval.evaluate(
        test=more.pop("test", None) or rows(users, "rating"),
        recommendations=more.pop("recommendations", None) or rows(users, "score"),
        metrics=measures,
        convention=convention,
        health=False,
        **more,
    )
    return dict(zip(measures, (row.value for row in found.rows), strict=True))


def assert_near(found: dict[str, float], expected: dict[str, float], users: Any, near: float = 1e-12) -> None:
    for measure, value in expected.items():
        assert found[measure] == pytest.approx(value, abs=near), (measure, users)
