"""Random small data as libraries get them: repeated rows, empty users, ratings of 0; and a literal evaluation by convention."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st
from receval.metrics.definition import Definition

from tests import literal
from tests.conftest import table
from tests.worlds import World, pairs, sides

NOT_COVERED: Any = object()
"""A value that `tests/literal.py` does not compute."""
ONCE = ("unique_hits", "keep_best_rank", "keep_last_row", "sum_scores")


@st.composite
def messy_worlds(draw: Any) -> World:
    """Draw repeated rows in every file, users in one file only, users whose ratings are all 0, ties, empty lists."""
    chance = random.Random(draw(st.integers(0, 2**32)))  # of which all follows: already the first example of Hypothesis is an awkward world
    users, items = range(chance.randint(1, 5)), range(chance.randint(1, 8))
    unliking = {user for user in users if chance.random() < 0.3}
    test = [(user, item, 0.0 if user in unliking else float(chance.randint(0, 5))) for user, item in pairs(chance, users, items, 0.5)]
    test += [(user, item, 0.0 if user in unliking else float(chance.randint(0, 5))) for user, item, _ in test if chance.random() < 0.4]
    lists = [
        (user, item, float(chance.randint(0, 3)) if chance.random() < 0.5 else chance.random())
        for user in (*users, 99)
        if chance.random() < 0.8
        for item in chance.sample([*items, 100, 101], chance.randint(0, len(items)))
    ]
    lists += [(user, item, chance.random()) for user, item, _ in lists if chance.random() < 0.2]
    test += [(0, 0, 5.0), (70, 0, float(chance.randint(0, 5)))]  # user 70 has no list, user 99 no test row
    lists += [(0, 0, 0.5), (99, 0, 1.0)]
    chance.shuffle(test)
    chance.shuffle(lists)
    of_sides = sides(chance, users, items)
    of_sides["train"] = of_sides["train"].filter((pl.col("user") != 0) | (pl.col("item") != 0))  # keeps the hit of user 0
    of_sides["predictions"] = pl.concat([of_sides["predictions"], of_sides["predictions"].head(3).with_columns(pl.col("prediction") / 2)])
    return {"test": table(["user", "item", "rating"], test), "lists": ranked(table(["user", "item", "score"], lists)), **of_sides}


def ranked(lists: pl.DataFrame) -> pl.DataFrame:
    """Return the lists with a column of ranks, all different, by falling score."""
    places = pl.struct(-pl.col("score"), pl.int_range(pl.len())).rank("ordinal").over("user").cast(pl.Int64)
    return lists.with_columns(rank=places)


def shuffled_within_users(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the rows with users interleaved in another order; the rows of each user keep their order."""
    users = frame["user"].to_numpy()
    slots = np.random.default_rng(seed).permutation(users)
    order = np.empty(len(users), dtype=np.int64)
    order[np.argsort(slots, kind="stable")] = np.argsort(users, kind="stable")
    return frame[order]


class Reader:
    """A world, evaluated literally by the axes of a definition."""

    def __init__(self, world: World, definition: Definition) -> None:
        self.axes, self.definition = definition.axes, definition
        self.test, self.lists = by_user(world["test"]), by_user(world["lists"])
        self.seen = {user: {row["item"] for row in rows} for user, rows in by_user(world["train"]).items()}
        self.in_train = {item for items in self.seen.values() for item in items}
        self.catalogue = set(world["items"]["item"].to_list())

    def value(self, user: Any) -> Any:
        """Return the value of a user: `None` if not counted, `NOT_COVERED` if tests/literal.py has no answer."""
        items, gains = self.list_of(user), self.gains_of(user)
        if items is NOT_COVERED or gains is NOT_COVERED:
            return NOT_COVERED
        axes = self.axes
        if user not in self.test or (not gains and axes["no_relevant"] == "drop") or (not items and axes["missing_lists"] == "drop"):
            return None
        if not items and axes["missing_lists"] == "undefined":
            return NOT_COVERED
        if not gains and self.definition.metric.name != "Utility":  # it counts misses below 0
            return float(axes["no_relevant"] == "one" and self.definition.metric.bounds[1] == 1 and not self.definition.metric.is_count)
        seen = self.seen.get(user, set())
        return literal.metric(self.definition.metric.name, items, gains, self.definition.k, self.catalogue, seen)

    def list_of(self, user: Any) -> Any:
        """Return the items of the user's list, best first."""
        axes, rows = self.axes, [dict(row, place=place) for place, row in enumerate(self.lists.get(user, []))]
        repeated = len({row["item"] for row in rows}) < len(rows)
        if repeated and (axes["duplicates"] not in ONCE or axes["score_type"] == "float32"):
            return NOT_COVERED
        if axes["duplicates"] in ("keep_last_row", "sum_scores"):
            rows = list(self._single(rows))
        order, ties = axes["list_order"], axes["tie_order"]
        by = {"rank": lambda row: row["rank"], "score": lambda row: -row["score"], "file": lambda row: row["place"]}[str(order)]
        rows.sort(key=lambda row: str(row["item"]) if "text" in ties else row["item"] if "item" in ties else row["place"])
        if "desc" in ties:
            rows.reverse()
        items = [row["item"] for row in sorted(rows, key=by)]
        removes = "drop_and_refill" in (axes["seen_items"], axes["identical_ids"]) or (repeated and "keep" in str(axes["duplicates"]))
        if axes["positions"] == "as_written" and removes:  # ranks then have gaps
            return NOT_COVERED
        if axes["duplicates"] == "keep_best_rank":
            items = list(dict.fromkeys(items))
        if axes["seen_items"] == "drop_and_refill":
            items = [item for item in items if item not in self.seen.get(user, ())]
        if axes["identical_ids"] != "keep":
            items = [item for item in items if str(item) != str(user)]
        return items if axes["seen_items"] != "drop" and axes["unknown_items"] == "keep" else NOT_COVERED

    def _single(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for item in dict.fromkeys(row["item"] for row in rows):
            same = [row for row in rows if row["item"] == item]
            chosen = {"score": same[-1]["score"], "rank": same[-1]["rank"]}
            if self.axes["duplicates"] == "sum_scores":
                chosen = {"score": sum(row["score"] for row in same), "rank": min(row["rank"] for row in same)}
            yield {**same[0], **chosen}

    def gains_of(self, user: Any) -> Any:
        """Return the relevant items of the user with their gains."""
        axes, truth = self.axes, self.definition.truth
        rows = [row for row in self.test.get(user, []) if truth.filter == "none" or row["item"] in self.catalogue]
        if truth.filter != "none" and (user not in self.seen or truth.filter != "known"):
            rows = [] if truth.filter == "known" else NOT_COVERED
        if rows is NOT_COVERED or (truth.duplicates in ("rows", "rows_count") and len({row["item"] for row in rows}) < len(rows)):
            return NOT_COVERED
        ratings: dict[Any, list[float]] = {}
        for row in rows:
            ratings.setdefault(row["item"], []).append(row["rating"])
        one = {"best": max, "sum": sum, "last": lambda some: some[-1], "first": lambda some: some[0]}.get(truth.duplicates, max)
        if axes["relevance_rule"] in ("user_mean", "all_mean"):
            return NOT_COVERED
        rules = {"all_rows": -1.0, "above_zero": 1e-9, "above_half": 0.5 + 1e-9, "at_least_zero": 0.0, "at_least_one": 1.0}
        least = rules[str(axes["relevance_rule"])]
        relevant = {item: float(one(some)) for item, some in ratings.items() if one(some) >= least}
        return {item: rating if truth.graded else 1.0 for item, rating in relevant.items()}


def by_user(frame: pl.DataFrame) -> Mapping[Any, list[dict[str, Any]]]:
    """Return the rows of each user in the order of the file."""
    rows: dict[Any, list[dict[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        rows.setdefault(row["user"], []).append(row)
    return rows
