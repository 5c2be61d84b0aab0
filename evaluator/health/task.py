"""`CheckTask`: which checks are made of a model; and `examine`, what they note of one part."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from ..checks import CHECKS, CheckSetting, setting
from ..measure.measuring import may_be_undefined
from ..measure.scoring import Scorer
from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.part import LISTS, PartData
from ..tables.truth import TEST
from .part import ExaminedPart
from .registry import CHECKERS, HealthCheck
from .tally import Tally, merged
from .train import TRAIN


class CheckTask(Struct, frozen=True, dict=True):
    """Which checks are made of one model, and how.

    `policy` are the keys of evaluation.policy that say `error`; `available` are those of `NEEDS` that the files meet. With `files` the
    checks of the files that all models share are made too, with `keeps_rows` the rows in which errors and warnings are found are kept.
    """

    settings: Mapping[str, CheckSetting]
    policy: frozenset[str] = frozenset()
    available: frozenset[str] = frozenset()
    cutoffs: tuple[int, ...] = ()
    files: bool = True
    keeps_rows: bool = False

    @classmethod
    def none(cls) -> CheckTask:
        """No checks."""
        return cls({check.id: setting(check, "off") for check in CHECKS.values()})

    @cached_property
    def refused(self) -> frozenset[str]:
        """The checks whose finding refuses the data, whatever their severity."""
        return frozenset(check.id for check in CHECKERS.values() if check.policy in self.policy)

    def setting(self, check: str) -> CheckSetting:
        """How a check is used."""
        return self.settings.get(check) or setting(CHECKS[check])

    @cached_property
    def on(self) -> frozenset[str]:
        """The checks that are switched on, or refuse data."""
        return frozenset(check for check in CHECKS if self.setting(check).severity != "off" or check in self.refused)

    @property
    def needs(self) -> frozenset[str]:
        """Those of `NEEDS` that some check needs: what is read for checks where it is given."""
        return frozenset(need for check in self.on for need in CHECKS[check].needs)

    @property
    def wants(self) -> frozenset[str]:
        """Those of `WANTS` that some check asks of the run."""
        return frozenset[str]().union(*(CHECKERS[check].wants for check in self.on))

    @cached_property
    def made(self) -> tuple[HealthCheck, ...]:
        """The checks that are made of the model."""
        return tuple(
            CHECKERS[check.id]
            for check in CHECKS.values()
            if check.id in self.on and self.available.issuperset(check.needs) and (self.files or CHECKERS[check.id].per == "model")
        )


class Tallies(Struct, frozen=True, eq=False):
    """What the checks noted of some users: a tally for each check that is made, and numbers of rows and users.

    `counts` has `lists` (users with a list), `list_rows`, `test_users`, `test_rows`, `train_rows`, and of the rows of test and train
    those with a time: `timed_test_rows`, `timed_train_rows`.
    """

    checks: Mapping[str, Tally]
    counts: Tally

    def __add__(self, other: Tallies) -> Tallies:
        return Tallies(merged(self.checks, other.checks), self.counts + other.counts)


def examine(task: CheckTask, scorer: Scorer, definitions: tuple[Definition, ...], values: Array) -> Tallies:
    """What the checks note of a part.

    `values` are those of every measure (measures × users): NaN where a user does not count, infinite where the value is not defined.
    """
    undefined = np.asarray([may_be_undefined(definition) for definition in definitions], dtype=np.bool_)
    if undefined.any():
        values = np.where(np.isposinf(values) & undefined[:, None], np.nan, values)
    choice = scorer.choice(definitions[0])
    checks = {}
    for check in task.made:
        own = task.setting(check.id)
        keeps = task.keeps_rows and (own.severity in ("error", "warn") or check.id in task.refused)
        checks[check.id] = check.tally(ExaminedPart(scorer.tables, choice, definitions, values, task.cutoffs, own, check.uses, keeps))
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
