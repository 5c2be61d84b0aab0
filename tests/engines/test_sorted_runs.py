"""Frames of different users → one file sorted by user."""

from __future__ import annotations

import polars as pl
import pytest
from receval.engines import Scratch, SortedRuns
from receval.support.errors import MachineError


def frame(*users):
    return pl.DataFrame({"user": users, "rank": range(len(users))}, schema={"user": pl.Int64, "rank": pl.Int64})


@pytest.mark.parametrize("rows_per_piece", [1, 2, 3, 100])
def test_rows_are_sorted_by_user_and_stay_in_order_within_one(tmp_path, rows_per_piece):
    with Scratch(tmp_path) as scratch:
        runs = SortedRuns(scratch, "lists")
        for of_some in (frame(2, 2, 7), frame(), frame(1, 5, 5, 5), frame(3, 9)):
            runs.add(of_some)
        runs.write(tmp_path / "out.parquet", rows_per_piece)
        assert not list(scratch.folder.iterdir())
    expected = [(1, 0), (2, 0), (2, 1), (3, 0), (5, 1), (5, 2), (5, 3), (7, 2), (9, 1)]
    assert pl.read_parquet(tmp_path / "out.parquet").rows() == expected


def test_frames_without_rows_make_a_file_with_their_columns(tmp_path):
    with Scratch(tmp_path) as scratch:
        runs = SortedRuns(scratch, "lists")
        runs.add(frame())
        runs.write(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").schema == frame().schema


def test_a_file_that_cannot_be_written_is_an_error_with_the_fix(tmp_path):
    with Scratch(tmp_path) as scratch:
        runs = SortedRuns(scratch, "lists")
        runs.add(frame(1))
        with pytest.raises(MachineError, match="temporary files cannot be written"):
            runs.write(tmp_path / "missing" / "out.parquet")
