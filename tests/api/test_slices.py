"""`result.slices()` answers as `receval slices` does, in the groups that the evaluation has."""

from __future__ import annotations

import random

import polars as pl
import pytest
import receval
from receval.support.errors import ConfigError


@pytest.fixture(scope="module")
def result():
    draw, users, lists = random.Random(3), [], {"old": [], "new": []}
    for user in range(800):
        users.append((user, draw.choice(["free", "paid"]), draw.choice(["phone", "web"])))
        before = draw.randint(1, 3)
        for model, rank in (("old", before), ("new", before + draw.choice([0, 1]) + 3 * (users[-1][1] == "free"))):
            lists[model] += [(user, item, place) for place, item in enumerate([*range(1, rank), 0], 1)]
    test = pl.DataFrame({"user": range(800), "item": [0] * 800})
    frames = {model: pl.DataFrame(rows, schema=["user", "item", "rank"], orient="row") for model, rows in lists.items()}
    people = pl.DataFrame(users, schema=["user", "plan", "device"], orient="row")
    return receval.evaluate(
        test=test, recommendations=frames, metrics="MRR@10", users=people, by=["users.plan", "users.device"], health=False
    )


def test_slices_of_a_result_are_iterable_printable_and_tables(result):
    slices = result.slices()
    (first, *_) = slices
    assert (first.conditions, first.direction, first.confirmed) == ((("users.plan", "free"),), "worse", True)
    assert first.high < 0 < first.n_users
    assert slices.to_polars()["slice"][0] == "users.plan free"
    assert slices.to_dict()["confirmed"] == len(slices.confirmed) > 0
    assert "worse for users.plan free than for others: " in repr(slices)
    assert "<table" in slices._repr_html_()


def test_groups_depth_seed_and_baseline_can_be_chosen(result):
    assert result.slices(by="users.device", depth=1).features == ("users.device",)
    assert result.slices(seed=1).searches[0].n_finding != result.slices().searches[0].n_finding
    first = next(iter(result.slices("new")))
    assert (first.conditions, first.direction) == ((("users.plan", "paid"),), "worse")  # old against new


def test_arguments_that_make_no_sense_are_refused(result):
    with pytest.raises(ConfigError, match="no groups by users"):
        result.slices(by="users.age")
    with pytest.raises(ConfigError, match="depth must be 1"):
        result.slices(depth=3)
    with pytest.raises(ConfigError, match="the results have no measure 'nDCG@10'"):
        result.slices(measures="nDCG@10")
