"""Claims of `receval gate --plan`, in worlds whose outcomes can be drawn: what is planned is what happens. Part of `claims.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import polars as pl
from claims_of_units import Row
from numpy.typing import NDArray
from receval.config.judgement import Compare, Gates
from receval.gates.demands import Baseline, Bases, Demands
from receval.gates.planning import plan_gates
from receval.results import result
from receval.results.gate_plan import RulePlan
from receval.results.measure_definition import MeasureDefinition
from receval.stats.gates import margin_test
from receval.stats.paired import PairedSums
from receval.stats.rare_changes import ValueRange

Random = np.random.Generator
Values = NDArray[np.float64]
OFF = 0.1
"""A planned share may differ from what happens by this much."""
PILOTS = 6
"""Stored results from which a plan is made: each has its own noise."""


class World(NamedTuple):
    """A rule, the users of the stored results, and a function that draws both models of so many users with a true loss."""

    words: str
    n: int
    limit: float
    draw: Callable[[int, float, Random], tuple[Values, Values]]


def hits(n: int, loss: float, random: Random, churn: float = 0.01) -> tuple[Values, Values]:
    """Draw hits of 5 % of the users; `churn` of all users lose one, as many win one, and a `loss` is made of both."""
    base = random.random(n) < 0.05
    lose, win = churn + loss * 0.025, churn - loss * 0.025
    draws = random.random(n)
    return base * 1.0, np.where(base, draws >= lose / 0.05, draws < win / 0.95) * 1.0


def graded(n: int, loss: float, random: Random) -> tuple[Values, Values]:
    """Draw graded values, of which 30 % are drawn again; a loss takes a part of these."""
    base, again = random.beta(0.8, 3.2, n), random.beta(0.8, 3.2, n)
    return base, np.where(random.random(n) < 0.3, again * (1 - loss / 0.3), base)


def skewed(n: int, loss: float, random: Random) -> tuple[Values, Values]:
    """Draw values of .3, of which a few rise to 1 and many fall a little; a loss makes falls more frequent."""
    rises, falls = 0.01, (0.007 + loss * 0.3) / 0.05
    draws = random.random(n)
    return np.full(n, 0.3), np.where(draws < rises, 1.0, np.where(draws < rises + falls, 0.25, 0.3))


WORLDS = (
    World("hits of 5 %, 2 % change, 20,000 users", 20_000, 0.05, hits),
    World("graded, 30 % change, 5,000 users", 5_000, 0.03, graded),
    World("few rise much, many fall little, 4,000 users", 4_000, 0.01, skewed),
    World("graded, 30 % change, 200,000 users", 200_000, 0.01, graded),
)


def outcome(world: World, n: int, loss: float, random: Random) -> str | None:
    """Judge the rule in a draw."""
    sums = PairedSums.from_values(*world.draw(n, loss, random))
    return margin_test(sums, True, "max_loss", world.limit, True, values=ValueRange(0.0, 1.0), verdict_only=True).outcome


@cache
def happens(world: World, multiple: float) -> Counter[str | None]:
    """Return the shares of outcomes at a true loss."""
    random = np.random.default_rng([len(world.words), round(4 * multiple)])
    draws = max(200, min(1_000, 20_000_000 // world.n))
    counts = Counter(outcome(world, world.n, multiple * world.limit, random) for _ in range(draws))
    return Counter({name: count / draws for name, count in counts.items()})


@cache
def plan(world: World, pilot: int = 0) -> RulePlan:
    """Plan the rule from stored users, who have no true loss; each `pilot` has others."""
    base, model = world.draw(world.n, 0.0, np.random.default_rng([pilot, len(world.words)]))
    section = Gates.model_validate({"rules": [{"measure": "nDCG@10", "max_loss": f"{100 * world.limit:g}%"}]})
    demands = Demands.from_config(section, Compare(), Bases(Baseline("old")))
    return plan_gates(stored({"old": base, "new": model}), demands).rules[0]


def stored(models: dict[str, Values]) -> result.Result:
    """Return a result with these per-user values."""
    n = len(next(iter(models.values())))
    rows = [result.Row(name, "nDCG", 10, "mean", float(of.mean()), n, True, std=float(of.std(ddof=1))) for name, of in models.items()]
    columns = {"user": np.arange(n), "n_relevant": np.ones(n, int), "n_recommended": np.full(n, 10)}
    return result.Result(
        rows=tuple(rows),
        counts={name: result.Counts(n, n, n, n) for name in models},
        higher_is_better={"nDCG@10": True},
        per_user={name: pl.DataFrame({**columns, "nDCG@10": values}) for name, values in models.items()},
        inputs=(), config={}, remarks=(), versions={},
        definitions={"nDCG": MeasureDefinition("nDCG", "receval", True)},
        truths={"": result.TruthFingerprint(n, n, "same")},
    )  # fmt: skip


def does_not_pass(world: World, random: Random) -> bool:
    """Return whether a model without a loss does not pass with the number of users that a plan gives for 80 %."""
    users = plan(world, int(random.integers(PILOTS))).users_for_power
    return users is None or outcome(world, users, 0.0, random) != "pass"


def print_plans() -> int:
    """Print planned shares beside those that happen; return 1 if any is off by more than ten points."""
    print(f"{'world':46} {'true loss':>9}   planned: pass / inconclusive / fail   happens")
    n_off = 0
    for world in WORLDS:
        for multiple in (0.0, 0.5, 1.0, 2.0):
            point, shares = plan(world).at(multiple), happens(world, multiple)
            assert point is not None
            planned, real = (point.passes, point.inconclusive, point.fails), [shares[name] for name in ("pass", "inconclusive", "fail")]
            is_off = max(abs(one - other) for one, other in zip(planned, real, strict=True)) > OFF
            texts = (" / ".join(f"{100 * share:3.0f} %" for share in of) for of in (planned, real))
            print(f"{world.words:46} {100 * multiple * world.limit:7g} %   {'   '.join(texts)}{'  !' * is_off}", flush=True)
            n_off += is_off
    return int(n_off > 0)


def rows() -> Iterator[Row]:
    """Yield the rows."""
    for world in WORLDS:
        yield Row("plan: N users pass with 80 %", world.words, 0.2, partial(does_not_pass, world), effort=2)
