"""Findings of the health checks, and a summary of which checks ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from typing import Final

from ..checks import CHECKS, Finding
from ..results.result import Result
from ..results.row import listed, shortened
from .document import Alert, Document, Sentences, Severity
from .merged_findings import MERGED, is_of_repeats, merged, with_models
from .numbers import decimals, number

_MOST: Final = 5
"""Number of findings that are shown if a command shows all."""
_MOST_OF_FEW: Final = 2
"""The same for a file of few users."""
_MOST_MERGED: Final = 3
"""The same if some stand for many."""
_FEW: Final = 5
"""Number of measures whose bounds are shown."""
OFF: Final = "off"
"""The reason of a check that the config switches off."""
STRICTLY: Final = "--strict counts warnings of the health checks as errors"
WORDS: Final[dict[Severity, str]] = {"error": "error", "warn": "warning", "info": "note"}


def alerts(findings: Sequence[Finding], command: str = "", *, whole: bool = False, is_small: bool = False) -> Document:
    """Return findings with their examples and advice: one for each check over all models, unless `whole`, and over all folds and runs.

    With a `command` that shows all of them, only five are shown, three if some stand for many, two if the files are small; the others are
    counted.
    """
    over_repeats = is_of_repeats(findings)
    distinct = with_models(findings) if whole and not over_repeats else merged(findings)
    places = (
        _chosen(
            [finding for finding, _ in distinct],
            _MOST_OF_FEW if is_small else _MOST_MERGED if any(MERGED in finding.details for finding, _ in distinct) else _MOST,
        )
        if command
        else list(range(len(distinct)))
    )
    shown = [distinct[place] for place in places]
    drawn: list[Alert | Sentences] = []
    # What to do is the same for all findings of a check, and said after the last one.
    for (finding, models), after in zip_longest(shown, (finding.check for finding, _ in shown[1:])):
        is_short = finding.severity == "info" or (command and MERGED in finding.details)
        advice = finding.advice if finding.check != after and not is_short else ""
        head = f"{WORDS[finding.severity]} {finding.check}"
        drawn.append(
            Alert(
                finding.severity,
                head,
                titled(finding, shortened(models) if command else ", ".join(models)),
                finding.examples,
                tuple(bounds(finding)),
                advice,
                () if is_short else finding.cures,
            )
        )
    hidden = [finding for place, (finding, models) in enumerate(distinct) if place not in places for _ in models]
    if hidden:
        words, counts = Counter(finding.severity for finding in hidden), Counter(finding.check for finding in hidden)
        totals = ", ".join(f"{n} more {WORDS[severity]}{'s' * (n != 1)}" for severity in WORDS if (n := words[severity]))
        checks = dict.fromkeys(finding.check for finding in findings if finding.check in counts)
        named = ", ".join(f"{check}{f' × {counts[check]}' * (counts[check] > 1)}" for check in checks)
        drawn.append(Sentences((f"and {totals} ({named}): {command} shows all",), small=False))
    elif command and any(MERGED in finding.details for finding, _ in shown):
        each = "what to do, --format json each of them" if over_repeats else "each of them, and what to do"
        drawn.append(Sentences((f"{command} shows {each}",), small=False))
    elif whole and any(MERGED in finding.details for finding, _ in shown):
        drawn.append(Sentences(("--format json has each of them",), small=False))
    return tuple(drawn)


def _chosen(findings: Sequence[Finding], most: int) -> list[int]:
    """Return the positions of the few findings to show: the gravest, those that question the values, one of every check before a second."""
    seen: Counter[str] = Counter()
    ranks = []
    for place, finding in enumerate(findings):
        check = CHECKS.get(finding.check)  # none if the results are of a check of a package that is not installed
        is_first = check is not None and check.doubts_values
        ranks.append((list(WORDS).index(finding.severity), not is_first, seen[finding.check], place))
        seen[finding.check] += 1
    return sorted(place for *_, place in sorted(ranks)[:most])


def titled(finding: Finding, models: str = "") -> str:
    """Return the sentence of a finding, with the models that it is about, by default its own."""
    return f"{models or finding.model}: {finding.sentence}" if finding.model else finding.sentence


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


def summary(result: Result, command: str = "") -> str:
    """Return one sentence: the findings of the checks, those of one check counted once, and how many checks did not run.

    `command` shows the findings, and why checks did not run.
    """
    if not result.examined:
        return "No health checks ran: the config has health: off."
    counts = Counter(finding.severity for finding, _ in merged(result.findings))
    totals = [f"{counts[severity]} {WORDS[severity]}{'s' * (counts[severity] != 1)}" for severity in WORDS if counts[severity]]
    n_off = list(result.unmade.values()).count(OFF)
    n_idle, n_made = len(result.unmade) - n_off, len(CHECKS) - len(result.unmade)
    rest = f"; {n_idle} had nothing to look at" if n_idle else ""
    rest += f"; {n_off} {'is' if n_off == 1 else 'are'} off" if n_off else ""
    shown = f" ({command} has the details)" if command and (totals or rest) else ""
    made = f"{n_made} of {len(CHECKS)} health checks ran and" if rest else f"{n_made} health checks"
    return f"{made} found {listed(totals) or 'nothing'}{rest}{shown}."


def skipped(result: Result) -> str:
    """Return why checks did not run, with their ids, `Checks that did not run: no data.train: X05 to X11; off: R04.`.

    Empty if all ran, or if all are off, which the summary says.
    """
    if not result.examined:
        return ""
    reasons = sorted(dict.fromkeys(result.unmade.values()), key=lambda reason: reason == OFF)
    runs = (", ".join(_runs([check for check, why in result.unmade.items() if why == reason])) for reason in reasons)
    texts = "; ".join(f"{reason}: {ids}" for reason, ids in zip(reasons, runs, strict=True))
    return f"Checks that did not run: {texts}." if texts else ""


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
