"""Samples of files, cut into columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from receval.load.scan import ReadOptions
from receval.load.source_file import SourceFile
from receval.recognise.sampled_values import SampledColumn
from receval.recognise.sheets import Sheet, look


def sheets(folder: Path, text: str, options: ReadOptions | None = None, *, whole: bool = False) -> list[Sheet]:
    path = folder / "a.csv"
    path.write_text(text)
    return look(SourceFile.from_path(path), "csv", options or ReadOptions(), whole=whole)


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", "::", " "])
def test_the_separator_gives_lines_the_same_number_of_fields(tmp_path: Path, separator: str) -> None:
    (sheet,) = sheets(tmp_path, "".join(f"{n}{separator}i{n}{separator}{n}.5\n" for n in range(9)))
    assert (sheet.separator, sheet.header, len(sheet.columns)) == (separator, False, 3)


def test_lines_of_different_lengths_are_a_user_and_items(tmp_path: Path) -> None:
    (sheet,) = sheets(tmp_path, "1 4 5\n2 6\n3 4 5 6\n")
    assert sheet.format == "ragged"
    assert sheet.columns[1].values == [["4", "5"], ["6"], ["4", "5", "6"]]


def test_a_few_broken_lines_make_no_lists(tmp_path: Path) -> None:
    (sheet,) = sheets(tmp_path, "1;10;0,9\n" * 40 + "2;12;0;6\n")
    assert len(sheet.columns) == 3
    (sheet,) = sheets(tmp_path, "user,item,rating\n1,2,3\n1,2\n2,4,5\n3,4\n")
    assert [column.name for column in sheet.columns] == ["user", "item", "rating"]


def test_a_filter_leaves_rows_out_before_anything_is_weighed(tmp_path: Path) -> None:
    text = "user,item,event\n" + "".join(f"{n},{n + 50},{'buy' if n % 100 == 0 else 'view'}\n" for n in range(900))
    (sheet,) = sheets(tmp_path, text, ReadOptions(where="event == 'buy'"))
    assert sheet.columns[0].values == [str(n) for n in range(0, 900, 100)]
    assert sheet.filtered == {"event"}
    assert sheet.is_complete


def test_a_name_in_the_config_tells_that_the_first_line_is_a_header(tmp_path: Path) -> None:
    (sheet,) = sheets(tmp_path, "a1,b1\na2,b2\na3,b3\n", ReadOptions(columns={"user": "a1"}))
    assert sheet.header is True


def test_the_sample_of_a_long_file_is_not_complete_and_the_whole_is_read_when_asked(tmp_path: Path) -> None:
    text = "".join(f"{n},i{n}\n" for n in range(5_000))
    (head,), (whole,) = sheets(tmp_path, text), sheets(tmp_path, text, whole=True)
    assert not head.is_complete
    assert len(head.columns[0].values) <= 301
    assert whole.is_complete
    assert len(whole.columns[0].values) == 5_000


def sheet_with_lists(lists: list[list[int]]) -> tuple[Sheet, SampledColumn, SampledColumn]:
    rows = [(f"u{user}", str(number)) for user, numbers in enumerate(lists) for number in numbers]
    users, numbers = (SampledColumn(None, place, values) for place, values in enumerate(zip(*rows, strict=True), 1))
    return Sheet("csv", [users, numbers]), users, numbers


def test_numbers_of_lists_count_fall_or_are_a_permutation() -> None:
    for lists, signs in (
        ([[1, 2, 3, 4], [1, 2, 3]] * 3, {"counts", "permutes", "rises"}),
        ([[0, 1, 2], [0, 1]] * 3, {"counts", "permutes", "rises"}),
        ([[2, 3, 1, 4], [3, 1, 2]] * 3, {"permutes"}),
        ([[4, 3, 2, 1], [3, 2, 1]] * 3, {"falls"}),
        ([[9, 5, 2], [8, 3]] * 3, {"falls"}),
    ):
        sheet, users, numbers = sheet_with_lists(lists)
        order = sheet.order(users, numbers)
        assert {sign for sign in ("counts", "permutes", "falls", "rises") if getattr(order, sign) > 0} == signs
