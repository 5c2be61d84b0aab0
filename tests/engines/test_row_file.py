"""Rows that a thread writes while the next ones are made: the bytes of all rows at once, or no file."""

from __future__ import annotations

import threading

import polars as pl
import pytest
from receval.engines import RowFile, row_file
from receval.render.forms import as_parquet
from receval.results.result import select
from receval.support import outputs
from receval.support.errors import OutputError

ROWS = pl.DataFrame({"user": [*range(0, 40, 2)], "Recall": [number / 7 if number % 3 else None for number in range(20)]})


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    monkeypatch.setitem(outputs.PARQUET, "row_group_size", 6)


def table(**frames):
    return pl.concat([frame.select(pl.lit(model).alias("model"), pl.all()) for model, frame in frames.items()])


def written(path, *steps):
    """Take the steps, models to begin and rows to add; return the file, if there is one, and the rows of users."""
    before = threading.active_count()
    with RowFile(path) as file:
        for step in steps:
            if isinstance(step, pl.DataFrame):
                file.add(step)
            else:
                file.begin(*step)
        users = file.users()
        found = file.file_of(users)
        assert file.file_of(dict(users.items())) is None
    assert threading.active_count() == before
    return found, users


@pytest.mark.parametrize("size", [1, 5, 6, 7, 20])
def test_the_bytes_are_those_of_all_rows_at_once_however_they_are_cut(size, tmp_path):
    path = tmp_path / "rows.parquet"
    cut = [ROWS[first : first + size] for first in range(0, 20, size)]
    found, users = written(path, ("a",), *cut, ("b",), *cut)
    assert found == path
    assert path.read_bytes() == as_parquet(table(a=ROWS, b=ROWS))
    assert users["a"].equals(ROWS)
    assert select(users, "b", ["Recall"]).equals(ROWS[["Recall"]])


@pytest.mark.parametrize("n", [3, 8])
def test_a_model_that_begins_again_before_others_begins_the_file_again(n, tmp_path):
    path = tmp_path / "rows"
    assert written(path, ("a",), ROWS[:n], ("a",), ROWS)[0] == path
    assert path.read_bytes() == as_parquet(table(a=ROWS))


def test_a_model_that_begins_again_may_have_users_as_text(tmp_path):
    texts = ROWS.with_columns(pl.col("user").cast(pl.String)).sort("user")
    found, users = written(tmp_path / "rows", ("a",), ROWS[:8], ("a",), texts)
    assert found == tmp_path / "rows"
    assert users["a"].equals(texts)


def test_users_as_text_are_in_the_order_of_text(tmp_path):
    rows = ROWS.with_columns(pl.col("user").cast(pl.String)).sort("user")
    assert written(tmp_path / "rows", ("a",), rows[:9], rows[9:])[0] is not None


OTHER = ROWS.with_columns(MAP=0.5)


@pytest.mark.parametrize(
    "case",
    {
        "rows in another order": ((("a",), ROWS[8:], ROWS[:8]), {"a": ROWS}),
        "rows in another order, late": ((("b",), ROWS, ("a",), ROWS[8:], ROWS[:8]), {"b": ROWS, "a": ROWS}),
        "unsorted rows": ((("a",), ROWS[:8], ROWS[8:].reverse()), {"a": ROWS}),
        "a model that begins again beside few rows": ((("b",), ROWS[:2], ("a",), ROWS[:3], ("a",), ROWS), {"b": ROWS[:2], "a": ROWS}),
        "a model that begins again after a file": ((("b",), ROWS, ("a",), ROWS[:8], ("a",), ROWS), {"b": ROWS, "a": ROWS}),
        "other columns": ((("a",), ROWS, ("b",), OTHER), {"a": ROWS, "b": OTHER}),
        "users who come later": ((("a", [pl.Series([0, 2, 3])]), ROWS), {"a": ROWS}),
        "few rows": ((("a",), ROWS[:6]), {"a": ROWS[:6]}),
        "nobody": ((("a",), ROWS[:0]), {"a": ROWS[:0]}),
        "no rows": ((), {}),
    }.items(),
    ids=lambda case: case[0],
)
def test_without_a_file_all_rows_are_in_memory(case, tmp_path):
    steps, rows = case[1]
    found, users = written(tmp_path / "rows", *steps)
    assert found is None
    assert list(users) == list(rows)
    assert all(users[model].equals(rows[model]) for model in rows)


@pytest.mark.parametrize(
    "steps", [(("a",), ROWS[8:], ROWS[:8], ("b",), ROWS), (("a",), ROWS, ("b",), ROWS[:9], ("b",), ROWS[8:].reverse(), ROWS[:8])]
)
def test_many_rows_in_any_order_wait_in_temporary_files_and_are_sorted(steps, tmp_path, monkeypatch):
    monkeypatch.setattr(row_file, "_IN_MEMORY", 150)
    monkeypatch.setattr(row_file, "_PIECE", 7)
    path = tmp_path / "rows"
    found, users = written(path, *steps)
    assert found == path
    assert path.read_bytes() == as_parquet(table(a=ROWS, b=ROWS))
    assert users["b"].equals(ROWS)


def test_rows_in_temporary_files_are_read_again_if_a_model_has_other_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(row_file, "_IN_MEMORY", 150)
    found, users = written(tmp_path / "rows", ("a",), ROWS[8:], ROWS[:8], ("b",), OTHER)
    assert found is None
    assert users["a"].equals(ROWS)
    assert users["b"].equals(OTHER)


def test_users_who_come_later_than_the_first_rows_do_no_harm(tmp_path):
    assert written(tmp_path / "rows", ("a", [pl.Series([0, 2, 999])]), ROWS[:8], ROWS[8:])[0] is not None


def test_few_rows_make_no_file(tmp_path):
    written(tmp_path / "rows", ("a",), ROWS[:6])
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_an_error_with_its_name(tmp_path):
    with pytest.raises(OutputError, match="cannot write rows: "):
        written(tmp_path / "missing" / "rows", ("a",), ROWS[:8], ROWS[8:])


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
