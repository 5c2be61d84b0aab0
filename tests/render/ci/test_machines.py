"""Files for GitHub and GitLab, and badges."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from receval.render.ci import append_summary, as_annotations, as_badge, as_code_quality, as_github_comment
from receval.support.errors import OutputError

from tests.reports import gate, reported


def test_there_are_at_most_ten_annotations_of_a_kind_and_the_last_counts_the_others(result):
    content = reported(result, gates=[gate("fail", rule=f"rule {n}") for n in range(14)])
    errors = [line for line in as_annotations(content).splitlines() if line.startswith("::error ")]
    assert len(errors) == 10
    assert errors[0] == "::error title=rule 0 good::It is fail."
    assert errors[-1] == "::error title=receval::5 more are in the step summary"


def test_an_annotation_names_the_config_and_cannot_contain_another_one(result):
    content = replace(reported(result, gates=[gate("inconclusive", rule="a:b,c", sentence="100 %\n::error::x")]), source="conf/x.yaml")
    (line,) = (line for line in as_annotations(content).splitlines() if "a%3Ab" in line)
    assert line == "::warning file=conf/x.yaml,title=a%3Ab%2Cc good::100 %25⏎::error::x"


def test_a_skipped_gate_is_a_notice_if_allowed_and_a_warning_if_not(result):
    skipped = gate("skipped", rule="may be")
    content = reported(result, gates=[skipped, replace(skipped, rule="warns", consequence="warn")])
    lines = [line for line in as_annotations(content).splitlines() if "It is skipped" in line]
    assert lines == ["::warning title=warns good::It is skipped.", "::notice title=may be good::It is skipped."]


def test_a_comment_notifies_nobody_and_is_short_enough_for_github(result):
    sentence = "@everybody, good of @team/us: nDCG@3 is low."
    text = as_github_comment(reported(result, gates=[gate("fail", rule="@all", sentence=sentence)] * 4_000))
    assert "@\u200ball" in text
    assert "@all" not in text
    assert "nDCG@3" in text
    assert 59_000 < len(text.encode()) <= 60_000


def test_a_summary_is_appended_and_cut_below_the_limit(tmp_path):
    file = tmp_path / "summary.md"
    file.write_text("before\n")
    append_summary(str(file), "after\n")
    assert file.read_text() == "before\nafter\n"
    append_summary(str(file), "| row |\n" * 200_000)
    assert 800_000 < file.stat().st_size <= 900_000
    append_summary(str(file), "| row |\n" * 200_000)
    assert file.stat().st_size <= 900_000


def test_a_summary_that_cannot_be_written_is_reported_in_one_sentence(tmp_path):
    with pytest.raises(OutputError, match="cannot write the step summary"):
        append_summary(str(tmp_path / "no" / "file"), "x")


def test_code_quality_lists_what_did_not_pass_with_stable_fingerprints(result):
    content = replace(reported(result, gates=[gate("fail"), gate("pass")]), source="c.yaml")
    issues = json.loads(as_code_quality(content))
    (of_gate,) = (issue for issue in issues if issue["check_name"] == "receval nDCG@3 ≥ 0.5")
    assert of_gate["severity"] == "major"
    assert of_gate["location"] == {"path": "c.yaml", "lines": {"begin": 1}}
    again = json.loads(as_code_quality(reported(result, gates=[gate("fail", sentence="Other words."), gate("pass")])))
    assert [issue["fingerprint"] for issue in again] == [issue["fingerprint"] for issue in issues]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        (["fail", "pass"], "gates: 1 of 2 failed"),
        (["inconclusive", "pass"], "gates: 1 of 2 inconclusive"),
        (["skipped", "pass"], "gates: 1 of 2 not judged"),
        (["pass"], "gates: passed"),
    ],
)
def test_a_badge_has_the_outcome_of_the_gates(outcomes, message, result):
    badge = ElementTree.fromstring(as_badge(reported(result, gates=[gate(outcome) for outcome in outcomes])))
    assert badge.get("aria-label") == message


def test_without_gates_a_badge_has_the_best_value_of_the_first_measure(content):
    value = max(row.value for row in content.results["result"].rows if row.label == "nDCG@1")
    assert ElementTree.fromstring(as_badge(content)).get("aria-label") == f"nDCG@1: {value:.4f} (better)"


def test_a_badge_of_hostile_names_is_well_formed_and_short(hostile):
    badge = ElementTree.fromstring(as_badge(hostile))
    assert int(badge.get("width")) < 900
    assert "style" not in badge.attrib
