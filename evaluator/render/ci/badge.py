"""A badge: what the gates say, or else the best value of the first measure."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

from ...content.report import ReportContent
from ...content.values import by_label
from ...quoting import on_one_line

_GREEN, _RED, _AMBER, _BLUE = "#1a7f37", "#b3261e", "#8a6100", "#0b5cad"
_CHARACTER: Final = 6.6
_LONGEST: Final = 60


def as_badge(content: ReportContent) -> bytes:
    """Return the badge as SVG."""
    label, message, colour = _said(content)
    label, message = (_short(on_one_line(text)) for text in (label, message))
    left, right = (round(len(text) * _CHARACTER) + 12 for text in (label, message))
    spoken = escape(f"{label}: {message}", {'"': "&quot;"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{spoken}">'
        f"<title>{spoken}</title>"
        f'<path d="M0 0h{left}v20H0z" fill="#3d444d"/><path d="M{left} 0h{right}v20h-{right}z" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14" textLength="{left - 10}" lengthAdjust="spacingAndGlyphs">{escape(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14" textLength="{right - 10}" lengthAdjust="spacingAndGlyphs">{escape(message)}</text>'
        "</g></svg>\n"
    ).encode()


def _said(content: ReportContent) -> tuple[str, str, str]:
    """Return the left text, the right text, and the colour of the right one."""
    if content.gates:
        return _of_gates([gate.outcome for gate in content.gates], any(gate.consequence == "fail" for gate in content.gates))
    if any(result.failed() for result in content.results.values()):
        return "checks", "failed", _RED
    if not content.labels:
        return "receval", "no values", _BLUE
    label = content.labels[0]
    points = {name: one for name, one in by_label(content.points)[label].items() if not one.is_yardstick and one.value is not None}
    best = content.marked.tested | content.marked.untested
    name = next((name for name in points if (name, label) in best), next(iter(points), ""))
    if not name:
        return label, "no value", _BLUE
    return (
        label,
        f"{content.formats.shown(points[name].row)} ({name})" if len(points) > 1 else content.formats.shown(points[name].row),
        _BLUE,
    )


def _of_gates(outcomes: list[str], fails: bool) -> tuple[str, str, str]:
    """Return what the badge says of gates: it is red if they fail the run."""
    n = len(outcomes)
    for outcome, words in (("fail", "failed"), ("inconclusive", "inconclusive"), ("skipped", "not judged")):
        if outcome in outcomes:
            return "gates", f"{outcomes.count(outcome)} of {n} {words}", _RED if fails else _AMBER
    return "gates", "passed", _GREEN


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
