"""Helpers of the tests of `receval init FILES`: a small split, lists with values worked by hand, and the outcome of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

TEST = [(1, 11, 5, 1_600_000_100), (1, 12, 3, 1_600_000_200), (2, 13, 4, 1_600_000_300), (3, 14, 2, 1_600_000_400)]
TRAIN = [(user, item, 1 + item % 5, 1_500_000_000 + item) for user in (1, 2, 3) for item in range(31, 33 + user)]
LISTS = {1: (21, 11, 22, 12, 23), 2: (24, 25, 26, 27, 13), 3: (21, 22, 23, 24, 25)}
SCORED = [(user, item, round(0.97 - place / 7, 3)) for user, items in LISTS.items() for place, item in enumerate(items)]
RANKED = [(user, item, place) for user, items in LISTS.items() for place, item in enumerate(items, 1)]
ITEMS = [
    (11, "Alien", "Horror|SciFi"),
    (12, "Brazil", "SciFi|Comedy"),
    (13, "Clue", "Comedy"),
    (14, "Diva", "Thriller|Comedy"),
    (15, "Eva", ""),
]
STARS, EVERY = (1 / 2 + 1 / 5) / 2, (1 / 2 + 1 / 5 + 0) / 3
"""MRR@5 of the lists if ratings from 4 are relevant (users 1 and 2), and if every test row is (all users)."""
HEADER = ("user_id", "item_id", "rating", "timestamp")


def text(rows: Iterable[Sequence[Any]], header: Sequence[str] | None = None, separator: str = ",") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in [*([header] if header else []), *rows])


def pairs(rows: Iterable[Sequence[Any]]) -> list[Sequence[Any]]:
    return [row[:2] for row in rows]


class Done(NamedTuple):
    config: str
    said: dict[str, str]
    doubts: str
    data: dict[str, Any]
    evaluation: dict[str, Any]
    values: dict[tuple[str, str], float]


def models(done: Done) -> dict[str, str]:
    """Return the path of each model."""
    return {name: given["path"] for name, given in done.data["recommendations"].items()}


PLAIN = {
    "train.csv": text(TRAIN, HEADER),
    "test.csv": text(TEST, HEADER),
    "als.csv": text(SCORED, ("user_id", "item_id", "score")),
}
