"""Hostile names and ids in every format: people see every character, programs read the original, nothing is interpreted."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import xml.etree.ElementTree as ElementTree

import polars as pl
import pytest
import yaml
from receval.render import forms

from tests.sizes import half, some

NAMES = (
    "\x1b]0;title\x07a",
    "b\rc",
    "d\ne",
    "=1+1",
    "+2",
    "-1+cmd|' /C calc'!A0",
    "@sum(A1)",
    "<script>alert(1)</script>",
    "| x |\n# h",
    r"\input{x}$%&_#",
    'a,"b',
    "\u009b31m",
    "\u202eab",
    "::error::x",
    "[l](javascript:x)",
    "`c`",
    "&lt;",
)
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]")
WRITTEN = ("r.html", "r.md", "r.tex", "report.tex", "r.xml", "r.svg")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Write a config whose models, users and items have hostile names; return its folder."""
    folder = tmp_path_factory.mktemp("hostile")
    users = [f"{name}{number}" for number, name in enumerate(NAMES * 2)]
    rows = [(user, item) for user in users for item in NAMES[:3]]
    pl.DataFrame(rows, ["user", "item"], orient="row").write_parquet(folder / "t.parquet")
    for number in range(len(NAMES)):
        lists = [(user, NAMES[(place + number) % 4], 9.0 - place) for user in users for place in range(3)]
        pl.DataFrame(lists, ["user", "item", "score"], orient="row").write_parquet(folder / f"l{number}.parquet")
    config = {
        "data": {"test": "t.parquet", "recommendations": {name: f"l{number}.parquet" for number, name in enumerate(NAMES)}},
        "evaluation": {"metrics": ["Recall@2"]},
        "gates": {"rules": ["Recall@2 >= 0.9"]},
    }
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    return folder


@pytest.fixture
def run(world, receval, monkeypatch):
    monkeypatch.chdir(world)
    if not (world / "o").exists():
        assert receval("run", "c.yaml", "-o", "o/", *(part for name in WRITTEN for part in ("-o", name)))[0] == 1
    return receval


PEOPLE = [
    "run c.yaml -v",
    "run c.yaml --format md",
    "run c.yaml --format latex",
    "check c.yaml",
    "describe c.yaml",
    "describe c.yaml --format md",
    "audit c.yaml",
    "audit c.yaml --format md",
    "compare o/",
    "compare o/ --format md",
    "gate c.yaml",
    "gate c.yaml --format md",
    "gate c.yaml --format junit",
    "report o/ --format md",
    "report o/ --format html",
    "report o/ --format junit",
    "report o/ --format latex",
    "report o/ --format badge",
    "run c.yaml -q --ci github",
]


@pytest.mark.parametrize("command", half(some(PEOPLE, 10)))
def test_no_name_is_interpreted_on_a_screen(command, run):
    code, out, err = run(*command.split())
    assert code in (0, 1, 2), err
    assert not ACTING.search(out + err)
    if command.endswith("md"):
        _is_plain_markdown(out)
    if command.endswith("latex"):
        assert r"\input{x}" not in out


@pytest.mark.parametrize("name", ["o/results.md", *WRITTEN])
def test_no_name_is_interpreted_in_files_for_people(name, run, world):
    text = (world / name).read_bytes().decode()
    assert not ACTING.search(text)
    assert "<script>alert" not in text.replace(r"\<script", "")
    if name.endswith(".md"):
        _is_plain_markdown(text)
    if name.endswith((".xml", ".svg")):
        ElementTree.fromstring(text)


def _is_plain_markdown(text):
    """Return whether no name is HTML, a link or a heading, and every line of a table has the columns of the one above it."""
    assert not re.search(r"(?<!\\)<script", text)
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    assert "\n# h" not in text
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table[:500]


@pytest.mark.parametrize("command", ["run c.yaml --format csv", "audit c.yaml --format csv", "compare o/ --format csv"])
def test_csv_has_one_record_per_row_and_unchanged_names(command, run):
    rows = list(csv.DictReader(io.StringIO(run(*command.split())[1], newline="")))
    assert {row["model"] for row in rows} <= set(NAMES)
    assert len({row["model"] for row in rows}) >= len(NAMES) - 1


@pytest.mark.parametrize("name", ["results.csv", "results_wide.csv"])
def test_csv_files_have_unchanged_names(name, run, world):
    with open(world / "o" / name, newline="") as file:
        assert [row["model"] for row in csv.DictReader(file)] == sorted(NAMES)
    assert pl.read_csv(world / "o" / name, infer_schema=False)["model"].to_list() == sorted(NAMES)


def test_per_user_values_in_csv_have_unchanged_names(run):
    rows = list(csv.DictReader(io.StringIO(run("run", "c.yaml", "--per-user")[1], newline="")))
    assert {row["user"] for row in rows} == {f"{name}{number}" for number, name in enumerate(NAMES * 2)}


@pytest.mark.parametrize("command", ["run c.yaml --format json", "audit c.yaml --format json", "compare o/ --format json"])
def test_json_has_unchanged_names(command, run):
    content = json.loads(run(*command.split())[1])
    assert json.dumps(NAMES[0])[1:-1] in json.dumps(content)


@pytest.mark.parametrize(
    "command", ["run c.yaml --format csv", "run c.yaml --per-user", "audit c.yaml --format csv", "compare c.yaml --format csv"]
)
def test_with_spreadsheet_safe_no_name_is_a_formula(command, run, world):
    config = yaml.safe_load((world / "c.yaml").read_text())
    (world / "safe.yaml").write_text(yaml.safe_dump({**config, "output": {"spreadsheet_safe": True}}))
    code, out, err = run(*command.replace("c.yaml", "safe.yaml").split())
    cells = [cell for row in csv.reader(io.StringIO(out, newline="")) for cell in row]
    assert (code in (0, 1), "'=1+1" in "".join(cells)) == (True, True), err
    assert not [cell for cell in cells if cell.startswith(forms.FORMULA) and forms.guard(cell) != cell]


def test_numbers_are_not_escaped_as_formulas():
    assert forms.as_csv([["-1.5", -2.5, "+3", "-x", "", None]], spreadsheet_safe=True) == b"-1.5,-2.5,+3,'-x,,\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no terminals of programs")
@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "md"])
def test_formats_for_machines_escape_names_on_a_terminal(form, run, monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    shown = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr("sys.stdout", shown)
    from receval.cli.main import main

    main(["run", "c.yaml", "--format", form])
    assert not ACTING.search(shown.buffer.getvalue().decode())
