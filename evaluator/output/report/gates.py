"""The section of gates: every rule, what was found, and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .content import ReportContent
from .views import PageCell, PageColumn, PageTable, Section

WORDS = {"pass": "✔ pass", "fail": "✖ fail", "inconclusive": "▲ inconclusive", "skipped": "– not judged"}
_VERDICTS = {"none": "", "warn": "warn", "fail": "error"}
DATA = ("rule", "model", "outcome", "consequence", "value", "limit", "low", "high")


def section(content: ReportContent) -> Section | None:
    """The gates in a table; `None` if there are none."""
    if not content.gates:
        return None
    rows = tuple(_row(gate) for gate in content.gates)
    data = [[gate.get(name) for name in DATA] for gate in content.gates]
    columns = (
        PageColumn("rule", "name"),
        PageColumn("model", "text"),
        PageColumn("outcome", "text"),
        PageColumn("found", "text"),
        PageColumn("why", "text"),
    )
    return Section("gates", "Gates", tables=(PageTable("gates-table", "Rules and what was found", columns, rows, DATA, data),))


def _row(gate: Mapping[str, Any]) -> tuple[PageCell, ...]:
    outcome = gate["outcome"]
    why = gate.get("remark") or ("" if gate.get("found") else gate.get("sentence", ""))
    ended = PageCell(WORDS[outcome], verdict="pass" if outcome == "pass" else _VERDICTS[gate["consequence"]])
    return PageCell(gate["rule"]), PageCell(gate.get("model") or ""), ended, PageCell(gate.get("found") or ""), PageCell(why)
