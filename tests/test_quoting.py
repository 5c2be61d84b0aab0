"""Messages quote little of any text, and no character that they quote is interpreted."""

from __future__ import annotations

import csv

import pytest
from receval.support.errors import ConfigError, DataError, MachineError, OutputError
from receval.support.quoting import one_line, sentence

from tests.sizes import each_once

LONG = "w" * 200_000
SPACED = "w " * 100_000
CONFIG = "data: {test: t.csv, recommendations: {m: l.csv}}\nevaluation: {metrics: [Recall@2]}\n"


@pytest.mark.parametrize("kind", [ConfigError, DataError, MachineError, OutputError])
@pytest.mark.parametrize(
    "quoted",
    ids=["word", "words", "path", "controls", "lines"],
    argvalues=[LONG, SPACED, f"{LONG}/{LONG}", "\x1b" * 100_000, "\n".join(["w" * 1_000] * 100)],
)
def test_long_failures_are_cut(kind, quoted):
    error = kind(f"the model '{quoted}' is none", f"not {quoted}")
    for told in (str(error), error.shown()):
        assert len(told) < 6_000
        assert len(told.splitlines()) <= 20
        assert "\x1b" not in told


def test_80_characters_of_a_word_or_a_quotation_are_shown():
    assert one_line(f"the model {LONG} is none") == f"the model {'w' * 79}… is none"
    assert one_line(f"the model '{'w ' * 80}' is none") == f"the model '{('w ' * 80)[:78]}…' is none"


def test_a_long_path_is_shown_whole():
    path = "/".join(["folder"] * 50)
    assert one_line(f"there is no file {path}.csv") == f"there is no file {path}.csv"


@pytest.mark.parametrize("character", ["\x1b", "\x07", "\r", "\x9b", "\u202e", "\u2028", "\ud800", "\0"])
def test_a_control_character_is_shown_by_its_number(character):
    assert sentence(f"a{character}b\nc") == f"a{character.encode('unicode_escape').decode()}b\nc"


@pytest.fixture
def world(write, tmp_path, monkeypatch):
    write("t.csv", "user,item\n1,10\n2,11\n")
    write("l.csv", "user,item,score\n1,10,1\n2,11,1\n")
    write("c.yaml", CONFIG)
    monkeypatch.chdir(tmp_path)
    return write


FILES = {
    "an id": f"user,item,score\n{LONG},10,1\n",
    "a repeated id": f"user,item,score\n{LONG[:9_000]},10,1\n{LONG[:9_000]},10,2\n",
    "a number": f"user,item,score\n1,10,{LONG}\n",
    "a header": f"{LONG},b,c\n1,2,3\n",
    "5,000 columns": ",".join(f"column{n}" for n in range(5_000)) + "\n",
    "a line": LONG,
    "controls": "us\x1b]0;x\x07er,item\n1,2\n",
    "broken rows": "user,item,score\n" + "1,,\n" * 30_000,
}
COMMANDS = ("run", "check", "describe", "init")


@pytest.mark.parametrize(("name", "command"), each_once(FILES, COMMANDS))
def test_an_error_of_a_file_is_short(name, command, world, receval):
    world("x.csv", FILES[name])
    arguments = ("t.csv", "x.csv") if command == "init" else ("c.yaml", "--set", "data.recommendations.m=x.csv")
    code, _, err = receval(command, *arguments)
    assert (code in (0, 1, 3), len(err) < 3_000, "\x1b" in err) == (True, True, False), err[:500]


ARGUMENTS = [
    ["X"],
    ["run", "X"],
    ["run", "c.yaml", "--X"],
    ["run", "c.yaml", "--format", "X"],
    ["run", "c.yaml", "--columns", "X"],
    ["run", "c.yaml", "--set", "X"],
    ["run", "c.yaml", "--set", "evaluation.metrics=[X]"],
    ["run", "c.yaml", "--set", "health={X: error}"],
    ["run", "c.yaml", "--recs", "X=l.csv", "--set", "evaluation.metrics=[none]"],
    ["run", "c.yaml", "--recs", "x=X"],
    ["run", "c.yaml", "-o", "X.odd"],
    ["explain", "X", "c.yaml", "--user", "1"],
    ["explain", "Recall@2", "c.yaml", "--user", "X"],
    ["explain", "Recall@2", "c.yaml", "--user", "1", "--model", "X"],
    ["metrics", "X"],
    ["compare", "X"],
    ["gate", "c.yaml", "--rule", "X"],
    ["track", "X"],
    ["baseline", "X"],
]


@pytest.mark.parametrize(("arguments", "is_long"), each_once(ARGUMENTS, [True, False]))
def test_an_error_of_an_argument_is_short(arguments, is_long, world, receval):
    given = LONG[:100_000] if is_long else "\x1b]0;title\x07"
    code, _, err = receval(*(part.replace("X", given) for part in arguments))
    assert (code in (2, 3), len(err) < 1_500, "\x1b" in err) == (True, True, False), (code, err[:500])


def test_a_list_in_a_field_can_be_longer_than_the_default_limit_of_python(world, receval):
    items = ", ".join(map(str, range(10, 100_000)))
    world("x.csv", f'user,items\n1,"[{items}]"\n2,"[{items}]"\n')
    before = csv.field_size_limit()
    code, out, err = receval("run", "c.yaml", "--set", "data.recommendations.m=x.csv", "--set", "health=off", "--format", "csv")
    assert (code, "m,Recall@2,Recall,2,mean,,,,,1.0," in out) == (0, True), err
    assert csv.field_size_limit() == before
