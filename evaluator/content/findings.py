"""Findings of the health checks, and a summary of which checks ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Final

from ..checks import CHECKS, Finding
from ..document import Alert, Document, Sentences, Severity
from ..results.result import Result
from .numbers import decimals, number

_MOST: Final = 5
"""Most findings that are shown where a command shows all."""
_FEW: Final = 5
"""Most measures whose bounds are shown."""
WORDS: Final[dict[Severity, str]] = {"error": "error", "warn": "warning", "info": "note"}


def alerts(findings: Sequence[Finding], command: str = "") -> Document:
    """Return what was found, examples, and what to do.

    With the `command` that shows all of them only five are shown, and the others counted.
    """
    places = _chosen(findings) if command else list(range(len(findings)))
    shown = [findings[place] for place in places]
    drawn: list[Alert | Sentences] = []
    # What to do is the same for all findings of a check, and said after the last one.
    for finding, after in zip_longest(shown, (finding.check for finding in shown[1:])):
        advice = finding.advice if finding.check != after and finding.severity != "info" else ""
        head = f"{WORDS[finding.severity]} {finding.check}"
        drawn.append(Alert(finding.severity, head, titled(finding), finding.examples, tuple(bounds(finding)), advice))
    hidden = [finding for place, finding in enumerate(findings) if place not in places]
    if hidden:
        words, counts = Counter(finding.severity for finding in hidden), Counter(finding.check for finding in hidden)
        totals = ", ".join(f"{n} more {WORDS[severity]}{'s' * (n != 1)}" for severity in WORDS if (n := words[severity]))
        checks = dict.fromkeys(finding.check for finding in findings if finding.check in counts)
        named = ", ".join(f"{check}{f' × {counts[check]}' * (counts[check] > 1)}" for check in checks)
        drawn.append(Sentences((f"and {totals} ({named}): {command} shows all",), small=False))
    return tuple(drawn)


def _chosen(findings: Sequence[Finding]) -> list[int]:
    """Return the places of the few findings to show: the graver first, and one of every check before a second one of any."""
    seen: Counter[str] = Counter()
    ranks = []
    for place, finding in enumerate(findings):
        ranks.append((list(WORDS).index(finding.severity), seen[finding.check], place))
        seen[finding.check] += 1
    return sorted(place for *_, place in sorted(ranks)[:_MOST])


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
    """Return one line: how many checks were made, why the others were not, and what was found.

    Checks that are off come last: ` (no data.train: X05 to X11, X14; off: R04)`.
    """
    if not result.examined:
        return "No health checks ran: the config has health: off."
    counts = {severity: sum(finding.severity == severity for finding in result.findings) for severity in WORDS}
    totals = [f"{n} {WORDS[severity]}{'s' * (n != 1)}" for severity, n in counts.items() if n]
    reasons = sorted(dict.fromkeys(result.unmade.values()), key=lambda reason: reason == "off")
    runs = (", ".join(_runs([check for check, why in result.unmade.items() if why == reason])) for reason in reasons)
    unmade = "; ".join(f"{reason}: {ids}" for reason, ids in zip(reasons, runs, strict=True))
    n, n_unmade = len(CHECKS), len(result.unmade)
    ran = f"{n} health checks: {n - n_unmade} ran, {n_unmade} skipped ({unmade})" if unmade else f"All {n} health checks ran"
    return f"{ran}; {', '.join(totals) or 'nothing found'}."


def failure(result: Result, strict: bool = False) -> str:
    """Return which checks make the exit code 1, and how to accept their findings; empty if none does."""
    levels = ("error", "warn") if strict else ("error",)
    ids = list(dict.fromkeys(finding.check for finding in result.findings if finding.severity in levels))
    if not ids:
        return ""
    accepted = f"{{{ids[0]}: {'info' if strict else 'warn'}}}"
    return f"exit code 1 because of {', '.join(ids)}: fix the files, or accept a finding in the config, for example health: {accepted}"


def _runs(checks: Sequence[str]) -> Iterable[str]:
    """Yield ids, of which three or more in a row are one text: `X05 to X11`."""
    positions = {check: position for position, check in enumerate(CHECKS)}
    for _, run in groupby(checks, key=lambda check: (check[0], positions[check] - list(checks).index(check))):
        first, *others = run
        yield from (first, *others) if len(others) < 2 else (f"{first} to {others[-1]}",)
