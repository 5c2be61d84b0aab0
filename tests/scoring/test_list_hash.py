"""The fingerprint of lists: parts, orders of rows and the type of ids do not change it, any other item, rank or user does."""

from __future__ import annotations

from functools import partial

import polars as pl
import pytest
import receval
from receval.evaluation import running

LISTS = pl.DataFrame({"user": [1, 1, 1, 2, 2], "item": [10, 11, 12, 10, 13], "score": [3.0, 2.0, 1.0, 3.0, 2.0]})
TEST = pl.DataFrame({"user": [1, 2], "item": [10, 99]})
GATES = {"rules": ["nDCG@2 max_loss 2% against other"]}


def hashed(lists, test=TEST, **evaluation):
    """Return the fingerprint of lists in a run with gates."""
    config = {"data": {"test": test, "recommendations": {"home": lists, "other": LISTS}}, "gates": GATES}
    config["evaluation"] = {"metrics": ["nDCG@2", "Recall@1"], **evaluation}
    return receval.run(receval.load_config(config)).list_hashes["home"]


def test_the_fingerprint_never_changes_because_folders_store_it():
    assert hashed(LISTS) == "4fd58c04a813681a3a94929dc6ba151e"


def test_parts_orders_and_types_of_ids_do_not_change_it(monkeypatch):
    expected = hashed(LISTS)
    assert hashed(LISTS.sample(fraction=1.0, shuffle=True, seed=1)) == expected
    as_text = {"user": pl.String, "item": pl.String}
    assert hashed(LISTS.cast(as_text), TEST.cast(as_text)) == expected
    monkeypatch.setattr(running, "whole_users", partial(running.whole_users, rows_per_part=1))
    assert hashed(LISTS) == expected


@pytest.mark.parametrize(
    ("column", "values", "same"),
    [
        ("item", [10, 11, 77, 10, 13], True),  # below the largest cut-off
        ("item", [10, 77, 12, 10, 13], False),
        ("score", [2.5, 3.0, 1.0, 3.0, 2.0], False),  # two items change places
        ("user", [2, 2, 2, 1, 1], False),
        ("score", [9.0, 8.0, 7.0, 6.0, 5.0], True),
    ],
)
def test_only_another_item_rank_or_user_up_to_the_largest_cutoff_changes_it(column, values, same):
    assert (hashed(LISTS.with_columns(pl.Series(column, values))) == hashed(LISTS)) is same


def test_whole_lists_count_if_a_measure_reads_them():
    longer = LISTS.with_columns(item=pl.Series([10, 11, 77, 10, 13]))
    whole = {"metrics": ["nDCG@2", "Recall"], "top_k": ["none"]}
    assert hashed(longer, **whole) != hashed(LISTS, **whole)


def test_lists_are_hashed_only_for_gates_that_compare():
    config = {"data": {"test": TEST, "recommendations": {"home": LISTS}}, "evaluation": {"metrics": ["nDCG@2"]}}
    assert receval.run(receval.load_config(config)).list_hashes == {}
