"""Ranking on Polars: whatever way is taken, the ranks are those of a plain sort, and the file is read once."""

from __future__ import annotations

import random

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.engine import Scan
from receval.engine import polars as engine_module
from receval.engine.polars import PolarsEngine

ORDERS = {
    "score": (("score", True), ("item", False)),
    "score, later items first": (("score", True), ("item", True)),
    "position": (("position", False), ("item", False)),
    "file": (("row", False),),
    "score, ties as in the file": (("score", True), ("row", False)),
    "score, ties by text": (("score", True), ("item_text", True)),
    "score in single precision": (("score32", True), ("item", False)),
}


def expected(frame: pl.DataFrame, order: tuple[tuple[str, bool], ...]) -> set[tuple[int, int, int]]:
    found = set()
    for user in frame["user"].unique():
        rows = frame.filter(pl.col("user") == user).rows(named=True)
        for column, descending in reversed(order):
            rows.sort(key=lambda row, column=column: row[column], reverse=descending)
        found |= {(user, row["item"], rank) for rank, row in enumerate(rows, 1)}
    return found


def ranked(frame: pl.DataFrame, *orders: tuple[tuple[str, bool], ...]) -> list[tuple[set[tuple[int, int, int]], dict[int, int]]]:
    lists = nw.from_native(frame.lazy())
    results = []
    for (found, count), lengths in PolarsEngine().ranked(
        lists, orders, lambda it: (it.select("user", "item", "rank"), it.select(nw.len()))
    ):
        assert count.collect().item() == frame.height
        results.append((set(found.collect().rows()), dict(lengths.collect().rows())))
    return results


@st.composite
def files(draw):
    """Lists as they come: grouped and sorted, grouped with ties in any order, a few users split, or all mixed up."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    scores = draw(st.sampled_from([1, 3, 1000]))
    rows = [
        (user, item, float(chance.randint(0, scores)))
        for user in chance.sample(range(50), draw(st.integers(1, 12)))
        for item in chance.sample(range(40), chance.randint(1, 15))
    ]
    frame = pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")
    how = draw(st.sampled_from(["sorted", "by score", "one user split", "shuffled", "as it is"]))
    if how == "sorted":
        frame = frame.sort("user", -pl.col("score"), "item")
    elif how == "by score":
        frame = frame.sample(fraction=1, shuffle=True, seed=1).sort(["user", "score"], descending=[False, True], maintain_order=True)
    elif how == "one user split":
        frame = frame.sort("user", -pl.col("score"), "item")
        frame = pl.concat([frame[1:], frame[:1]])
    elif how == "shuffled":
        frame = frame.sample(fraction=1, shuffle=True, seed=2)
    numbered = frame.with_row_index("row").with_columns(pl.col("row").cast(pl.Int64), position=-pl.col("score"))
    return numbered.with_columns(item_text=pl.col("item").cast(pl.String), score32=pl.col("score").cast(pl.Float32))


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
@settings(max_examples=60)
@given(frame=files())
def test_ranks_and_lengths_are_those_of_a_plain_sort(order, frame):
    ((ranks, lengths),) = ranked(frame, order)
    assert ranks == expected(frame, order)
    assert lengths == dict(frame.group_by("user").len().rows())


@settings(max_examples=60)
@given(frame=files())
def test_ranks_under_several_orders_at_once_are_those_of_each_alone(frame):
    for (ranks, lengths), order in zip(ranked(frame, *ORDERS.values()), ORDERS.values(), strict=True):
        assert ranks == expected(frame, order)
        assert lengths == dict(frame.group_by("user").len().rows())


def test_orders_that_give_the_same_ranks_give_the_same_object():
    frame = pl.DataFrame({"user": [1, 1, 2], "item": [5, 4, 6], "score": [2.0, 1.0, 1.0], "row": [0, 1, 2]})
    orders = (ORDERS["score"], ORDERS["file"], ORDERS["score, later items first"])
    found = PolarsEngine().ranked(nw.from_native(frame.lazy()), orders, lambda it: (it.select("user", "item", "rank"),))
    assert found[0] is found[1] is found[2]


def test_an_item_that_stands_twice_takes_two_places():
    frame = pl.DataFrame({"user": [1] * 4, "item": [5, 5, 4, 5], "score": [1.0, 1.0, 1.0, 2.0], "row": [0, 1, 2, 3]})
    assert ranked(frame, ORDERS["score"])[0][0] == {(1, 5, 1), (1, 4, 2), (1, 5, 3), (1, 5, 4)}


@pytest.fixture
def big(tmp_path):
    """3,000 users × 20, grouped and in order but for a few ties and one user in two places."""
    chance = random.Random(3)
    rows = [
        (u, i, s)
        for u in range(3000)
        for i, s in zip(chance.sample(range(500), 20), sorted((chance.random() for _ in range(20)), reverse=True), strict=False)
    ]
    frame = pl.DataFrame(rows, schema=["user", "item", "score"], orient="row")
    tied = pl.when((pl.col("user") % 100 == 7) & (pl.int_range(pl.len()) % 20 == 1)).then(pl.col("score").shift()).otherwise("score")
    frame = pl.concat([frame.with_columns(score=tied)[1:], frame[:1]])
    frame.write_csv(tmp_path / "lists.csv")
    return tmp_path / "lists.csv", frame.with_row_index("row")


def scan(path) -> Scan:
    names = ("user", "item", "score")
    kinds = {"user": "integer", "item": "integer", "score": "number"}
    return Scan((str(path),), "csv", dict(zip(names, names, strict=False)), kinds, header=names)


def test_a_large_ordered_file_with_ties_and_a_split_user_is_ranked_exactly(big):
    path, frame = big
    engine = PolarsEngine()
    (((found,), lengths),) = engine.ranked(engine.scan(scan(path)), [ORDERS["score"]], lambda it: (it.select("user", "item", "rank"),))
    exact = frame.sort("user", -pl.col("score"), "item").with_columns(rank=pl.int_range(1, pl.len() + 1).over("user"))
    assert found.collect().to_native().sort("user", "rank").rows() == exact.select("user", "item", "rank").rows()
    assert set(lengths.collect()["n_recommended"]) == {20}


@pytest.mark.parametrize("orders", [["score"], ["score", "file", "score, later items first", "score, ties as in the file"]])
def test_an_ordered_file_is_scanned_once_for_everything_that_is_wanted(big, monkeypatch, orders):
    path, frame = big
    frame.drop("row")[:-1].write_csv(path)
    plans = []

    def remember(frames):
        plans.append(pl.explain_all(list(frames)))
        return pl.collect_all(frames, engine="streaming")

    monkeypatch.setattr(engine_module, "_collect", remember)
    engine = PolarsEngine()
    truth = pl.LazyFrame({"user": [1], "item": [2]})

    def want(lists):
        hits = lists.select("user", "item", "rank").join(nw.from_native(truth), on=["user", "item"], how="inner")
        return hits, lists.select(nw.len(), nw.col("score").is_null().sum().alias("n"))

    engine.ranked(engine.scan(scan(path)), [ORDERS[name] for name in orders], want)
    reads = [plan.count(f"SCAN [{path}") for plan in plans]
    assert reads[:2] == [1, 1]  # the first rows, then the file
    assert sum(reads[2:]) == (1 if len(orders) > 1 else 0)  # users with ties, once more, however many orders there are
