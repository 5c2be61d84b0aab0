"""Findings of the health checks on a screen: a few in full, the others counted, wrapped lines indented."""

from __future__ import annotations

import io

import pytest
from receval.checks import Finding
from receval.documents import findings
from receval.documents.document import Alert
from receval.render import screen


def finding(check, severity="warn", model="", sentence="1 of 2 rows is odd.", examples=()):
    return Finding(check, severity, sentence, "mend it", model, 1, 2, tuple(examples))


@pytest.fixture
def show(monkeypatch):
    def show(found, columns=None, command=""):
        if columns is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", str(columns))
        return screen.show(findings.alerts(found, command), io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))

    return show


def test_many_findings_of_a_check_are_one_line_with_the_command_that_shows_them(show):
    found = [
        finding("R01", "error"),
        *(finding("R04", model="m", sentence=f"{number} of 99 rows are odd.") for number in range(30)),
        finding("X14"),
    ]
    text = show(found, command="receval check config.yaml")
    heads = [line.split("  ")[0] for line in text.splitlines() if line.startswith(("error", "warning"))]
    assert heads == ["error R01", "warning R04", "warning X14"]  # every check is one line
    assert "warning R04  30 findings in m (50.0 %), such as m: 0 of 99 rows are odd." in text
    assert text.endswith("receval check config.yaml shows each of them, and what to do\n")


def test_a_finding_that_questions_the_values_is_never_among_the_others(show):
    found = [finding(check) for check in ("T01", "X01", "X05", "X06", "X07", "X08", "X14")]
    text = show(found, command="receval run -v")
    assert "warning X14  1 of 2" in text
    assert text.endswith("and 2 more warnings (X07, X08): receval run -v shows all\n")


def test_a_few_findings_are_all_shown(show):
    found = [finding("R04", model="m", sentence=f"{number} of 99 rows are odd.") for number in range(5)]
    assert "more" not in show(found, command="receval check config.yaml")


def test_the_same_finding_of_several_models_is_shown_once_with_their_names(show):
    found = [finding("R04", model=f"m{number}", examples=["user 1"]) for number in range(6)]
    other = finding("R04", model="m7", examples=["user 2"])
    of_all, of_one, *_ = show([*found, other]).split("warning R04  ")[1:]
    assert of_all.startswith("m0, m1, m2, m3, m4, m5: 1 of 2 rows is odd.\n")
    assert of_one.startswith("m7: 1 of 2 rows is odd.\n")
    short = show([*found, *(finding(f"X0{number}") for number in range(5))], command="receval check")
    assert "warning R04  m0, m1, m2 and 3 more: 1 of 2 rows is odd." in short
    assert short.endswith("and 1 more warning (X04): receval check shows all\n")


def test_wrapped_lines_are_indented_below_their_text(show):
    lines = show([finding("R04", model="popular", sentence="some lists have tied scores " * 4)], 60).splitlines()
    assert lines[0].startswith("warning R04  popular: some lists")
    assert all(line.startswith(" " * 13) for line in lines[1:3])
    assert lines[-1] == "  mend it"
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize("width", range(40, 60))
def test_a_percentage_stays_on_one_line(width, show):
    text = show([finding("R10", sentence="5,000 of 5,000 relevant items (94.0 %) are in them, and 9.9 % are first.")], width)
    assert "94.0 %" in text
    assert "9.9 %" in text


def test_control_characters_of_ids_are_escaped(show):
    text = show([finding("R04", examples=["user \x1b[2J\n1"])])
    assert r"for example: user \x1b[2J\n1" in text
    assert "\x1b" not in text


def test_findings_of_folds_runs_and_models_are_one_line_with_their_range_and_an_example(show):
    found = [finding("X14", model=model, sentence=f"fold {fold}: {fold}0 rows are odd.") for model in ("a", "b") for fold in (1, 2, 3)]
    text = show([*found, finding("X07")], command="receval run -v")
    assert [line for line in text.splitlines() if line.startswith("warning")] == [
        "warning X14  6 findings in a and b, 3 folds (50.0 %), such as a, fold 1: 10 rows are odd.",
        "warning X07  1 of 2 rows is odd.",
    ]
    places = [(model, fold, run) for model in range(5) for fold in range(5) for run in range(5)]
    runs = [finding("X14", model=f"m{model} (run {run})", sentence=f"fold {fold}: {run} rows.") for model, fold, run in places]
    text = show(runs, command="receval run -v")
    assert text.startswith("warning X14  125 findings in 5 models, 5 folds, 5 runs (50.0 %), such as m0 (run 0), fold 0: 0 rows.\n")
    assert len(text.splitlines()) == 2


def test_below_20_users_only_two_findings_are_shown(show):
    found = [finding(check) for check in ("R01", "R04", "X07", "X14")]
    for is_small, shown in ((True, 2), (False, 4)):
        drawn = findings.alerts(found, "receval run -v", is_small=is_small)
        assert len([block for block in drawn if isinstance(block, Alert)]) == shown
