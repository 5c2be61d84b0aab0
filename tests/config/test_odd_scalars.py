"""Odd names and numbers in a config are read, or refused in one sentence."""

from __future__ import annotations

import io

import pytest
from receval import load_config
from receval.cli.run import bar
from receval.evaluation.progress import Progress

CONFIG = (
    '{"data": {"test": "test.csv", "recommendations": {%s: "l.csv"}}, "evaluation": {"metrics": ["MRR"], "top_k": %s}, "health": "off"}'
)


@pytest.fixture
def run_config(receval, write):
    def run_config(name="m", top_k=2, *more, command="run"):
        write("test.csv", "user,item\n1,10\n")
        write("l.csv", "user,item,score\n1,10,0.5\n")
        code, out, err = receval(command, write("config.json", CONFIG % (name, top_k)), *more)
        assert "Traceback" not in err
        return code, out, err

    return run_config


def test_an_emoji_can_be_written_as_in_json(run_config):
    code, out, _ = run_config('"\\ud83d\\ude00"', 2, "--format", "csv")
    assert (code, "😀" in out) == (0, True)


def test_a_lone_surrogate_is_refused_as_a_name(run_config):
    code, _, err = run_config('"\\ud83d"')
    assert (code, "half a character" in err) == (2, True)


def test_a_model_cannot_have_the_name_of_a_reference_list(run_config):
    code, _, err = run_config('"(oracle)"')
    assert (code, "(oracle) is the name of reference lists (yardsticks): rename the model" in err) == (2, True)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("[oracle, random: 7]", (True, False, 7)),
        ("[random]", (False, False, 0)),
        ("{random: 7}", (False, False, 7)),
        ("true", (True, True, 0)),
        ("popularity", (False, True, None)),
    ],
)
def test_reference_lists_are_configured_as_a_list_a_mapping_or_both(given, read, write):
    text = "data: {test: t.csv, train: t.csv, recommendations: {m: l.csv}}\nevaluation: {metrics: [MRR]}\n"
    yardsticks = load_config(write("c.yaml", text), [f"evaluation.yardsticks={given}"]).config.evaluation.yardsticks
    assert (yardsticks.oracle, yardsticks.popularity, yardsticks.random) == read


@pytest.mark.parametrize("given", ["[x]", "[[1]]", "[{x: 1}]"])
def test_an_unknown_reference_list_is_refused(given, run_config):
    code, _, err = run_config("m", 2, "--set", f"evaluation.yardsticks={given}", command="validate")
    assert (code, "reference lists (yardsticks) must be oracle, popularity, random, not" in err) == (2, True)


@pytest.mark.parametrize("name", ["[/]", "[red]x[/red]"])
@pytest.mark.parametrize("command", ["run", "audit"])
def test_a_name_is_never_markup(name, command, run_config):
    code, out, _ = run_config(f'"{name}"', command=command)
    assert (code, name in out) == (0, True)


@pytest.mark.parametrize("number", ["9" * 399, "9" * 5000, "0x" + "f" * 390, "0x" + "f" * 9000, "-" + "9" * 399])
@pytest.mark.parametrize(
    "key",
    [
        "evaluation.top_k",
        "evaluation.relevance.threshold",
        "engine.threads",
        "report.digits",
        "compare.alpha",
        "evaluation.yardsticks.random",
    ],
)
def test_a_number_too_long_for_python_is_refused_in_a_sentence(number, key, run_config):
    code, _, _ = run_config("m", 2, "--set", f"{key}={number}", command="validate")
    assert code == 2


@pytest.mark.parametrize("metric", ["nDCG(convention=/dev/zero)@2", "nDCG(convention=/dev/null)@2"])
def test_a_convention_must_be_a_regular_file(metric, run_config):
    code, _, err = run_config("m", 2, "--set", f'evaluation.metrics=["{metric}"]')
    assert (code, len(err) < 500) == (2, True)


def test_a_config_must_be_a_regular_file(receval):
    code, _, err = receval("validate", "/dev/zero")
    assert (code, err) == (2, "receval: /dev/zero cannot be read: it is not a regular file\n")


@pytest.mark.parametrize(
    "key", ["evaluation.top_k", "evaluation.metrics", "data.test.format", "engine", "x" * 9_000, ".".join("a" * 5_000)]
)
def test_a_message_quotes_only_the_start_of_a_long_text(key, run_config):
    code, _, err = run_config("m", 2, "--set", f"{key}={'y' * 5_000}", command="validate")
    assert (code, len(err) < 2_500) == (2, True)


@pytest.mark.parametrize("given", ["['(oracle).csv']", "'(or*.csv'", "[{name: (oracle), path: l.csv}]", "{(oracle): l.csv}"])
def test_every_way_to_name_a_model_refuses_names_of_reference_lists(given, run_config, write):
    write("(oracle).csv", "user,item,score\n1,10,0.5\n")
    code, _, err = run_config("m", 2, "--set", f"data.recommendations={given}")
    assert (code in (2, 3), "(oracle) is the name of reference lists (yardsticks): rename the model" in err) == (True, True)


@pytest.mark.parametrize("name", ["[/]", "[red]x[/red]", "\x1b]0;x\x07", "a\nb"])
def test_the_progress_bar_escapes_names(name, monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with bar() as report:
        report(Progress(name, 1, 2, 10, 20, 0))
    assert f"evaluating {name.encode('unicode_escape').decode()} (1 of 2)" in shown.getvalue()
    assert "\x1b]0" not in shown.getvalue()
