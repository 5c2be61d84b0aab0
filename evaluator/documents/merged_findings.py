"""Findings of one check in several folds, runs and models → one finding, with their range and one example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from ..checks import Finding
from ..results.row import listed

_FOLD: Final = re.compile(r"fold (.+?): ")
"""The start of a sentence about one fold."""
_RUN: Final = re.compile(r" \(run (\d+)\)$")
"""The end of the name of one run of a model."""
_CLAUSE: Final = re.compile(r"; |: |\. ")
"""The end of the first clause of a sentence."""
MERGED: Final = "merged"
"""The key of the details of a finding that stands for several."""
_APART: Final = 2
"""Number of findings of a check that stay apart without folds and runs."""


def merged(findings: Sequence[Finding]) -> list[tuple[Finding, list[str]]]:
    """Return the findings with their models, those of one check over folds, runs and many models as one finding, without a model.

    Of those that differ only in the model the first stands for all, with all these models.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.check, finding.severity), []).append(finding)
    return [pair for of_check in groups.values() for pair in _merged_check(of_check)]


def _merged_check(findings: Sequence[Finding]) -> list[tuple[Finding, list[str]]]:
    distinct = with_models(findings)
    if len(distinct) <= (1 if is_of_repeats(findings) else _APART):
        return distinct
    worst = max(findings, key=lambda finding: finding.share)
    places = ", ".join((*_models(findings), *_repeats(findings)))
    between = _range([finding.share for finding in findings if finding.total])
    counted = f"{len(findings):,} findings{f' in {places}' if places else ''}{f' ({between})' if between else ''}"
    example = _CLAUSE.split(_FOLD.sub("", worst.sentence, count=1))[0].removesuffix(".")
    return [(replace(worst, sentence=f"{counted}, such as {_place(worst)}{example}.", model="", examples=(), details={MERGED: True}), [""])]


def is_of_repeats(findings: Sequence[Finding]) -> bool:
    """Return whether some findings are about one fold or one run of a model."""
    return any(_FOLD.match(finding.sentence) or _RUN.search(finding.model) for finding in findings)


def with_models(findings: Sequence[Finding]) -> list[tuple[Finding, list[str]]]:
    """Return the findings, each with its model; of those that differ only in the model the first, with all these models."""
    distinct: dict[tuple[object, ...], tuple[Finding, list[str]]] = {}
    for finding in findings:
        said = (
            finding.check,
            finding.severity,
            bool(finding.model),
            finding.sentence,
            finding.examples,
            repr(finding.details.get("bounds")),
        )
        distinct.setdefault(said, (finding, []))[1].append(finding.model)
    return list(distinct.values())


def _models(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the names of the models with a finding, or their number if they are many."""
    names = dict.fromkeys(_RUN.sub("", finding.model) for finding in findings if finding.model)
    yield from (listed([*names]) if len(names) <= _APART else f"{len(names)} models",) if names else ()


def _repeats(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the numbers of folds and of runs with a finding, if there are several."""
    folds = {match[1] for finding in findings if (match := _FOLD.match(finding.sentence))}
    runs = {match[1] for finding in findings if (match := _RUN.search(finding.model))}
    yield from (f"{len(names)} {kind}" for names, kind in ((folds, "folds"), (runs, "runs")) if len(names) > 1)


def _place(finding: Finding) -> str:
    fold = _FOLD.match(finding.sentence)
    names = (finding.model, f"fold {fold[1]}" if fold else "")
    return f"{', '.join(filter(None, names))}: " if any(names) else ""


def _range(shares: Sequence[float]) -> str:
    """Return the range of shares in percent; empty without any."""
    if not shares or not max(shares):
        return ""
    low, high = (_percent(share) for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.9995 else f"{100 * share:.1f}" if share >= 0.001 else f"{100 * share:.2g}"
