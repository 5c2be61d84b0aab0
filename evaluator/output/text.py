"""The formats for people: Markdown, and the cells that the terminal table shares with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..results.result import Result
from . import blocks, findings, gates, groups, ledgers, repeats
from .best_values import best, explained
from .cells import Formats


def arrow(result: Result, label: str) -> str:
    """Which direction is better; empty where neither is."""
    return {True: " ↑", False: " ↓", None: ""}[result.higher_is_better[label]]


def achieved(result: Result, models: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """For each measure with a best possible value the percentage of it that each of `models` reaches."""
    table = result.by_model()
    for label in result.labels():
        shares = [row.achieved if (row := table[model].get(label)) else None for model in models]
        if any(share is not None for share in shares):
            yield label, ["" if share is None else f"{100 * share:.1f} %" for share in shares]


def as_markdown(result: Result) -> bytes:
    """A Markdown table: measures × models, the best value of each measure in bold, what the checks found above, who counts below."""
    formats = Formats.of(result.rows)
    table, marked = result.by_model(), best(result, formats)
    lines = ["| measure | " + " | ".join(_escape(model) for model in result.models) + " |"]
    lines.append("|---|" + "---:|" * len(result.models))
    for label in result.labels():
        cells = []
        for model in result.models:
            value = formats.shown(table[model].get(label))
            cells.append(f"**{value}**" if (model, label) in marked else value)
        lines.append(f"| {_escape(label)}{arrow(result, label)} | " + " | ".join(cells) + " |")
    lines.append("| users | " + " | ".join(f"{result.counts[model].averaged:,}" for model in result.models) + " |")
    checks = [_escape(line) for line in findings.as_markdown(result.findings)]
    above = [*checks, ""] if checks else []
    models = [model for model in result.models if model not in result.yardsticks]
    shares = [" | ".join([f"| {_escape(label)}", *cells]) + " |" for label, cells in achieved(result, models)]
    if shares:
        head = "| percent of achievable | " + " | ".join(_escape(model) for model in models) + " |"
        lines += ["", head, "|---|" + "---:|" * len(models), *shares]
    notes = (*([explained("Bold:")] if marked else []), *result.notes())
    counted = blocks.as_markdown([*repeats.page(result), *groups.page(result), *ledgers.page(result)])
    judged = [gates.as_markdown(result.gates)] if result.gates else []
    return "\n".join([*above, *lines, "", *(f"- {_escape(note)}" for note in notes), "", *judged, counted]).encode()


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
