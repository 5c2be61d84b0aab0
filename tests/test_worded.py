"""Parts of messages that are written for a config, for the command line and for Python at one place."""

from __future__ import annotations

import ast
from functools import cache

import pytest
from receval import evaluate
from receval.support.errors import ConfigError, in_arguments, in_options, worded

from tests.conftest import ROOT


def test_a_part_of_a_message_has_its_words_for_options_and_for_arguments():
    text = (
        f"m: {worded('give this key, a test', option='give --this', argument='give this=1')} or {worded('give this key', argument='this')}"
    )
    assert text == "m: give this key, a test or give this key"
    assert in_options(text) == "m: give --this or give this key"
    assert in_arguments(text) == "m: give this=1 or this"  # the longest part first


@cache
def calls() -> list[ast.Call]:
    trees = [ast.parse(path.read_text("utf-8")) for folder in ("cli", "evaluator") for path in (ROOT / folder).rglob("*.py")]
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "worded"]


def test_every_part_has_other_words_somewhere_and_stands_at_one_place():
    assert len(calls()) > 15
    assert all(call.keywords for call in calls())
    texts = [ast.unparse(call.args[0]) for call in calls()]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("metric", "option", "argument"),
    [
        (
            "AlphaNDCG@5",
            "give --items FILE --set data.items.categories=COLUMN, and",
            "give items and categories='COLUMN', and split='|' if",
        ),
        ("Revenue@5", "give --set evaluation.value_columns.revenue=rows.COLUMN", "set value_columns.revenue to rows.COLUMN"),
    ],
)
def test_a_problem_has_the_words_of_its_door(metric, option, argument, write, receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "m.csv"):
        write(name, "user,item\n1,2\n")
    code, _, err = receval("run", "--test", "t.csv", "--recs", "m=m.csv", "-m", metric)
    assert (code, option in err) == (2, True), err
    with pytest.raises(ConfigError) as error:
        evaluate(test="t.csv", recommendations={"m": "m.csv"}, metrics=metric)
    assert argument in str(error.value)
