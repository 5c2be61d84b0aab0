"""Kinds and forms of values, and what ids in common say."""

from __future__ import annotations

import pytest
from receval.recognise.sampled_values import IdSet, KnownIds, SampledColumn, form_of, number_of, overlap


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "30"], "integer"),
        (["12.0", "7.0"], "whole"),
        (["0.5", "1e-3"], "decimal"),
        (["3,5", "4"], "comma"),
        (["True", "false"], "boolean"),
        (["2024-01-05", "2024-02-01 10:00"], "date"),
        (["1700000000", "1700000100"], "time"),
        (["1700000000000", "1700000100000"], "time"),
        (["1700000000000000000", "1700000100000000000"], "time"),
        (["1234567890123456789", "1334567890123456780"], "integer"),
        (["0706016001", "0751471001"], "integer"),
        (["", ""], "empty"),
        (["i7", "12"], "text"),
    ],
)
def test_values_have_a_kind(values: list[str], kind: str) -> None:
    assert SampledColumn("x", 1, values).kind == kind


@pytest.mark.parametrize("text", ['["a", "b c"]', "['a', 'b c']", "('a', 'b c')", "['a' 'b c']"])
def test_a_list_in_brackets_is_read_as_json_python_and_numpy_write_it(text: str) -> None:
    assert SampledColumn("x", 1, [text]).values == [["a", "b c"]]


def test_escapes_in_brackets_are_read() -> None:
    assert SampledColumn("x", 1, ['["x\\ty", "\\u00e9日"]', "['a' 'x\\ty']"]).values == [["x\ty", "é日"], ["a", "x\ty"]]


def test_forms_are_alike_for_codes() -> None:
    assert form_of("i015") == form_of("B00X1K") == "a9"
    assert form_of("Toy Story") == "a a"


def test_words_are_truths() -> None:
    assert [number_of("True"), number_of("no"), number_of("3,5"), number_of("x")] == [1, 0, 3.5, None]


def test_texts_in_common_say_much_and_dense_integers_nothing() -> None:
    texts, integers = IdSet(f"i{n}" for n in range(30)), IdSet(map(str, range(30)))
    assert overlap(texts, texts) == 12
    assert overlap(integers, integers) == 0
    assert overlap(IdSet(str(n * 1_000_003) for n in range(30)), IdSet(str(n * 1_000_003) for n in range(40))) > 6


def test_ids_that_match_nothing_of_a_whole_file_speak_against_a_role() -> None:
    known = KnownIds(["u1", "u2", "u3"], ["i1", "i2", "i3"], is_complete=True)
    assert known.bits(IdSet(["u1", "u2", "u3"]), "user") > 6
    assert known.bits(IdSet(["i1", "i2", "i3"]), "user") < -6
    assert known.bits(IdSet(["x", "y", "z"]), "user") < 0


def test_a_column_that_counts_rows_is_an_index_only_without_a_name() -> None:
    rows = list(map(str, range(5)))
    assert SampledColumn("", 1, rows).is_index
    assert SampledColumn("Unnamed: 0", 1, rows).is_index
    assert not SampledColumn("user", 1, rows).is_index
