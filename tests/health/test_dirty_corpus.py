"""The corpus of dirty input in tests/dirty: the findings of the checks, and the values under every policy."""

from __future__ import annotations

import json
import re
import shutil

import polars as pl
import pytest
import yaml
from receval.checks import CHECKS
from receval.config.odd_data import Policy
from receval.conventions import AXES

from tests.dirty import CASES, number

WITH_ROWS = {"R01", "R02", "R03", "R04", "R05", "R07", "R08", "R09", "T01", "X01", "X05", "X06", "X07", "X08", "X09"}
POLICIES = [(name, policy) for name, case in CASES.items() for policy in case.policies or ()]
COUNTED_ONE = re.compile(r"(?<!of )(?<![\d,.@])1 (users|items|lists|rows|hits|measures|pairs|ids)\b")


CHECKED, RUN = {}, {}


@pytest.fixture
def checked(receval, tmp_path_factory):
    """Return the exit code, the findings and the folder of offending rows of `receval check`, which checks a case once."""

    def checked(name):
        if name not in CHECKED:
            place = tmp_path_factory.mktemp("checked")
            path, failures = CASES[name].write(place / "case"), place / "failures"
            CHECKED[name] = (*receval("check", path, "--format", "json", "--store-failures", failures), failures)
            shutil.rmtree(place / "case")
        code, out, err, failures = CHECKED[name]
        assert code in (0, 1), err
        return code, json.loads(out)["findings"], failures

    return checked


@pytest.fixture
def printed(receval, tmp_path):
    """Return the output and the messages of `receval run`, which runs a case once."""

    def printed(name):
        if name not in RUN:
            RUN[name] = receval("run", CASES[name].write(tmp_path), "--format", "json")[1:]
        return RUN[name]

    return printed


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_exactly_its_findings_in_whole_sentences_with_stored_rows(name, checked):
    case = CASES[name]
    code, found, failures = checked(name)
    assert_findings(case, code, found)
    assert_sentences(found)
    if case.findings:
        assert_stored(found, failures)


def assert_findings(case, code, found):
    """Assert that the findings are those of the case, with counts and bounds, and no other errors and warnings."""
    expected = [_place(finding) for finding in case.findings]
    bad = [finding for finding in found if finding["severity"] in ("error", "warn")]
    assert sorted(map(_place, bad)) == sorted(finding for finding in expected if finding[1] != "info")
    assert set(expected) <= set(map(_place, found))
    assert not {finding["check"] for finding in found} & set(case.silent)
    assert code == any(finding["severity"] == "error" for finding in found)
    for finding in case.findings:
        alike = [other for other in found if _place(other) == _place(finding)]
        (same,) = [other for other in alike if finding.get("says", "") in other["sentence"]] or [None]
        assert same, (finding["says"], [other["sentence"] for other in alike])
        assert same["share"] == pytest.approx(finding["count"] / finding["total"])
        for label, ends in finding.get("bounds", {}).items():
            assert list(same["details"]["bounds"][label].values()) == pytest.approx([number(end) for end in ends]), label


def assert_sentences(found):
    """Assert that sentences are complete, with singular and plural right."""
    for finding in found:
        assert finding["sentence"].endswith("."), finding["sentence"]
        assert ".." not in finding["sentence"]
        assert not COUNTED_ONE.search(finding["sentence"]), finding["sentence"]
        assert 0 < finding["count"] <= finding["total"]
        assert len(finding["examples"]) <= 5


def assert_stored(found, kept):
    """Assert that the offending rows of errors and warnings are stored."""
    bad = [finding for finding in found if finding["severity"] in ("error", "warn") and finding["check"] in WITH_ROWS]
    stored = {file.stem: pl.read_parquet(file) for file in kept.glob("*.parquet")}
    for finding in bad:
        assert stored[".".join(part for part in (finding["check"], finding["model"]) if part)].height >= 1
    assert all(rows.height for rows in stored.values())


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.notes])
def test_rows_that_are_left_out_have_a_note(name, printed):
    out, err = printed(name)
    assert out, err
    assert set(CASES[name].notes) <= set(json.loads(out)["notes"])


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.values])
def test_values_are_those_worked_by_hand(name, printed):
    assert_values(*printed(name), CASES[name].values)


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_the_policy_decides_the_value(name, policy, receval, tmp_path):
    case = CASES[name]
    path = case.write(tmp_path / "case")
    for choice, values in case.policies[policy].items():
        code, out, err = receval("run", path, "--format", "json", "--set", f"evaluation.policy.{policy}={choice}")
        if values == "refused":
            assert (code, out) == (3, ""), choice
            assert len(err.strip().splitlines()) <= 2, err
            assert policy == "missing_values" or f"evaluation.policy.{policy} is set to error." in err
        else:
            assert_values(out, err, values)


def assert_values(out, err, expected):
    assert out, err
    found = {f"{row['metric']}@{row['k'] or 'none'}": row["value"] for row in json.loads(out)["results"]}
    for label, value in expected.items():
        assert found[label] == (None if value is None else pytest.approx(number(value), abs=1e-12)), label


def _place(one):
    return one["check"], one["severity"], one["model"], one["count"], one["total"]


def test_the_corpus_has_enough_cases():
    assert len(CASES) >= 60


@pytest.mark.parametrize("check", CHECKS)
def test_every_check_is_raised_by_one_case_and_silent_in_a_similar_one(check):
    assert [name for name, case in CASES.items() if check in {finding["check"] for finding in case.findings}], "is never raised"
    assert [name for name, case in CASES.items() if check in case.silent], "has no case in which it is silent"


@pytest.mark.parametrize("check", sorted(CHECKS.keys() - {"T03", "T04", "X03", "X13", "X14", "X17"}))
def test_every_check_of_users_items_or_rows_has_examples(check, checked):
    raising = (name for name, case in CASES.items() if check in {finding["check"] for finding in case.findings})
    assert any(finding["examples"] for finding in checked(next(raising))[1] if finding["check"] == check)


def test_every_default_severity_is_raised():
    raised = {(finding["check"], finding["severity"]) for case in CASES.values() for finding in case.findings}
    assert {(check.id, check.severity) for check in CHECKS.values()} <= raised


@pytest.mark.parametrize("policy", Policy.model_fields)
def test_every_value_of_a_policy_is_tried(policy):
    tried = {choice for case in CASES.values() for choice in (case.policies or {}).get(policy, ())}
    values = ("drop",) if policy == "missing_values" else AXES[policy].values
    assert tried == {"error", *values}


def test_no_case_is_written_twice():
    inputs = [yaml.safe_dump([case.files, case.config], sort_keys=True) for case in CASES.values()]
    assert len(set(inputs)) == len(inputs)
