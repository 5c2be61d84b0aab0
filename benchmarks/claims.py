"""Simulated error rates: how often each claim of receval is wrong, beside how often it may be.

    python benchmarks/claims.py [--draws 1000] [--only WORDS]
    python benchmarks/claims.py --fail [--draws 1000]       # how often gates fail and pass, by gates.fail: false rates and power
    python benchmarks/claims.py --power [--draws 600]       # how often the gate on slices finds a planted slice
    python benchmarks/claims.py --plans                     # what receval gate --plan says, beside what happens

In every draw the truth is known: equal models, a loss of exactly the margin, clusters or skewed differences of mean 0. receval compares the
per-user values like those of files, and wrong claims are counted. Every row has as many draws as are needed to tell a rate that is 1.4
times the promised one from it, or more. A rate that seems too high is measured again, with four times as many draws. The last line shows
whether any claim is wrong more often than it promises, by more than the noise of the draws (three standard errors); the exit code is then
1. The column `power` has how often the same claim is made where it is true.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from receval.comparison.slice_limits import above_limit, confirm_beyond
from receval.comparison.slicing import halves
from receval.stats.best import conclude_values
from receval.stats.concluding import judge_family
from receval.stats.difference import Difference, Settings, Subject
from receval.stats.estimates import Summary, unpaired_estimate
from receval.stats.failures import correct_failures
from receval.stats.gates import GateTest, margin_test
from receval.stats.paired import PairedSums
from receval.stats.rare_changes import ValueRange
from receval.stats.slices import Candidate, Groups, SliceSettings, confirm, find, find_below
from receval.stats.two_models import compare_paired, difference_of
from receval.syntax.short_names import Margin

Random = np.random.Generator
Values = NDArray[np.float64]

SETTINGS = Settings()
SUBJECT = Subject("measure", "base", "model")
SHARES = ValueRange(0.0, 1.0)
NOISE = 3.0
"""Standard errors by which a share of draws may exceed its promise."""
DOUBT = 1.5
"""A share that exceeds its promise by more is measured again, with four times as many new draws: of seventy rows some always do."""


class Claim(NamedTuple):
    """A claim that may be wrong in at most `promised` of the draws of a world; `wrong` makes a draw, and returns whether it was."""

    group: str
    world: str
    promised: float | None
    wrong: Callable[[Random], bool]
    effort: float = 1.0
    """Relative time of a draw: slow claims get fewer draws."""
    true: Callable[[Random], bool] | None = None
    """Makes a draw of a world in which the claim is true, and returns whether it was made."""


def equal_models(n_models: int, n_measures: int, n: int, random: Random) -> dict[str, dict[str, Values]]:
    """Draw measures of equally good models; measures of one model are correlated (r = .64)."""
    shared = random.normal(0, 0.8, (n_models, n))
    return {
        f"m{j}": {f"model {i}": values for i, values in enumerate(shared + random.normal(0, 0.6, (n_models, n)))} for j in range(n_measures)
    }


def alike_but_one(random: Random) -> dict[str, dict[str, Values]]:
    """Draw nine variants of a model and one other model, all equally good."""
    like = random.normal(0, 1, 100)
    return {"m": {f"model {i}": like + random.normal(0, 0.1, 100) if i else random.normal(0, 1, 100) for i in range(10)}}


def called_worse(draw: Callable[[Random], dict[str, dict[str, Values]]], random: Random) -> bool:
    """Return whether the closing sentence of `receval run` can say that a model beats another one, of equally good models."""
    return any(conclusion.beaten for conclusion in conclude_values(draw(random)))


def lead_is_missed(n_models: int, step: float, random: Random) -> bool:
    """Return whether the interval of the best model's lead over the runner-up excludes the true lead; models are `step` apart."""
    truth = step * np.arange(n_models)
    values = {f"{i}": truth[i] + random.normal(0, 1, 200) for i in range(n_models)}
    (conclusion,) = conclude_values({"m": values})
    rival = min(conclusion.rivals, key=lambda rival: abs(rival.difference or 0.0))
    lead = truth[int(conclusion.best or 0)] - truth[int(rival.model)]
    return not (rival.low or 0.0) <= lead <= (rival.high or 0.0)


def co_best_is_left_out(random: Random) -> bool:
    """Return whether a model that is one of the two best has no mark."""
    values = {f"{i}": 0.2 * (i < 2) + random.normal(0, 1, 200) for i in range(5)}
    (conclusion,) = conclude_values({"m": values})
    return "0" not in conclusion.alike


def pair_differs(n_models: int, n: int, random: Random) -> bool:
    """Return whether `receval compare` with all pairs finds a difference between equally good models."""
    values = random.normal(0, 1, (n_models, n))
    pairs = [compare_paired(SUBJECT, values[i], values[j], SETTINGS) for i in range(n_models) for j in range(i)]
    return any(difference.real for difference in judge_family(pairs, SETTINGS))


def falsely_equivalent(n_measures: int, random: Random) -> bool:
    """Return whether any of several measures whose true difference is exactly the margin is called equivalent."""
    margin = 0.02
    pairs = [compare_paired(SUBJECT, np.zeros(400), random.normal(margin, 0.2, 400), SETTINGS, margin) for _ in range(n_measures)]
    return any(difference.verdict == "equivalent" for difference in judge_family(pairs, SETTINGS))


def hits_gate(n: int, loss: float, churn: float, random: Random) -> GateTest:
    """Judge `HitRate max_loss 2%` for a base of .05: `loss` is the share of its hits that is lost, `churn` of all users change each way."""
    base = (random.random(n) < 0.05).astype(float)
    model, draws = base.copy(), random.random(n)
    model[(base == 1) & (draws < loss + churn / 0.05)] = 0.0
    model[(base == 0) & (draws < churn / 0.95)] = 1.0
    return margin_test(PairedSums.from_values(base, model), True, "max_loss", 0.02, True, values=SHARES)


def gate_passes(n: int, churn: float, random: Random) -> bool:
    """Return whether a gate passes at a loss of exactly its margin."""
    return hits_gate(n, 0.02, churn, random).outcome == "pass"


def gate_fails(n: int, n_gates: int, random: Random) -> bool:
    """Return whether any gate fails without a loss, if 1 % of users change each way."""
    return any(hits_gate(n, 0.0, 0.01, random).outcome == "fail" for _ in range(n_gates))


def ndcg_gate(n: int, loss: float, random: Random) -> GateTest:
    """Judge `nDCG@10 max_loss 2%` for a base of .2: 30 % of the users change, by .25 (deviation), and `loss` of the base is lost."""
    base, changed = random.beta(0.4, 1.6, n), random.random(n) < 0.3
    model = base + np.where(changed, -loss * 0.2 / 0.3 + 0.25 * random.standard_normal(n), 0.0)
    return margin_test(PairedSums.from_values(base, model), True, "max_loss", 0.02, True, values=SHARES)


def ndcg_gates_fail(n: int, n_gates: int, random: Random) -> bool:
    """Return whether any of several rules on independent measures fails without a loss."""
    return any(test.outcome == "fail" for test in correct_failures([ndcg_gate(n, 0.0, random) for _ in range(n_gates)]))


def plain_is_worse(kind: str, n: int, random: Random) -> bool:
    """Return whether the plain t test finds a model worse that is equally good."""
    one = skewed(kind, n, random)
    return one.t_plain is not None and one.t_plain < 0 and (one.p_plain or 0.0) <= SETTINGS.alpha


def graded_gate_passes(n: int, skewed: bool, random: Random) -> bool:
    """Return whether `max_loss 0.01` of graded values passes at exactly this loss: small shifts of all, or large losses of few users."""
    base = random.beta(1, 3, n)
    mean = 0.25
    model = np.where(random.random(n) < 0.01 / mean, 0.0, base) if skewed else base + random.uniform(-0.11, 0.09, n)
    return margin_test(PairedSums.from_values(base, model), True, "max_loss", 0.01, values=ValueRange(-0.11, 1.09)).outcome == "pass"


def misses(difference: Difference) -> bool:
    """Return whether the interval excludes 0, the true difference."""
    assert difference.interval is not None
    return not difference.interval[0] <= 0 <= difference.interval[1]


def skewed(kind: str, n: int, random: Random) -> Difference:
    """Compare differences of mean 0 in which few users change: a few large changes against many small ones, or hits won and lost."""
    draws = random.random(n)
    if kind == "2 % +1, 20 % -0.1":
        d = np.where(draws < 0.02, 1.0, np.where(draws < 0.22, -0.1, 0.0))
    elif kind == "0.5 % +1, 3 % -1/6":
        d = np.where(draws < 0.005, 1.0, np.where(draws < 0.035, -1 / 6, 0.0))
    else:
        d = np.where(draws < 0.05, 1.0, np.where(draws < 0.1, -1.0, 0.0))
    return compare_paired(SUBJECT, np.zeros(n), d, SETTINGS, values=SHARES)


def has_verdict(verdict: str, kind: str, n: int, random: Random) -> bool:
    """Return whether a true difference of 0 gets this verdict, better or worse."""
    return judge_family([skewed(kind, n, random)], SETTINGS)[0].verdict == verdict


def is_beyond(side: str, kind: str, n: int, random: Random) -> bool:
    """Return whether the interval is above, or below, the true difference of 0."""
    low, high = skewed(kind, n, random).interval or (0.0, 0.0)
    return low > 0 if side == "above" else high < 0


def unpaired_missed(n: int, random: Random) -> bool:
    """Return whether the interval is wrong for two models with different users, compared by mean, deviation and number."""
    sides = [random.beta(1, 3, n), random.beta(1, 3, 3 * n)]
    estimate = unpaired_estimate(*(Summary(float(side.mean()), float(side.std(ddof=1)), len(side)) for side in sides))
    return misses(difference_of(SUBJECT, estimate, SETTINGS, None))


class SliceWorld(NamedTuple):
    """Per-user differences of two models: 30 % of users change, or 3 % a hit if `rare`, and all by `shift`; with seven groupings.

    Users in all `conditions`, usually a tenth, lose `planted` more.
    """

    n: int
    shift: float = 0.0
    rare: bool = False
    planted: float = 0.0
    churns: bool = False
    """Whether the users of one group of ten change three times as often."""
    conditions: tuple[tuple[int, int], ...] = ((0, 1), (2, 2))
    """The groups of the planted slice: indexes of groupings and of groups in them."""


def slice_world(world: SliceWorld, random: Random) -> tuple[Values, list[Groups]]:
    """Draw the differences and the groups of users."""
    n = world.n
    groupings = [Groups(random.integers(0, size, n), size) for size in (2, 3, 5, 5, 5, 10, 20)]
    if world.rare:
        d = np.where(random.random(n) < 0.03, np.where(random.random(n) < 0.5, 1.0, -1.0), 0.0)
    else:
        often = np.where(groupings[5].codes == 0, 0.9, 0.3) if world.churns else 0.3
        d = np.where(random.random(n) < often, random.normal(0, 0.3, n), 0.0)
    member = np.all([groupings[index].codes == code for index, code in world.conditions], axis=0)
    return d + world.shift - world.planted * member, groupings


def confirmed_slices(values: Values, groupings: list[Groups], *, leaks: bool = False, corrected: bool = True) -> list[Candidate]:
    """Return the slices that are found on one half of the users and confirmed on the other; if it `leaks`, on the same half.

    Without `corrected`, each slice is tested as if it were the only one.
    """
    settings = SliceSettings()
    first = halves(pl.Series(np.arange(len(values))), 0)
    second = first if leaks else ~first
    search = find(values[first], [groups.subset(first) for groups in groupings], settings)
    family = None if corrected else 1
    tests = confirm(values[second], [groups.subset(second) for groups in groupings], search.candidates, settings, family)
    return [candidate for candidate, test in zip(search.candidates, tests, strict=True) if test.confirmed]


def slice_is_confirmed(world: SliceWorld, random: Random) -> bool:
    """Return whether a slice is confirmed where there is none."""
    return bool(confirmed_slices(*slice_world(world, random)))


def slice_is_missed(world: SliceWorld, random: Random) -> bool:
    """Return whether no confirmed slice of lower values has a condition of the planted slice."""
    found = confirmed_slices(*slice_world(world, random))
    return not any(user_slice.lower and set(user_slice.conditions) & set(world.conditions) for user_slice in found)


def slices_beyond(world: SliceWorld, random: Random, *, at_limit: bool) -> bool:
    """Return whether a gate refuses a model although no slice loses more than 5 %; `at_limit`: every slice loses exactly that."""
    return bool(refused_slices(world, random, at_limit=at_limit))


def refused_slices(world: SliceWorld, random: Random, *, at_limit: bool = False) -> list[Candidate]:
    """Return the slices for which a gate with a limit of 5 % refuses a model whose baseline has a mean of 0.5."""
    differences, groupings = slice_world(world, random)
    base = np.full(world.n, 0.5) if world.rare else np.clip(random.normal(0.5, 0.1, world.n), 0.2, 0.8)
    model, margin = base + differences - (0.05 * base if at_limit else 0.0), Margin(0.05, is_share=True)
    first = halves(pl.Series(np.arange(world.n)), 0)
    halved, tested = ([groups.subset(mask) for groups in groupings] for mask in (first, ~first))
    found = find_below(above_limit(base[first], model[first], True, margin), halved, SliceSettings()).candidates
    values = ValueRange(-1.0, 2.0)
    judged = confirm_beyond(base[~first], model[~first], tested, found, True, margin, 0.05, values)
    return [candidate for candidate, of_half in zip(found, judged, strict=True) if of_half.outcome == "fail"]


POWER_SLICES = {"50 %": ((0, 1),), "20 %": ((2, 2),), "10 %": ((0, 1), (2, 2)), "5 %": ((6, 3),)}
"""Planted slices by the share of users in them."""


def power_of_gate(n: int, conditions: tuple[tuple[int, int], ...], loss: float, draws: int) -> tuple[float, float]:
    """Return how often the gate with a limit of 5 % refuses a model with a planted slice, and one in which every slice loses 5 %.

    `loss` is the share of the baseline's mean that users of the slice lose; a refusal counts if its slice shares a group with the planted.
    The second share is that of false refusals, where they are most frequent.
    """
    worlds = SliceWorld(n, planted=0.5 * loss, conditions=conditions), SliceWorld(n)
    random = np.random.default_rng([n, len(conditions), *conditions[0], round(1000 * loss)])
    found = false = 0
    for _ in range(draws):
        found += any(set(user_slice.conditions) & set(conditions) for user_slice in refused_slices(worlds[0], random))
        false += bool(refused_slices(worlds[1], random, at_limit=True))
    return found / draws, false / draws


def print_power(draws: int) -> None:
    """Print how often the gate on slices finds a planted slice, by users, size and loss, beside the false refusals."""
    losses = (0.1, 0.15, 0.2, 0.3, 0.5)
    print(f"{'users':>7} {'in slice':>8} " + " ".join(f"{f'-{loss:.0%}':>7}" for loss in losses) + f" {'false':>7}")
    for n in (2_000, 6_000, 20_000):
        for size, conditions in POWER_SLICES.items():
            rates = [power_of_gate(n, conditions, loss, max(draws * 2_000 // n, 100)) for loss in losses]
            false = sum(rate for _, rate in rates) / len(rates)
            print(f"{n:7,} {size:>8} " + " ".join(f"{100 * found:5.0f} %" for found, _ in rates) + f" {100 * false:5.1f} %", flush=True)


FAILING: dict[str, tuple[str, ...]] = {
    "shown_beyond": ("shown_beyond",),
    "shown_worse": ("shown_beyond", "shown_worse"),
    "value": ("shown_beyond", "shown_worse", "value"),
}
"""By `gates.fail` the kinds of failing that hold."""


def print_failing(draws: int) -> None:
    """Print how often a gate on 2 % passes and fails, by users, true loss and `gates.fail`; and where fifty releases end."""
    print("nDCG@10 of 0.2, 30 % of the users change, limit 2 %")
    print(f"{'users':>7} {'true loss':>9} {'passes':>8}  fails by " + " ".join(f"{name:>12}" for name in FAILING))
    for n in (1_000, 5_000, 20_000):
        for loss in (0.0, 0.01, 0.02, 0.04):
            random = np.random.default_rng([n, round(1000 * loss)])
            tests = [ndcg_gate(n, loss, random) for _ in range(draws)]
            passed = sum(test.outcome == "pass" for test in tests) / draws
            failed = (sum(test.failed_by in kinds for test in tests) / draws for kinds in FAILING.values())
            rates = " ".join(f"{100 * rate:10.1f} %" for rate in failed)
            print(f"{n:7,} {100 * loss:7.0f} % {100 * passed:6.1f} %           {rates}", flush=True)
    print("\nfifty releases with true changes of 0 ± 1 %, 5,000 users: the model after them, and how many shipped")
    for name, (end, shipped) in fifty_releases(max(draws // 5, 20)).items():
        print(f"{name:28} {100 * end:+6.1f} % {shipped:5.1f}", flush=True)


def fifty_releases(series: int) -> dict[str, tuple[float, float]]:
    """Return the mean end of several series of releases, and how many of the fifty shipped, by what stops a release."""
    random, ends = np.random.default_rng(50), dict[str, list[tuple[float, int]]]()
    for _ in range(series):
        changes = 0.01 * random.standard_normal(50)
        tests = [ndcg_gate(5_000, -change, random) for change in changes]
        stops = {name: [test.failed_by in kinds for test in tests] for name, kinds in FAILING.items()}
        stops["inconclusive: fail"] = [test.outcome != "pass" for test in tests]
        for name, stopped in stops.items():
            shipped = [1 + change for change, stop in zip(changes, stopped, strict=True) if not stop]
            ends.setdefault(name, []).append((math.prod(shipped) - 1, len(shipped)))
    return {name: (float(np.mean([end for end, _ in of])), float(np.mean([n for _, n in of]))) for name, of in ends.items()}


def claims() -> Iterator[Claim]:
    """Yield every claim, with the world in which it is tried."""
    for n_models, n_measures in ((2, 1), (3, 1), (5, 1), (10, 1), (20, 1), (5, 10), (10, 4)):
        world = f"{n_models} equal models" + (f", {n_measures} measures" if n_measures > 1 else "")
        pairs = n_models * (n_models - 1) / 2 * n_measures
        yield Claim(
            "run: one beats another", world, 0.05, partial(called_worse, partial(equal_models, n_models, n_measures, 200)), pairs / 5
        )
    yield Claim("run: one beats another", "9 variants and 1 other", 0.05, partial(called_worse, alike_but_one), 10)
    for n_models, step in ((3, 0.0), (10, 0.0), (5, 0.1)):
        world = f"{n_models} models, {step:g} deviations apart"
        yield Claim("run: interval of the lead", world, 0.05, partial(lead_is_missed, n_models, step), n_models)
    yield Claim("run: a co-best has no ◂", "2 best of 5 models", 0.05, co_best_is_left_out, 2)
    for n in (50, 200, 1000):
        yield Claim("compare: a difference", f"all pairs of 5 equal models, {n:,} users", 0.05, partial(pair_differs, 5, n), 2)
    for n_measures in (1, 12):
        world = f"{n_measures} measure{'s' * (n_measures > 1)} at the margin"
        yield Claim("compare: equivalent", world, 0.05, partial(falsely_equivalent, n_measures), n_measures / 3)
    for kind in ("5 % +1, 5 % -1", "2 % +1, 20 % -0.1", "0.5 % +1, 3 % -1/6"):
        for n in (200, 1000, 5000):
            for verdict in ("better", "worse"):
                yield Claim(f"compare: {verdict}", f"{kind}, {n:,} users", 0.025, partial(has_verdict, verdict, kind, n))
            for side in ("above", "below") if 0.035 * n > 10 else ():  # otherwise hardly any user changes, and there is no verdict
                yield Claim(f"compare: interval {side}", f"{kind}, {n:,} users", 0.025, partial(is_beyond, side, kind, n))
    for churn in (0.0, 0.002):
        for n in (200, 1000, 5000, 20000):
            world = f"loss 2 %, {100 * churn:g} % churn, {n:,} users"
            yield Claim("gate: pass at the margin", world, 0.05, partial(gate_passes, n, churn), 1 + n / 10000)
    for is_skewed in (False, True):
        world = f"graded, {'few lose all' if is_skewed else 'all shift'}, 1,000 users"
        yield Claim("gate: pass at the margin", world, 0.05, partial(graded_gate_passes, 1000, is_skewed))
    for n in (200, 5000):
        yield Claim("gate: fail at no loss", f"1 % churn each way, {n:,} users", 0.05, partial(gate_fails, n, 1))
    for n in (1000, 5000):
        yield Claim("gate: fail at no loss", f"nDCG .2, 30 % changed, {n:,} users", 0.05, partial(ndcg_gates_fail, n, 1))
        yield Claim("gate: fail at no loss", f"nDCG .2, ten rules, {n:,} users", 0.05, partial(ndcg_gates_fail, n, 10), 10)
    for kind in ("2 % +1, 20 % -0.1", "0.5 % +1, 3 % -1/6"):
        for n in (200, 1000, 5000):
            yield Claim("t-plain: worse", f"{kind}, {n:,} users", None, partial(plain_is_worse, kind, n))
    yield Claim("unpaired: interval", "200 and 600 users", 0.05, partial(unpaired_missed, 200))
    for n in (600, 2_000, 20_000):
        worlds = {
            "equal models": SliceWorld(n),
            "all lose 0.05": SliceWorld(n, shift=0.05),
            "3 % win or lose a hit": SliceWorld(n, rare=True),
        }
        worlds["one group changes most"] = SliceWorld(n, churns=True)
        for words, world in worlds.items():
            yield Claim("slices: one is confirmed", f"{words}, {n:,} users", 0.05, partial(slice_is_confirmed, world))
            if words != "all lose 0.05":
                yield Claim("gate on slices: fail", f"{words}, {n:,} users", 0.05, partial(slices_beyond, world, at_limit=False))
                yield Claim("gate on slices: fail", f"{words}, 5 % lost, {n:,} users", 0.05, partial(slices_beyond, world, at_limit=True))
    for n, planted in ((2_000, 0.08), (6_000, 0.05), (20_000, 0.025)):
        world = f"10 % lose {planted:g}, {n:,} users"
        yield Claim("slices: planted one missed", world, 0.2, partial(slice_is_missed, SliceWorld(n, planted=planted)))
    for name in ("candidates", "datasets", "plans", "series", "units"):  # modules beside this script, which tests import from elsewhere
        for row in importlib.import_module(f"claims_of_{name}").rows():
            yield Claim(row.group, row.world, row.promised, row.wrong, row.effort, row.true)


def least_draws(promised: float | None, draws: int) -> int:
    """Return the draws that tell a rate that is 1.4 times the promised one from it by three standard errors; at most `draws`, if few."""
    needed = 0 if promised is None else math.ceil(NOISE**2 * (1 - promised) / (0.4**2 * promised))
    return min(needed, max(draws, 100)) if draws < 1000 else needed


def rate(claim: Claim, draws: int, seed: int = 0) -> tuple[float, int]:
    """Return the share of draws in which a claim was wrong, and the number of draws."""
    random = np.random.default_rng([seed, zlib.crc32(f"{claim.group} {claim.world}".encode())])
    made = max(100, least_draws(claim.promised, draws), round(draws / max(1.0, claim.effort)))
    return sum(claim.wrong(random) for _ in range(made)) / made, made


def power(claim: Claim, draws: int) -> float | None:
    """Return how often a claim is made where it is true; `None` if the row has no such world."""
    if claim.true is None:
        return None
    random, made = np.random.default_rng(draws), max(100, round(draws / claim.effort / 4))
    return sum(claim.true(random) for _ in range(made)) / made


def exceeds(claim: Claim, share: float, made: int, noise: float) -> bool:
    """Return whether a share is above its promise by more than `noise` standard errors."""
    return claim.promised is not None and share > claim.promised + noise * math.sqrt(claim.promised * (1 - claim.promised) / made)


def main() -> int:
    """Print a line for each claim; return 1 if any is wrong too often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--only", default="", help="only the claims whose line has these words")
    parser.add_argument("--power", action="store_true", help="print how often the gate on slices finds a planted slice instead")
    parser.add_argument("--fail", action="store_true", help="print how often gates fail and pass, by gates.fail, instead")
    parser.add_argument("--plans", action="store_true", help="print what plans of gates say beside what happens, instead")
    arguments = parser.parse_args()
    if arguments.plans:
        import claims_of_plans

        return claims_of_plans.print_plans()
    if arguments.fail:
        print_failing(arguments.draws)
        return 0
    if arguments.power:
        print_power(arguments.draws)
        return 0
    print(f"{'what may be wrong':26} {'where':44} {'promised':>8} {'measured':>8} {'draws':>6} {'power':>6}")
    n_broken = 0
    chosen = [claim for claim in claims() if arguments.only in f"{claim.group} {claim.world}"]
    for claim in chosen:
        share, made = rate(claim, arguments.draws)
        if exceeds(claim, share, made, DOUBT):
            share, made = rate(claim, 4 * arguments.draws, seed=1)
        is_broken = exceeds(claim, share, made, NOISE)
        found = power(claim, arguments.draws)
        shown = "" if found is None else f" {100 * found:4.0f} %"
        promised = "nothing" if claim.promised is None else f"{100 * claim.promised:.1f} %"
        print(f"{claim.group:26} {claim.world:44} {promised:>8} {100 * share:6.1f} % {made:6,}{shown}{'  !' * is_broken}", flush=True)
        n_broken += is_broken
    print(f"\n{n_broken} of {len(chosen)} are wrong more often than promised, by more than {NOISE:g} standard errors")
    return int(n_broken > 0)


if __name__ == "__main__":
    sys.exit(main())
