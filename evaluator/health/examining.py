"""`CheckTask`, the checks to run on a model; and functions that tally a part and collect the findings of merged tallies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Final
from urllib.parse import quote

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..checks import CHECKS, NEEDS, SEVERITIES, CheckSetting, setting
from ..conventions import AXES
from ..metrics.definition import Definition
from ..results.row import Candidates
from ..scoring.measuring import may_be_undefined
from ..scoring.per_user import Scorer
from ..support.errors import DataError, worded
from ..support.patterns import regex
from ..tables.array import Array
from ..tables.rows import LISTS, PartData
from ..tables.truth import TEST
from .checker import CHECKERS, Context, HealthCheck, Symptom
from .examined import ExaminedPart
from .file_checks import TRAIN
from .list_checks import SampledCandidates
from .tallies import Tally, merge_by_name


class CheckTask(Struct, frozen=True, dict=True):
    """Checks to run on one model, and their settings.

    `policy` are the keys of evaluation.policy that are set to `error`; `available` are the keys of `NEEDS` that the files meet. With
    `files` the checks of the files that all models share run too; with `keeps_rows` the rows affected by errors and warnings are kept.
    With `sees_candidates` sampled candidates are recognised even if their check is off.
    """

    settings: Mapping[str, CheckSetting]
    policy: frozenset[str] = frozenset()
    available: frozenset[str] = frozenset()
    cutoffs: tuple[int, ...] = ()
    files: bool = True
    keeps_rows: bool = False
    sees_candidates: bool = False

    @classmethod
    def none(cls) -> CheckTask:
        """Return a task without checks."""
        return cls({check.id: setting(check, "off") for check in CHECKS.values()})

    @cached_property
    def refused(self) -> frozenset[str]:
        """Checks whose findings refuse the data, at any severity."""
        return frozenset(check.id for check in CHECKERS.values() if check.policy in self.policy)

    def setting(self, check: str) -> CheckSetting:
        """Return the setting of a check."""
        return self.settings.get(check) or setting(CHECKS[check])

    @cached_property
    def on(self) -> frozenset[str]:
        """Checks that are switched on, or refuse data."""
        return frozenset(check for check in CHECKS if self.setting(check).severity != "off" or check in self.refused)

    @property
    def needs(self) -> frozenset[str]:
        """Keys of `NEEDS` that some check needs; these inputs are read for checks if they are given."""
        return frozenset(need for check in self.on for need in CHECKS[check].needs)

    @property
    def wants(self) -> frozenset[str]:
        """Keys of `WANTS` that some check wants from the run."""
        return frozenset[str]().union(*(CHECKERS[check].wants for check in self.on))

    @cached_property
    def checks(self) -> tuple[HealthCheck, ...]:
        """Checks that run on the model."""
        return tuple(
            CHECKERS[check.id]
            for check in CHECKS.values()
            if (check.id in self.on or (self.sees_candidates and check.id == _SAMPLED.id))
            and self.available.issuperset(check.needs)
            and (self.files or CHECKERS[check.id].per == "model")
        )


class Tallies(Struct, frozen=True, eq=False):
    """Tallies of all checks over some users, and numbers of rows and users.

    `counts` has `lists` (users with a list), `list_rows`, `test_users`, `test_rows`, `train_rows`, and the numbers of test and train rows
    with a time: `timed_test_rows`, `timed_train_rows`.
    """

    checks: Mapping[str, Tally]
    counts: Tally

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(merge_by_name(self.checks, other.checks), self.counts + other.counts)


def examine(task: CheckTask, scorer: Scorer, definitions: tuple[Definition, ...], values: Array) -> Tallies:
    """Return the tallies of a part.

    `values` are those of every measure (measures × users): NaN if a user does not count, infinite if the value is not defined.
    """
    undefined = np.asarray([may_be_undefined(definition) for definition in definitions], dtype=np.bool_)
    if undefined.any():
        values = np.where(np.isposinf(values) & undefined[:, None], np.nan, values)
    choice = scorer.choice(definitions[0])
    checks = {}
    for check in task.checks:
        own = task.setting(check.id)
        keeps = task.keeps_rows and (own.severity in ("error", "warn") or check.id in task.refused)
        settings = (task.cutoffs, own, check.uses, keeps, scorer.choice)
        checks[check.id] = check.tally(ExaminedPart(scorer.tables, choice, definitions, values, *settings))
    return Tallies(checks, _counts(scorer.part))


def _counts(part: PartData) -> Tally:
    lists = part.rows(LISTS)
    noted = {"lists": int((lists.counts > 0).sum()), "list_rows": len(lists), "test_users": int((part.rows(TEST).counts > 0).sum())}
    for role in (TEST, TRAIN):
        if role in part:
            rows = part.rows(role)
            noted[f"{role}_rows"] = len(rows)
            if "timestamp" in rows:
                noted[f"timed_{role}_rows"] = len(rows) - rows.frame["timestamp"].null_count()
    return Tally(noted)


_SAMPLED: Final = SampledCandidates()
_MEANINGFUL: Final = regex(r'[%+/\\:*?"<>|\x00-\x1f]')


def findings(task: CheckTask, tallies: Tallies, context: Context) -> list[Symptom]:
    """Return the findings in a model, and in the files; settings of the task and counts are added to the context."""
    whole = replace(_with_settings(task, context), counts=tallies.counts)
    return [symptom for check in task.checks for symptom in check.finding(tallies.checks[check.id], whole)]


def candidates_of(task: CheckTask, tallies: Tallies, context: Context) -> Candidates | None:
    """Return the sampled candidates that the lists of a model look like, also if their check is off; `None` if they do not."""
    whole = replace(_with_settings(task, context), counts=tallies.counts)
    return _SAMPLED.candidates(tallies.checks[_SAMPLED.id], whole) if _SAMPLED.id in tallies.checks else None


def comparisons(task: CheckTask, tallies: Tallies, context: Context) -> tuple[list[Symptom], list[str]]:
    """Return the findings from comparing a model with the best possible lists and popularity, and the remarks if nothing is wrong."""
    whole = replace(_with_settings(task, context), counts=tallies.counts)
    symptoms = [symptom for check in task.checks for symptom in check.comparison(tallies.checks[check.id], whole)]
    return symptoms, [remark for check in task.checks if (remark := check.remark(tallies.checks[check.id], whole))]


def _with_settings(task: CheckTask, context: Context) -> Context:
    return replace(context, settings=task.settings, refused=task.refused, available=task.available, cutoffs=task.cutoffs)


def refuse(symptoms: Iterable[Symptom]) -> None:
    """Raise `DataError` for the first finding that the policy refuses."""
    for finding, _, refused in symptoms:
        if refused:
            about = f"{finding.model}: " if finding.model else ""
            axis = CHECKERS[finding.check].policy
            values = ", ".join(AXES[axis].values)
            sentence = f"{about}{finding.sentence} evaluation.policy.{axis} is set to error."
            raise DataError(sentence, f"{worded('fix the file, or set', argument='fix these rows, or set')} how this is handled: {values}")


def in_order(symptoms: Iterable[Symptom]) -> list[Symptom]:
    """Return findings by severity, the worst first, then in the order of the checks; findings that all models share appear once."""
    order = {name: index for index, name in enumerate(CHECKS)}
    unique: dict[tuple[str, str, str], Symptom] = {}
    for symptom in symptoms:
        finding = symptom.finding
        unique.setdefault((finding.check, finding.model, finding.sentence), symptom)
    return sorted(unique.values(), key=lambda symptom: (SEVERITIES.index(symptom.finding.severity), order[symptom.finding.check]))


def skipped_checks(task: CheckTask, available: Collection[str]) -> dict[str, str]:
    """Return the checks that did not run, each with the reason: `off`, or `no` and an input that they need.

    `available` are the keys of `NEEDS` that were met for any model.
    """
    reasons: dict[str, str] = {}
    for check in CHECKS.values():
        lacking = [NEEDS[need] for need in check.needs if need not in available]
        if lacking or check.id not in task.on:
            reasons[check.id] = f"no {lacking[0]}" if check.id in task.on else "off"
    return reasons


def failing_rows(symptoms: Iterable[Symptom]) -> dict[str, pl.DataFrame]:
    """Return the rows affected by errors and warnings, by the name of their file: `R01.knn`, then `R01.knn+2` for more of a model.

    Letters of a model's name that have a meaning in a file system or in this scheme are written as %2F and the like: no two models share a
    name.
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
