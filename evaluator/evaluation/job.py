"""`Job`: a run whose files are open, with all that is settled before a model is measured; nothing in it changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..health import CheckTask
from ..measure.task import Task
from ..results.row import Protocol
from .definitions import protocols_of
from .files import Files
from .measured import PassTask
from .plan import Plan
from .progress import Report, silent
from .request import Request

_COMPARING: Final = frozenset({"popularity_lists", "reference_lists"})


class Options(Struct, frozen=True):
    """What a run keeps and reports, beside the result; see `running.run`."""

    report: Report = silent
    keep_failures: bool = False
    tolerant: bool = False
    keep_users: bool = True
    most_values: int | None = None
    """How many per-user values are kept of a model, at most; with more none is."""
    enriched: Path | None = None
    describes: bool = False
    complete: bool = True
    """Whether the result has what only results that are kept need: standard deviations beside means, and the fingerprint of truth."""


class Job(Struct, frozen=True, eq=False):
    """A run over open files: what is asked, what is measured of every part, and by which definitions (`protocols`).

    `checks` say which are made; if it `compares`, models are compared with reference lists.
    """

    request: Request
    plan: Plan
    options: Options
    files: Files
    task: Task
    protocols: Mapping[str, Protocol]
    checks: CheckTask
    compares: bool

    @classmethod
    def of(cls, request: Request, plan: Plan, options: Options, files: Files, checks: CheckTask | None = None) -> Job:
        """The job of a request with the files that it names; without `checks` it only computes values."""
        wanted = CheckTask.none() if checks is None else checks
        compares = checks is not None and (request.evaluation.yardsticks.any or not _COMPARING.isdisjoint(checks.wants))
        task = plan.task(files.prepared, keeps_users=options.keep_users, most_values=options.most_values, deviations=options.complete)
        protocols = protocols_of(request.evaluation, files.inputs.test.columns, files.prepared.numbers.get("mean_rating"))
        return cls(request, plan, options, files, task, protocols, wanted, compares)

    def pass_task(self, checks: CheckTask | None, *, first: bool) -> PassTask:
        """What is made of every part of a model, the `first` or a later one, of which `checks` are made."""
        return PassTask(
            task=self.task,
            ties=self.plan.ties if "tie_bounds" in self.checks.wants else None,
            checks=checks,
            for_yardsticks=self.compares,
            enriched=self.plan.definitions[0] if self.options.enriched is not None else None,
            hashes_truth=first and self.options.complete,
        )
