"""Properties of every metric of the registry on any data."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.conventions import AXES, PROTOCOL, load
from receval.metrics import METRICS
from receval.syntax.measure_strings import parse

from tests import literal, literal_beyond, literal_models
from tests.conftest import model_values, per_user
from tests.literal_facts import UNKNOWN, Facts
from tests.sizes import draws, half
from tests.variants import AS_TEXT, FILE_ORDER, FORMULAS, PROTOCOLS, VARIANTS, without
from tests.worlds import World, assert_same, equal, measured, worlds

PARTS = 6
"""The variants are tried in parts, so that each random world takes little time."""
part = pytest.mark.parametrize("part", range(PARTS))


def test_every_metric_and_every_axis_value_is_among_the_variants():
    specs = [parse(text) for text in VARIANTS]
    assert METRICS.keys() == {spec.name for spec in specs}
    default = load("receval")
    for entry in METRICS.values():
        own = [dict(spec.params) for spec in specs if spec.name == entry.name]
        for parameter, axis in entry.axes.items():
            assert {given.get(parameter, default.axes[axis]) for given in own} >= set(AXES[axis].values), (entry.name, parameter)
        for parameter in (*entry.numbers, *entry.texts):
            assert any(parameter in given for given in own), (entry.name, parameter)
    for axis in PROTOCOL:
        given = {dict(parse(text).params).get(axis, default.axes[axis]) for text in (*PROTOCOLS, "Precision(threshold=ignored)")}
        assert given >= set(AXES[axis].values) - ({"micro", "weighted", "applies"} if axis in ("average", "threshold") else set()), axis


BEYOND_BOUNDS = (
    "train_items",  # a list may have more items than train: the docstring says so
    "negatives=items",  # or than the catalogue
    "negatives=unseen_items",
    "ideal=k_items",  # an ideal of gain 1, for any grades
    "undefined",  # NaN, as asked for
    "EPC(count=rows",  # rows of train divided by users: the docstring says so
)


@part
@settings(max_examples=draws(1, 5))
@given(world=worlds())
def test_values_equal_those_of_the_literal_implementation_and_keep_their_bounds(part, world, evaluate):
    asked = FORMULAS[part::PARTS]
    result = measured(evaluate, world, asked)
    facts = Facts(world)
    for user, row in per_user(result).items():
        for label, value in row.items():
            if label in ("user", "n_relevant", "n_recommended") or label.endswith((" numerator", " denominator")):
                continue
            if not METRICS[parse(label).name].per_model:
                assert_bounds(label, value, user)
                expected = literal_value(facts, label, user)
                if expected is not UNKNOWN:
                    assert_equal(value, expected, (user, label))
    for label, value in model_values(result).items():
        assert_bounds(label, value, "all")
        expected = literal_models.model_value(facts, parse(label))
        if expected is not UNKNOWN and label.partition("@")[0] not in NOT_COMPARED:
            assert_equal(value, expected, label)


def literal_value(facts: Facts, label: str, user: Any) -> Any:
    """Return the literal value of a measure for a user: `None` if not counted, `UNKNOWN` if not implemented twice."""
    spec = parse(label)
    if spec.name in literal_beyond.OF_USERS:
        return literal_beyond.user_value(facts, spec, user)
    if spec.params or spec.components or spec.name not in literal.NAMES:
        return UNKNOWN
    if not facts.gains.get(user):
        return None
    k = spec.k if isinstance(spec.k, int) else None
    return literal.metric(spec.name, facts.lists.get(user, []), facts.gains[user], k, facts.catalogue, facts.seen.get(user, set()))


NOT_COMPARED = {
    "PopRSP(untrained=tail)": "the size of its tail is a difference of numbers, right where the catalogue holds all items of train",
}


def assert_equal(value: float | None, expected: float | None, where: Any) -> None:
    assert equal(value, expected, 1e-12), (where, value, expected)


def assert_bounds(label: str, value: float | None, where: Any) -> None:
    if value is not None and not any(part in label for part in BEYOND_BOUNDS):
        low, high = METRICS[parse(label).name].bounds
        assert low - 1e-12 <= value <= high + 1e-12, (where, label, value)


@part
@settings(max_examples=draws(1, 3))
@given(world=worlds(), seed=st.integers(0, 1000))
def test_shuffling_the_rows_of_every_file_changes_nothing(part, world, seed, evaluate):
    shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed) for name, frame in world.items()}
    fixed = without(*FILE_ORDER)[part::PARTS]
    assert_same(measured(evaluate, world, fixed, top_k=[3]), measured(evaluate, shuffled, fixed, top_k=[3]), near=0)


@pytest.mark.parametrize("part", half(range(PARTS)))
@settings(max_examples=draws(1, 3))
@given(world=worlds())
def test_renaming_users_and_items_in_order_changes_nothing(part, world, evaluate):
    def renamed(frame: pl.DataFrame) -> pl.DataFrame:  # users as items, because some distances are between a user and an item
        ids = [name for name in ("user", "item", "other") if name in frame]
        return frame.with_columns(pl.format("ü {}", pl.col(name).cast(pl.String).str.zfill(4)).alias(name) for name in ids)

    numbers = without(*AS_TEXT)[part::PARTS]
    before = measured(evaluate, world, numbers, top_k=[3])
    after = measured(evaluate, {name: renamed(frame) for name, frame in world.items()}, numbers, top_k=[3])
    assert_same(before, after, {user: f"ü {user:04}" for user in per_user(before)})


LOOKS_FURTHER = {
    "PartialAUC": "it reads the list until it has missed k times",
    "PAP": "as PartialAUC",
    "F1(GAUC": "GAUC has no cut-off",
    "FallOut(of=listed)": "it divides by the misses of the whole list",
    "DCG(ties=averaged)": "as LAUC(ties=",
    "nDCG(ties=averaged)": "as LAUC(ties=",
    "MAP(ties=together)": "as LAUC(ties=",
    "LAUC(ties=": "equal scores count wherever they stand",
    "nDCG(ideal=retrieved)": "its ideal has all hits of the list, cut at k once they are in order",
}
"""Measures with a cut-off that later items can change, with the reason."""


@pytest.mark.parametrize("part", half(range(PARTS), 1))
@settings(max_examples=draws(1, 3))
@given(world=worlds())
def test_items_after_rank_k_change_nothing_at_k(part, world, evaluate):
    cut = [text for text in FORMULAS if METRICS[parse(text).name].cut and not text.startswith(tuple(LOOKS_FURTHER))][part::PARTS]
    full = pl.DataFrame({"user": [0] * 3, "item": [0, 1, 2], "score": [9.0, 8.0, 7.0]})  # one list is full, and has a hit
    lists = pl.concat([world["lists"], full]).unique(["user", "item"], keep="last", maintain_order=True)
    ranked = lists.sort("user", -pl.col("score"), "item").with_columns(rank=pl.int_range(pl.len()).over("user") + 1)
    ranked = ranked.filter(pl.len().over("user") >= 3)
    extra = ranked.select("user").unique().with_columns(item=pl.lit(555, pl.Int64), score=pl.lit(-1.0), rank=pl.lit(1000, pl.Int64))
    whole = measured(evaluate, world | {"lists": ranked}, cut, top_k=[3])
    for changed in (ranked.filter(pl.col("rank") <= 3), pl.concat([ranked.select(extra.columns), extra])):
        assert_same(whole, measured(evaluate, world | {"lists": changed}, cut, top_k=[3]))


@settings(max_examples=draws(4, 10))
@given(world=worlds())
def test_a_list_in_the_best_order_is_perfect(world, evaluate):
    best = world["test"].filter(pl.col("rating") > 0).select("user", "item", score=pl.col("rating").cast(pl.Float64))
    perfect = ["nDCG", "nDCGRendle2020", "nDCG(gain=linear)", "MAP", "MRR", "HitRate", "RocAuc", "RPrecision"]
    kept: World = {"test": world["test"], "lists": best}
    for row in measured(evaluate, kept, perfect, top_k=[1, 4, "none"]).rows:
        assert row.value == pytest.approx(1.0, abs=1e-12), row.label
