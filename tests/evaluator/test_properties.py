"""What holds for every metric of the registry, whatever the data."""

from __future__ import annotations

import math
import random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.evaluator.conventions import AXES, PROTOCOL, load
from receval.evaluator.metrics import METRICS
from receval.evaluator.naming import parse

from tests import literal
from tests.conftest import per_user, table

CUTOFFS = (1, 3, 5, None)
FORMULAS = (
    *METRICS,
    *(f"Precision(denominator={value})" for value in ("list_length", "min_r_k", "min_r_length", "rated")),
    "Recall(denominator=min_r_k)",
    "HitRate(at_least=2)",
    "RPrecision(denominator=min_r_length)",
    "RPrecision(multiple=0.4,within=3)",
    *(f"MAP(denominator={value})" for value in ("r", "k", "list_length", "hits", "min_r_length")),
    *(f"MAR(denominator={value})" for value in ("r", "k", "list_length", "hits")),
    "MAP(denominator=k,ranks=all)",
    "MAR(denominator=k,ranks=all)",
    *(f"{name}(gain={value})" for name in ("DCG", "nDCG") for value in ("binary", "linear", "exp2_plus1", "exp2_offset")),
    *(f"{name}(discount=log_max_r_2)" for name in ("DCG", "nDCG")),
    "nDCG(ideal=retrieved)",
    "nDCG(gain=binary,ideal=k_items)",
    "DCG(log_base=10)",
    "InterpolatedPrecision(recall=0.5)",
    "F1(beta=0.5)",
    "F1(beta=2,weight=beta)",
    "F1(nDCG,MAP,beta=2)",
    "F1(GAUC,nDCG)",
    *(f"{name}(norm=n_negatives_plus_1)" for name in ("AUC", "GAUC", "LAUC")),
    *(f"{name}(negatives=train_items)" for name in ("AUC", "GAUC", "LAUC")),
    "AUC(over=hits)",
)
"""Every metric with every value of the axes of its formula."""

PROTOCOLS = tuple(
    f"{name}({axis}={value})"
    for axis in PROTOCOL
    for value in AXES[axis].values
    if value != load("receval").axes[axis] and axis != "threshold"
    for name in ("Precision", "nDCG", "MRR")
    if not (axis == "average" and value in ("micro", "own"))
)
"""Every value of the axes that all metrics have, on three metrics that look at lists in different ways."""

VARIANTS = (*FORMULAS, *PROTOCOLS, "nDCG(threshold=3)", "Recall(threshold=user_mean)", "MAP(convention=elliot)", "nDCG(convention=clayrs)")
FILE_ORDER = (*tuple(label for label in PROTOCOLS if "=file" in label or "truth_duplicates=last" in label), "convention=")
"""What may look at the order of the rows in a file."""
AS_TEXT = tuple(label for label in PROTOCOLS if "=text" in label)


def test_every_metric_and_every_axis_value_is_among_the_variants():
    specs = [parse(text) for text in VARIANTS]
    assert METRICS.keys() == {spec.name for spec in specs}
    default = load("receval")
    for entry in METRICS.values():
        for parameter, axis in entry.axes.items():
            given_values = {dict(spec.params).get(parameter, default.axes[axis]) for spec in specs if spec.name == entry.name}
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


def without(*parts: str) -> list[str]:
    """The variants that hold none of `parts`."""
    return [text for text in VARIANTS if not any(part in text for part in parts)]


def measured(evaluate: Any, world: dict[str, pl.DataFrame], metrics: Any = VARIANTS, **options: Any) -> dict[Any, dict[str, float]]:
    result = evaluate(
        world["test"],
        world["lists"],
        train=world["train"],
        metrics=list(metrics),
        relevance={"graded": True},
        **{"top_k": ["none" if k is None else k for k in CUTOFFS], **options},
    )
    return per_user(result)


def assert_same(one: dict[Any, dict[str, float]], other: dict[Any, dict[str, float]], names: dict[Any, Any] | None = None) -> None:
    assert {(names or {}).get(user, user) for user in one} == other.keys()
    for user, expected in one.items():
        found = other[(names or {}).get(user, user)]
        for label, value in expected.items():
            if label not in ("user", "n_recommended"):
                there = found[label]
                same = there is None if value is None else there is not None and math.isclose(value, there, abs_tol=1e-12)
                assert same, (user, label, value, there)


@settings(max_examples=15)
@given(world=worlds())
def test_values_equal_those_of_the_literal_implementation_and_keep_their_bounds(world, evaluate):
    found = measured(evaluate, world, FORMULAS)
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
            beyond = "train_items" in label  # a list may hold more items than train: the docstring says so
            if label not in ("user", "n_relevant", "n_recommended") and not beyond:
                low, high = METRICS[parse(label).name].bounds
                assert low - 1e-12 <= value <= high + 1e-12, (user, label, value)


@settings(max_examples=4)
@given(world=worlds(), seed=st.integers(0, 1000))
def test_shuffling_the_rows_of_every_file_changes_nothing(world, seed, evaluate):
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed) for name, frame in world.items()}
    fixed = without(*FILE_ORDER)
    assert measured(evaluate, world, fixed) == measured(evaluate, shuffled, fixed)


@settings(max_examples=4)
@given(world=worlds())
def test_renaming_users_and_items_in_order_changes_nothing(world, evaluate):
    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        text = pl.format("ü {}", pl.col("item").cast(pl.String).str.zfill(4))
        return frame.with_columns(pl.format("user {}", "user").alias("user"), text.alias("item"))

    numbers = without(*AS_TEXT)
    before = measured(evaluate, world, numbers)
    after = measured(evaluate, {name: renamed(frame) for name, frame in world.items()}, numbers)
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
