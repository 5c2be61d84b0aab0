"""GAUC over judged rows: the mean over users who have rows of both classes, ties half, weighted by impressions if asked for."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
import receval
from hypothesis import given
from hypothesis import strategies as st
from receval.support.errors import ConfigError

ROWS = {
    "a": [(1, 0.9), (0, 0.1)],  # 1
    "b": [(1, 0.9), (1, 0.8)],  # all positive
    "c": [(0, 0.9), (0, 0.8)],  # all negative
    "d": [(1, 0.5), (0, 0.5), (0, 0.2)],  # (1/2 + 1) of 2 pairs
}


def world(rows):
    flat = [(user, place, label, score) for user, some in rows.items() for place, (label, score) in enumerate(some)]
    frame = pl.DataFrame(flat, schema=["user", "item", "rating", "score"], orient="row")
    return frame.select("user", "item", "rating"), frame.select("user", "item", "score")


def value(rows, measure):
    test, lists = world(rows)
    return receval.evaluate(test=test, recommendations={"m": lists}, metrics=[measure], health=False).rows[0]


def test_the_mean_is_over_the_users_who_have_both_classes():
    found = value(ROWS, "LabelGAUC")
    assert (found.value, found.n_users) == (0.875, 2)


def test_impressions_weigh_users_if_pooled():
    assert value(ROWS, "LabelGAUC(average=micro)").value == pytest.approx((2 * 1 + 3 * 0.75) / 5)


def test_the_command_prints_the_mean(receval, tmp_path):
    test, lists = world(ROWS)
    test.write_csv(tmp_path / "test.csv")
    lists.write_csv(tmp_path / "lists.csv")
    words = ("--test", tmp_path / "test.csv", "--recs", f"m={tmp_path / 'lists.csv'}", "-m", "LabelGAUC", "-m", "LabelAUC")
    code, out, err = receval("run", *words, "--format", "csv")
    assert code == 0, err
    assert "0.875" in out


def test_no_user_with_both_classes_has_no_value():
    assert value({"b": ROWS["b"], "c": ROWS["c"]}, "LabelGAUC").value is None


def test_an_average_of_a_value_of_the_whole_model_is_refused_with_the_metric_that_has_it():
    with pytest.raises(ConfigError, match=r"LabelAUC is one value per model.*it takes no average; LabelGAUC averages over users"):
        value(ROWS, "LabelAUC(average=mean)")


_ROW = st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.2, 0.3]))


@given(st.dictionaries(st.integers(1, 4), st.lists(_ROW, min_size=1, max_size=5), min_size=1, max_size=4))
def test_it_is_the_mean_of_the_share_of_right_pairs(rows):
    values, sizes = [], []
    for some in rows.values():
        pairs = [(p, n) for (is_relevant, p), (other, n) in itertools.product(some, some) if is_relevant and not other]
        if pairs:
            values.append(sum((p > n) + (p == n) / 2 for p, n in pairs) / len(pairs))
            sizes.append(len(some))
    wanted = sum(values) / len(values) if values else None
    pooled = sum(v * n for v, n in zip(values, sizes, strict=True)) / sum(sizes) if values else None
    assert value(rows, "LabelGAUC").value == (None if wanted is None else pytest.approx(wanted))
    assert value(rows, "LabelGAUC(average=micro)").value == (None if pooled is None else pytest.approx(pooled))
