"""Reference lists: made from the same files, measured in a pass of their own after the models, and what models are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from ..health.checker import PopularityRule
from ..measure.partial import Partial, merged
from ..measure.yardsticks import (
    LeftOut,
    YardstickFacts,
    Yardsticks,
    YardstickTask,
    achieved,
    achieved_by_group,
    measure_yardstick,
    values_over_same_users,
)
from ..names.short_names import ORACLE
from ..parts import Part
from ..parts.local import parts_without_lists
from ..parts.resources import side_by_side
from ..tables.ids import Ids
from .files import Files
from .job import Job
from .measured import YARDSTICKS
from .models import Evaluated, evaluated
from .plan import Plan

_SIDES = ("test", "train", "baseline")


class ReferenceLists(Struct, frozen=True, eq=False):
    """The reference lists of a run, as they were measured.

    `models` are those that the config asks for, by name. `best` and `popular` have by model, then by label, the value of the best possible
    lists and of popularity over the users that count for that model; `popularity_rule` says what the lists of popularity do with seen
    items, and `remark` what the lists of `models` do with them.
    """

    models: Mapping[str, Evaluated] = field(default_factory=dict)
    best: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    popular: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    popularity_rule: PopularityRule = field(default_factory=PopularityRule)
    remark: str = ""

    def with_shares(self, model: Evaluated) -> Evaluated:
        """The model, or reference lists, with the share of the best possible value that each value reaches, also in groups of a model.

        In groups there are shares where no user is left out who could count, so that as many users are the same users.
        """
        best, facts, by_group = self.best.get(model.name, {}), _facts_of(model), model.by_group
        rows = [achieved(of_one, best) for of_one in model.finished.rows]
        if ORACLE in self.models and facts is not None and not facts.left_out.frames:
            by_group = tuple(achieved_by_group(by_group, self.models[ORACLE].by_group, best))
        return replace(model, finished=replace(model.finished, rows=rows), by_group=by_group)


def measure_reference_lists(job: Job, models: Sequence[Evaluated]) -> ReferenceLists:
    """Measure the reference lists that the config asks for, and popularity where a check wants it."""
    yardsticks, wanted = _yardsticks(job, models), job.request.evaluation.yardsticks
    users = Ids(job.files.sides["test"].users)
    shown = yardsticks.wanted(oracle=wanted.oracle, popularity=wanted.popularity, random=wanted.random, test_users=users)
    baseline = yardsticks.baseline() if "popularity_lists" in job.checks.wants else None
    measured = _measured(job.files, [*shown, *([baseline] if baseline is not None else [])])
    partials = {one.name: (one, found) for one, found in zip(shown, measured, strict=False)}
    plans = {one.name: Plan(one.task.definitions, job.plan.aggregates) for one in shown}
    lists = {name: evaluated(replace(job, plan=plans[name], task=one.task), name, found) for name, (one, found) in partials.items()}
    best = partials.get(ORACLE)
    choice = yardsticks.task.definitions[0].lists
    return ReferenceLists(
        models=lists,
        best={one.name: _over_same_users(one, best) for one in (*models, *lists.values())},
        popular={one.name: _over_same_users(one, (baseline, measured[-1]) if baseline is not None else None) for one in models},
        popularity_rule=PopularityRule(yardsticks.seen_rule(), yardsticks.masks(choice), choice.seen != "keep"),
        remark=yardsticks.remark(lists),
    )


def _yardsticks(job: Job, models: Iterable[Evaluated]) -> Yardsticks:
    facts: list[YardstickFacts] = [model.partial.more[YARDSTICKS] for model in models]
    return Yardsticks(
        job.task,
        len(job.plan.shown),
        facts[0],
        max(model.partial.longest for model in models),
        str(job.request.evaluation.policy.seen_items),
        any(each.left_out.frames for each in facts),
    )


def _measured(files: Files, tasks: Sequence[YardstickTask]) -> list[Partial]:
    """What is measured of each of the lists over all users of the test file."""
    sides = {role: side for role, side in files.sides.items() if role in _SIDES}
    parts = list(parts_without_lists(sides, files.last & sides.keys())) if tasks else []
    return [merged(side_by_side(partial(_measured_of_part, task), iter(parts))) for task in tasks]


def _measured_of_part(task: YardstickTask, part: Part) -> Partial:
    return measure_yardstick(task, part.sides)


def _over_same_users(model: Evaluated, other: tuple[YardstickTask, Partial] | None) -> dict[str, float]:
    """Label → the value of other lists over the users that count for a model."""
    if other is None:
        return {}
    facts = _facts_of(model)
    left_out = facts.left_out if facts is not None else LeftOut()
    return values_over_same_users(model.plan.definitions, model.by_definition, left_out, *other)


def _facts_of(model: Evaluated) -> YardstickFacts | None:
    """What the pass over a model told of it; none of lists that were made."""
    facts: YardstickFacts | None = model.partial.more.get(YARDSTICKS)
    return facts
