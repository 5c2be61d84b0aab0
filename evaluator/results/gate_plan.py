"""`GatePlan`: how often each rule of a gate will pass, be inconclusive and fail, by the true loss of a model that is not made yet."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from ..stats.difference import Failing, MarginKind


class PlanPoint(Struct, frozen=True):
    """The shares of evaluations that pass, are inconclusive and fail if the true loss is `change`: `multiple` times the limit.

    For `min_gain` the change is a gain. It is a share of the base value if the rule is relative.
    """

    multiple: float
    change: float
    passes: float
    inconclusive: float
    fails: float


class RulePlan(Struct, frozen=True):
    """The plan of one rule of one model, of so many `draws` for each point; without `points` a sentence says why (`skipped`).

    `unit` is the change that multiples are of: the limit; for a limit of 0, what these users can detect. `users_for_power` is the number of
    users with which 80 % of evaluations pass, `runs_for_power` that of runs of each model with these users; `None` if there is none. A
    `max_loss` is to pass without a loss, a `min_gain` at a gain of `needed_at`. `both_ways`: changes count in both directions.
    """

    rule: str
    model: str
    base: str | None
    measure: str
    by: str | None = None
    group: str | None = None
    kind: MarginKind | Literal["min", "max", "slices"] = "max_loss"
    limit: float = 0.0
    unit: float = 0.0
    relative: bool = False
    fail: Failing | None = None
    n_users: int = 0
    n_changed: int | None = None
    runs: int | None = None
    base_value: float | None = None
    difference: float | None = None
    draws: int = 0
    points: tuple[PlanPoint, ...] = ()
    needed_at: float = 0.0
    users_for_power: int | None = None
    runs_for_power: int | None = None
    both_ways: bool = False
    skipped: str = ""

    def at(self, multiple: float) -> PlanPoint | None:
        """Return the point of a multiple of the limit."""
        return next((point for point in self.points if point.multiple == multiple), None)


class GatePlan(Struct, frozen=True):
    """The plans of all rules, with the share that is to pass (`power`), and `notes` on what was assumed.

    `chosen` says what was compared without a baseline; it is also the first note.
    """

    rules: tuple[RulePlan, ...]
    power: float
    notes: tuple[str, ...] = ()
    chosen: str = ""

    @property
    def planned(self) -> tuple[RulePlan, ...]:
        """The rules that have a plan."""
        return tuple(rule for rule in self.rules if rule.points)


FORMAT_VERSION = 1
"""Of the plan as JSON."""


def cells(plan: GatePlan) -> dict[str, Any]:
    """Return a plan as plain values."""
    from msgspec import to_builtins

    return {"format_version": FORMAT_VERSION, **to_builtins(plan)}
