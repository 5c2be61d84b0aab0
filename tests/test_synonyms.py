"""Names that are close to mistyped ones: one likeness and one question for all messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from receval.support.synonyms import did_you_mean, nearest, question

from tests.tree import below

KNOWN = ("popular", "pop", "random", "knn")


def test_names_are_compared_in_one_place_only():
    comparing = [path.name for path in below("evaluator", "cli") if path.suffix == ".py" and "get_close_matches" in path.read_text("utf-8")]
    assert comparing == ["synonyms.py"]


def test_the_question_is_worded_in_one_place_only():
    worded = {path.name for path in below("evaluator", "cli") if path.suffix == ".py" and "did you mean {" in path.read_text("utf-8")}
    assert worded == {"synonyms.py"}


@pytest.mark.parametrize(
    ("name", "close"),
    [("kn", ["knn"]), ("knm", ["knn"]), ("popualr", ["popular"]), ("ran", ["random"]), ("ra", []), ("nobody", []), ("", [])],
)
def test_a_name_is_close_by_its_letters_or_as_a_begin_of_three(name, close):
    assert nearest(name, KNOWN) == close


def test_the_question_replaces_what_is_said_otherwise():
    assert did_you_mean("kn", KNOWN, "; there are four", before=" — ") == " — did you mean 'knn'?"
    assert did_you_mean("x", KNOWN, "; there are four", before=" — ") == "; there are four"
    assert did_you_mean("kn", KNOWN, shown=lambda name: Path(f"{name}.csv")) == "did you mean knn.csv?"
    assert question(7, "ana") == "did you mean 7 or 'ana'?"
