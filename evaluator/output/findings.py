"""What the health checks found: as text for the screen, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from itertools import groupby
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ..checks import CHECKS, Finding
from ..results.result import Result
from .blocks import encodes
from .visible import markdown_text

_STYLES: Final = {"error": "bold red", "warn": "bold yellow", "info": "bold cyan"}
_FEW: Final = 5
"""How many measures with bounds are shown."""
_WORDS: Final = {"error": "error", "warn": "warning", "info": "note"}


def show(findings: Sequence[Finding], file: TextIO) -> str:
    """Findings as text for `file`: what was found, examples, and what to do; broken into lines on a terminal only."""
    screen = Console(file=file)
    text = StringIO()
    following = [*findings[1:], None]
    # What to do is the same for all findings of a check, and said after the last one.
    parts = [
        part
        for finding, after in zip(findings, following, strict=False)
        for part in _drawn(finding, after is None or after.check != finding.check, screen.width if screen.is_terminal else None)
    ]
    wide = screen.width if screen.is_terminal else max((len(part) + left for part, left in parts), default=1)
    colours = "auto" if screen.is_terminal and screen.color_system else None
    console = Console(file=text, width=wide, height=100, force_terminal=screen.is_terminal, color_system=colours, highlight=False)  # type: ignore[arg-type]
    for part, left in parts:
        console.print(Padding(part, (0, 0, 0, left)))
    shown = "\n".join(line.rstrip() for line in text.getvalue().splitlines())
    shown = shown if encodes(file, "–") else shown.encode("ascii", "backslashreplace").decode()
    return f"{shown}\n" if shown else ""


def _drawn(finding: Finding, last: bool, width: int | None) -> Iterable[tuple[Text, int]]:
    head = Text.assemble((f"{_WORDS[finding.severity]} {finding.check}", _STYLES[finding.severity]), f"  {titled(finding)}")
    yield head, 0
    if finding.examples:
        yield Text(f"for example: {'; '.join(_fitting(finding.examples, width))}", style="dim"), 2
    yield from ((Text(line, style="dim"), 2) for line in bounds(finding))
    if last and finding.severity != "info":
        yield Text(finding.advice, style="dim"), 2


def _fitting(examples: Sequence[str], width: int | None) -> Sequence[str]:
    """As many examples as have room in a line of a terminal of that width, one at least; all where there is no terminal."""
    room = (width or 0) - len("  for example: ")
    fitting = [n for n in range(1, len(examples) + 1) if width is None or cell_len("; ".join(examples[:n])) <= room]
    return examples[: max([1, *fitting])]


def titled(finding: Finding) -> str:
    """The sentence of a finding, with the model that it is about."""
    return f"{finding.model}: {finding.sentence}" if finding.model else finding.sentence


def bounds(finding: Finding) -> Iterable[str]:
    """Between which values measures lie, where a finding says it: the widest first, and how many more there are."""
    by_measure = finding.details.get("bounds", {})
    widest = sorted(by_measure.items(), key=lambda pair: pair[1]["least"] - pair[1]["most"])
    for label, values in widest[:_FEW]:
        ends = f"from {values['least']:.4f} to {values['most']:.4f}"
        yield f"{label}: {ends} over all orders of the ties, {values['expected']:.4f} on average"
    if len(by_measure) > _FEW:
        more = len(by_measure) - _FEW
        yield f"and {more} more measure{'s' * (more != 1)}, which --format json has"


def summary(result: Result) -> str:
    """One line: how many checks were made, why the others were not, and what was found."""
    if not result.examined:
        return "No health check is made: the config says health: off."
    counts = {severity: sum(finding.severity == severity for finding in result.findings) for severity in _WORDS}
    totals = [f"{n} {_WORDS[severity]}{'s' * (n != 1)}" for severity, n in counts.items() if n]
    made = f"{len(CHECKS) - len(result.unmade)} of {len(CHECKS)} made{_unmade(result.unmade)}"
    return f"Health checks: {made}: {', '.join(totals) or 'nothing found'}."


def _unmade(why: Mapping[str, str]) -> str:
    """Which checks were not made for which reason, those that are off last: ` (no data.train: X05 to X11, X14; off: R04)`."""
    reasons = sorted(dict.fromkeys(why.values()), key=lambda reason: reason == "off")
    groups = [f"{reason}: {', '.join(_runs([check for check in why if why[check] == reason]))}" for reason in reasons]
    return f" ({'; '.join(groups)})" if groups else ""


def _runs(checks: Sequence[str]) -> Iterable[str]:
    """Ids, of which three or more in a row are one text: `X05 to X11`."""
    positions = {check: position for position, check in enumerate(CHECKS)}
    for _, run in groupby(checks, key=lambda check: (check[0], positions[check] - list(checks).index(check))):
        first, *others = run
        yield from (first, *others) if len(others) < 2 else (f"{first} to {others[-1]}",)


def as_markdown(findings: Sequence[Finding]) -> list[str]:
    """Findings as lines of a Markdown list."""
    lines = []
    for finding in findings:
        examples = f" For example: {'; '.join(finding.examples)}." if finding.examples else ""
        more = "".join(f" {line}." for line in bounds(finding))
        lines.append(f"- **{_WORDS[finding.severity]} {finding.check}** {markdown_text(f'{titled(finding)}{examples}{more}')}")
    return lines
