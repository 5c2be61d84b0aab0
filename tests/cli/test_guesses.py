"""Options that people guess either work, or the error names the right one."""

from __future__ import annotations

import pytest
from receval.cli.commands import _COMMANDS, cli
from receval.cli.guesses import _MEANT

GUESSES = {
    ("run", "--json"): "Use --format json.",
    ("run", "--health", "off"): "Use --set health=off.",
    ("run", "--health=off"): "Use --set health=off.",
    ("run", "--health"): "Use --set health=VALUE.",
    ("run", "--memory", "2 GB"): "Use --set 'engine.memory=2 GB'.",
    ("run", "--seen-items", "drop"): "Use --set evaluation.policy.seen_items=drop.",
    ("run", "--yardsticks", "--strict"): "Use --set evaluation.yardsticks=VALUE.",
    ("run", "--baseline", "pop"): "Use receval compare CONFIG --baseline NAME.",
    ("run", "--recommendations", "als.csv"): "Use --recs NAME=FILE.",
    ("run", "--recomendations", "als.csv"): "Use --recs NAME=FILE.",
    ("run", "--yaml", "config.yaml"): "Use the config as an argument: receval run CONFIG.",
    ("run", "-t", "t.csv"): "Use --test FILE.",
    ("run", "--sep", ";"): "Use --set 'data.test.separator=;'.",
    ("gate", "--by", "cold"): "Use --rule 'nDCG@10 max_loss 2% by cold'.",
    ("gate", "--group-by"): "Use --rule 'nDCG@10 max_loss 2% by GROUPS'.",
    ("run", "--model", "als"): "Use --models A,B.",
    ("gate", "--min", "0.1"): "Use --rule 'nDCG@10 >= 0.1'.",
    ("run", "-V"): "Use receval --version.",
    ("run", "--measure", "nDCG"): "Use -m.",
    ("run", "--losers", "3"): "These commands have it: receval compare, report.",
    ("run", "--fromat", "json"): "Did you mean --format?",
    ("check", "--output", "x"): "Use --format json > FILE.",
    ("check", "--verbose"): "Use receval run CONFIG -v.",
    ("report", "--json"): "Use receval run CONFIG --format json.",
    ("describe", "-q"): "receval run, compare, diff, slices, history, leaderboard, gate, report, card, track, user.",
    ("run", "--candidates", "c.csv"): "Use --recs NAME=FILE, a file with the score of each candidate.",
    ("run", "--policy", "missing_values=drop"): "Use --set evaluation.policy.missing_values=drop.",
    ("run", "--drop-missing"): "Use --set evaluation.policy.missing_values=drop.",
    ("run", "--filter", "price > 1"): "Use --where FILTER.",
    ("run", "--leave-one-out"): "Use --target last.",
    ("compare", "--paired"): "Use no option: users are paired by default.",
    ("compare", "--group-by", "cold"): "Use --by GROUPS.",
    ("run", "--train-where", "price > 1"): "Use --set data.train.where=FILTER.",
    ("audit", "--columns", "nDCG"): "Use -m.",
    ("metrics", "--list"): "Use receval metrics without an option, which lists all.",
    ("baseline", "set", "-o", "base"): "Use --to DIR.",
    ("--json", "run"): "Options follow their command: receval run CONFIG --format json",
}


@pytest.mark.parametrize("typed", GUESSES)
def test_a_guessed_option_gets_the_right_one(typed, receval):
    code, out, err = receval(*typed)
    assert (code, out) == (2, "")
    assert "No such option" in err
    assert err.endswith(f"{GUESSES[typed]}\n")


@pytest.mark.parametrize(
    ("typed", "meant"), [("evaluate", "run"), ("Eval", "run"), ("version", "receval --version"), ("health", "check"), ("checks", "check")]
)
def test_a_guessed_command_gets_the_right_one(typed, meant, receval):
    assert receval(typed, "config.yaml")[2].endswith(f"No such command {typed!r}. Did you mean {meant!r}?\n")


@pytest.mark.parametrize("typed", ["split", "train-test-split", "Holdout"])
def test_a_guessed_command_that_splits_data_gets_how_a_split_is_configured(typed, receval):
    code, _, err = receval(typed, "ratings.csv")
    assert code == 2
    assert "A split is configured: filters of rows are data.test.where and data.train.where" in err
    assert "plot" not in err


@pytest.mark.parametrize(
    ("command", "form", "hint"),
    [
        ("run", "tex", "Use --format latex."),
        ("compare", "Markdown", "Use --format md."),
        ("run", "excel", "Use --format csv."),
        ("compare", ".xlsx", "Use --format csv."),
        ("run", "jsn", "Use --format json."),
        ("run", "parquet", "Use -o FILE.parquet."),
        ("describe", "tex", "'md'."),
        ("run", "xyzzy", "'github-comment'."),
    ],
)
def test_a_guessed_form_gets_the_right_one(command, form, hint, receval):
    code, out, err = receval(command, "config.yaml", "--format", form)
    assert (code, out) == (2, "")
    assert err.endswith(f" {hint}\n")


def test_nothing_is_suggested_if_nothing_is_similar(receval):
    assert receval("run", "--xyzzy")[2].endswith("No such option '--xyzzy'.\n")


def test_the_version_has_a_short_option(receval):
    assert receval("-V") == receval("--version")


def test_every_suggested_option_exists():
    context = cli.make_context("receval", ["run", "--help"], resilient_parsing=True)
    commands = [cli.get_command(context, name) for name in _COMMANDS]
    known = {option for command in commands for parameter in command.params for option in parameter.opts}
    meant = {phrase.split()[0] for phrases in _MEANT.values() for phrase in phrases}
    assert {word for word in meant if word.startswith("-")} <= known
