"""The forms of a report for people: a page, and Markdown for a pull request or the summary of a job."""

from __future__ import annotations

from typing import Final

from ..content.report import ReportContent
from ..content.report_page import report, summary
from . import html, markdown

_CUT: Final = "\n\n*The rest is left out: the summary is longer than {most:,} bytes. receval report -o FILE.html has it all.*\n"


def as_html(content: ReportContent, *, interactive: bool = False) -> bytes:
    """Return the page; an `interactive` one has Vega in it, which shows numbers under the pointer."""
    return html.as_html(report(content), interactive=interactive).encode()


def as_markdown(content: ReportContent) -> bytes:
    """Return the short form, whose last sections are folded up, which GitHub and GitLab can."""
    return markdown.as_markdown(summary(content)).encode()


def cut(text: str, most: int) -> str:
    """Return the text in at most so many bytes: cut at the end of a line, open folds closed, and saying so."""
    if len(text.encode()) <= most:
        return text
    said = _CUT.format(most=most)
    room = most - len(said.encode()) - 100
    if room <= 0:
        return ""
    kept = text.encode()[:room].decode(errors="ignore").rpartition("\n")[0]
    folds = kept.count("<details>") - kept.count("</details>")
    return f"{kept}\n{'</details>' * folds}{said}"
