"""Findings of the health checks, on a screen: a few findings in full, the others counted, lines that stand in."""

from __future__ import annotations

import io

import pytest
from receval.checks import Finding
from receval.content import findings
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


def test_five_findings_are_shown_in_full_and_the_others_counted_with_the_command_that_shows_them(show):
    found = [finding("R01", "error"), *(finding("R04", model=f"m{number}") for number in range(30)), finding("X14")]
    text = show(found, command="receval check config.yaml")
    heads = [line.split("  ")[0] for line in text.splitlines() if line.startswith(("error", "warning"))]
    assert heads == ["error R01", "warning R04", "warning R04", "warning R04", "warning X14"]  # no check is hidden behind another one
    assert text.endswith("and 27 more warnings (R04 × 27): receval check config.yaml shows all\n")
    assert show(found).count("R04") == 30


def test_all_findings_are_shown_where_there_are_few(show):
    found = [finding("R04", model=f"m{number}") for number in range(5)]
    assert "more" not in show(found, command="receval check config.yaml")


def test_wrapped_lines_stand_in_below_their_text(show):
    lines = show([finding("R04", model="popular", sentence="some lists have tied scores " * 4)], 60).splitlines()
    assert lines[0].startswith("warning R04  popular: some lists")
    assert all(line.startswith(" " * 13) for line in lines[1:3])
    assert lines[-1] == "  mend it"
    assert max(map(len, lines)) <= 60


def test_control_characters_of_ids_are_seen_and_not_obeyed(show):
    text = show([finding("R04", examples=["user \x1b[2J\n1"])])
    assert r"for example: user \x1b[2J\n1" in text
    assert "\x1b" not in text


def test_a_finding_of_several_folds_is_one_and_names_the_others(show):
    found = [finding("X14", model=model, sentence=f"fold {fold}: {fold}0 rows are odd.") for model in ("a", "b") for fold in (1, 2, 3)]
    text = show([*found, finding("X07")], command="receval run -v")
    assert [line for line in text.splitlines() if line.startswith("warning")] == [
        "warning X14  a: fold 1: 10 rows are odd. Also in folds 2, 3.",
        "warning X14  b: fold 1: 10 rows are odd. Also in folds 2, 3.",
        "warning X07  1 of 2 rows is odd.",
    ]
    assert show(found).count("warning X14") == 6
