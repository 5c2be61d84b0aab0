"""Gates and checks as cases, and the files that CI shows of them: JUnit XML, and the code quality report of GitLab.

In JUnit a warning is a passed case with its sentence as output, since JUnit has no warning, and readers take a skipped case for different
things. There are no times: the same result gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final, Literal
from xml.etree import ElementTree

from msgspec import Struct, field

from ...checks import CHECKS
from ...content.findings import titled
from ...content.report import ReportContent
from ...quoting import on_one_line
from ...results.gates import Gate
from ...results.result import Result

CaseOutcome = Literal["pass", "warn", "fail", "skipped"]
"""`skipped`: it could not be judged."""
_ENDED: Final[Mapping[str, CaseOutcome]] = {"warn": "warn", "fail": "fail"}
"""The case of a gate by its consequence: one that is inconclusive ends as `gates.inconclusive` says."""
_SEVERITIES: Final = {"fail": "major", "warn": "minor", "skipped": "minor"}


class Case(Struct, frozen=True):
    """One gate or one check of one model: its id, its name, the model (empty: all), how it ended, why, and its numbers."""

    suite: Literal["gates", "checks"]
    id: str
    name: str
    model: str
    outcome: CaseOutcome
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)


def cases(content: ReportContent) -> Iterator[Case]:
    """Yield the gates, then the checks that were made, each with what was found or without."""
    yield from (_of_gate(gate) for gate in content.gates)
    for label, result in content.results.items():
        yield from _of_checks(label if len(content.results) > 1 else "", result)


def _of_gate(gate: Gate) -> Case:
    numbers = {name: number for name in ("value", "limit", "low", "high") if (number := getattr(gate, name)) is not None}
    rule = on_one_line(gate.rule)
    outcome = _ENDED.get(gate.consequence, "skipped" if gate.outcome == "skipped" else "pass")
    return Case("gates", rule, rule, on_one_line(gate.model), outcome, on_one_line(gate.sentence), numbers)


def _of_checks(label: str, result: Result) -> Iterator[Case]:
    """A case per finding, and one per check that was made and found nothing; notes are passed cases."""
    if not result.examined:
        return
    for check in (check for check in CHECKS if check not in result.unmade):
        found = [finding for finding in result.findings if finding.check == check]
        name = f"{check} {CHECKS[check].finds}"
        if not found:
            yield Case("checks", check, name, label, "pass", "")
        for finding in found:
            outcome: CaseOutcome = {"error": "fail", "warn": "warn"}.get(finding.severity, "pass")  # type: ignore[assignment]
            model = "/".join(part for part in (label, finding.model) if part)
            numbers = {"count": finding.count, "total": finding.total, "share": finding.share}
            sentence = f"{titled(finding)} What to do: {finding.advice}." if outcome != "pass" else titled(finding)
            yield Case("checks", check, name, on_one_line(model), outcome, on_one_line(sentence), numbers)


def as_code_quality(content: ReportContent) -> bytes:
    """Return the gates and checks that did not pass, each at the config or the folder that it is about."""
    issues = [_issue(case, content.source or "receval") for case in cases(content) if case.outcome != "pass"]
    return (json.dumps(issues, indent=1, ensure_ascii=False) + "\n").encode()


def _issue(case: Case, path: str) -> dict[str, object]:
    """An issue; its fingerprint is that of the rule and the model, so that the next run finds it again."""
    model = f"{case.model}: " if case.model and not case.sentence.startswith(case.model) else ""
    return {
        "description": f"{model}{case.sentence or case.name}",
        "check_name": f"receval {case.id}",
        "fingerprint": hashlib.sha256("\x1f".join((case.suite, case.id, case.model)).encode()).hexdigest(),
        "severity": _SEVERITIES[case.outcome],
        "location": {"path": path, "lines": {"begin": 1}},
    }


def as_junit(content: ReportContent) -> bytes:
    """Return gates and checks as test cases; a failed gate or check of level error is a failure, what cannot be judged an error."""
    root = ElementTree.Element("testsuites")
    every = list(cases(content))
    for suite, some in groupby(every, key=lambda case: case.suite):
        _add_suite(root, suite, list(some))
    _count(root, every)
    ElementTree.indent(root, " ")
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_suite(root: ElementTree.Element, name: str, some: list[Case]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    _count(suite, some)
    suite.set("skipped", "0")
    for case in some:
        classname = f"receval.{case.model.replace('.', '_')}" if case.model else "receval"
        element = ElementTree.SubElement(suite, "testcase", name=case.name, classname=classname)
        if case.numbers:
            properties = ElementTree.SubElement(element, "properties")
            for number, value in case.numbers.items():
                ElementTree.SubElement(properties, "property", name=number, value=repr(value))
        if case.outcome in ("fail", "skipped"):
            kind = "failure" if case.outcome == "fail" else "error"
            ElementTree.SubElement(element, kind, type=case.id, message=case.sentence).text = case.sentence
        elif case.sentence:
            ElementTree.SubElement(element, "system-out").text = f"warning: {case.sentence}" if case.outcome == "warn" else case.sentence


def _count(element: ElementTree.Element, some: list[Case]) -> None:
    element.set("tests", str(len(some)))
    element.set("failures", str(sum(case.outcome == "fail" for case in some)))
    element.set("errors", str(sum(case.outcome == "skipped" for case in some)))
