"""The best, the popular and the random lists: those of a plain loop, within bounds, the same on both engines."""

from __future__ import annotations

import hashlib
import random
from collections import Counter

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import match
from receval.engine.polars import PolarsEngine
from receval.match.shuffles import Shuffle, mixed

ENGINE = PolarsEngine()
KINDS = {"integers": int, "texts": "i{:03d}".format}


def frame(columns, rows):
    return nw.from_native(pl.DataFrame(rows, schema=columns.split(), orient="row").lazy())


def rows_of(lists):
    return lists.collect().to_native().select("user", "item", "rank").rows()


def as_lists(lists):
    """user → items, after a look whether the ranks are 1 … n."""
    found = {}
    for user, item, rank in sorted(rows_of(lists), key=lambda row: (row[0], row[2])):
        found.setdefault(user, []).append(item)
        assert rank == len(found[user])
    return found


@st.composite
def worlds(draw):
    """Users, how often train has each item, what users have seen of these items and of others, and pairs to look for."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    most = draw(st.sampled_from([1, 2, 5, 30]))
    items = [kind(number) for number in chance.sample(range(100), chance.randint(1, most))]
    others = [kind(number) for number in range(100, 103)]
    users = [kind(number) for number in chance.sample(range(100), chance.randint(1, 8))]
    pairs = [(user, item) for user in [*users, kind(999)] for item in items + others]
    share = draw(st.sampled_from([0.0, 0.2, 0.8, 1.0]))
    return {
        "users": users,
        "popularity": [(item, chance.randint(1, 4)) for item in items],
        "seen": [pair for pair in pairs if chance.random() < share] if draw(st.booleans()) else None,
        "pairs": [pair for pair in pairs if chance.random() < 0.4],
        "depth": draw(st.integers(1, 12)),
    }


def frames(world, chance=None):
    """The frames of a world, as it says, or their rows in another order."""
    ids = pl.Int64 if isinstance(world["users"][0], int) else pl.String
    pairs = {"user": ids, "item": ids}
    schemas = {"users": {"user": ids}, "popularity": {"item": ids, "rows": pl.Int64}, "seen": pairs, "pairs": pairs}
    made = {}
    for name, schema in schemas.items():
        rows = [(row,) for row in world[name]] if name == "users" else list(world[name] or ())
        if chance is not None:
            chance.shuffle(rows)
        made[name] = nw.from_native(pl.DataFrame(rows, schema=schema, orient="row").lazy())
    return made | ({"seen": None} if world["seen"] is None else {})


def popular(world):
    """user → all unseen items, most rows first, then smallest id: what `popular_lists` gives, by a plain loop."""
    order = [item for item, _ in sorted(world["popularity"], key=lambda row: (-row[1], row[0]))]
    seen = set(world["seen"] or ())
    users = {user for user, _ in world["pairs"]} | set(world["users"])
    return {user: [item for item in order if (user, item) not in seen] for user in users}


def test_the_best_list_has_the_highest_gain_first_and_then_the_smallest_id():
    relevant = frame("user item gain", [(1, 5, 1.0), (1, 9, 3.0), (1, 2, 1.0), (2, 4, 1.0), (3, 1, 1.0)])
    assert as_lists(match.best_lists(relevant, None, None, ENGINE)) == {1: [9, 2, 5], 2: [4], 3: [1]}
    seen = frame("user item", [(1, 9), (3, 1), (2, 5)])
    assert as_lists(match.best_lists(relevant, seen, None, ENGINE)) == {1: [2, 5], 2: [4]}
    assert as_lists(match.best_lists(relevant, seen, 1, ENGINE)) == {1: [2], 2: [4]}


@given(worlds())
def test_the_best_lists_are_those_of_a_plain_loop(world):
    rows = dict(world["popularity"])
    gains = [(user, item, float(rows.get(item, 2))) for user, item in world["pairs"]]
    asked = frames(world)
    popularity = asked["popularity"].select("item", gain=nw.col("rows").cast(nw.Float64))
    truth = asked["pairs"].join(popularity, on="item", how="left").with_columns(nw.col("gain").fill_null(2.0))
    expected = {}
    for user, item, _ in sorted(gains, key=lambda row: (row[0], -row[2], row[1])):
        if (user, item) not in (world["seen"] or ()):
            expected.setdefault(user, []).append(item)
    found = as_lists(match.best_lists(truth, asked["seen"], world["depth"], ENGINE))
    assert found == {user: items[: world["depth"]] for user, items in expected.items()}


POPULARITY = [("b", 5), ("a", 9), ("d", 1), ("c", 5)]  # in order: a b c d


def test_the_popular_list_has_the_items_with_most_rows_first_then_the_smallest_id_and_nothing_seen():
    popularity, users = frame("item rows", POPULARITY), frame("user", [("u",), ("v",), ("w",)])
    assert as_lists(match.popular_lists(users, popularity, None, 3, ENGINE)) == {user: ["a", "b", "c"] for user in "uvw"}
    # u has seen the first and the third; v has seen what train does not hold; x is not asked for.
    seen = frame("user item", [("u", "a"), ("u", "c"), ("v", "z"), ("x", "b")])
    assert as_lists(match.popular_lists(users, popularity, seen, 2, ENGINE)) == {"u": ["b", "d"], "v": ["a", "b"], "w": ["a", "b"]}
    assert as_lists(match.popular_lists(users, popularity, seen, 9, ENGINE))["u"] == ["b", "d"]


def test_a_user_who_has_seen_everything_has_no_popular_and_no_random_list():
    popularity, users = frame("item rows", POPULARITY), frame("user", [("u",), ("v",)])
    seen = frame("user item", [("u", item) for item, _ in POPULARITY])
    assert as_lists(match.popular_lists(users, popularity, seen, 3, ENGINE)).keys() == {"v"}
    assert as_lists(match.random_lists(users, popularity.select("item"), seen, 3, 1, ENGINE)).keys() == {"v"}


def test_the_rank_of_a_pair_is_its_place_less_the_seen_items_above():
    popularity = frame("item rows", POPULARITY)
    seen = frame("user item", [("u", "a"), ("u", "c"), ("v", "z"), ("x", "b")])
    pairs = frame("user item", [("u", "b"), ("u", "d"), ("u", "a"), ("v", "d"), ("v", "z"), ("w", "b")])
    ranks = {(user, item): rank for user, item, rank in rows_of(match.popular_ranks(pairs, popularity, seen, None, ENGINE))}
    assert ranks == {("u", "b"): 1, ("u", "d"): 2, ("v", "d"): 4, ("w", "b"): 2}
    ranks = {(user, item): rank for user, item, rank in rows_of(match.popular_ranks(pairs, popularity, seen, 2, ENGINE))}
    assert ranks == {("u", "b"): 1, ("u", "d"): 2, ("w", "b"): 2}
    ranks = {(user, item): rank for user, item, rank in rows_of(match.popular_ranks(pairs, popularity, None, 3, ENGINE))}
    assert ranks == {("u", "b"): 2, ("u", "a"): 1, ("w", "b"): 2}


@given(worlds())
@settings(max_examples=150)
def test_popular_lists_and_ranks_are_those_of_a_plain_loop(world):
    given_frames, whole = frames(world), popular(world)
    asked = (given_frames["popularity"], given_frames["seen"])
    lists = as_lists(match.popular_lists(given_frames["users"], *asked, world["depth"], ENGINE))
    assert lists == {user: whole[user][: world["depth"]] for user in world["users"] if whole[user]}
    for depth in (world["depth"], None):
        ranks = rows_of(match.popular_ranks(given_frames["pairs"], *asked, depth, ENGINE))
        expected = [(user, item, whole[user].index(item) + 1) for user, item in world["pairs"] if item in whole[user]]
        assert sorted(ranks) == sorted(row for row in expected if depth is None or row[2] <= depth)


@given(worlds(), st.integers(0, 2**63))
@settings(max_examples=40)
def test_random_lists_have_each_unseen_item_once_as_long_as_there_are_any(world, seed):
    def lists(chance=None, depth=world["depth"]):
        given_frames = frames(world, chance)
        catalogue = given_frames["popularity"].select("item")
        return as_lists(match.random_lists(given_frames["users"], catalogue, given_frames["seen"], depth, seed, ENGINE))

    found, seen = lists(), set(world["seen"] or ())
    for user in world["users"]:
        unseen = {item for item, _ in world["popularity"] if (user, item) not in seen}
        items = found.get(user, [])
        assert set(items) <= unseen
        assert len(set(items)) == len(items) == min(world["depth"], len(unseen))
    assert lists(random.Random(seed)) == found  # the order of rows does not matter
    shorter = {user: items[: world["depth"] - 1] for user, items in found.items() if world["depth"] > 1}
    assert lists(depth=world["depth"] - 1) == shorter if world["depth"] > 1 else True


def test_random_lists_are_those_of_the_seed():
    users, catalogue = frame("user", [(u,) for u in range(50)]), frame("item", [(i,) for i in range(30)])
    first, again, other = (as_lists(match.random_lists(users, catalogue, None, 5, seed, ENGINE)) for seed in (1, 1, 2))
    assert first == again
    assert sum(first[user] == other[user] for user in first) <= 1


def test_random_lists_pass_over_seen_items_and_are_the_same_otherwise():
    users, catalogue = frame("user", [(u,) for u in range(20)]), frame("item", [(i,) for i in range(90)])
    whole = as_lists(match.random_lists(users, catalogue, None, 90, 3, ENGINE))
    chance = random.Random(5)
    seen = [(user, item) for user in range(20) for item in range(90) if chance.random() < 0.5]
    found = as_lists(match.random_lists(users, catalogue, frame("user item", seen), 20, 3, ENGINE))
    assert found == {user: [item for item in whole[user] if (user, item) not in seen][:20] for user in whole}


N_USERS = 20_000


def about_equal(values, cells):
    """Whether each of `cells` values is about equally often there: chi-square is less than five standard deviations above its mean."""
    counts = Counter(values)
    mean = counts.total() / cells
    chi_square = sum((count - mean) ** 2 for count in counts.values()) / mean + mean * (cells - len(counts))
    return chi_square < cells + 5 * (2 * cells) ** 0.5


@pytest.mark.parametrize(("n_items", "seen_share"), [(23, 0.0), (24, 0.3), (24, 0.7), (5, 0.0)])
def test_every_item_and_every_two_items_are_about_equally_often_at_every_rank(n_items, seen_share):
    chance = random.Random(11)
    users = frame("user", [(u,) for u in range(N_USERS)])
    seen = [(u, i) for u in range(N_USERS) for i in chance.sample(range(n_items), round(seen_share * n_items))]
    catalogue = frame("item", [(i,) for i in range(n_items)])
    found = as_lists(match.random_lists(users, catalogue, frame("user item", seen) if seen else None, 4, 17, ENGINE))
    assert len(found) == N_USERS
    for place in range(4):
        assert about_equal((items[place] for items in found.values()), n_items)
    for one, other in ((0, 1), (1, 2), (0, 3)):
        assert about_equal(((items[one], items[other]) for items in found.values()), n_items * (n_items - 1))
    assert about_equal(((found[user][0], found[user + 1][0]) for user in range(N_USERS - 1)), n_items**2)


def test_every_order_of_three_items_is_about_equally_often():
    users, catalogue = frame("user", [(u,) for u in range(N_USERS)]), frame("item", [(i,) for i in range(3)])
    assert about_equal(map(tuple, as_lists(match.random_lists(users, catalogue, None, 3, 4, ENGINE)).values()), 6)


def test_items_that_all_users_have_seen_do_not_make_their_neighbours_more_likely():
    users, catalogue = frame("user", [(u,) for u in range(3_000)]), frame("item", [(i,) for i in range(40)])
    seen = frame("user item", [(u, i) for u in range(3_000) for i in range(20)])
    found = as_lists(match.random_lists(users, catalogue, seen, 2, 9, ENGINE))
    assert about_equal((items[0] for items in found.values()), 20)
    assert about_equal(map(tuple, found.values()), 20 * 19)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8, 9, 40, 150])
def test_a_shuffle_gives_each_number_a_place_of_its_own_and_can_be_undone(size):
    shuffle = Shuffle.of(size, 3)
    assert size <= shuffle.size <= max(2, size + size**0.5)
    keys = shuffle.keyed(frame("user", [(u,) for u in range(5)]))
    numbers = frame("number", [(n,) for n in range(shuffle.size)])
    placed = shuffle.placed(keys.join(numbers, how="cross").with_columns(was=nw.col("number")), ENGINE).collect().to_native()
    assert placed.group_by("user").agg(pl.col("place").sort())["place"].to_list() == [list(range(shuffle.size))] * 5
    back = shuffle.numbered(nw.from_native(placed.lazy()), ENGINE).collect()
    assert (back["number"] == back["was"]).all()


def test_mixing_keeps_numbers_different_and_within_64_bits():
    most = 2**31 - 2
    numbers = [*range(3_000), *range(most - 3_000, most + 1)]
    found = frame("at", [(n,) for n in numbers]).select(x=mixed(nw.col("at"), 5, "test")).collect()["x"].to_list()
    assert len(set(found)) == len(numbers)
    digests = [hashlib.sha256(f"5 test {turn}".encode()).digest() for turn in range(2)]
    constants = [int.from_bytes(digest[:8], "big") % (2**31 - 2) + 1 for digest in digests]
    for number, value in zip(numbers, found, strict=True):
        for constant in constants:
            number = pow(number + constant, 5, 2**31 - 1)
        assert number == value


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize("kind", KINDS)
def test_spark_makes_the_same_lists(kind, spark):
    from pyspark.sql import SparkSession
    from receval.engine.spark import SparkEngine

    named, chance = KINDS[kind], random.Random(3)
    users, items = [named(u) for u in range(8)], [named(i) for i in chance.sample(range(60), 14)]
    pairs = [(user, item) for user in users for item in items]
    world = {
        "users": users,
        "popularity": [(item, chance.randint(1, 4)) for item in items],
        "seen": [pair for pair in pairs if chance.random() < 0.4],
        "pairs": [pair for pair in pairs if chance.random() < 0.4],
    }

    def lists(engine, opened):
        asked = {name: opened(made.collect().to_native()) for name, made in frames(world).items()}
        popularity, seen = asked["popularity"], asked["seen"]
        return [
            match.best_lists(asked["pairs"].with_columns(gain=nw.lit(1.0)), seen, 4, engine),
            match.popular_ranks(asked["pairs"], popularity, seen, 4, engine),
            match.popular_lists(asked["users"], popularity, seen, 4, engine),
            match.random_lists(asked["users"], popularity.select("item"), seen, 4, 5, engine),
        ]

    there = SparkEngine(**{key: value for key, value in spark.items() if key != "name"})
    session = SparkSession.getActiveSession()
    here = lists(ENGINE, lambda table: nw.from_native(table.lazy()))
    for one, other in zip(here, lists(there, lambda table: nw.from_native(session.createDataFrame(table.to_arrow()))), strict=True):
        found = there.collect(other.select("user", "item", "rank")).to_native()
        assert sorted(found.rows()) == sorted(rows_of(one)) != []
    there.close()
