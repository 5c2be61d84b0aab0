"""A test file and lists that were exchanged are refused with the options exchanged; whatever one side leaves open is evaluated."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
import pytest
import receval as library
import yaml

USERS = range(1, 7)
TEST = [(user, item, 1 + (user + item) % 5, 1_700_000_000 + item) for user in USERS for item in range(10, 12 + user % 3)]
LISTS = [(user, 8 + place, round(0.9 - place / 13, 3)) for user in USERS for place in range(5)]
RATED, SCORED = ("user", "item", "rating", "timestamp"), ("user", "item", "score")


def _text(rows: Iterable[tuple[Any, ...]], header: tuple[str, ...]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in [header, *(row[: len(header)] for row in rows)])


@pytest.fixture
def files(tmp_path, monkeypatch) -> Callable[..., None]:
    monkeypatch.chdir(tmp_path)

    def files(test: str = _text(TEST, RATED), lists: str = _text(LISTS, SCORED)) -> None:
        (tmp_path / "test.csv").write_text(test)
        (tmp_path / "lists.csv").write_text(lists)

    files()
    return files


SWAPPED = ("run", "--test", "lists.csv", "-m", "Recall@5", "-q", "--format", "csv")


@pytest.mark.parametrize("given", ["test.csv", "als=test.csv"])
def test_swapped_files_are_refused_with_options_that_give_the_right_values(given, files, receval):
    code, out, err = receval(*SWAPPED, "--recs", given)
    assert (code, out) == (3, "")
    assert "data.test: lists.csv looks like lists: as many rows of each user with 'score', and no rating" in err
    assert ": test.csv looks like a test set: it has 'rating' and 'timestamp', and no score or rank" in err
    pasted = shlex.split(re.search(r"exchange the two: (.*); if", err)[1])
    name = given.rpartition("=")[0]
    assert pasted == ["--test", "test.csv", "--recs", f"{name}=lists.csv" if name else "lists.csv"]
    right = ("run", "--test", "test.csv", "--recs", f"{name or 'lists'}=lists.csv", "-m", "Recall@5", "-q", "--format", "csv")
    values = [[line.split(",")[1:] for line in receval(*command)[1].splitlines()] for command in (("run", *pasted, *right[5:]), right)]
    assert values[0] == values[1] != []


def test_the_options_of_swapped_files_replace_those_of_a_config(files, receval):
    document = {"data": {"test": "lists.csv", "recommendations": {"als": "test.csv"}}, "evaluation": {"metrics": ["Recall@5"]}}
    with open("config.yaml", "w") as file:
        yaml.safe_dump(document, file)
    code, _, err = receval("run", "config.yaml")
    assert code == 3
    pasted = shlex.split(re.search(r"exchange the two: (.*); if", err)[1])
    assert receval("run", "config.yaml", *pasted, "-q")[0] == 0
    told = shlex.split(re.search(r"if they are right, .* or by (.*)", err)[1])
    assert receval("run", "config.yaml", *told, "-q")[0] == 0


def test_swapped_tables_in_python_are_refused_without_options_of_a_command(files):
    test, lists = pl.read_csv("test.csv"), pl.read_csv("lists.csv")
    with pytest.raises(library.DataError, match=r"exchange the two; if they are right, give columns=\{'rating': 'score'\} for test$"):
        library.evaluate(test=lists, recommendations={"als": test}, metrics=["Recall@5"])
    assert library.evaluate(test=test, recommendations={"als": lists}, metrics=["Recall@5"])["als", "Recall@5"].value > 0


@pytest.mark.parametrize(
    ("test", "lists"),
    [
        (_text(LISTS, ("user", "item", "rating")), _text(TEST, RATED)),  # a name that judges
        (_text([(*row, 1_700_000_000) for row in LISTS], (*SCORED, "timestamp")), _text(TEST, RATED)),
        (_text(LISTS[:-2], SCORED), _text(TEST, RATED)),  # lists of other lengths
        (_text([(user, item, 1 + item % 3) for user, item, _ in LISTS], SCORED), _text(TEST, RATED)),  # scores that are grades
        (_text(LISTS, SCORED), _text(TEST, ("user", "item"))),  # nothing says what the lists are
        (_text(LISTS, SCORED), _text(LISTS, ("user", "item", "rating"))),  # predicted ratings in lists of one length
        (_text(LISTS, SCORED), _text(LISTS, SCORED)),
        (_text(TEST, RATED), _text(TEST, RATED)),
    ],
)
def test_whatever_one_side_leaves_open_is_no_swap(test, lists, files, receval):
    files(test=lists, lists=test)  # each under the name of the other
    assert "looks like lists" not in receval("run", "--test", "lists.csv", "--recs", "als=test.csv", "-m", "Recall@5", "-q")[2]
