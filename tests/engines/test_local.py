"""Whole users are brought together, for any order of rows."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from receval.engines import Scratch, SideTable, partitions, whole_users
from receval.load import ReadAgain, look_at_frame
from receval.load.scan import ReadError

from tests.sizes import draws

from .collecting import MEMORY, assert_whole, parts_of, table

TEST = table([1, 1, 2, 4, 9, 9, 9, 12])


def users(part):
    return part.lists["user"].to_list()


def test_a_sorted_file_is_cut_between_users():
    lists = table([1, 1, 2, 2, 3, 4, 4, 4])
    parts = parts_of(lists, {"test": TEST})
    assert_whole(parts, lists, {"test": TEST})
    assert [users(part) for part in parts[:2]] == [[1, 1, 2, 2], [3, 4, 4, 4]]
    assert parts[-1].lists.is_empty()
    assert parts[-1].lists.schema == lists.schema


def test_users_whose_rows_are_together_stay_in_the_order_of_the_file():
    lists = table([7, 7, 1, 1, 9, 2, 2, 2, 5])
    parts = parts_of(lists)
    assert [user for part in parts for user in users(part)] == lists["user"].to_list()


def test_a_shuffled_file_is_read_once():
    lists = table([3, 1, 2, 1, 3, 2, 5, 1, 4, 2, 2])
    numbers = []
    parts = parts_of(lists, {"test": TEST}, progress=numbers.append, rows_per_part=8)
    assert_whole(parts, lists, {"test": TEST})
    assert sum(numbers) == lists.height


@pytest.mark.parametrize("most", [5, 100])
def test_lists_that_may_be_few_give_the_same_parts_whether_they_are_or_not(monkeypatch, most):
    monkeypatch.setattr(partitions, "_FEW_ROWS", most)
    lists = table([3, 1, 2, 1, 3, 2, 5, 1, 4, 2, 2])
    numbers = []
    parts = parts_of(lists, {"test": TEST}, progress=numbers.append, rows_per_part=1000, few=True)
    assert_whole(parts, lists, {"test": TEST})
    assert sum(numbers) == lists.height
    expected = parts_of(lists, {"test": TEST}, rows_per_part=1000)
    assert [part.lists.equals(other.lists) for part, other in zip(parts, expected, strict=True)] == [True] * len(expected)


def test_a_user_who_comes_back_late_is_noticed_after_the_first_part():
    lists, got = table([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 1]), []
    options = {"last": ["test"], "rows_per_part": 3, "memory": MEMORY, "examine": lambda b: None, "progress": lambda n: None}
    with Scratch() as scratch, pytest.raises(ReadAgain) as again:
        got.extend(whole_users(lists.lazy(), {"test": SideTable(TEST)}, scratch=scratch, **options))
    assert got
    assert again.value.change(look_at_frame("lists", "lists", lists)).users_apart
    assert not again.value.everywhere
    numbers = []
    parts = parts_of(lists, {"test": TEST}, apart=True, progress=numbers.append)
    assert_whole(parts, lists, {"test": TEST})
    assert sum(numbers) == lists.height


def test_text_ids_are_brought_together():
    names = [f"user number {number % 7}" for number in range(50)]
    lists = table(names)
    test = table(["user number 3", "nobody", "user number 3", "user number 1"])
    assert_whole(parts_of(lists, {"test": test}), lists, {"test": test})


def test_empty_lists_give_only_the_users_of_test():
    lists = table([]).with_columns(pl.lit(1.0).alias("score"))
    parts = parts_of(lists, {"test": TEST, "train": table([1, 2, 77])})
    assert_whole(parts, lists, {"test": TEST, "train": table([1, 2, 77])})
    assert [part.sides["test"]["user"].unique(maintain_order=True).to_list() for part in parts] == [[1, 2], [4, 9], [12]]


def test_empty_tables_give_no_parts():
    assert parts_of(table([]), {"test": table([])}) == []


def test_users_of_a_side_that_is_not_in_last_are_left_out():
    train = table([1, 5, 6])
    parts = parts_of(table([1, 1]), {"test": table([1]), "train": train})
    assert [part.sides["train"]["user"].to_list() for part in parts] == [[1]]
    parts = parts_of(table([1, 1]), {"test": table([1]), "train": train}, last=["test", "train"])
    assert [part.sides["train"]["user"].to_list() for part in parts] == [[1], [5, 6]]


def test_users_of_test_are_never_left_out():
    parts = parts_of(table([1, 1]), {"test": table([1, 2])}, last=())
    assert [part.sides["test"]["user"].to_list() for part in parts] == [[1], [2]]


def test_small_lists_and_the_users_without_one_are_a_single_part():
    lists, sides = table([7, 7, 1]), {"test": TEST, "train": table([1, 2, 77])}
    parts = parts_of(lists, sides, rows_per_part=11)
    assert_whole(parts, lists, sides)
    assert len(parts) == 1
    assert len(parts_of(lists, sides, rows_per_part=10)) == 2


def test_columns_that_mark_odd_ids_are_examined_and_dropped():
    lists = table([1, 2, 2], odd_user=[False, True, False])
    seen = []
    (part,) = parts_of(lists, examine=seen.append, rows_per_part=100)
    assert "odd_user" in pl.concat(seen).columns
    assert part.lists.columns == ["user", "item", "row"]


def test_rows_without_a_user_are_examined_and_left_out():
    lists = pl.DataFrame({"user": [1, None, 1, 2], "item": [1, 2, 3, 4], "row": [0, 1, 2, 3]})
    seen = []
    (part,) = parts_of(lists, examine=seen.append, rows_per_part=100)
    assert pl.concat(seen).height == 4
    assert part.lists["row"].to_list() == [0, 2, 3]


def test_one_user_with_many_rows_is_one_part():
    lists = table([1] * 1000 + [2])
    parts = parts_of(lists, rows_per_part=10)
    assert [part.lists.height for part in parts] == [1000, 1]
    shuffled = table([1, 2] + [1] * 1000)
    assert sorted(part.lists.height for part in parts_of(shuffled, rows_per_part=10)) == [1, 1001]


def test_many_users_with_one_row_each_give_parts_of_the_requested_size():
    lists = table(list(range(1000)))
    sizes = [part.lists.height for part in parts_of(lists, rows_per_part=100)]
    assert max(sizes) <= 200
    assert sum(sizes) == 1000


@pytest.mark.parametrize("ids", ["integer", "text"])
def test_files_memory_and_threads_give_the_same_parts(ids, monkeypatch):
    numbers = [(number * 7919) % 311 for number in range(5000)]
    lists = table(numbers if ids == "integer" else [f"a long name of user {number}" for number in numbers])
    in_memory = parts_of(lists, rows_per_part=400)
    spilled = parts_of(lists, rows_per_part=400, memory=60_000)
    assert_whole(spilled, lists, {}, last=())
    monkeypatch.setattr(partitions, "n_sorting", lambda: 3)
    in_threads = parts_of(lists, rows_per_part=400, memory=60_000)
    assert len(in_memory) == len(spilled) == len(in_threads)
    for first, two, three in zip(in_memory, spilled, in_threads, strict=True):
        assert first.lists.equals(two.lists)
        assert first.lists.equals(three.lists)


def test_temporary_files_are_removed_when_the_consumer_fails(tmp_path):
    lists = table([number % 100 for number in range(2000)])

    def fail(parts):
        next(parts)
        assert list(tmp_path.iterdir())
        raise KeyError("mine")

    options = {"last": (), "rows_per_part": 300, "memory": 1, "examine": lambda b: None, "progress": lambda n: None}
    with pytest.raises(KeyError, match="mine"), Scratch(tmp_path) as scratch:
        fail(whole_users(lists.lazy(), {}, scratch=scratch, **options))
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_read_raises_a_read_error(tmp_path):
    broken = tmp_path / "lists.csv"
    broken.write_text("user,item,row\n1,2,0\n1,x,1\n")
    lists = pl.scan_csv(broken, schema={"user": pl.Int64, "item": pl.Int64, "row": pl.Int64})
    with Scratch() as scratch, pytest.raises(ReadError):
        list(whole_users(lists, {}, last=(), memory=1, scratch=scratch, examine=lambda batch: None, progress=lambda n_rows: None))


def test_few_rows_that_cannot_be_read_raise_a_read_error(tmp_path):
    broken = tmp_path / "lists.csv"
    broken.write_text("user,item,row\n1,2,0\n1,x,1\n")
    lists, examined = pl.scan_csv(broken, schema={"user": pl.Int64, "item": pl.Int64, "row": pl.Int64}), []
    with Scratch() as scratch, pytest.raises(ReadError):
        list(whole_users(lists, {}, last=(), memory=1, scratch=scratch, examine=examined.append, progress=lambda n_rows: None, few=True))
    assert not examined


@pytest.mark.parametrize("n_threads", [1, 3])
@settings(max_examples=draws(18, 100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_user_is_in_one_part_with_exactly_its_rows(n_threads, monkeypatch, data):
    monkeypatch.setattr(partitions, "n_sorting", lambda: n_threads)
    ids = st.integers(-3, 12) if data.draw(st.booleans(), "integers") else st.sampled_from([f"{n}{'x' * n}" for n in range(16)])
    columns = {role: data.draw(st.lists(ids, max_size=60), role) for role in ("lists", "test", "train")}
    if data.draw(st.booleans(), "in order"):
        columns["lists"].sort()
    kind = pl.String if any(isinstance(user, str) for users in columns.values() for user in users) else pl.Int64
    frames = {role: table(users).cast({"user": kind}) for role, users in columns.items()}
    lists = frames.pop("lists")
    last = data.draw(st.sampled_from([("test",), ("test", "train")]), "last")
    rows, memory = data.draw(st.integers(1, 70), "rows per part"), data.draw(st.sampled_from([1, 500, MEMORY]), "memory")
    for apart in (False, True):
        assert_whole(parts_of(lists, frames, apart=apart, last=last, rows_per_part=rows, memory=memory), lists, frames, last)
