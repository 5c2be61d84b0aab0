"""Odd files (quotes, headers, types that change late) have the values of a literal reader, or are refused with their line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from receval import load_config, run
from receval.support.errors import DataError
from receval.syntax.measure_strings import parse

from tests.conftest import values
from tests.literal_reader import Refused, Row, mean, rows_of_csv, rows_of_ndjson, rows_of_trec
from tests.sizes import draws

BIG = 2**53
MANY = 1_100
"""More rows than the detection of types reads."""
USERS = ("1", "2", "ann")
ITEMS = ("10", "11", "010", "book", "15", "7in")
TITLES = ("LP", '7" vinyl', 'end"', '"a, b"', '"12"" x"', '"open', '"closed" and more', '"two\nlines"', "nul\0", '"', '""')
JSON_ITEMS = ("10", "15", "15.0", "15.7", '"x"', '"[15.0]"', "[15]", '{"a": 15}', "true", '"n\\u0000"')
TREC_LINES = (
    "{user} Q0 {item} 1 {score} tag",
    "{user}\tQ0  {item} 1 {score} tag ",
    "{user} Q0 {item} 1 {score}",
    "{user} Q0 {item}\0 1 {score} tag",
)
RELEVANT = {"0": {"0"}, "1": {"10", "15"}, "2": {"11", "book"}, "ann": {"010", "15"}}


def reciprocal_rank(hits: list[bool], n_relevant: int) -> float:
    return 1 / (hits.index(True) + 1) if True in hits else 0.0


def recall(hits: list[bool], n_relevant: int) -> float:
    return sum(hits) / n_relevant


def literal(rows: Sequence[Row]) -> dict[str, float]:
    return {"MRR": mean(rows, RELEVANT, reciprocal_rank), "Recall": mean(rows, RELEVANT, recall)}


def evaluated(folder: Path, name: str, content: str, **source: Any) -> dict[str, float | None]:
    (folder / name).write_bytes(content.encode())
    pairs = [f"{user},{item}\n" for user, items in RELEVANT.items() for item in sorted(items)]
    (folder / "test.csv").write_text("user,item\n" + "".join(pairs))
    evaluation = {"metrics": ["MRR(list_order=score)", "Recall"], "top_k": ["none"]}
    data = {"test": "test.csv", "recommendations": {"model": {"path": name, **source}}}
    (folder / "config.yaml").write_text(yaml.safe_dump({"data": data, "evaluation": evaluation, "health": "off"}))
    found = values(run(load_config(folder / "config.yaml")))
    return {parse(label).name: value for label, value in found.items()}


def assert_alike(folder: Path, name: str, content: str, rows: Any, **source: Any) -> None:
    try:
        expected = literal(rows())
    except Refused:
        with pytest.raises(DataError, match=r"line \d+"):
            evaluated(folder, name, content, **source)
    else:
        assert evaluated(folder, name, content, **source) == pytest.approx(expected, abs=1e-12)


def scored(lines: list[tuple[str, str]], large: bool) -> list[tuple[str, str, str]]:
    """Return lines of users and their second field with different scores; if `large`, only exact arithmetic separates neighbours."""
    return [(user, text, str((BIG if large else 0) + (7 * index) % 101)) for index, (user, text) in enumerate(lines)]


def pairs(others: Sequence[str]) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(st.tuples(st.sampled_from(USERS), st.sampled_from(others)), min_size=1, max_size=6, unique=True)


@settings(max_examples=draws(28, 80))
@given(
    lines=pairs(ITEMS),
    titles=st.lists(st.sampled_from(TITLES), min_size=6, max_size=6),
    separator=st.sampled_from(",\t"),
    end=st.sampled_from(["\n", "\r\n"]),
    ends=st.booleans(),
    has_header=st.booleans(),
    late=st.booleans(),
    large=st.booleans(),
)
def test_text_has_the_values_of_the_literal_reader(lines, titles, separator, end, ends, has_header, late, large, tmp_path_factory):
    rows = [[user, item, score, title] for (user, item, score), title in zip(scored(lines, large), titles, strict=False)]
    rows = [["0", str(number), str(-number), "x"] for number in range(MANY if late else 1)] + rows
    rows = [["user", "item", "score", "title"], *rows] if has_header else rows
    content = end.join(separator.join(row) for row in rows) + (end if ends else "")
    source = {"separator": separator} if has_header else {"separator": separator, "columns": {"user": 1, "item": 2, "score": 3}}
    folder = tmp_path_factory.mktemp("text")
    assert_alike(folder, "l.csv", content, lambda: rows_of_csv(content, separator, has_header), **source)


@settings(max_examples=draws(14, 40))
@given(lines=pairs(JSON_ITEMS), late=st.booleans(), large=st.booleans())
def test_ndjson_has_the_values_of_the_literal_reader(lines, late, large, tmp_path_factory):
    first = [f'{{"user": 0, "item": {number}, "score": {-number}}}' for number in range(MANY if late else 1)]
    content = "\n".join(
        [*first, *(f'{{"user": {json.dumps(user)}, "item": {item}, "score": {score}}}' for user, item, score in scored(lines, large))]
    )
    assert_alike(tmp_path_factory.mktemp("json"), "l.ndjson", content, lambda: rows_of_ndjson(content))


@settings(max_examples=draws(14, 40))
@given(lines=pairs(ITEMS), forms=st.lists(st.sampled_from(TREC_LINES), min_size=6, max_size=6), late=st.booleans(), large=st.booleans())
def test_trec_has_the_values_of_the_literal_reader(lines, forms, late, large, tmp_path_factory):
    first = [f"0 Q0 {number} 1 {-number} tag" for number in range(MANY if late else 1)]
    written = zip(scored(lines, large), forms, strict=False)
    content = "\n".join([*first, *(form.format(user=user, item=item, score=score) for (user, item, score), form in written)])
    assert_alike(tmp_path_factory.mktemp("trec"), "l.run", content, lambda: rows_of_trec(content), format="trec")
