"""What GitHub is told of a report."""

from __future__ import annotations

from ..output.ci.github import append_summary, as_annotations
from ..output.report.content import ReportContent
from ..output.report.markdown import summary

__all__ = ["add_summary", "as_annotations"]


def add_summary(content: ReportContent, file: str) -> None:
    """Add the summary of a report to the file that GitHub names for the summary of a step."""
    append_summary(file, summary(content))
