"""The page docs/output-forms.md: every form of what receval gives, from the table `receval.outputs`."""

from __future__ import annotations

from typing import get_args

from receval.document import Block, Heading, Paragraph, Table, text_columns
from receval.outputs import OutputForm, Subject, rows

COMMANDS = {
    "result": ("the values of a run", "`run`"),
    "latex": ("tables for a paper, or with definitions and data a document", "`run`, `report`"),
    "report": ("a report of results", "`run`, `report`, `gate`"),
    "users": ("the value of every measure for every user", "`run --per-user`"),
    "comparison": ("how models differ", "`compare`"),
    "losers": ("the users with the largest losses", "`compare --losers N`"),
    "gates": ("the verdicts on rules", "`gate`"),
    "findings": ("what health checks found", "`check`"),
    "chart": ("one chart", "`plot`"),
    "audit": ("the measures under every convention", "`audit`"),
    "audit-difference": ("why two conventions differ", "`audit --why A B`"),
    "audit-values": ("which convention prints a number", "`audit --find NUMBER`"),
    "description": ("what files hold", "`describe`"),
    "explanation": ("how the value of a user comes about", "`explain`"),
    "baseline": ("what a baseline holds", "`baseline show`"),
    "catalogue": ("metrics, settings and conventions", "`metrics`"),
    "machine": ("what receval runs on", "`doctor`"),
}


def page() -> list[Block]:
    """The page; a subject without words stops it."""
    lines = [line for subject in get_args(Subject) for line in _lines(subject)]
    return [
        Heading("The forms of outputs"),
        Paragraph(
            "What `--format` prints, what the ending of a file of `-o` says, and which files a folder gets. Where a command has two "
            "outputs of one form, it gives the one that stands first here. A form of a package ([receval in Python](python.md)) is a "
            "form of the values of a run: `lines` is `--format lines` and `-o FILE.lines`."
        ),
        Table.of_texts(text_columns("what", "command", "format", "file", "in a folder"), lines),
    ]


def _lines(subject: Subject) -> list[tuple[str, ...]]:
    what, command = COMMANDS[subject]
    return [(what, command, "" if row.binary else f"`{row.form}`", _files(row), row.folder and f"`{row.folder}`") for row in rows(subject)]


def _files(row: OutputForm) -> str:
    return ", ".join(f"`{name}`" for name in (*row.endings, *([row.file] if row.file else [])))
