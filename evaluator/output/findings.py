"""What the health checks found: as text for the screen, and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from ..checks import CHECKS, Finding
from ..content.numbers import decimals, number
from ..render.markdown import markdown_text
from ..render.terminal import CODE, Screen
from ..results.result import Result

_STYLES: Final = {"error": "bold red", "warn": "bold color(166)", "info": f"bold {CODE}"}
"""Colours that can be read on white as well as on black."""
_MOST: Final = 5
"""How many findings are shown in full where a command shows all."""
_FEW: Final = 5
"""How many measures with bounds are shown."""
_WORDS: Final = {"error": "error", "warn": "warning", "info": "note"}


def show(findings: Sequence[Finding], file: TextIO, command: str = "") -> str:
    """Findings as text for `file`: what was found, examples, and what to do; broken into lines where there is a width.

    With the `command` that shows all of them only five are shown, and the others counted.
    """
    screen = Screen.of(file)
    shown = _chosen(findings) if command else list(findings)
    following = [*shown[1:], None]
    # What to do is the same for all findings of a check, and said after the last one.
    lines = [
        line
        for finding, after in zip(shown, following, strict=False)
        for line in _drawn(finding, after is None or after.check != finding.check, screen)
    ]
    if len(shown) < len(findings):
        lines += screen.paragraph(Text(screen.visible(_others(findings, shown, command))))
    return screen.draw(lines)


def _chosen(findings: Sequence[Finding]) -> list[Finding]:
    """The few findings to show: the graver first, and one of every check before a second one of any."""
    seen: Counter[str] = Counter()
    ranks = []
    for position, finding in enumerate(findings):
        ranks.append((list(_WORDS).index(finding.severity), seen[finding.check], position))
        seen[finding.check] += 1
    return [findings[position] for position in sorted(position for *_, position in sorted(ranks)[:_MOST])]


def _others(findings: Sequence[Finding], shown: Sequence[Finding], command: str) -> str:
    """How many findings are not shown, of which checks, and the command that shows them."""
    counts = Counter(finding.check for finding in findings)
    counts.subtract(Counter(finding.check for finding in shown))
    hidden = [finding for finding in findings if counts[finding.check]]
    words = Counter[str](finding.severity for finding in findings)
    words.subtract(Counter[str](finding.severity for finding in shown))
    totals = [f"{n} more {_WORDS[severity]}{'s' * (n != 1)}" for severity in _WORDS if (n := words[severity])]
    checks = ", ".join(f"{check}{f' × {counts[check]}' * (counts[check] > 1)}" for check in dict.fromkeys(one.check for one in hidden))
    return f"and {', '.join(totals)} ({checks}): {command} shows all"


def _drawn(finding: Finding, last: bool, screen: Screen) -> Iterable[tuple[RenderableType, int]]:
    head = f"{_WORDS[finding.severity]} {finding.check}  "
    yield from screen.paragraph(Text(screen.visible(titled(finding))), head, before_style=_STYLES[finding.severity])
    more = []
    if finding.examples:
        more.append(f"for example: {'; '.join(_fitting(finding.examples, screen.width))}")
    more += bounds(finding)
    if last and finding.severity != "info":
        more.append(finding.advice)
    for line in more:
        yield from screen.paragraph(Text(screen.visible(line), style="dim"), "  ", hanging=4)


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
        places = decimals(values.values())
        least, most, expected = (number(values[name], places) for name in ("least", "most", "expected"))
        yield f"{label}: from {least} to {most} over all orders of the ties, {expected} on average"
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
