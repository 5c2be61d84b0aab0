"""Findings of the health checks, and a summary of which checks ran."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Final

from msgspec.structs import replace

from ..checks import CHECKS, Finding
from ..document import Alert, Document, Sentences, Severity
from ..results.result import Result
from ..results.row import shortened
from .numbers import decimals, number

_MOST: Final = 5
"""Number of findings that are shown if a command shows all."""
_FEW: Final = 5
"""Number of measures whose bounds are shown."""
_FOLD: Final = re.compile(r"fold ([^:]+): ")
"""The start of a sentence about one fold."""
STRICTLY: Final = "--strict counts warnings of the health checks as errors"
WORDS: Final[dict[Severity, str]] = {"error": "error", "warn": "warning", "info": "note"}


def alerts(findings: Sequence[Finding], command: str = "") -> Document:
    """Return findings with their examples and advice.

    With a `command` that shows all of them, only five are shown, and the others counted; those of several folds are one.
    """
    distinct = _with_models(_over_folds(findings) if command else findings)
    places = _chosen([finding for finding, _ in distinct]) if command else list(range(len(distinct)))
    shown = [distinct[place] for place in places]
    drawn: list[Alert | Sentences] = []
    # What to do is the same for all findings of a check, and said after the last one.
    for (finding, models), after in zip_longest(shown, (finding.check for finding, _ in shown[1:])):
        advice = finding.advice if finding.check != after and finding.severity != "info" else ""
        head = f"{WORDS[finding.severity]} {finding.check}"
        drawn.append(
            Alert(
                finding.severity,
                head,
                _titled(shortened(models) if command else ", ".join(models), finding),
                finding.examples,
                tuple(bounds(finding)),
                advice,
                finding.cures,
            )
        )
    hidden = [finding for place, (finding, models) in enumerate(distinct) if place not in places for _ in models]
    if hidden:
        words, counts = Counter(finding.severity for finding in hidden), Counter(finding.check for finding in hidden)
        totals = ", ".join(f"{n} more {WORDS[severity]}{'s' * (n != 1)}" for severity in WORDS if (n := words[severity]))
        checks = dict.fromkeys(finding.check for finding in findings if finding.check in counts)
        named = ", ".join(f"{check}{f' × {counts[check]}' * (counts[check] > 1)}" for check in checks)
        drawn.append(Sentences((f"and {totals} ({named}): {command} shows all",), small=False))
    return tuple(drawn)


def _over_folds(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return findings of which those of one check and one model in several folds are one, that of the first of these folds."""
    folds: dict[tuple[str, str, str], list[str]] = {}
    firsts: dict[tuple[str, str, str], Finding] = {}
    for place, finding in enumerate(findings):
        fold = _FOLD.match(finding.sentence)
        key = (finding.check, finding.model, finding.severity if fold else str(place))
        firsts.setdefault(key, finding)
        folds.setdefault(key, []).append(fold[1] if fold else "")
    others = {key: names[1:] for key, names in folds.items()}
    also = {key: f" Also in {'fold' if len(names) == 1 else 'folds'} {', '.join(names)}." if names else "" for key, names in others.items()}
    return [replace(finding, sentence=f"{finding.sentence}{also[key]}") for key, finding in firsts.items()]


def _chosen(findings: Sequence[Finding]) -> list[int]:
    """Return the positions of the few findings to show: the gravest, those that question the values, one of every check before a second."""
    seen: Counter[str] = Counter()
    ranks = []
    for place, finding in enumerate(findings):
        check = CHECKS.get(finding.check)  # none if the results are of a check of a package that is not installed
        is_first = check is not None and check.doubts_values
        ranks.append((list(WORDS).index(finding.severity), not is_first, seen[finding.check], place))
        seen[finding.check] += 1
    return sorted(place for *_, place in sorted(ranks)[:_MOST])


def titled(finding: Finding) -> str:
    """Return the sentence of a finding, with the model that it is about."""
    return _titled(finding.model, finding)


def _titled(models: str, finding: Finding) -> str:
    return f"{models}: {finding.sentence}" if finding.model else finding.sentence


def _with_models(findings: Sequence[Finding]) -> list[tuple[Finding, list[str]]]:
    """Return the findings, each with its model; of those that differ only in the model the first, with all these models."""
    distinct: dict[tuple[object, ...], tuple[Finding, list[str]]] = {}
    for finding in findings:
        said = (finding.check, finding.severity, bool(finding.model), finding.sentence, finding.examples, tuple(bounds(finding)))
        distinct.setdefault(said, (finding, []))[1].append(finding.model)
    return list(distinct.values())


def bounds(finding: Finding) -> Iterable[str]:
    """Yield the range of values of each measure, if a finding has them: the widest first, then the number of the rest."""
    by_measure = finding.details.get("bounds", {})
    widest = sorted(by_measure.items(), key=lambda pair: pair[1]["least"] - pair[1]["most"])
    for label, values in widest[:_FEW]:
        places = decimals(values.values())
        least, most, expected = (number(values[name], places) for name in ("least", "most", "expected"))
        yield f"{label}: from {least} to {most} over all orders of the ties, {expected} on average"
    if len(by_measure) > _FEW:
        more = len(by_measure) - _FEW
        yield f"and {more} more measure{'s' * (more != 1)}; --format json has all"


def summary(result: Result) -> str:
    """Return one line: the number of checks that ran, why the others did not, and the findings.

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
    is_strict = any(finding.is_strict for finding in result.findings)
    level = "info" if strict or is_strict else "warn"
    checks = f"{', '.join(ids)}{f' ({STRICTLY})' if is_strict else ''}"
    accepted = f"for example health: {{{ids[0]}: {level}}}, or --set health.{ids[0]}={level}"
    return f"exit code 1 because of {checks}: fix the files, or accept a finding in the config, {accepted}"


def _runs(checks: Sequence[str]) -> Iterable[str]:
    """Yield ids, with three or more consecutive ones as one text: `X05 to X11`."""
    positions = {check: position for position, check in enumerate(CHECKS)}
    for _, run in groupby(checks, key=lambda check: (check[0], positions[check] - list(checks).index(check))):
        first, *others = run
        yield from (first, *others) if len(others) < 2 else (f"{first} to {others[-1]}",)
