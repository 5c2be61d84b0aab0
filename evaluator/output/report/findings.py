"""The section of findings: what the health checks found, without examples, which may be ids of users."""

from __future__ import annotations

from ...checks import Finding
from ...content.findings import bounds, summary, titled
from ...results.result import Result
from .content import ReportContent
from .views import PageCell, PageColumn, PageFold, PageTable, Section

WORDS = {"error": "✖ error", "warn": "▲ warning", "info": "note"}


def section(content: ReportContent) -> Section | None:
    """Errors and warnings in a table, notes folded up; `None` if no check was made."""
    examined = {label: result for label, result in content.results.items() if result.examined}
    if not examined:
        return None
    several = len(content.results) > 1
    prose = tuple(f"{label}: {summary(result)}" if several else summary(result) for label, result in examined.items())
    grave = _table("findings-table", "Errors and warnings", examined, ("error", "warn"), content.show_users, several)
    notes = _table("notes-table", "Notes", examined, ("info",), content.show_users, several)
    folds = (PageFold(f"{len(notes.rows)} notes", tables=(notes,)),) if notes.rows else ()
    return Section("findings", "What the checks found", prose, tables=(grave,) if grave.rows else (), folds=folds)


def _table(id: str, caption: str, results: dict[str, Result], severities: tuple[str, ...], examples: bool, several: bool) -> PageTable:
    heads = (
        "check",
        *(("result",) if several else ()),
        "severity",
        "what was found",
        "what to do",
        *(("for example",) if examples else ()),
    )
    rows = [
        (
            PageCell(finding.check),
            *((PageCell(label),) if several else ()),
            PageCell(WORDS[finding.severity], verdict=finding.severity),
            PageCell(_said(finding)),
            PageCell(finding.advice),
            *((PageCell("; ".join(finding.examples)),) if examples else ()),
        )
        for label, result in results.items()
        for finding in result.findings
        if finding.severity in severities
    ]
    return PageTable(id, caption, tuple(PageColumn(head, "text") for head in heads), tuple(rows))


def _said(finding: Finding) -> str:
    more = "".join(f" {line}." for line in bounds(finding))
    return f"{titled(finding)}{more}"
