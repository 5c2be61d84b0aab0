"""What holds for every metric of the registry, whatever the data."""

from __future__ import annotations

import math
import random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.evaluator.metrics import METRICS
from receval.evaluator.naming import parse

from tests import literal
from tests.conftest import per_user, table

CUTOFFS = (1, 3, 5, None)
VARIANTS = (
    *METRICS,
    "Precision(denominator=list_length)",
    *(f"{name}(denominator={value})" for name in ("MAP", "MAR") for value in ("r", "k", "list_length", "hits")),
    *(f"{name}(gain={value})" for name in ("DCG", "nDCG") for value in ("binary", "linear", "exp2_plus1")),
    "DCG(log_base=10)",
    "F1(beta=0.5)",
    "F1(nDCG,MAP,beta=2)",
    "F1(GAUC,nDCG)",
    *(f"{name}(norm=n_negatives_plus_1)" for name in ("AUC", "GAUC", "LAUC")),
)


def test_every_metric_and_every_axis_value_is_among_the_variants():
    from receval.evaluator.conventions import AXES, load

    specs = [parse(text) for text in VARIANTS]
    assert METRICS.keys() == {spec.name for spec in specs}
    default = load("receval")
    for entry in METRICS.values():
        for parameter, axis in entry.axes.items():
            given_values = {dict(spec.params).get(parameter, default[axis]) for spec in specs if spec.name == entry.name}
            assert given_values >= set(AXES[axis].values), (entry.name, parameter)


@st.composite
def worlds(draw: Any) -> dict[str, pl.DataFrame]:
    """Random small data: ties, short lists, users on one side only, unknown items, zero ratings, items seen in train."""
    users, items = range(draw(st.integers(1, 6))), range(draw(st.integers(1, 12)))
    chance = random.Random(draw(st.integers(0, 2**32)))
    tied = draw(st.booleans())
    lists = [
        (user, item, float(chance.randint(0, 3)) if tied else chance.random())
        for user in (*users, 99)
        for item in chance.sample([*items, 100, 101], chance.randint(0, len(items)))
    ]
    if draw(st.booleans()):  # items that stand twice
        lists += [(user, item, chance.random()) for user, item, _ in lists if chance.random() < 0.3]
    test = [(user, item, chance.randint(0, 5)) for user in users for item in items if chance.random() < 0.4]
    test.insert(0, (0, 0, 5))
    lists.insert(0, (0, 0, 0.5))
    train = [(user, item) for user in users for item in items if chance.random() < 0.3] + [(0, 1), (98, 2)]
    frame = table(["user", "item", "score"], lists)
    return {
        "test": table(["user", "item", "rating"], test).unique(["user", "item"], keep="first", maintain_order=True),
        "lists": frame,
        "train": table(["user", "item"], train).unique(maintain_order=True),
    }


def measured(evaluate: Any, world: dict[str, pl.DataFrame], **options: Any) -> dict[Any, dict[str, float]]:
    result = evaluate(
        world["test"],
        world["lists"],
        train=world["train"],
        metrics=list(VARIANTS),
        top_k=["none" if k is None else k for k in CUTOFFS],
        relevance={"graded": True},
        **options,
    )
    return per_user(result)


def assert_same(one: dict[Any, dict[str, float]], other: dict[Any, dict[str, float]], names: dict[Any, Any] | None = None) -> None:
    assert {(names or {}).get(user, user) for user in one} == other.keys()
    for user, expected in one.items():
        found = other[(names or {}).get(user, user)]
        for label, value in expected.items():
            if label not in ("user", "n_recommended"):
                assert math.isclose(value, found[label], abs_tol=1e-12), (user, label, value, found[label])


@settings(max_examples=40)
@given(world=worlds())
def test_values_equal_those_of_the_literal_implementation_and_keep_their_bounds(world, evaluate):
    found = measured(evaluate, world)
    catalogue = set(world["train"]["item"])
    for user, row in found.items():
        gains = {item: float(rating) for u, item, rating in world["test"].rows() if u == user and rating > 0}
        order = sorted((-score, item) for u, item, score in world["lists"].rows() if u == user)
        items = [item for _, item in order]
        seen = {item for u, item in world["train"].rows() if u == user}
        for name, entry in METRICS.items():
            for k in CUTOFFS if entry.cut else (None,):
                label = f"{name}@{'none' if k is None else k}" if entry.cut else name
                expected = literal.metric(name, items, gains, k, catalogue, seen)
                assert math.isclose(row[label], expected, abs_tol=1e-12), (user, label, row[label], expected)
        for label, value in row.items():
            if label not in ("user", "n_relevant", "n_recommended"):
                low, high = METRICS[parse(label).name].bounds
                assert low - 1e-12 <= value <= high + 1e-12, (user, label, value)


@settings(max_examples=20)
@given(world=worlds(), seed=st.integers(0, 1000))
def test_shuffling_the_rows_of_every_file_changes_nothing(world, seed, evaluate):
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed) for name, frame in world.items()}
    assert measured(evaluate, world) == measured(evaluate, shuffled)


@settings(max_examples=20)
@given(world=worlds())
def test_renaming_users_and_items_in_order_changes_nothing(world, evaluate):
    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        text = pl.format("ü {}", pl.col("item").cast(pl.String).str.zfill(4))
        return frame.with_columns(pl.format("user {}", "user").alias("user"), text.alias("item"))

    before = measured(evaluate, world)
    after = measured(evaluate, {name: renamed(frame) for name, frame in world.items()})
    assert_same(before, after, {user: f"user {user}" for user in before})


@settings(max_examples=20)
@given(world=worlds())
def test_items_after_rank_k_change_nothing_at_k(world, evaluate):
    cut = [entry.name for entry in METRICS.values() if entry.cut]
    common = table(["user", "item", "score"], [(0, 0, 9.0)])  # whatever is cut, one hit stays
    lists = pl.concat([world["lists"], common]).unique(["user", "item"], keep="last", maintain_order=True)
    ranked = lists.sort("user", -pl.col("score"), "item").with_columns(rank=pl.int_range(pl.len()).over("user") + 1)
    extra = ranked.select("user").unique().with_columns(item=pl.lit(555, pl.Int64), score=pl.lit(-1.0), rank=pl.lit(1000, pl.Int64))
    options = {"metrics": cut, "top_k": [3], "relevance": {"graded": True}, "train": world["train"]}
    long_enough = set(ranked.filter(pl.len().over("user") >= 3)["user"])
    whole = per_user(evaluate(world["test"], ranked, **options))
    for changed in (ranked.filter(pl.col("rank") <= 3), pl.concat([ranked.select(extra.columns), extra])):
        other = per_user(evaluate(world["test"], changed, **options))
        for user in whole.keys() & long_enough:
            assert_same({user: whole[user]}, {user: other[user]})


@settings(max_examples=15)
@given(world=worlds())
def test_a_list_in_the_best_order_is_perfect(world, evaluate):
    best = world["test"].filter(pl.col("rating") > 0).select("user", "item", score=pl.col("rating").cast(pl.Float64))
    perfect = ["nDCG", "nDCGRendle2020", "nDCG(gain=linear)", "MAP", "MRR", "HitRate", "RocAuc", "RPrecision"]
    result = evaluate(world["test"], best, metrics=perfect, top_k=[1, 4, "none"], relevance={"graded": True})
    for row in result.rows:
        assert row.value == pytest.approx(1.0, abs=1e-12), row.label
