"""Rows that a thread writes while the next ones are made: the bytes of all rows at once, or no file."""

from __future__ import annotations

import threading

import polars as pl
import pytest
from receval.engines import RowFile
from receval.render.forms import as_parquet
from receval.support import outputs

ROWS = pl.DataFrame({"user": [*range(0, 40, 2)], "Recall": [number / 7 if number % 3 else None for number in range(20)]})


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    monkeypatch.setitem(outputs.PARQUET, "row_group_size", 6)


def table(**frames):
    return pl.concat([frame.select(pl.lit(model).alias("model"), pl.all()) for model, frame in frames.items()])


def written(path, *steps, frames=None):
    """Take the steps, models to begin and rows to add; return the file of `frames`, by default of all rows of one model."""
    before = threading.active_count()
    with RowFile(path) as file:
        for step in steps:
            if isinstance(step, pl.DataFrame):
                file.add(step)
            else:
                file.begin(*step)
        found = file.file_of(frames or {"a": ROWS})
    assert threading.active_count() == before
    return found


@pytest.mark.parametrize("size", [1, 5, 6, 7, 20])
def test_the_bytes_are_those_of_all_rows_at_once_however_they_are_cut(size, tmp_path):
    path = tmp_path / "rows.parquet"
    cut = [ROWS[first : first + size] for first in range(0, 20, size)]
    assert written(path, ("a",), *cut, ("b",), *cut, frames={"a": ROWS, "b": ROWS}) == path
    assert path.read_bytes() == as_parquet(table(a=ROWS, b=ROWS))


def test_users_as_text_are_in_the_order_of_text(tmp_path):
    rows = ROWS.with_columns(pl.col("user").cast(pl.String)).sort("user")
    assert written(tmp_path / "rows", ("a",), rows[:9], rows[9:], frames={"a": rows}) is not None


@pytest.mark.parametrize(
    "steps",
    {
        "rows in another order": (("a",), ROWS[8:], ROWS[:8]),
        "users twice": (("a",), ROWS[:8], ROWS[7:]),
        "unsorted rows": (("a",), ROWS[:8], ROWS[8:].reverse()),
        "a model that begins again": (("a",), ROWS[:8], ("a",), ROWS),
        "a model too many": (("a",), ROWS, ("b",), ROWS),
        "other columns": (("a",), ROWS[:8], ROWS[8:].with_columns(MAP=0.5)),
        "missing rows": (("a",), ROWS[:8]),
        "users who come later": (("a", [pl.Series([0, 2, 3])]), ROWS),
        "no rows": (),
    }.items(),
    ids=lambda case: case[0],
)
def test_without_all_rows_in_order_there_is_no_file(steps, tmp_path):
    assert written(tmp_path / "rows", *steps[1]) is None


def test_users_who_come_later_than_the_first_rows_do_no_harm(tmp_path):
    assert written(tmp_path / "rows", ("a", [pl.Series([0, 2, 999])]), ROWS[:8], ROWS[8:]) is not None


def test_few_rows_make_no_file(tmp_path):
    assert written(tmp_path / "rows", ("a",), ROWS[:6], frames={"a": ROWS[:6]}) is None
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_makes_no_file(tmp_path):
    assert written(tmp_path / "missing" / "rows", ("a",), ROWS[:8], ROWS[8:]) is None


def test_an_error_between_rows_leaves_no_thread(tmp_path):
    def interrupted() -> None:
        with RowFile(tmp_path / "rows") as file:
            file.begin("a")
            file.add(ROWS)
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert threading.active_count() == before
