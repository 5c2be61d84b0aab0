"""Yardsticks: lists made from the same files, measured in a pass of their own after the models, and set beside them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..health.context import PopularityRule
from ..measure.achieved import achieved, achieved_by_group, values_over_same_users
from ..measure.made_parts import measure_yardstick
from ..measure.partial import Partial, merged
from ..measure.task import Task
from ..measure.yardstick_facts import LeftOut, YardstickFacts
from ..measure.yardsticks import Yardsticks, YardstickTask
from ..names.yardstick_names import ORACLE
from ..parts import Part
from ..parts.local import parts_without_lists
from ..parts.threads import side_by_side
from ..tables.ids import Ids
from .files import Files
from .measured import YARDSTICKS
from .models import Evaluated
from .request import Request


class Compared(Struct, frozen=True, eq=False):
    """The yardsticks of a run: those that the config asks for, with what was measured of each, and popularity for the checks."""

    yardsticks: Yardsticks
    shown: Mapping[str, tuple[YardstickTask, Partial]]
    baseline: tuple[YardstickTask, Partial] | None

    def best(self, model: Evaluated) -> dict[str, float]:
        """Label → the value of the best possible lists over the users who count for a model."""
        return {} if ORACLE not in self.shown else self._over_same_users(model, self.shown[ORACLE])

    def best_of(self, name: str, yardstick: Evaluated) -> dict[str, float]:
        """Label → the value of the best possible lists, over the users who count for a yardstick."""
        return (
            {}
            if ORACLE not in self.shown
            else values_over_same_users(yardstick.plan.definitions, yardstick.by_definition, LeftOut(), *self.shown[ORACLE])
        )

    def popular(self, model: Evaluated) -> dict[str, float]:
        """Label → the value of popularity over the users who count for a model."""
        return {} if self.baseline is None else self._over_same_users(model, self.baseline)

    @property
    def popularity_rule(self) -> PopularityRule:
        """What the lists of the popularity baseline do with items that train holds for the user."""
        choice = self.yardsticks.task.definitions[0].lists
        return PopularityRule(self.yardsticks.seen_rule(), self.yardsticks.masks(choice), choice.seen != "keep")

    def remark(self) -> str:
        """What the lists of yardsticks do with seen items."""
        return self.yardsticks.remark(self.shown)

    @staticmethod
    def _over_same_users(model: Evaluated, other: tuple[YardstickTask, Partial]) -> dict[str, float]:
        facts: YardstickFacts = model.partial.more[YARDSTICKS]
        return values_over_same_users(model.plan.definitions, model.by_definition, facts.left_out, *other)


def compared(request: Request, files: Files, task: Task, n_shown: int, models: Mapping[str, Evaluated], wants_baseline: bool) -> Compared:
    """Measure the yardsticks that the config asks for, and popularity where a check `wants_baseline`."""
    facts: list[YardstickFacts] = [model.partial.more[YARDSTICKS] for model in models.values()]
    wanted = request.evaluation.yardsticks
    yardsticks = Yardsticks(
        task,
        n_shown,
        facts[0],
        max(model.partial.longest for model in models.values()),
        str(request.evaluation.policy.seen_items),
        any(each.left_out.frames for each in facts),
    )
    users = Ids(files.sides["test"].users)
    shown = yardsticks.wanted(oracle=wanted.oracle, popularity=wanted.popularity, random=wanted.random, test_users=users)
    baseline = yardsticks.baseline() if wants_baseline else None
    measured = _measured(files, [*shown, *([baseline] if baseline is not None else [])])
    return Compared(
        yardsticks,
        {one.name: (one, partial) for one, partial in zip(shown, measured, strict=False)},
        (baseline, measured[-1]) if baseline is not None else None,
    )


def _measured(files: Files, tasks: list[YardstickTask]) -> list[Partial]:
    """What is measured of each yardstick over all users of the test file."""
    if not tasks:
        return []
    sides = {role: side for role, side in files.sides.items() if role in ("test", "train", "baseline")}
    parts = list(parts_without_lists(sides, files.last & sides.keys()))
    return [_measured_of_all(task, parts) for task in tasks]


def _measured_of_all(task: YardstickTask, parts: list[Part]) -> Partial:
    return merged(side_by_side(lambda part: measure_yardstick(task, part.sides), iter(parts)))


def with_shares(model: Evaluated, best: Mapping[str, float], oracle: Evaluated | None = None) -> Evaluated:
    """The model with the share of the best possible value that each of its values reaches; given the `oracle`, in groups too.

    In groups there are shares where no user is left out who could count, so that as many users are the same users.
    """
    rows = [achieved(of_one, best) for of_one in model.finished.rows]
    by_group = model.by_group
    if oracle is not None and not model.partial.more[YARDSTICKS].left_out.frames:
        by_group = tuple(achieved_by_group(by_group, oracle.by_group, best))
    return replace(model, finished=replace(model.finished, rows=rows), by_group=by_group)
