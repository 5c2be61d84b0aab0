"""A world as dictionaries, for the literal implementations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import sqrt
from typing import Any, Final

import polars as pl

UNKNOWN: Final = object()
"""A value that is not implemented twice."""


class Facts:
    """A world as dictionaries: lists best first, ties by item; relevant items with their gains; the side inputs."""

    def __init__(self, world: Mapping[str, pl.DataFrame]) -> None:
        order = sorted((user, -score, item) for user, item, score in world["lists"].rows())
        self.lists: dict[Any, list[Any]] = defaultdict(list)
        self.scores: dict[Any, list[float]] = defaultdict(list)
        for user, score, item in order:
            self.lists[user].append(item)
            self.scores[user].append(-score)
        self.gains: dict[Any, dict[Any, float]] = defaultdict(dict)
        for user, item, rating in world["test"].rows():
            if rating > 0:
                self.gains[user][item] = float(rating)
        self.train = world["train"].rows()
        self.rows = Counter(item for _, item in self.train)
        self.users_of = {item: {u for u, i in self.train if i == item} for item in self.rows}
        self.seen = {user: {i for u, i in self.train if u == user} for user, _ in self.train}
        self.catalogue = set(world["items"]["item"])
        self.categories = {i: frozenset((text or "").split("|")) - {""} for i, text, *_ in world["items"].rows()}
        self.vectors = {item: list(map(float, text.strip("[]").split(","))) for item, *_, text in world["items"].rows() if text}
        self.item_group = {item: group for item, _, group, *_ in world["items"].rows() if group}
        self.price = {item: price or 0.0 for item, _, _, price, _ in world["items"].rows()}
        self.user_group = {user: group for user, group in world["users"].rows() if group}
        self.baseline: dict[Any, list[Any]] = defaultdict(list)
        for user, _, item in sorted((user, -score, item) for user, item, score in world["baseline"].rows()):
            self.baseline[user].append(item)
        self.policy = {item: float(score) for item, score in world["previous_policy"].rows()}
        self.given_distances = {pair: far for i, j, far in world["distances"].rows() for pair in ((i, j), (j, i))}
        self.predictions = {(u, i): value for u, i, value in sorted(world["predictions"].rows())}  # the highest of a pair counts
        self.ratings = {(u, i): float(value) for u, i, value in world["test"].rows()}
        self.test_categories = {(u, i): frozenset({str(value)}) for u, i, value in world["test"].rows() if value > 0}

    @cached_property
    def n_users(self) -> int:
        return len(self.seen)

    @cached_property
    def all_categories(self) -> set[str]:
        return set().union(*self.categories.values())

    def categories_in(self, items: Sequence[Any]) -> set[str]:
        """Return the categories of `items`."""
        return set().union(*(self.categories.get(item, frozenset()) for item in items))

    def tags(self, user: Any, item: Any, p: Any) -> frozenset[str]:
        """Return the categories of an item, or those of the user's test rows of it, which are their ratings."""
        return (
            self.test_categories.get((user, item), frozenset()) if p["categories_of"] == "test" else self.categories.get(item, frozenset())
        )

    def wanted(self, user: Any, p: Any) -> set[str]:
        """Return the categories of the user's relevant items."""
        return set().union(*(self.tags(user, item, p) for item in self.gains[user]))

    def popularity(self, p: Any) -> dict[Any, int]:
        """Return how often each item is in train, by users or by rows."""
        return dict(self.rows) if p["count"] == "rows" else {item: len(users) for item, users in self.users_of.items()}

    def hits(self, user: Any, cut: Sequence[Any]) -> dict[int, Any]:
        """Return rank → item of the hits."""
        relevant = self.gains.get(user, {})
        return {rank: item for rank, item in enumerate(cut, 1) if item in relevant and item not in cut[: rank - 1]}

    def tail(self, p: Any) -> set[Any]:
        """Return the items after the head, which ends if it reaches (or exceeds) `ratio` of all popularity; perhaps untrained items."""
        ratio, border, popularity = p["ratio"], p["border"], self.popularity(p)
        whole = sum(popularity.values())
        held, tail = 0, (self.catalogue - self.rows.keys() if p["untrained"] == "tail" else set())
        for item, n in sorted(popularity.items(), key=lambda pair: (-pair[1], pair[0])):
            if held > ratio * whole or (border == "reaches" and held == ratio * whole):
                tail.add(item)
            held += n
        return tail

    def distance(self, one: Any, other: Any, kind: str) -> float | None:
        """Return the distance of two items, if they have one."""
        if kind == "file":
            return self.given_distances.get((one, other))
        if kind == "cooccurrence":
            a, b = self.users_of.get(one, set()), self.users_of.get(other, set())
            return 1 - len(a & b) / sqrt(len(a) * len(b)) if a & b else 1.0
        if kind == "vectors":
            x, y = self.vectors.get(one, [0.0]), self.vectors.get(other, [0.0])
            lengths = sqrt(sum(v * v for v in x) * sum(v * v for v in y))
            return 1 - sum(v * w for v, w in zip(x, y, strict=True)) / lengths if lengths else None
        if kind == "hamming":
            return float(len(self.categories[one] ^ self.categories[other])) if {one, other} <= self.catalogue else None
        a, b = self.categories.get(one, frozenset()), self.categories.get(other, frozenset())
        if not a or not b:
            return None
        return 1 - len(a & b) / (len(a | b) if kind == "jaccard" else sqrt(len(a) * len(b)))

    def gain(self, user: Any, item: Any, form: str) -> float:
        grade = self.gains[user][item]
        forms = {
            "binary": 1.0,
            "linear": grade,
            "exp2": 2**grade - 1,
            "exp2_plus1": 2 ** (grade + 1) - 1,
            "exp2_offset": 2 ** (grade + 1) - 1,
        }
        return forms[form]


def divided(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0
