"""Files for CI systems: JUnit XML, GitLab's code quality report, GitHub's summary, annotations and comment, badges.

In JUnit a warning is a passed case with its sentence as output, because JUnit has no warnings, and readers interpret skipped cases
differently. There are no times: the same result gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final, Literal
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from msgspec import Struct, field

from ..checks import CHECKS
from ..documents.findings import titled
from ..documents.report import ReportContent
from ..documents.report_page import summary
from ..documents.values import by_label
from ..results.result import Result
from ..support.errors import OutputError
from ..support.quoting import on_one_line
from .markdown import as_markdown

CaseOutcome = Literal["pass", "warn", "fail", "skipped"]
"""`skipped`: it could not be judged."""
_ENDED: Final[Mapping[str, CaseOutcome]] = {"warn": "warn", "fail": "fail", "error": "fail"}
"""Severity of a finding, or consequence of a gate → outcome of its case; `gates.inconclusive` decides for inconclusive gates."""
_SEVERITIES: Final = {"fail": "major", "warn": "minor", "skipped": "minor"}
_MOST: Final = 10
"""Number of annotations of a kind that GitHub shows for one step."""
_IN_PROPERTIES: Final = "%\r\n:,"
_MOST_BYTES: Final = 900_000
"""GitHub drops a summary of more than 1 MiB."""
_MOST_OF_COMMENT: Final = 60_000
"""GitHub refuses a comment of more than 65,536 characters."""
_MARKER: Final = "<!-- receval {name} -->\n"
_MENTION: Final = re.compile(r"(?<!\w)@(?=\w)")
_GREEN, _RED, _AMBER, _BLUE = "#1a7f37", "#b3261e", "#8a6100", "#0b5cad"
_CHARACTER, _LONGEST = 6.6, 60
"""Width of a character of a badge, and largest number of characters of a text."""
_BADGE: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{spoken}">'
    "<title>{spoken}</title>"
    '<path d="M0 0h{left}v20H0z" fill="#3d444d"/><path d="M{left} 0h{right}v20h-{right}z" fill="{colour}"/>'
    '<g fill="#fff" text-anchor="middle" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">'
    "{texts}</g></svg>\n"
)


class Case(Struct, frozen=True):
    """One gate or one check of one model: its id, its name, the model (empty: all), its outcome, the reason, and its numbers."""

    suite: Literal["gates", "checks"]
    id: str
    name: str
    model: str
    outcome: CaseOutcome
    sentence: str
    numbers: Mapping[str, float] = field(default_factory=dict)


def cases(content: ReportContent) -> Iterator[Case]:
    """Yield the gates, then the checks that ran, with or without findings."""
    for gate in content.gates:
        numbers = {name: number for name in ("value", "limit", "low", "high") if (number := getattr(gate, name)) is not None}
        rule, model, sentence = map(on_one_line, (gate.rule, gate.model, gate.sentence))
        outcome = _ENDED.get(gate.consequence, "skipped" if gate.outcome == "skipped" else "pass")
        yield Case("gates", rule, rule, model, outcome, sentence, numbers)
    for label, result in content.results.items():
        yield from _check_cases(label if len(content.results) > 1 else "", result)


def _check_cases(label: str, result: Result) -> Iterator[Case]:
    """Yield a case per finding, and one per check without findings; notes are passed cases."""
    for check in (check for check in CHECKS if result.examined and check not in result.unmade):
        found = [finding for finding in result.findings if finding.check == check]
        name = f"{check} {CHECKS[check].finds}"
        if not found:
            yield Case("checks", check, name, label, "pass", "")
        for finding in found:
            outcome = _ENDED.get(finding.severity, "pass")
            model = "/".join(part for part in (label, finding.model) if part)
            numbers = {"count": finding.count, "total": finding.total, "share": finding.share}
            sentence = f"{titled(finding)} What to do: {finding.advice}." if outcome != "pass" else titled(finding)
            yield Case("checks", check, name, on_one_line(model), outcome, on_one_line(sentence), numbers)


def as_code_quality(content: ReportContent) -> bytes:
    """Return the gates and checks that did not pass, each located at its config or folder.

    The fingerprint of an issue is made from the rule and the model, so that the next run gives the same one.
    """
    issues = []
    for case in (case for case in cases(content) if case.outcome != "pass"):
        model = f"{case.model}: " if case.model and not case.sentence.startswith(case.model) else ""
        issue = {
            "description": f"{model}{case.sentence or case.name}",
            "check_name": f"receval {case.id}",
            "fingerprint": hashlib.sha256("\x1f".join((case.suite, case.id, case.model)).encode()).hexdigest(),
            "severity": _SEVERITIES[case.outcome],
            "location": {"path": content.source or "receval", "lines": {"begin": 1}},
        }
        issues.append(issue)
    return (json.dumps(issues, indent=1, ensure_ascii=False) + "\n").encode()


def as_junit(content: ReportContent) -> bytes:
    """Return gates and checks as test cases: a failed gate or check of level error is a failure, a gate that was not judged is skipped."""
    root = ElementTree.Element("testsuites")
    every = list(cases(content))
    for name, some in groupby(every, key=lambda case: case.suite):
        suite = ElementTree.SubElement(root, "testsuite", name=name)
        _add_cases(suite, list(some))
    _count(root, every)
    ElementTree.indent(root, " ")
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _add_cases(suite: ElementTree.Element, some: list[Case]) -> None:
    _count(suite, some)
    suite.set("skipped", str(sum(case.outcome == "skipped" for case in some)))
    for case in some:
        classname = f"receval.{case.model.replace('.', '_')}" if case.model else "receval"
        element = ElementTree.SubElement(suite, "testcase", name=case.name, classname=classname)
        if case.numbers:
            properties = ElementTree.SubElement(element, "properties")
            for number, value in case.numbers.items():
                ElementTree.SubElement(properties, "property", name=number, value=repr(value))
        if case.outcome in ("fail", "skipped"):
            kind = "failure" if case.outcome == "fail" else "skipped"
            ElementTree.SubElement(element, kind, type=case.id, message=case.sentence).text = case.sentence
        elif case.sentence:
            ElementTree.SubElement(element, "system-out").text = f"warning: {case.sentence}" if case.outcome == "warn" else case.sentence


def _count(element: ElementTree.Element, some: list[Case]) -> None:
    element.set("tests", str(len(some)))
    element.set("failures", str(sum(case.outcome == "fail" for case in some)))
    element.set("errors", "0")


def as_annotations(content: ReportContent) -> str:
    """Return a line for each gate and check that did not pass, at most ten of each kind, each located at its config.

    A gate that its config allows to be skipped is a notice.
    """
    where = f"file={_escaped(content.source, _IN_PROPERTIES)}," if content.source.endswith((".yaml", ".yml")) else ""
    every, lines = list(cases(content)), []
    for kind, outcome in (("error", "fail"), ("warning", "warn"), ("notice", "skipped")):
        said = [(f"{case.id} {case.model}".strip(), case.sentence or case.name) for case in every if case.outcome == outcome]
        if len(said) > _MOST:
            said[_MOST - 1 :] = [("receval", f"{len(said) - _MOST + 1} more are in the step summary")]
        lines += [f"::{kind} {where}title={_escaped(title, _IN_PROPERTIES)}::{_escaped(message)}\n" for title, message in said]
    return "".join(lines)


def as_github_comment(content: ReportContent) -> str:
    """Return the summary as the text of a comment on a pull request, without notifying anybody.

    Its hidden first line identifies the comment, so that there is one for each folder of results or config.
    """
    marker = _MARKER.format(name=re.sub(r"[^\w./]+", "-", content.source) or "report")
    text = _MENTION.sub("@\u200b", as_markdown(summary(content)))
    return cut(f"{marker}{text}", _MOST_OF_COMMENT)


def append_summary(file: str, summary: str) -> None:
    """Append a summary to the file that GitHub names, cut at the end of a line if it is too long."""
    try:
        before = os.path.getsize(file) if os.path.exists(file) else 0
        with open(file, "a", encoding="utf-8") as target:
            target.write(cut(summary, _MOST_BYTES - before))
    except OSError as error:
        raise OutputError(f"cannot write the step summary to {file}: {error.strerror}", "--ci none writes none") from None


def _escaped(text: str, signs: str = "%\r\n") -> str:
    return "".join(f"%{ord(character):02X}" if character in signs else character for character in text)


def cut(text: str, most: int) -> str:
    """Return the text in at most `most` bytes: cut at the end of a line, with open folds closed and a remark."""
    if len(text.encode()) <= most:
        return text
    said = f"\n\n*The rest is left out: the text is longer than {most:,} bytes. receval report -o FILE.html has it all.*\n"
    room = most - len(said.encode()) - 100
    if room <= 0:
        return ""
    kept = text.encode()[:room].decode(errors="ignore").rpartition("\n")[0]
    folds = kept.count("<details>") - kept.count("</details>")
    return f"{kept}\n{'</details>' * folds}{said}"


def as_badge(content: ReportContent) -> bytes:
    """Return the badge as SVG: the outcome of the gates, or else the best value of the first measure."""
    label, message, colour = _said(content)
    shown = [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in map(on_one_line, (label, message))]
    left, right = (round(len(text) * _CHARACTER) + 12 for text in shown)
    texts = "".join(
        f'<text x="{middle:g}" y="14" textLength="{width - 10}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for text, width, middle in zip(shown, (left, right), (left / 2, left + right / 2), strict=True)
    )
    spoken = escape(": ".join(shown), {'"': "&quot;"})
    return _BADGE.format(width=left + right, left=left, right=right, spoken=spoken, colour=colour, texts=texts).encode()


def _said(content: ReportContent) -> tuple[str, str, str]:
    """Return the left text, the right text, and the colour of the right one: red if gates fail the run."""
    outcomes = [gate.outcome for gate in content.gates]
    for outcome, words in (("fail", "failed"), ("inconclusive", "inconclusive"), ("skipped", "not judged")):
        if outcome in outcomes:
            fails = any(gate.consequence == "fail" for gate in content.gates)
            return "gates", f"{outcomes.count(outcome)} of {len(outcomes)} {words}", _RED if fails else _AMBER
    if outcomes:
        return "gates", "passed", _GREEN
    if any(result.failed() for result in content.results.values()):
        return "checks", "failed", _RED
    if not content.labels:
        return "receval", "no values", _BLUE
    label = content.labels[0]
    points = {name: point for name, point in by_label(content.points)[label].items() if not point.is_reference and point.value is not None}
    best = content.marked.tested | content.marked.untested
    name = next((name for name in points if (name, label) in best), next(iter(points), ""))
    if not name:
        return label, "no value", _BLUE
    value = content.formats.shown(points[name].row)
    return label, f"{value} ({name})" if len(points) > 1 else value, _BLUE
