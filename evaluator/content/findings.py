"""Findings of the health checks, and a summary of which checks ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from ..checks import CHECKS, Finding
from ..document import Alert, Document, Sentences
from ..results.result import Result
from .numbers import decimals, number

_MOST: Final = 5
"""Most findings that are shown where a command shows all."""
_FEW: Final = 5
"""Most measures whose bounds are shown."""
WORDS: Final = {"error": "error", "warn": "warning", "info": "note"}


def alerts(findings: Sequence[Finding], command: str = "") -> Document:
    """Return what was found, examples, and what to do.

    With the `command` that shows all of them only five are shown, and the others counted.
    """
    shown = _chosen(findings) if command else list(findings)
    # What to do is the same for all findings of a check, and said after the last one.
    following = [*(finding.check for finding in shown), ""][1:]
    drawn = [_alert(finding, last=finding.check != after) for finding, after in zip(shown, following, strict=False)]
    others = (Sentences((_others(findings, shown, command),), small=False),) if len(shown) < len(findings) else ()
    return (*drawn, *others)


def _chosen(findings: Sequence[Finding]) -> list[Finding]:
    """Return the few findings to show: the graver first, and one of every check before a second one of any."""
    seen: Counter[str] = Counter()
    ranks = []
    for position, finding in enumerate(findings):
        ranks.append((list(WORDS).index(finding.severity), seen[finding.check], position))
        seen[finding.check] += 1
    return [findings[position] for position in sorted(position for *_, position in sorted(ranks)[:_MOST])]


def _others(findings: Sequence[Finding], shown: Sequence[Finding], command: str) -> str:
    """Return a sentence: how many findings of which checks are not shown, and the command that shows them."""
    counts = Counter(finding.check for finding in findings)
    counts.subtract(Counter(finding.check for finding in shown))
    hidden = [finding for finding in findings if counts[finding.check]]
    words = Counter[str](finding.severity for finding in findings)
    words.subtract(Counter[str](finding.severity for finding in shown))
    totals = [f"{n} more {WORDS[severity]}{'s' * (n != 1)}" for severity in WORDS if (n := words[severity])]
    checks = ", ".join(f"{check}{f' × {counts[check]}' * (counts[check] > 1)}" for check in dict.fromkeys(one.check for one in hidden))
    return f"and {', '.join(totals)} ({checks}): {command} shows all"


def _alert(finding: Finding, *, last: bool) -> Alert:
    advice = finding.advice if last and finding.severity != "info" else ""
    head = f"{WORDS[finding.severity]} {finding.check}"
    return Alert(finding.severity, head, titled(finding), finding.examples, tuple(bounds(finding)), advice)


def titled(finding: Finding) -> str:
    """Return the sentence of a finding, with the model that it is about."""
    return f"{finding.model}: {finding.sentence}" if finding.model else finding.sentence


def bounds(finding: Finding) -> Iterable[str]:
    """Yield the range of values of each measure, where a finding has it: the widest first, and how many more there are."""
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
    """Return one line: how many checks were made, why the others were not, and what was found."""
    if not result.examined:
        return "No health checks ran: the config has health: off."
    counts = {severity: sum(finding.severity == severity for finding in result.findings) for severity in WORDS}
    totals = [f"{n} {WORDS[severity]}{'s' * (n != 1)}" for severity, n in counts.items() if n]
    made = f"{len(CHECKS) - len(result.unmade)} of {len(CHECKS)} made{_unmade(result.unmade)}"
    return f"Health checks: {made}: {', '.join(totals) or 'nothing found'}."


def _unmade(why: Mapping[str, str]) -> str:
    """Return the checks that were not made by reason, those that are off last: ` (no data.train: X05 to X11, X14; off: R04)`."""
    reasons = sorted(dict.fromkeys(why.values()), key=lambda reason: reason == "off")
    groups = [f"{reason}: {', '.join(_runs([check for check in why if why[check] == reason]))}" for reason in reasons]
    return f" ({'; '.join(groups)})" if groups else ""


def _runs(checks: Sequence[str]) -> Iterable[str]:
    """Yield ids, of which three or more in a row are one text: `X05 to X11`."""
    positions = {check: position for position, check in enumerate(CHECKS)}
    for _, run in groupby(checks, key=lambda check: (check[0], positions[check] - list(checks).index(check))):
        first, *others = run
        yield from (first, *others) if len(others) < 2 else (f"{first} to {others[-1]}",)
