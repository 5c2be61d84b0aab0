"""Pages of several rows of recommendations: N2DCG, the reading order of other measures, and pages that cannot be read."""

from __future__ import annotations

import random
from functools import partial
from math import inf, log2

import polars as pl
import pytest
import receval
from receval.config import load_config
from receval.evaluation import running
from receval.evaluation.running import whole_users
from receval.metrics.shelves import best_places
from receval.support.errors import ConfigError, DataError

from tests.conftest import per_user, table, values

PAGE = {"row": "shelf", "position": "column"}
TEST = table(["user", "item"], [("a", "x"), ("a", "y"), ("b", "z")])


def page(*cells: tuple[str, str, float, float]) -> pl.DataFrame:
    """Return a page from user, item, row and position."""
    return pl.DataFrame(list(cells), schema=["user", "item", "shelf", "column"], orient="row")


def world(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return graded test rows and pages with gaps in rows, and items that are in several rows."""
    chance = random.Random(seed)
    test = [(user, item, chance.randint(0, 3)) for user in range(25) for item in chance.sample(range(30), chance.randint(1, 12))]
    cells = [
        (user, row, place) for user in range(24) for row in range(1, chance.randint(2, 5)) for place in range(1, 7) if chance.random() < 0.8
    ]
    lists = [(user, chance.randrange(30), row, place) for user, row, place in cells]
    return table(["user", "item", "rating"], test), table(["user", "item", "shelf", "column"], lists)


def literal(test, lists, alpha=1.0, beta=1.0, shelves=inf, columns=inf):
    """Return the N2DCG of each user with exponential gain, by a search among all places of a large page."""
    found = {}
    for (user,), rows in test.filter(pl.col("rating") > 0).group_by("user"):
        gains = {item: 2**rating - 1 for _, item, rating in rows.rows()}
        by = {}
        for owner, item, row, place in lists.rows():
            if owner == user and item in gains and row <= shelves and place <= columns:
                by[item] = min(by.get(item, inf), alpha * row + beta * place)
        size = range(1, 40)
        places = sorted(alpha * row + beta * place for row in size for place in size if row <= shelves and place <= columns)
        best = sum(gain / log2(at) for gain, at in zip(sorted(gains.values(), reverse=True), places, strict=False))
        found[user] = sum(gains[item] / log2(at) for item, at in by.items()) / best
    return found


@pytest.mark.parametrize(
    "params",
    [{}, {"shelves": 2, "columns": 3}, {"alpha": 2.5}, {"alpha": 0.3, "beta": 1.2, "columns": 4}, {"shelves": 1}, {"columns": 1}],
    ids=str,
)
def test_n2dcg_is_that_of_a_literal_reader_with_an_ideal_page_found_by_search(evaluate, params):
    for seed in range(3):
        test, lists = world(seed)
        name = f"N2DCG({','.join(f'{key}={value}' for key, value in params.items())})" if params else "N2DCG"
        asked = {"metrics": [name], "list_columns": PAGE, "relevance": {"graded": True}}
        found = per_user(evaluate(test, lists, **asked))
        expected = literal(test, lists, **params)
        assert {user: row[name] for user, row in found.items()} == pytest.approx(expected, abs=1e-12)
        assert all(0 <= value <= 1 for value in expected.values())


def test_the_best_places_of_a_page_are_those_of_a_search():
    for n, alpha, beta, shelves, columns in [
        (50, 1, 1, inf, inf),
        (50, 3, 1, 4, inf),
        (50, 0.2, 2, inf, 3),
        (50, 1, 1, 4, 5),
        (0, 1, 1, inf, inf),
    ]:
        rows, positions = best_places(n, alpha, beta, shelves, columns)
        size = range(1, 60)
        expected = sorted(alpha * i + beta * j for i in size for j in size if i <= shelves and j <= columns)[:n]
        assert [alpha * i + beta * j for i, j in zip(rows.tolist(), positions.tolist(), strict=True)] == expected


def test_one_row_is_a_list_and_n2dcg_is_then_ndcg(evaluate):
    test, lists = world(4)
    first = lists.filter(pl.col("shelf") == 1).unique(["user", "item"], keep="first", maintain_order=True)
    ranked = first.select("user", "item", rank=pl.int_range(1, pl.len() + 1).over("user"))
    asked = {"metrics": ["N2DCG(shelves=1)", "nDCG"], "top_k": ["none"], "relevance": {"graded": True}}
    found = per_user(evaluate(test, ranked, **asked))
    assert all(row["N2DCG(shelves=1)"] == pytest.approx(row["nDCG@none"], abs=1e-12) for row in found.values())


def test_other_measures_read_a_page_row_by_row_from_the_left(evaluate):
    test, lists = world(5)
    asked = {"metrics": ["nDCG", "Recall", "MRR", "ItemCoverage"], "top_k": [3, 8]}
    order = lists.sort("user", "shelf", "column").with_columns(rank=pl.int_range(1, pl.len() + 1).over("user"))
    mixed = lists.sample(fraction=1, shuffle=True, seed=1)
    assert (
        evaluate(test, mixed, list_columns=PAGE, **asked, train=test).rows
        == evaluate(test, order.drop("shelf", "column"), **asked, train=test).rows
    )


def test_any_parts_orders_of_rows_and_doors_give_the_same_bytes(evaluate, monkeypatch, tmp_path):
    test, lists = world(6)
    asked = {"metrics": ["N2DCG", "N2DCG(shelves=2,columns=3)", "nDCG@4"], "list_columns": PAGE}
    whole = evaluate(test, lists, **asked)
    lists.write_csv(tmp_path / "page.csv")
    config = {
        "data": {
            "test": str(tmp_path / "test.parquet"),
            "recommendations": {"model": {"path": str(tmp_path / "page.csv"), "columns": PAGE}},
        },
        "evaluation": {"metrics": asked["metrics"]},
        "health": "off",
    }
    assert receval.run(receval.load_config(config)).rows == whole.rows
    in_memory = receval.evaluate(
        test=test, recommendations=lists, columns={"recommendations": PAGE}, metrics=asked["metrics"], health=False
    )
    assert in_memory.rows == whole.rows
    monkeypatch.setattr(running, "whole_users", partial(whole_users, rows_per_part=9))
    parts = evaluate(test, lists.sample(fraction=1, shuffle=True, seed=2), **asked)
    assert parts.rows == whole.rows
    assert parts.per_user["model"].equals(whole.per_user["model"])


@pytest.mark.spark
def test_spark_reads_pages_as_other_engines_do(evaluate, spark):
    test, lists = world(6)
    asked = {"metrics": ["N2DCG(shelves=2,columns=3)", "nDCG@4"], "list_columns": PAGE}
    assert evaluate(test, lists, **asked, engine=spark).rows == evaluate(test, lists, **asked).rows


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([("a", "x", 0, 1)], "the rows and positions of a page must be whole numbers from 1: user a, row 0, position 1"),
        ([("a", "x", 1, 0)], "user a, row 1, position 0"),
        ([("a", "x", 1, 1.5)], "user a, row 1, position 1.5"),
        ([("a", "x", 2, 3), ("a", "y", 2, 3)], "several items are in the same place of a page: user a, row 2, position 3"),
    ],
)
def test_places_that_cannot_be_on_a_page_are_refused(evaluate, cells, sentence):
    lists = page(*((user, item, float(row), float(place)) for user, item, row, place in cells))
    for measure in ("N2DCG", "Recall@3"):
        with pytest.raises(DataError) as error:
            evaluate(TEST, lists, metrics=[measure], list_columns=PAGE)
        assert sentence in str(error.value)


def test_gaps_are_empty_places(evaluate):
    lists = page(("a", "x", 2, 4), ("b", "z", 1, 1))
    found = per_user(evaluate(TEST, lists, metrics=["N2DCG", "MRR@1"], list_columns=PAGE))
    assert found["a"]["N2DCG"] == pytest.approx((1 / log2(6)) / (1 + 1 / log2(3)))
    assert found["a"]["MRR@1"] == 1


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"row": "shelf"}, "a page needs row and position: add position, the column of the positions in each row"),
        ({"position": "column"}, "add row, the column of the rows, or write rank for lists without rows"),
        ({"row": "shelf", "position": "column", "rank": "n"}, "a page is ordered by row and position: leave rank out"),
    ],
)
def test_a_page_needs_rows_and_positions(columns, sentence):
    lists = {"path": "a.csv", "columns": columns}
    with pytest.raises(ConfigError) as error:
        load_config({"data": {"test": "t.csv", "recommendations": {"a": lists}}, "evaluation": {"metrics": ["N2DCG"]}})
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("measure", "sentence"),
    [
        ("N2DCG@10", "takes no cut-off"),
        ("N2DCG(shelves=2.5)", "shelves of N2DCG is a whole number, not 2.5"),
        ("N2DCG(alpha=0.5,beta=0.5)", "must be more than 1 together"),
    ],
)
def test_wrong_settings_of_n2dcg_have_a_sentence(measure, sentence):
    with pytest.raises(ConfigError, match=sentence):
        load_config({"data": {"test": "t.csv", "recommendations": "a.csv"}, "evaluation": {"metrics": [measure]}})


def test_reference_lists_have_no_page_and_an_item_in_several_rows_is_no_error(evaluate):
    lists = page(("a", "x", 1, 1), ("a", "x", 2, 1), ("b", "z", 1, 2))
    found = evaluate(TEST, lists, metrics=["N2DCG", "Recall@2"], list_columns=PAGE, yardsticks=["oracle"], health={})
    assert set(values(found, "(oracle)")) == {"Recall@2"}
    assert "R01" not in {finding.check for finding in found.findings}
    twice = page(("a", "x", 1, 1), ("a", "x", 1, 2), ("b", "z", 1, 2))
    again = evaluate(TEST, twice, metrics=["N2DCG"], list_columns=PAGE, health={})
    assert "R01" in {finding.check for finding in again.findings}
