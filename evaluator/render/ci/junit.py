"""JUnit XML: a suite of gates and a suite of checks, which every CI shows as tests.

A warning is a passed case with its sentence as output, since JUnit has no warning, and readers take a skipped case for different things.
There are no times: the same result gives the same bytes.
"""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree

from ...content.report import ReportContent
from .cases import Case, cases


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
