"""Quotation marks work as in Python's `csv` module; a file that it reads differently is refused with the line."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.evaluation.files import SourceReader
from receval.support.errors import DataError

from tests.load.conftest import look_at
from tests.sizes import draws

TEST = "user,item\n1,10\n2,12\n3,13\n4,14\n"
INCHES = 'user,item,score,title\n1,10,0.9,7" vinyl\n2,12,0.8,LP\n3,98,0.7,CD\n4,14,0.6,12" vinyl\n'
"""Three of four users have their item first; two stray marks are far apart."""
PACKINGS = {"l.csv": bytes, "l.csv.gz": gzip.compress, "l.csv.zst": zstandard.compress}


def read(path: Path, separator: str = ",") -> list[tuple[str, str, str]]:
    """Return user, item and title of every row that has user and item, as receval reads them."""
    source = look_at("data.test", "interactions", path, separator=separator, labels=["title"])
    frame = SourceReader(path.parent, tolerant=True).frame(source)
    return [(user, item, title or "") for user, item, title in frame.select("user", "item", "label_0").iter_rows()]


@pytest.mark.parametrize("name", PACKINGS)
@pytest.mark.parametrize("text", [INCHES, INCHES.rstrip("\n"), INCHES.replace('12" vinyl', "12 vinyl"), INCHES.replace("\n", "\r\n")])
def test_stray_marks_inside_fields_are_characters_and_swallow_no_row(name, text, write, evaluate_lists):
    write("test.csv", TEST)
    write(name, PACKINGS[name](text.encode()))
    assert evaluate_lists(name, test="test.csv") == {"MRR@10": 0.75, "Recall@10": 0.75}


def test_one_mark_in_the_last_row_of_a_file_without_a_final_newline_does_not_lose_the_row(write, evaluate_lists):
    write("test.csv", 'user,item,title\n1,10,a\n2,12,b"')
    write("l.csv", "user,item\n1,10\n2,12")
    assert evaluate_lists("l.csv", test="test.csv")["Recall@10"] == 1.0


def test_stray_marks_in_a_file_of_tabs_are_characters(write, evaluate_lists):
    write("test.tsv", TEST.replace(",", "\t"))
    write("l.tsv", INCHES.replace(",", "\t"))
    assert evaluate_lists("l.tsv", test="test.tsv")["Recall@10"] == 0.75


@pytest.mark.parametrize("name", PACKINGS)
def test_one_file_can_have_quoted_fields_and_stray_marks(name, write, evaluate_lists):
    write("test.csv", TEST)
    text = 'user,item,score,title\n1,"10",0.9,7" vinyl\n2,12,0.8,"a, ""b"""\n3,98,0.7,CD\n"4",14,0.6,"12\nand more"\n'
    write(name, PACKINGS[name](text.encode()))
    assert evaluate_lists(name, test="test.csv")["Recall@10"] == 0.75


def test_files_of_one_model_can_differ_in_quoting(write, evaluate_lists):
    write("test.csv", TEST)
    write("a.csv", 'user,item,title\n1,10,7" vinyl\n')
    write("b.csv", 'user,item,title\n2,12,"a, b"\n3,98,x\n')
    write("c.csv", "user,item,title\n4,14,y\n")
    assert evaluate_lists(["a.csv", "b.csv", "c.csv"], test="test.csv")["Recall@10"] == 0.75


@pytest.mark.parametrize("name", PACKINGS)
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('3,13,0.7,"open', "line 2003: a quoted field starts in this row and is never closed"),
        ('3,13,0.7,"12" vinyl', "line 2003: there is text after the closing quotation mark of a field"),
        (
            '3,13,0.7,"two\nlines"!',
            "line 2004: there is text after the closing quotation mark of a field, in a row that starts in line 2003",
        ),
        ("3,13,0.7,a\0b", "line 2003: not a text file"),
    ],
)
def test_a_quoted_field_that_does_not_end_well_is_refused_with_its_line(name, row, message, write, evaluate_lists):
    text = "user,item,score,title\n" + "1,10,0.9,x\n" * 2_001 + f"{row}\n4,14,0.6,w\n"
    write(name, PACKINGS[name](text.encode()))
    with pytest.raises(DataError, match=re.escape(message)):
        evaluate_lists(name)


@pytest.mark.parametrize("name", ["l.csv.gz", "l.csv.zst"])
def test_a_truncated_compressed_file_with_marks_is_refused(name, write, evaluate_lists):
    text = "user,item,score,title\n" + "".join(f'{number},{number * 7919 % 997},0.5,"a, {number}"\n' for number in range(300_000))
    write(name, PACKINGS[name](text.encode())[:-1000])
    with pytest.raises(DataError, match=re.escape(name)):
        evaluate_lists(name)


def test_a_fault_below_a_field_of_several_lines_has_its_line_number_in_the_file(write, evaluate_lists):
    write("l.csv", 'user,item,score,title\n1,10,0.9,"one\ntwo\nthree"\n2,,0.5,x\n')
    with pytest.raises(DataError, match="line 5: no value for item"):
        evaluate_lists("l.csv")


PLAIN = ("a", "7", "", " ")
MARKED = (
    'in"ch',
    'end"',
    '"',
    '""',
    '"""',
    '"quoted"',
    '"a,b"',
    '"tab\tinside"',
    '"dou""ble"',
    '"open',
    '"a"b',
    '"two\nlines"',
    '"x\r\ny"',
)
FIELDS = (*PLAIN, *MARKED)
rows = st.lists(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=3) | st.just(["u", "i", "t", "more"]), max_size=6)


@settings(max_examples=draws(105, 300))
@given(rows=rows, separator=st.sampled_from(",\t;"), end=st.sampled_from(["\n", "\r\n"]), ends=st.booleans(), late=st.booleans())
def test_any_text_is_read_like_the_csv_module_or_refused_with_a_line(rows, separator, end, ends, late, tmp_path_factory):
    first = [["user", "item", "title"], ["u", "i", "t"], *([["u", "i"]] * 1_000 if late else [])]
    text = end.join(separator.join(row) for row in [*first, *rows]) + (end if ends else "")
    path = tmp_path_factory.mktemp("any") / "any.csv"
    path.write_bytes(text.encode())
    try:
        expected = [[*row, "", ""][:3] for row in csv_rows(text, separator)]
    except (csv.Error, ValueError):
        with pytest.raises(DataError, match=r"line \d+"):
            read(path, separator)
    else:
        assert read(path, separator) == [tuple(row) for row in expected if row[0] and row[1]]


def csv_rows(text: str, separator: str) -> list[list[str]]:
    """Return the rows as Python reads them, without the header; raise `ValueError` if a row has more fields than the header."""
    _, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    if any(len(row) > 3 for row in rows):
        raise ValueError("too many fields")
    return rows
