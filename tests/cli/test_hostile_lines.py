"""No text of data begins a line of its own: a line that begins with `::` would be a command to a runner of GitHub."""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest
import yaml
from receval.support.errors import ConfigError, DataError
from receval.support.quoting import one_line, sentence

from tests.sizes import some

LINES = ("\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")
"""Everything that some program takes for the end of a line."""
COMMAND = "::error::boom"
COMMANDS = re.compile("(?:^|[\n\r\x0b\x0c\x1c\x85\u2028\u2029])\\s*(?:::|##\\[)")


def names():
    return [f"a{end}{COMMAND}" for end in LINES] + [COMMAND, f"  {COMMAND}", "##[error]boom", f"```{LINES[0]}{COMMAND}"]


@pytest.mark.parametrize("kind", [ConfigError, DataError])
@pytest.mark.parametrize("name", names())
def test_a_message_quotes_a_text_on_one_line(kind, name):
    error = kind(f"{name} is wrong", f"write {name}")
    assert len(str(error).splitlines()) == 2
    for shown in (str(error), error.shown(), one_line(name), sentence(f"{name}\n{name}")):
        assert not COMMANDS.search(shown)
    assert kind(["first", "second"], ["third", "fourth"]).message == "first\nsecond"


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    events = names() * 2
    rows = {"user": [1, 2] * len(names()), "item": range(2 * len(names())), "event": events, "day": ["2024-01-01"] * len(events)}
    pl.DataFrame(rows).write_parquet("t.parquet")
    models = {}
    for number, name in enumerate(names()):
        path = f"{name.replace('/', '')}.csv"
        pl.DataFrame({"user": [1, 2], "item": [number, 0], "score": [1.0, 0.5]}).write_csv(path)
        models[name] = path
    config = {
        "data": {"test": "t.parquet", "recommendations": models},
        "evaluation": {"metrics": ["Recall@2"], "by": ["rows.event"]},
        "gates": {"rules": ["Recall@2 >= 0.9"]},
        "report": {"title": f"a\u2028{COMMAND}"},
    }
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / f"{COMMAND}.yaml").write_text(yaml.safe_dump({**config, "data": {"test": 5, "train": 6}}))
    return tmp_path


SHOWING = [
    ["run", "c.yaml", "-v", "--ci", "github"],
    ["run", "c.yaml", "--format", "md"],
    ["run", "c.yaml", "--format", "json"],
    ["run", "c.yaml", "--format", "latex"],
    ["run", "c.yaml", "--print-config"],
    ["run", f"{COMMAND}.yaml"],
    ["validate", f"{COMMAND}.yaml", f"./{COMMAND}.yaml"],
    ["check", "c.yaml"],
    ["describe", "c.yaml"],
    ["describe", "c.yaml", "--format", "md"],
    ["audit", "c.yaml", "--format", "md"],
    ["gate", "c.yaml", "--format", "md"],
    ["report", "c.yaml", "--format", "md"],
    ["report", "c.yaml", "--format", "junit"],
    ["user", "1", "c.yaml"],
    ["compare", "c.yaml", "--format", "html"],
    ["init", "t.parquet", *(f"./{name}.csv" for name in names())],
    ["run", f"a\n{COMMAND}.yaml"],
    ["run", "c.yaml", "--set", f"data.recommendations.x=a\n{COMMAND}.csv"],
    ["run", "c.yaml", f"--nothing\n{COMMAND}"],
    ["run", "c.yaml", "--columns", f"a\n{COMMAND}"],
    [f"a\n{COMMAND}"],
    ["compare", f"a\n{COMMAND}", f"b\n{COMMAND}"],
]


@pytest.mark.parametrize("command", some(SHOWING, 12), ids=lambda command: " ".join(command)[:40].encode("unicode_escape").decode())
def test_no_line_of_a_message_or_a_page_begins_with_a_command_of_data(command, world, receval):
    code, out, err = receval(*command)
    assert code in (0, 1, 2, 3), err
    shown = re.sub(r"^::(error|warning|notice) (file=[^,]*,)?title=", "", err, flags=re.MULTILINE) if "github" in command else err
    assert not COMMANDS.search(shown)
    knows_ends = bool({"json", "html"} & {*command})  # a runner knows no other ends of lines than these
    lines = re.split("[\r\n]", out) if knows_ends else [out]
    assert not [line for line in lines if COMMANDS.match(line) or (not knows_ends and COMMANDS.search(line))]
    summary = world / "summary.md"
    assert not summary.exists() or not COMMANDS.search(summary.read_bytes().decode())


def test_an_annotation_is_one_line(world, receval):
    _, _, err = receval("run", "c.yaml", "-q", "--ci", "github")
    for line in re.split("[\n\r\x0b\x0c\x1c\x85\u2028\u2029]", err):
        assert not COMMANDS.search(line) or re.match(r"::(error|warning|notice) file=c\.yaml,title=", line)


def test_a_config_that_init_writes_has_no_line_of_data_of_its_own(world, receval):
    code, _, err = receval("init", "t.parquet", *(f"./{name}.csv" for name in names()), "-o", "new.yaml")
    assert code in (0, 3), err
    assert not (world / "new.yaml").exists() or not COMMANDS.search((world / "new.yaml").read_bytes().decode())


def test_csv_has_the_same_names_but_no_command_at_the_start_of_a_record(world, receval):
    _, out, err = receval("run", "c.yaml", "--format", "csv")
    assert set(names()) >= {row["model"] for row in csv.DictReader(io.StringIO(out, newline=""))} > {COMMAND}, err
    assert f"\n{COMMAND}," not in out  # a record begins with the id of the run
