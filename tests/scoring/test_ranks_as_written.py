"""Ranks with gaps and ties, as the file has them (`positions=as_written`)."""

from __future__ import annotations

import random

import polars as pl
import pytest
import receval

HITS = ("Hits", "Precision", "Recall", "HitRate", "MAP", "MRR", "nDCG", "DCG", "RBP", "F1", "PartialAUC", "PAP", "BinG", "RPrecision")
TEST = {"user": ["a", "a", "b"], "item": ["y", "z", "x"]}


def measure(metrics, lists, **options):
    return receval.evaluate(test=options.pop("test", TEST), recommendations=lists, metrics=metrics, health=False, **options)


def written(name: str, k: object) -> str:
    return f"{name}(positions=as_written)" if name == "RPrecision" else f"{name}(positions=as_written)@{k}"


def a_world_with_gaps(seed: int) -> tuple[dict, pl.DataFrame, pl.DataFrame]:
    """Return test rows, lists with gaps in their ranks, and the same lists with an unknown item in each gap."""
    chance = random.Random(seed)
    test, gaps, filled = [], [], []
    for user in range(12):
        test += [(user, item) for item in chance.sample(range(10), chance.randint(1, 5))]
        items = iter(chance.sample(range(10), 10))
        ranks = sorted(chance.sample(range(1, 16), chance.randint(0, 8)))
        listed = {rank: next(items) for rank in ranks}
        gaps += [(user, item, rank) for rank, item in listed.items()]
        filled += [(user, listed.get(rank, 100 * user + 1000 + rank), rank) for rank in range(1, max(ranks, default=0) + 1)]
    chance.shuffle(gaps)
    schema = ["user", "item", "rank"]
    frames = (pl.DataFrame(rows, schema=schema, orient="row") for rows in (gaps, filled))
    return pl.DataFrame(test, schema=schema[:2], orient="row").to_dict(as_series=False), *frames


@pytest.mark.parametrize("seed", range(3))
def test_a_gap_counts_as_an_item_that_nobody_wants(seed):
    test, gaps, filled = a_world_with_gaps(seed)
    cuts = [(name, k) for name in HITS for k in ((None,) if name == "RPrecision" else (1, 3, 8))]
    own = measure([written(name, k) for name, k in cuts], gaps, test=test)
    other = measure([name if k is None else f"{name}@{k}" for name, k in cuts], filled, test=test)
    assert [row.value for row in own.rows] == [row.value for row in other.rows]
    assert own.rows[0].value is not None


def test_ranks_without_gaps_give_the_same_values_in_both_ways():
    lists = {"user": ["a", "a", "b"], "item": ["x", "y", "x"], "rank": [1, 2, 1]}
    result = measure([text for name in HITS[:-1] for text in (f"{name}@2", written(name, 2))], lists)
    values = [row.value for row in result.rows]
    assert values[::2] == values[1::2]


def test_items_with_the_same_rank_are_all_above_the_cut_off():
    lists = {"user": ["a", "a", "a", "b"], "item": ["y", "z", "q", "q"], "rank": [1, 1, 2, 1]}
    items = {"item": ["x", "y", "z", "q"]}
    hits, coverage = measure(["Hits(positions=as_written)@1", "ItemCoverage(positions=as_written,form=count)@1"], lists, items=items).rows
    assert (hits.value, coverage.value) == (1.0, 3.0)


@pytest.mark.parametrize("rank", [0, -1, 1.5, 1e300])
def test_a_list_with_a_rank_that_is_no_whole_number_from_1_has_its_positions(rank):
    ranks = sorted([3, rank])
    lists = {"user": ["a", "a", "b", "b"], "item": ["q", "y", "x", "q"], "rank": [*ranks, 4, 9]}
    (row,) = measure(["MRR(positions=as_written)@9"], lists).rows
    assert row.value == (1 / 2 + 1 / 4) / 2


def test_a_list_that_is_ordered_by_scores_has_no_ranks_to_keep():
    lists = {"user": ["a", "a", "b"], "item": ["y", "q", "x"], "rank": [9, 5, 3], "score": [1.0, 2.0, 3.0]}
    by_score, by_rank = measure(["MRR(positions=as_written,list_order=score)@9", "MRR(positions=as_written)@9"], lists).rows
    assert by_score.value == (1 / 2 + 1) / 2
    assert by_rank.value == pytest.approx((1 / 9 + 1 / 3) / 2)


def test_the_explanation_shows_the_ranks_of_the_file():
    lists = {"user": ["a", "a"], "item": ["q", "y"], "rank": [3, 7]}
    found = receval.explain(measure="MRR(positions=as_written)@9", user="a", test=TEST, recommendations=lists)
    assert [row[:3] for row in found.steps[0].rows] == [(3, "q", ""), (7, "y", "yes")]
    assert found.value == pytest.approx(1 / 7)


def test_tied_scores_have_bounds_unless_ranks_have_gaps():
    lists = {"user": ["a", "a", "b"], "item": ["q", "y", "x"], "rank": [1, 2, 1], "score": [1.0, 1.0, 3.0]}
    found = []
    for ranks in ([1, 2, 1], [1, 3, 1]):
        result = receval.evaluate(test=TEST, recommendations={**lists, "rank": ranks}, metrics=["MRR(positions=as_written)@9"])
        found += [finding for finding in result.findings if finding.check == "R04"]
    near, far = found
    assert near.details["bounds"]["MRR(positions=as_written)@9"] == {"least": 0.75, "expected": 0.875, "most": 1.0}
    assert "bounds" not in far.details
    assert far.sentence.endswith("is without exact bounds, because ranks count as written, and have gaps or ties.")
