"""The target of each user among the test rows: by hand, beside a literal choice, and the same however the rows are stored."""

from __future__ import annotations

import math
import random
from typing import Any

import polars as pl
import pytest
import receval
from receval.scoring.one_per_user import choose_targets
from receval.support.errors import ConfigError, DataError
from receval.syntax.target_rule import TargetRule, read_target

LAST, FIRST, RANDOM = TargetRule("last"), TargetRule("first"), TargetRule("random")


def rows(*given: tuple[Any, Any, float | None]) -> pl.DataFrame:
    return pl.DataFrame(given, schema=["user", "item", "timestamp"], orient="row").with_row_index("row")


def chosen(frame: pl.DataFrame, target: TargetRule) -> list[tuple[Any, Any]]:
    return choose_targets(frame, target, "data.test: log.csv", "when")[0].select("user", "item").rows()


def remark(frame: pl.DataFrame, target: TargetRule) -> str:
    return choose_targets(frame, target, "data.test: log.csv", "when")[1]


LOG = rows((1, 10, 5.0), (2, 20, 7.0), (1, 11, 3.0), (2, 21, 7.0), (1, 12, 4.0), (3, 30, 1.0))


def test_the_last_and_the_first_row_are_those_by_time_and_of_equal_times_by_the_order_of_the_rows():
    assert chosen(LOG, LAST) == [(1, 10), (2, 21), (3, 30)]
    assert chosen(LOG, FIRST) == [(2, 20), (1, 11), (3, 30)]
    tied = "1 user has several rows of the last time; the last of them in the order of the rows is the target."
    assert remark(LOG, LAST) == f"Only the last row of each user by time is the target (data.test.target): 3 of 6 test rows. {tied}"
    assert remark(LOG, FIRST).endswith(f" {tied.replace('last', 'first')}")


def test_without_times_the_order_of_the_rows_decides_and_the_remark_says_so():
    frame = LOG.drop("timestamp")
    assert chosen(frame, LAST) == [(2, 21), (1, 12), (3, 30)]
    assert chosen(frame, FIRST) == [(1, 10), (2, 20), (3, 30)]
    assert remark(frame, LAST) == (
        "Only the last row of each user in the order of the rows is the target (data.test.target; no time column is recognised): "
        "3 of 6 test rows."
    )


@pytest.mark.parametrize("missing", [None, math.nan, math.inf])
def test_a_row_without_a_time_is_chosen_only_if_its_user_has_none_with_a_time(missing):
    frame = rows((1, 10, 5.0), (1, 11, missing), (2, 20, missing), (2, 21, missing))
    assert chosen(frame, LAST) == [(1, 10), (2, 21)]
    assert chosen(frame, FIRST) == [(1, 10), (2, 20)]
    assert remark(frame, LAST).endswith(" 3 rows have no time and are the target only of users without any time (1 user).")


def test_a_file_in_which_no_row_has_a_time_is_refused_by_its_name_and_column():
    frame = rows((1, 10, None), (2, 20, None)).with_columns(pl.col("timestamp").cast(pl.Float64))
    with pytest.raises(DataError) as caught:
        chosen(frame, LAST)
    assert (
        caught.value.message == "data.test: log.csv: no row has a time that can be read in column 'when', so no row of a user is the last"
    )
    assert "columns: {timestamp: NAME}" in (caught.value.hint or "")
    assert len(chosen(frame, RANDOM)) == 2


def test_a_random_item_is_chosen_once_per_user_and_of_its_rows_the_last():
    frame = rows((1, 10, 9.0), (1, 10, 8.0), (2, 20, 1.0), (1, 10, 9.0)).with_columns(rating=pl.Series([1, 2, 3, 4]))
    made, said = choose_targets(frame, RANDOM, "", "")
    assert made.select("item", "rating").rows() == [(20, 3), (10, 4)]
    assert said == "Only a random item of each user (seed 0) is the target (data.test.target): 2 of 4 test rows."


def test_every_item_of_a_user_is_equally_likely_and_seeds_draw_independently():
    n_users, n_items = 6_000, 5
    frame = pl.DataFrame({"user": [u for u in range(n_users) for _ in range(n_items)], "item": [*range(100, 100 + n_items)] * n_users})
    frame = frame.with_row_index("row")
    draws = [dict(chosen(frame, TargetRule("random", seed))) for seed in range(3)]
    for draw in draws:
        counts = [sum(item == 100 + index for item in draw.values()) for index in range(n_items)]
        assert all(abs(count - n_users / n_items) < 5 * math.sqrt(n_users / n_items) for count in counts), counts
    for seed, other in ((0, 1), (0, 2), (1, 2)):
        same = sum(draws[seed][user] == draws[other][user] for user in range(n_users))
        assert abs(same - n_users / n_items) < 5 * math.sqrt(n_users / n_items)


@pytest.mark.parametrize("target", [LAST, FIRST, RANDOM, TargetRule("random", 7)])
@pytest.mark.parametrize("seed", range(4))
def test_the_targets_are_the_same_for_any_order_of_the_rows_if_times_differ_and_ids_of_any_kind(target, seed):
    chance = random.Random(seed)
    n = 400
    times = chance.sample(range(10_000), n)
    frame = rows(*((chance.randrange(40) - 5, chance.randrange(12), float(time)) for time in times))
    expected = sorted(chosen(frame, target))
    assert len(expected) == frame["user"].n_unique()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    assert sorted(chosen(shuffled, target)) == expected
    texts = shuffled.with_columns(pl.col("user", "item").cast(pl.String))
    assert sorted((int(user), int(item)) for user, item in chosen(texts, target)) == expected
    without = frame.filter(pl.col("user") != 3)
    assert sorted(chosen(without, target)) == [pair for pair in expected if pair[0] != 3]


@pytest.mark.parametrize("seed", range(6))
def test_first_and_last_are_those_of_a_literal_reader(seed):
    chance = random.Random(seed)
    log = [(chance.randrange(9), chance.randrange(6), chance.choice([None, 1.0, 2.0, 2.5, -1.0])) for _ in range(60)]
    by_user: dict[int, list[tuple[float, int, int]]] = {}
    for number, (user, item, time) in enumerate(log):
        by_user.setdefault(user, []).append((time, number, item))
    for target, pick in ((LAST, max), (FIRST, min)):
        expected = {}
        for user, of_user in by_user.items():
            timed = [row for row in of_user if row[0] is not None] or [(0.0, *row[1:]) for row in of_user]
            expected[user] = pick(timed)[2]
        assert dict(chosen(rows(*log), target)) == expected


LISTS = {user: [*range(6)] for user in range(9)}
MEASURES = ["HitRate@3", "MRR@5", "nDCG@5"]


@pytest.mark.each_once
@pytest.mark.parametrize("form", ["csv", "parquet", "ndjson", "frame"])
@pytest.mark.parametrize("target", ["last", "first", "random", {"random": 3}])
def test_a_file_with_a_target_has_the_values_of_a_file_of_the_chosen_rows(target, form, tmp_path):
    chance = random.Random(5)
    log = pl.DataFrame(
        [(chance.randrange(9), chance.randrange(6), float(n), chance.randint(1, 5)) for n in chance.sample(range(500), 80)],
        schema=["user", "item", "timestamp", "rating"],
        orient="row",
    )
    of_target = choose_targets(log.with_row_index("row"), read_target(target), "", "")[0].drop("row")
    path = tmp_path / f"log.{form}"
    if form != "frame":
        getattr(log, f"write_{form}")(path)
    source = {"frame": log} if form == "frame" else {"path": str(path)}
    options = {"recommendations": {"m": LISTS}, "metrics": MEASURES, "relevance": 3}
    expected, found = receval.evaluate(test=of_target, **options), receval.evaluate(test={**source, "target": target}, **options)
    assert found.to_polars().equals(expected.to_polars(), null_equal=True)
    assert found.truths == expected.truths
    assert {file.role: file.rows for file in found.inputs}["data.test"] == 9
    assert sum("is the target (test.target): 9 of 80 test rows." in sentence for sentence in found.remarks) == 1


def test_a_filter_comes_before_the_target_and_relevance_after_it():
    log = pl.DataFrame({"user": [1, 1, 2], "item": [10, 11, 20], "rating": [5, 2, 4], "timestamp": [1, 2, 3]})
    options: dict[str, Any] = {"recommendations": {"m": {1: [10], 2: [20]}}, "metrics": ["Recall@1"], "relevance": 4}
    (after,) = receval.evaluate(test={"frame": log, "target": "last"}, **options).rows
    assert (after.value, after.n_users) == (1.0, 1), "the last row of user 1 is not relevant"
    filtered = receval.evaluate(test={"frame": log, "target": "last", "where": "rating >= 4"}, **options)
    assert (filtered.rows[0].value, filtered.rows[0].n_users) == (1.0, 2)
    assert "test: 2 of 3 rows are used (where: rating >= 4)." in filtered.remarks
    assert any("2 of 2 test rows" in sentence for sentence in filtered.remarks)


def test_all_is_every_row_and_rows_left_out_for_missing_values_are_never_the_target():
    log = pl.DataFrame({"user": [1, 1, None, 2], "item": [10, None, 11, 20], "timestamp": [1, 2, 3, 4]})
    config: dict[str, Any] = {
        "data": {"test": {"frame": log, "target": "last"}, "recommendations": {"m": {1: [10], 2: [20]}}},
        "evaluation": {"metrics": ["Recall@1"], "policy": {"missing_values": "drop"}},
    }
    result = receval.evaluate(config)
    assert result.rows[0].value == 1.0
    assert any("2 of 2 test rows" in sentence for sentence in result.remarks)
    (left_out,) = [finding for finding in result.findings if finding.check == "R02"]
    assert (left_out.count, left_out.total) == (2, 4), "rows that are not the target do not count as rows without a value"
    config["data"]["test"] = {"frame": log.drop_nulls(), "target": "all"}
    assert not any("target" in sentence for sentence in receval.evaluate(config).remarks)


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("latest", "a target must be last, first, random, all, or {random: SEED}, not 'latest'"),
        ({"random": -1}, "the seed of random targets must be a whole number from 0 to 4294967295, not -1"),
        ({"random": True}, "the seed of random targets must be a whole number from 0 to 4294967295, not True"),
        ({"last": 1}, "a target must be last, first, random, all, or {random: SEED}, not {'last': 1}"),
    ],
)
def test_another_target_is_refused_with_the_ones_there_are(target, problem):
    config = {"data": {"test": {"path": "a.csv", "target": target}, "recommendations": "b.csv"}, "evaluation": {"metrics": ["MRR"]}}
    with pytest.raises(ConfigError, match=r"^data\.test\.target: ") as caught:
        receval.load_config(config)
    assert problem in str(caught.value)


def test_only_the_test_file_has_a_target():
    with pytest.raises(ConfigError, match=r"data\.train\.target: unknown key 'target'"):
        receval.load_config(
            {
                "data": {"test": "a.csv", "train": {"path": "b.csv", "target": "last"}, "recommendations": "c.csv"},
                "evaluation": {"metrics": ["MRR"]},
            }
        )
