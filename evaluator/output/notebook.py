"""A result as HTML for notebooks: tables that need no script, in classes of their own, with every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from ..results.result import Result
from . import findings
from .best_values import UNTESTED, best_values
from .cells import Formats
from .text import achieved, arrow

_STYLE: Final = (
    "<style>"
    ".receval-result{font-variant-numeric:tabular-nums}"
    ".receval-result table{border-collapse:collapse;margin:.5em 0}"
    ".receval-result th,.receval-result td{text-align:right;padding:.2em .8em}"
    ".receval-result th:first-child{text-align:left}"
    ".receval-result .receval-best{font-weight:bold}"
    ".receval-result .receval-notes{font-size:90%;opacity:.8}"
    "</style>"
)


def as_html(result: Result) -> str:
    """The values of all models, what the checks found above them, and what to know beside them."""
    formats = Formats.of(result.rows)
    table, marked = result.by_model(), best_values(result, formats)
    rows = []
    for label in result.labels():
        cells = [
            (
                f"{formats.shown(table[model].get(label))}{f' {UNTESTED}' * ((model, label) in marked.untested)}",
                (model, label) in marked.tested,
            )
            for model in result.models
        ]
        rows.append((f"{label}{arrow(result, label)}", cells))
    users = [(f"{result.counts[model].averaged:,}", False) for model in result.models]
    found = [finding for finding in result.findings if finding.severity != "info"]
    parts = [
        _list("receval-findings", (f"{finding.severity} {finding.check}: {findings.titled(finding)}" for finding in found)),
        _table("measure", result.models, [*rows, ("users", users)]),
    ]
    reached = [model for model in result.models if model not in result.yardsticks]
    shares = [(label, [(cell, False) for cell in cells]) for label, cells in achieved(result, reached)]
    if shares:
        parts.append(_table("percent of achievable", reached, shares))
    summary = [findings.summary(result)] if result.examined else []
    parts.append(_list("receval-notes", (*marked.legend("Bold:"), *result.notes(), *summary)))
    return f'{_STYLE}<div class="receval-result">{"".join(parts)}</div>'


def _table(head: str, columns: Sequence[str], rows: Iterable[tuple[str, Iterable[tuple[str, bool]]]]) -> str:
    headers = "".join(f'<th scope="col">{escape(name)}</th>' for name in (head, *columns))
    lines = (f'<tr><th scope="row">{escape(name)}</th>{"".join(_cell(*cell) for cell in cells)}</tr>' for name, cells in rows)
    return f"<table><thead><tr>{headers}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _cell(text: str, is_best: bool) -> str:
    return f'<td class="receval-best">{escape(text)}</td>' if is_best else f"<td>{escape(text)}</td>"


def _list(name: str, texts: Iterable[str]) -> str:
    entries = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="{name}">{entries}</ul>' if entries else ""
