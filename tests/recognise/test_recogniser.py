"""`recognise`: what is given decides, and every answer to a question can be given."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from receval.load.scan import ReadOptions, flat_columns
from receval.recognise.reading import FileReading, options_of
from receval.recognise.recogniser import Question

from tests.recognise.asking import Asked

GRADED = "a,b,c\n" + "".join(f"{user},{item},{(user + item) % 3}\n" for user in range(1, 9) for item in range(20, 24))


def asked(folder: Path, text: str, options: ReadOptions | None = None) -> FileReading | Question | None:
    path = folder / "t.csv"
    path.write_text(text)
    return Asked([path], [], {path: options or ReadOptions()}).answer(path)


def given_by(line: str, source: str) -> ReadOptions:
    """Return what options of the command give to a source."""
    keys: dict[str, Any] = {}
    for word in shlex.split(line)[1::2]:
        key, _, value = word.removeprefix(f"{source}.").partition("=")
        keys[key] = yaml.safe_load(value)
    columns = {key.removeprefix("columns."): value for key, value in keys.items() if key.startswith("columns.")}
    ways = {role: name for role, name in columns.items() if isinstance(name, dict)}
    names = {role: name["column"] if role in ways else name for role, name in columns.items()}
    return ReadOptions(
        columns=flat_columns({role: name for role, name in names.items() if name is not None}),
        absent=frozenset(role for role, name in names.items() if name is None),
        integers=frozenset(role for role, way in ways.items() if "as" in way),
        ascending=frozenset(role for role, way in ways.items() if "order" in way),
        **{key: tuple(value) if key == "padding" else value for key, value in keys.items() if not key.startswith("columns.")},
    )


def test_every_answer_to_a_question_gives_the_reading_for_which_it_is_printed(tmp_path: Path) -> None:
    question = asked(tmp_path, GRADED)
    assert isinstance(question, Question)
    for reading in question.readings:
        found = asked(tmp_path, GRADED, given_by(options_of(reading, question.readings, "data.test"), "data.test"))
        assert isinstance(found, FileReading)
        assert found.settings == reading.settings


@pytest.mark.parametrize("role", ["rating", None])
def test_what_is_given_decides(tmp_path: Path, role: str | None) -> None:
    names = {"user": "a", "item": "b", **({role: "c"} if role else {})}
    found = asked(tmp_path, GRADED, ReadOptions(columns=names, absent=frozenset() if role else frozenset({"rating"})))
    assert isinstance(found, FileReading)
    assert found.columns == names


@pytest.mark.parametrize("order", ["score", "ascending"])
def test_a_score_is_what_is_said_of_it(tmp_path: Path, order: str) -> None:
    path = tmp_path / "l.csv"
    path.write_text("user,item,V1\n" + "".join(f"{user},{20 + n},{9 - n}.5\n" for user in range(1, 9) for n in range(4)))
    options = ReadOptions(columns={"score": "V1"}, ascending=frozenset({"score"} if order == "ascending" else ()))
    found = Asked([], [path], {path: options}).answer(path)
    assert isinstance(found, FileReading)
    assert found.order == order


def test_one_event_of_a_log_is_weighed_alone(tmp_path: Path) -> None:
    rows = [(user, item, "view", 0) for user in range(1, 9) for item in range(20, 26)]
    rows += [(user, 20 + user % 4, "buy", 5) for user in range(1, 9)]
    text = "user,item,event,rating\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    found = asked(tmp_path, text, ReadOptions(where="event == 'buy'"))
    assert isinstance(found, FileReading)
    assert "event" not in found.unread


def test_a_file_whose_names_say_other_roles_is_not_recognised(tmp_path: Path) -> None:
    text = "price,brand\n" + "".join(f"{n}.5,b{n % 3}\n" for n in range(9))
    assert asked(tmp_path, text) is None


def test_a_file_of_one_column_is_not_recognised(tmp_path: Path) -> None:
    assert asked(tmp_path, "a\nb\nc\n") is None
