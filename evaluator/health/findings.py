"""Merged tallies → what the checks find, in order; what the policy refuses; and which checks were not made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import quote

import polars as pl
from msgspec.structs import replace

from ..checks import CHECKS, NEEDS, SEVERITIES
from ..conventions import AXES
from ..errors import DataError
from .context import Context, Symptom
from .registry import CHECKERS
from .task import CheckTask, Tallies

_MEANINGFUL: Final = re.compile(r'[%+/\\:*?"<>|\x00-\x1f]')


def findings(task: CheckTask, tallies: Tallies, context: Context) -> list[Symptom]:
    """What the checks find in a model, and in the files; the context need not have the settings of the task and the counts."""
    whole = replace(_with_settings(task, context), counts=tallies.counts)
    return [symptom for check in task.made for symptom in check.finding(tallies.checks[check.id], whole)]


def comparisons(task: CheckTask, tallies: Tallies, context: Context) -> tuple[list[Symptom], list[str]]:
    """What the checks find when a model is set beside the best possible lists and popularity, and what they say where nothing is wrong."""
    whole = replace(_with_settings(task, context), counts=tallies.counts)
    symptoms = [symptom for check in task.made for symptom in check.comparison(tallies.checks[check.id], whole)]
    return symptoms, [remark for check in task.made if (remark := check.remark(tallies.checks[check.id], whole))]


def _with_settings(task: CheckTask, context: Context) -> Context:
    return replace(context, settings=task.settings, refused=task.refused, available=task.available, cutoffs=task.cutoffs)


def refuse(symptoms: Iterable[Symptom]) -> None:
    """`DataError` for the first finding that the policy refuses."""
    for finding, _, refused in symptoms:
        if refused:
            about = f"{finding.model}: " if finding.model else ""
            axis = CHECKERS[finding.check].policy
            values = ", ".join(AXES[axis].values)
            sentence = f"{about}{finding.sentence} evaluation.policy.{axis} says error."
            raise DataError(sentence, f"mend the file, or say what is done instead: {values}")


def in_order(symptoms: Iterable[Symptom]) -> list[Symptom]:
    """Findings, the worst first, in the order of the checks; what all models share stands once."""
    order = {name: index for index, name in enumerate(CHECKS)}
    unique: dict[tuple[str, str, str], Symptom] = {}
    for symptom in symptoms:
        finding = symptom.finding
        unique.setdefault((finding.check, finding.model, finding.sentence), symptom)
    return sorted(unique.values(), key=lambda one: (SEVERITIES.index(one.finding.severity), order[one.finding.check]))


def unmade(task: CheckTask, available: Collection[str]) -> dict[str, str]:
    """The checks that were not made, and why: they are `off`, or there is `no` thing that they need in any file.

    `available` are those of `NEEDS` that were met for any model.
    """
    reasons: dict[str, str] = {}
    for check in CHECKS.values():
        lacking = [NEEDS[need] for need in check.needs if need not in available]
        if lacking or check.id not in task.on:
            reasons[check.id] = f"no {lacking[0]}" if check.id in task.on else "off"
    return reasons


def failing_rows(symptoms: Iterable[Symptom]) -> dict[str, pl.DataFrame]:
    """The offending rows of errors and warnings, by the name of their file: `R01.knn`, then `R01.knn+2` for further ones of a model.

    Letters of a model's name that a file system or this scheme gives a meaning are written as %2F and the like: no two models share a name.
    """
    rows_by_file: dict[str, pl.DataFrame] = {}
    numbers: Counter[str] = Counter()
    for finding, rows, _ in symptoms:
        if rows is None or finding.severity not in ("error", "warn"):
            continue
        model = _MEANINGFUL.sub(lambda letter: quote(letter[0], safe=""), finding.model)
        name = ".".join(part for part in (finding.check, model) if part)
        numbers[name] += 1
        rows_by_file[name if numbers[name] == 1 else f"{name}+{numbers[name]}"] = rows
    return rows_by_file
