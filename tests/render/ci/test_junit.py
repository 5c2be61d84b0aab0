"""JUnit XML, read back by junitparser."""

from __future__ import annotations

import pytest
from receval.render.ci import as_junit

from tests.reports import gate, reported

junitparser = pytest.importorskip("junitparser")


def suites(content):
    return {suite.name: suite for suite in junitparser.JUnitXml.fromstring(as_junit(content))}


def test_gates_and_checks_are_suites_with_a_case_each(result):
    found = suites(reported(result, gates=[gate("pass"), gate("fail", rule="Recall@3 loses at most 2 %")]))
    assert list(found) == ["gates", "checks"]
    assert [case.name for case in found["gates"]] == ["nDCG@3 ≥ 0.5", "Recall@3 loses at most 2 %"]
    made = {case.name.split()[0] for case in found["checks"]}
    assert made >= {"R01", "R04", "T02"}
    assert made & set(result.unmade) == set()


def test_what_fails_is_a_failure_and_what_may_be_skipped_is_skipped(result):
    (suite,) = (
        tested
        for name, tested in suites(reported(result, gates=[gate(o) for o in ("pass", "inconclusive", "fail", "skipped")])).items()
        if name == "gates"
    )
    passed, warned, failed, skipped = suite
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (4, 1, 0, 1)
    assert passed.is_passed
    assert warned.is_passed
    assert warned.system_out == "warning: It is inconclusive."
    assert isinstance(failed.result[0], junitparser.Failure)
    assert failed.result[0].message == "It is fail."
    assert isinstance(skipped.result[0], junitparser.Skipped)


def test_the_numbers_of_a_gate_are_its_properties(result):
    (case,) = suites(reported(result, gates=[gate("fail")]))["gates"]
    assert {entry.name: float(entry.value) for entry in case.child(junitparser.Properties)} == {"value": 0.4, "limit": 0.5, "high": 0.6}
    assert case.classname == "receval.good"


def test_the_counts_of_the_root_are_the_sums_of_the_suites(content):
    whole = junitparser.JUnitXml.fromstring(as_junit(content))
    assert (whole.tests, whole.failures, whole.errors) == tuple(
        sum(getattr(suite, name) for suite in whole) for name in ("tests", "failures", "errors")
    )
    assert whole.tests == sum(len(list(suite)) for suite in whole)


def test_there_are_no_times_so_that_bytes_are_repeatable(content):
    assert b"time" not in as_junit(content).replace(b"timestamp", b"")
    assert as_junit(content) == as_junit(content)


def test_hostile_names_are_text_in_xml(hostile):
    cases = [case for suite in suites(hostile).values() for case in suite]
    assert any("<script>alert(1)</script>" in (case.classname or "") for case in cases)
    assert b"\x1b" not in as_junit(hostile)
