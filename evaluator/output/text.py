"""The formats for people: Markdown, and the cells that the terminal table shares with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..content import gates
from ..render.markdown import as_markdown as as_markdown_text
from ..render.markdown import markdown_text, without_links
from ..results.result import Result
from ..results.wording import shortened
from . import blocks, findings, groups, ledgers, repeats
from .best_values import UNTESTED, best_values
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
    """Title and verdict, the table (measures × models, the best values of each measure in bold), what the checks found, who counts."""
    models = [model for model in result.models if model not in result.yardsticks]
    judged = [as_markdown_text(gates.document(result.gates)), ""] if result.gates else []
    lines = [f"# Evaluation of {markdown_text(shortened(models))}", "", *_verdict(result), "", *judged, *_values(result)]
    shares = [" | ".join([f"| {markdown_text(label)}", *cells]) + " |" for label, cells in achieved(result, models)]
    if shares:
        head = "| percent of achievable | " + " | ".join(markdown_text(model) for model in models) + " |"
        lines += ["", head, "|---|" + "---:|" * len(models), *shares]
    notes = (*best_values(result, Formats.of(result.rows)).legend("Bold:"), *result.notes())
    lines += ["", *(f"- {markdown_text(note)}" for note in notes)]
    checks = findings.as_markdown(result.findings)
    if checks:
        lines += ["", "## What the checks found", "", *checks]
    more = without_links(blocks.as_markdown([*repeats.page(result), *groups.page(result), *ledgers.page(result)]))
    return "\n".join([*lines, "", more]).encode()


def _verdict(result: Result) -> Iterator[str]:
    """How many users were counted, and what the checks say."""
    averaged = sorted({counts.averaged for counts in result.counts.values()})
    n = f"{averaged[0]:,}" if len(averaged) == 1 else f"{averaged[0]:,} to {averaged[-1]:,}"
    failed = sum(finding.severity == "error" for finding in result.findings)
    yield f"{len(result.labels())} measures over {n} users." + (f" **{failed} health checks failed.**" if failed else "")
    if result.examined:
        yield ""
        yield markdown_text(findings.summary(result))


def _values(result: Result) -> Iterator[str]:
    formats = Formats.of(result.rows)
    table, marked = result.by_model(), best_values(result, formats)
    yield "| measure | " + " | ".join(markdown_text(model) for model in result.models) + " |"
    yield "|---|" + "---:|" * len(result.models)
    for label in result.labels():
        values = {model: formats.shown(table[model].get(label)) for model in result.models}
        cells = [
            f"**{value}**" if (model, label) in marked.tested else f"{value} {UNTESTED}" if (model, label) in marked.untested else value
            for model, value in values.items()
        ]
        yield f"| {markdown_text(label)}{arrow(result, label)} | " + " | ".join(cells) + " |"
    yield "| users | " + " | ".join(f"{result.counts[model].averaged:,}" for model in result.models) + " |"
