"""The page docs/output-forms.md: every form of output, from the table `receval.support.outputs`."""

from __future__ import annotations

from typing import get_args

from receval.documents.document import Block, Heading, Paragraph, Table, text_columns
from receval.support.outputs import OutputForm, Subject, rows

COMMANDS = {
    "result": ("the values of a run", "`run`"),
    "latex": ("tables for a paper, or a document with definitions and data", "`run`, `report`"),
    "report": ("a report of results", "`run`, `report`, `gate`"),
    "users": ("per-user values", "`run --per-user`"),
    "comparison": ("the comparison of models", "`compare`"),
    "across": ("models over several data sets", "`compare --across`"),
    "losers": ("the users with the largest losses", "`compare --losers N`"),
    "diff": ("the lists of two models side by side", "`diff`"),
    "history": ("models over many runs", "`history`"),
    "leaderboard": ("all models of many results", "`leaderboard`"),
    "user": ("everything about one user", "`user`"),
    "slices": ("the groups of users for whom a model is worse or better", "`slices`"),
    "card": ("an evaluation on one page", "`card`"),
    "gates": ("the verdicts on rules", "`gate`"),
    "plan": ("how often rules will pass", "`gate --plan`"),
    "findings": ("the findings of health checks", "`check`"),
    "chart": ("one chart", "`plot`"),
    "audit": ("the measures under every convention", "`audit`"),
    "audit-difference": ("why two conventions differ", "`audit --why A B`"),
    "audit-values": ("which convention gives a number", "`audit --find NUMBER`"),
    "audit-settings": ("which settings give a number", "`audit --find NUMBER --search policies,order`"),
    "gamma-curve": ("measures under exposure over γ", "`audit --gamma-curve`"),
    "description": ("the description of the files", "`describe`"),
    "explanation": ("how the value of one user is computed", "`explain`"),
    "baseline": ("the contents of a baseline", "`baseline show`"),
    "catalogue": ("metrics, settings and conventions", "`metrics`"),
    "machine": ("versions, memory, optional packages", "`doctor`"),
}


def page() -> list[Block]:
    """Return the page; raise if a subject has no description."""
    lines = [line for subject in get_args(Subject) for line in _lines(subject)]
    return [
        Heading("The forms of outputs"),
        Paragraph(
            "The table lists the forms for `--format`, the endings of files for `-o`, and the files in a folder. If a command has two "
            "outputs of the same form, it writes the first in this table. A form of a package ([receval in Python](python.md)) is a "
            "form of the values of a run: `lines` becomes `--format lines` and `-o FILE.lines`."
        ),
        Table.from_texts(text_columns("output", "command", "format", "file", "in a folder"), lines),
    ]


def _lines(subject: Subject) -> list[tuple[str, ...]]:
    what, command = COMMANDS[subject]
    return [(what, command, "" if row.binary else f"`{row.form}`", _files(row), row.folder and f"`{row.folder}`") for row in rows(subject)]


def _files(row: OutputForm) -> str:
    return ", ".join(f"`{name}`" for name in (*row.endings, *([row.file] if row.file else [])))
