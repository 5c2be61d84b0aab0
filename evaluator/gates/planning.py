"""Plan a gate: how often each rule will pass, be inconclusive and fail, from stored per-user values, before there is a candidate.

Evaluations of a candidate with a known true loss are drawn from the users of a stored pair of models, and judged by the gate itself: its
tests, guards, `fail` and corrections. Nothing here decides what passes.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from statistics import NormalDist
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..comparison.model_pair import ModelPair
from ..comparison.pairing import Side
from ..config.judgement import GateRule
from ..results.gate_plan import GatePlan, PlanPoint, RulePlan
from ..results.gates import Gate
from ..results.result import FEW_USERS, Result
from ..stats.concluding import users_text
from ..stats.estimates import Estimate
from ..stats.gates import GateTest
from ..stats.paired import Floats
from ..stats.power import POWER
from .demands import Demands, base_of, judged_models
from .drawn_users import Estimates, RowSampler, SumSampler, counted
from .judged_rules import RuleCase, cases_of
from .judging import JudgedCase, Judging, corrected, gate_of, judge, margin_test_of, not_judged

DRAWS: Final = 400
"""Evaluations that are drawn for each point: a share of them is exact to 2 % (a standard error)."""
MULTIPLES: Final = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""The true losses of the curve, in multiples of the limit."""
_SEARCH_DRAWS: Final = 800
_SLOWER: Final = 2
"""Users who are drawn with all their rows are drawn less often."""
_MOST_USERS: Final = 10**9
_MOST_DRAWN: Final = 50_000
_ROUNDS: Final = 6
_CLOSE: Final = 0.012
_PLANNED: Final = ("mean", "formula", "sum", "micro", "weighted")
"""Aggregates in which a loss can be planted."""
_BY_VALUE: Final = "it is judged by the value alone, so a plan has nothing to draw"
Sampler = SumSampler | RowSampler


class _Margin(Struct, frozen=True, eq=False):
    """A rule on a margin: its case, its pair of models, and its estimate and test on the stored users."""

    case: RuleCase
    pair: ModelPair
    estimate: Estimate
    test: GateTest
    gate: Gate

    @property
    def base(self) -> str:
        """The name of the base."""
        return self.pair.base.name

    @property
    def sign(self) -> int:
        """1 if higher is better, else -1."""
        return 1 if self.case.row.higher_is_better else -1

    @property
    def unit(self) -> float | None:
        """The change that multiples are of: the limit, or what these users can detect if that is 0."""
        return self.test.limit or self.test.detectable

    @property
    def value(self) -> float:
        """The base value per user."""
        value = self.estimate.base_value or 0.0
        return value / self.estimate.n if self.case.row.aggregate == "sum" else value

    def change(self, multiple: float) -> float:
        """Return the difference in units of the measure that is a true loss, or gain, of this multiple."""
        of_base = abs(self.value) if self.test.relative else 1 / self.estimate.n if self.case.row.aggregate == "sum" else 1.0
        return self.sign * (-1 if self.test.kind == "max_loss" else 1) * multiple * (self.unit or 0.0) * of_base

    @property
    def why_not(self) -> str:
        """The reason why there is no plan; empty if there is none."""
        estimate, row = self.estimate, self.case.row
        if row.by is not None and estimate.n < FEW_USERS:
            return f"it has {users_text(estimate.n)}, and a group of fewer than {FEW_USERS} is not judged"
        if estimate.n_changed is None:
            return f"{estimate.untested or 'there is no value per user'}; {_BY_VALUE}"
        if not estimate.n_changed:
            return "the value of no user differs between the two, so nothing is known of how a candidate changes them"
        if row.aggregate not in _PLANNED:
            return f"only means, sums and pooled ratios are planned, not the {row.aggregate}"
        if estimate.n > counted(self.pair, row).sum():
            return "not planned: the measure is divided by more users than have a value"
        return "" if self.unit else "the limit is 0, and these users cannot show any change"


def plan_gates(result: Result, demands: Demands, *, draws: int = DRAWS, seed: int = 0) -> GatePlan:
    """Plan every rule for every judged model, whose differences from its base stand for those of a candidate.

    Raises the errors of `judge`. The seed and the stored values decide every digit.
    """
    judging, plans = Judging(result, demands), list[RulePlan]()
    models = {rule: judged_models(rule, demands, result) for rule in dict.fromkeys(demands.rules)}
    gates = _judged_gates(result, demands, models)
    for model in result.models:
        margins: list[_Margin | RulePlan] = []
        for rule in demands.rules:
            cases = list(cases_of(rule, result, model)) if model in models[rule] else []
            base = base_of(rule, model, result, demands.bases.baseline) if rule.margin_kind and cases else None
            pair = judging.pair_of(base, cases) if isinstance(base, Side) else None
            margins += [_unplanned(case) if rule.slices else _margin(case, pair, next(gates), demands) for case in cases]
        planners = {
            base: _Planner(demands, [margin for margin in margins if isinstance(margin, _Margin) and margin.base == base], draws, seed)
            for base in {margin.base for margin in margins if isinstance(margin, _Margin)}
        }
        plans += [margin if isinstance(margin, RulePlan) else planners[margin.base].plan(margin) for margin in margins]
    return GatePlan(tuple(plans), POWER)


def _judged_gates(result: Result, demands: Demands, models: Mapping[GateRule, tuple[str, ...]]) -> Iterator[Gate]:
    """Return the gates of all rules but those on slices: what cannot be judged cannot be planned."""
    rules = tuple(rule.model_copy(update={"models": models[rule]}) for rule in demands.rules if rule.slices is None and models[rule])
    if not rules and any(models.values()):
        return iter(())
    return iter(judge(result, replace(demands, rules=rules)).gates)


def _unplanned(case: RuleCase) -> RulePlan:
    gate = gate_of(not_judged(case, "rules on slices are not planned"), "warn")
    return RulePlan(gate.rule, gate.model, gate.base, gate.measure, kind=gate.kind, limit=gate.limit, skipped=gate.remark)


def _margin(case: RuleCase, pair: ModelPair | None, gate: Gate, demands: Demands) -> _Margin | RulePlan:
    """Return a margin to plan, or why a rule has no plan."""
    if pair is not None:
        estimate = pair.estimate(case.label, case.row.by, case.row.group)
        return _Margin(case, pair, estimate, _tested(case, pair, estimate, demands), gate)
    why = _BY_VALUE if case.rule.kind in ("min", "max") else gate.remark
    return RulePlan(gate.rule, gate.model, gate.base, gate.measure, gate.by, gate.group, gate.kind, gate.limit, skipped=why)


def _tested(case: RuleCase, pair: ModelPair, estimate: Estimate, demands: Demands, *, verdict_only: bool = False) -> GateTest:
    alpha, fail = demands.options.settings.alpha, case.rule.fail or demands.fail
    return margin_test_of(case, estimate, alpha, pair.value_range(case.label), fail, verdict_only=verdict_only)


class _Planner:
    """Plans the margins of one model against one base: they are corrected together, over the same drawn users."""

    def __init__(self, demands: Demands, margins: Sequence[_Margin], draws: int, seed: int) -> None:
        self.demands, self.draws, self.seed = demands, draws, seed
        self.drawn = [margin for margin in margins if not margin.why_not]

    def plan(self, margin: _Margin) -> RulePlan:
        """Return the plan of one of the margins."""
        return self._plan(self.drawn.index(margin)) if margin in self.drawn else _plan_of(margin, skipped=margin.why_not)

    @cached_property
    def stored(self) -> Sampler:
        """Return the sampler of the stored users."""
        pair, rows = self.drawn[0].pair, [margin.case.row for margin in self.drawn]
        if any(margin.estimate.sums is None for margin in self.drawn):
            return RowSampler.of_pair(pair, rows)
        ranges = [pair.value_range(row.label) for row in rows]
        return SumSampler.of_pair(pair, rows, bounded=all(values and values.is_finite and not values.is_observed for values in ranges))

    def _plan(self, index: int) -> RulePlan:
        stored, margin, estimate = self.stored, self.drawn[index], self.drawn[index].estimate
        wanted = {multiple: margin.change(multiple) for multiple in MULTIPLES}
        is_far = not estimate.up or not estimate.down or abs(estimate.difference or 0.0) > 2 * max(map(abs, wanted.values()))
        sampler: Sampler | None = stored
        shares = {} if is_far else _planted(stored, index, wanted, margin.value)
        exchanged = stored.both_ways() if len(shares) < len(wanted) else None
        of_both = {} if exchanged is None else _planted(exchanged, index, wanted, margin.value)
        if both_ways := len(of_both) > len(shares):
            sampler, shares = exchanged, of_both
        if sampler is None or not shares:
            return _plan_of(margin, skipped="the changes of these users cannot make losses of this size")
        points = []
        draws = self.draws if isinstance(sampler, SumSampler) else self.draws // _SLOWER
        for multiple, share in shares.items():
            outcomes = self._outcomes(sampler, index, share, estimate.n, draws)
            rates = (outcomes[name] / draws for name in ("pass", "inconclusive", "fail"))
            points.append(PlanPoint(multiple, multiple * (margin.unit or 0.0), *rates))
        at = 0.0 if margin.test.kind == "max_loss" else 2.0
        is_hopeless = margin.test.kind == "max_loss" and not margin.test.limit  # then a pass is a false one
        users = None if is_hopeless or at not in shares else self._users_for_power(sampler, index, shares[at], margin)
        return _plan_of(margin, draws=draws, points=tuple(points), needed_at=at * (margin.unit or 0.0), users=users, both_ways=both_ways)

    def _outcomes(self, sampler: Sampler, index: int, share: Floats, n: int, draws: int) -> Counter[str]:
        """Count the outcomes of a rule in evaluations in which it counts `n` users, who are drawn by their shares."""
        of_rule = zlib.crc32(f"{self.drawn[index].test.kind} {self.drawn[index].case.label}".encode())
        random = np.random.default_rng([self.seed, of_rule, n])
        n_units = max(2, round(n * sampler.units_per_user(share, index)))
        return Counter(self._outcome(estimates, index) for estimates in sampler.samples(share, n_units, draws, random))

    def _outcome(self, estimates: Estimates, index: int) -> str:
        """Return the outcome of a rule after the correction for all rules, which are judged only where that can matter."""
        own = self._judged(estimates, index)
        p = own.test.p_fail if own.outcome == "fail" else own.test.p if own.test.kind == "min_gain" and own.outcome == "pass" else None
        if p is None or p * len(self.drawn) <= self.demands.options.settings.alpha:
            return own.outcome  # Holm multiplies by the number of tests at most
        family = [own if other == index else self._judged(estimates, other) for other in range(len(self.drawn))]
        return list(corrected(family, self.demands.options.settings.alpha))[index].outcome

    def _judged(self, estimates: Estimates, index: int) -> JudgedCase:
        margin = self.drawn[index]
        test = _tested(margin.case, margin.pair, estimates(index), self.demands, verdict_only=True)
        return JudgedCase(margin.case, margin.pair.subject(margin.case.label), test)

    def _users_for_power(self, sampler: Sampler, index: int, share: Floats, margin: _Margin) -> int | None:
        """Return the number of users with which the rule passes in 80 % of cases, `FEW_USERS` or more.

        `None` if a thousand million are not enough.
        """
        needs = margin.test.needs
        if needs is not None and needs.users is None:
            return None  # the spread of runs alone is too large
        normal, draws = NormalDist(), _SEARCH_DRAWS if isinstance(sampler, SumSampler) else _SEARCH_DRAWS // _SLOWER**2
        critical, wanted = normal.inv_cdf(1 - self.demands.options.settings.alpha), normal.inv_cdf(POWER)
        ratio = 1.0 if not margin.test.detectable else margin.test.detectable / (margin.unit or 1.0)
        n, tried = margin.estimate.n * min(max(ratio * ratio, 1e-4), 1e6), dict[int, float]()
        for _ in range(_ROUNDS):
            if n > _MOST_USERS:
                return None
            if n > _MOST_DRAWN and isinstance(sampler, RowSampler):
                return _rounded(round(n))  # by the law of the square root, from the last draws
            users = max(FEW_USERS, round(n))
            if users in tried:
                break  # fewer would do, but are too few to judge
            passes = self._outcomes(sampler, index, share, users, draws)["pass"] / draws
            tried[users] = passes
            if abs(passes - POWER) < _CLOSE:
                break
            reached = critical + normal.inv_cdf(min(max(passes, 0.002), 0.998))
            n = users * min(max((critical + wanted) / max(reached, 0.1), 0.3), 3.0) ** 2
        users = min(tried, key=lambda users: (abs(tried[users] - POWER), users))
        return _rounded(users)


def _rounded(users: int) -> int:
    """Return a number of users with two digits, rounded up."""
    digits = int(10 ** max(0, math.floor(math.log10(users)) - 1))
    return -(-users // digits) * digits


def _planted(sampler: Sampler, index: int, wanted: Mapping[float, float], value: float) -> dict[float, Floats]:
    """Return the shares of users by multiple of the limit, for those that their changes can make."""
    shares = {multiple: sampler.population.planted(index, change, value) for multiple, change in wanted.items()}
    return {multiple: share for multiple, share in shares.items() if share is not None}


def _plan_of(
    margin: _Margin,
    *,
    draws: int = 0,
    points: tuple[PlanPoint, ...] = (),
    needed_at: float = 0.0,
    users: int | None = None,
    both_ways: bool = False,
    skipped: str = "",
) -> RulePlan:
    test, estimate, gate = margin.test, margin.estimate, margin.gate
    return RulePlan(
        rule=gate.rule,
        model=gate.model,
        base=gate.base,
        measure=gate.measure,
        by=gate.by,
        group=gate.group,
        kind=gate.kind,
        limit=test.limit,
        unit=margin.unit or 0.0,
        relative=test.relative,
        fail=test.fail,
        n_users=estimate.n,
        n_changed=estimate.n_changed,
        runs=estimate.runs,
        base_value=test.base_value,
        difference=test.difference,
        draws=draws,
        points=points,
        needed_at=needed_at,
        users_for_power=users,
        runs_for_power=test.needs.runs if test.needs is not None and points else None,
        both_ways=both_ways and bool(points),
        skipped=skipped,
    )
