"""Findings of the health checks on a screen: a few in full, the others counted, wrapped lines indented."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from receval.checks import Finding
from receval.content import findings
from receval.render import screen


def finding(check, severity="warn", model="", sentence="1 of 2 rows is odd.", examples=()):
    return Finding(check, severity, sentence, "mend it", model, 1, 2, tuple(examples))


@pytest.fixture
def show(monkeypatch):
    def show(found, columns=None, command="", **options):
        if columns is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", str(columns))
        return screen.show(findings.alerts(found, command, **options), io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))

    return show


def heads(text):
    return [line.split("  ")[0] for line in text.splitlines() if line.startswith(("error", "warning"))]


def test_five_findings_are_shown_in_full_and_the_others_counted_with_the_command_that_shows_them(show):
    others = [finding("R04", model=f"m{number}", sentence="1 of 99 rows is odd.") for number in range(27)]
    found = [finding("R01", "error"), finding("R04", model="m"), *others, finding("T01"), finding("X07"), finding("X14")]
    text = show(found, command="receval check config.yaml")
    assert heads(text) == ["error R01", "warning R04", "warning T01", "warning X07", "warning X14"]  # every check is shown at least once
    assert text.endswith("and 27 more warnings (R04 × 27): receval check config.yaml shows all\n")
    assert all(other.model in show(found) for other in others)


def test_many_findings_of_one_check_are_one_with_their_number_and_range_and_the_command_shows_each(show):
    shares = [
        replace(finding("R04", model="m", sentence=f"{number} of 99 rows are odd."), count=number, total=99) for number in range(1, 31)
    ]
    found = [finding("R01", "error"), *shares, finding("X14")]
    text = show(found, command="receval check config.yaml")
    assert heads(text) == ["error R01", "warning R04", "warning X14"]
    assert "warning R04  30 findings in m (1.0 to 30.3 %), such as m: 30 of 99 rows are odd.\n" in text
    assert text.endswith("receval check config.yaml shows each of them, and what to do\n")
    assert show(found, whole=True).count("warning R04") == 30


def test_a_finding_that_questions_the_values_is_never_among_the_others(show):
    found = [finding(check) for check in ("T01", "X01", "X05", "X06", "X07", "X08", "X14")]
    text = show(found, command="receval run -v")
    assert "warning X14  1 of 2" in text
    assert text.endswith("and 2 more warnings (X07, X08): receval run -v shows all\n")


def test_a_few_findings_are_all_shown(show):
    found = [finding(check) for check in ("R04", "T01", "X05", "X07")]
    found.append(finding("R04", model="m"))
    text = show(found, command="receval check config.yaml")
    assert heads(text) == ["warning R04", "warning R04", "warning T01", "warning X05", "warning X07"]
    assert "more" not in text
    assert "receval check" not in text


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


def test_a_finding_of_several_folds_is_one_with_their_number_and_the_command_shows_each(show):
    found = [finding("X14", model=model, sentence=f"fold {fold}: {fold}0 rows are odd.") for model in ("a", "b") for fold in (1, 2, 3)]
    text = show([*found, finding("X07")], command="receval run -v")
    assert [line for line in text.splitlines() if line.startswith("warning")] == [
        "warning X14  6 findings in a and b, 3 folds (50.0 %), such as a, fold 1: 10 rows are odd.",
        "warning X07  1 of 2 rows is odd.",
    ]
    assert text.endswith("receval run -v shows each of them, and what to do\n")
    whole = [line for line in show(found, whole=True).splitlines() if line.startswith("warning")]
    assert whole == [f"warning X14  a, b: fold {fold}: {fold}0 rows are odd." for fold in (1, 2, 3)]
