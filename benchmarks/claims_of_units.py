"""Worlds for `claims.py` in which users are not the independent units, changes are rare, or many rules and groups are judged.

Each row has a world in which a claim would be wrong, and where possible one in which the same claim is true: its rate is the power.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from receval.results.comparison import worse_in_groups
from receval.stats.best import conclude_values
from receval.stats.concluding import judge_family
from receval.stats.difference import Difference, Settings, Subject
from receval.stats.estimates import RatioTerms, interval_of_mean, weighted_estimate
from receval.stats.failures import correct_failures
from receval.stats.gates import estimate_test, margin_test
from receval.stats.paired import PairedSums
from receval.stats.rare_changes import ValueRange
from receval.stats.samples import pooled_with_clusters, runs_estimate
from receval.stats.two_models import compare_paired, difference_of, estimate_folds

Random = np.random.Generator
Values = NDArray[np.float64]

SETTINGS: Final = Settings()
SUBJECT: Final = Subject("measure", "base", "model")
SHARES: Final = ValueRange(0.0, 1.0)


class Row(NamedTuple):
    """A claim, the world in which it may be wrong in at most `promised` of draws, and how often it is found where it is `true`."""

    group: str
    world: str
    promised: float | None
    wrong: Callable[[Random], bool]
    true: Callable[[Random], bool] | None = None
    effort: float = 1.0


def rare(n: int, random: Random, gain: bool) -> tuple[Values, Values]:
    """Draw users of whom 3 % change: 0.5 % gain 5/6 and 2.5 % lose 1/6, a true difference of 0; with a `gain` 2 % and 3 %."""
    shares = [0.95, 0.02, 0.03] if gain else [0.97, 0.005, 0.025]
    base = np.full(n, 1 / 6)
    return base, np.maximum(base + random.choice([0, 5, -1], n, p=shares) / 6, 0.0)


def usual(n: int, random: Random, gain: bool) -> tuple[Values, Values]:
    """Draw graded values, of which 30 % change; with a `gain` by 0.22/√n on average, which is 2.8 standard errors of plain users."""
    base = random.uniform(0.25, 0.75, n)
    change = random.uniform(-0.25, 0.25, n) + (0.737 / np.sqrt(n) if gain else 0.0)
    return base, np.where(random.random(n) < 0.3, np.clip(base + change, 0, 1), base)


Draw = Callable[[int, Random, bool], tuple[Values, Values]]


def verdict_of(difference: Difference) -> str | None:
    """Return the verdict on a single difference."""
    return judge_family([difference], SETTINGS)[0].verdict


def says(claim: str, verdict: Callable[[Random], str | None], random: Random) -> bool:
    """Return whether a verdict is this claim."""
    return verdict(random) == claim


def verdict_on_users(draw: Draw, n: int, random: Random, *, gain: bool = False) -> str | None:
    """Return the verdict on users who count alike."""
    base, model = draw(n, random, gain)
    return verdict_of(compare_paired(SUBJECT, base, model, SETTINGS, values=SHARES))


def verdict_on_clusters(draw: Draw, n: int, random: Random, *, gain: bool = False) -> str | None:
    """Return the verdict on clusters of 20 users who have the same values."""
    base, model = (np.repeat(side, 20) for side in draw(n, random, gain))
    return verdict_of(compare_paired(SUBJECT, base, model, SETTINGS, clusters=np.repeat(np.arange(n), 20), values=SHARES))


def verdict_on_weights(draw: Draw, n: int, random: Random, *, gain: bool = False) -> str | None:
    """Return the verdict on users with lognormal weights (sigma 2)."""
    sides, weights = draw(n, random, gain), np.exp(2 * random.normal(size=n))
    base, model = (RatioTerms(weights * side, weights) for side in sides)
    estimate = weighted_estimate(base, model)
    return verdict_of(difference_of(SUBJECT, estimate, SETTINGS, None, SHARES))


def verdict_on_sizes(draw: Draw, n: int, random: Random, *, gain: bool = False) -> str | None:
    """Return the verdict on pooled ratios of users with 1 to 50 relevant items, mostly few."""
    sides, sizes = draw(n, random, gain), np.minimum(random.geometric(0.2, n), 50).astype(float)
    base, model = (RatioTerms(sizes * side, sizes) for side in sides)
    estimate = weighted_estimate(base, model)
    return verdict_of(difference_of(SUBJECT, estimate, SETTINGS, None, SHARES))


def verdict_on_folds(draw: Draw, n: int, random: Random, *, gain: bool = False) -> str | None:
    """Return the verdict on five folds with the same users, who change alike in all of them."""
    base, model = (np.tile(side, 5) for side in draw(n, random, gain))
    estimate = estimate_folds(base, model, np.repeat(np.arange(5), n), SETTINGS, clusters=np.tile(np.arange(n), 5))
    return verdict_of(difference_of(SUBJECT, estimate, SETTINGS, None, SHARES))


def verdict_on_runs(draw: Draw, n: int, random: Random, *, gain: bool = False) -> str | None:
    """Return the verdict on three runs of each model, with the same values in all runs."""
    base, model = draw(n, random, gain)
    return verdict_of(difference_of(SUBJECT, runs_estimate([base] * 3, [model] * 3), SETTINGS, None, SHARES))


def hidden_gain(n: int, gain: tuple[float, float], loss: tuple[float, float], random: Random) -> str | None:
    """Return the verdict where a few users gain much and many lose little; the true difference is 0. Pairs are a share and a size."""
    d = random.choice([0.0, gain[1], -loss[1]], n, p=[1 - gain[0] - loss[0], gain[0], loss[0]])
    return verdict_of(compare_paired(SUBJECT, np.full(n, loss[1]), loss[1] + d, SETTINGS, values=ValueRange(0.0, 1.0)))


def revenue_beats(random: Random, *, n: int = 400, gain: float = 0.0) -> bool:
    """Return whether one of two models beats the other by revenue; payments are lognormal (sigma 2), and 30 % are found."""
    paid = np.exp(2 * random.normal(size=n))
    sides = {name: paid * (random.random(n) < share) for name, share in (("a", 0.3), ("b", 0.3 + gain))}
    seen = ValueRange(0.0, max(float(side.max()) for side in sides.values()), is_observed=True)
    (one,) = conclude_values({"revenue": sides}, value_range=seen)
    return bool(one.beaten)


def pooled_gate(random: Random, *, loss: float) -> bool:
    """Return whether `max_loss 5%` of a pooled recall passes; 600 users have Pareto sizes, and each loses all hits with this chance."""
    sizes = np.minimum(random.pareto(1.1, 600) + 1, 300).astype(int).astype(float)
    sides = RatioTerms(sizes, sizes), RatioTerms(np.where(random.random(600) < loss, 0.0, sizes), sizes)
    return estimate_test(weighted_estimate(*sides), True, "max_loss", 0.05, relative=True, values=SHARES).outcome == "pass"


def folds_gate(random: Random, *, loss: float, sizes: tuple[int, int] = (50, 2000)) -> bool:
    """Return whether `max_loss 0.02` over two folds of users passes; this share of the smaller fold loses its hit."""
    folds = np.repeat([0, 1], sizes)
    model = np.where((folds == 0) & (random.random(len(folds)) < loss), 0.0, 1.0)
    estimate = estimate_folds(np.ones(len(folds)), model, folds, SETTINGS)
    return estimate_test(estimate, True, "max_loss", 0.02, values=SHARES).outcome == "pass"


def groups_fail(random: Random, *, loss: float = 0.0, n_groups: int = 10) -> bool:
    """Return whether any group of 400 users fails `max_loss 0.5%` of a hit rate of .3; in one group this share of hits is lost."""
    tests = []
    for group in range(n_groups):
        base, chance = random.random(400) < 0.3, random.random(400)
        model = np.where(base, chance >= 1 / 3 + (loss if group == 0 else 0.0), chance < 1 / 7)
        tests.append(margin_test(PairedSums.from_values(base * 1.0, model * 1.0), True, "max_loss", 0.005, relative=True, values=SHARES))
    return any(test.outcome == "fail" for test in correct_failures(tests))


def some_beat(random: Random, *, lead: float = 0.0) -> bool:
    """Return whether a model is said to be worse than another; ten models with lists for 50 to 100 % of 300 users each, one better."""
    hits = {}
    for j in range(10):
        listed = random.random(300) < random.uniform(0.5, 1)
        hits[f"m{j}"] = np.where(listed, (random.random(300) < 0.7 + lead * (j == 0)) * 1.0, np.nan)
    (one,) = conclude_values({"hits": hits}, value_range=SHARES)
    return bool(one.beaten or one.shown)


def is_undetected(n: int, churn: float, random: Random) -> bool:
    """Return whether the difference that users "can detect with 80 % power" is missed in the next draw with the same churn."""

    def draw(up: float) -> Difference:
        d = random.choice([-1.0, 0.0, 1.0], n, p=[2 * churn - up, 1 - 2 * churn, up])
        (one,) = judge_family([compare_paired(SUBJECT, (d < 0) * 1.0, (d > 0) * 1.0, SETTINGS, values=SHARES)], SETTINGS)
        return one

    while (first := draw(churn)).detectable is None or first.verdict != "inconclusive":
        pass
    return draw(churn + min(first.detectable or 0.0, 2 * churn) / 2).verdict != "better"


def share_is_missed(share: float, n: int, random: Random) -> bool:
    """Return whether the interval of a share of users, as reports draw it, misses the true share; it is half to twice the given one."""
    share *= float(random.uniform(0.5, 2.0))  # at a single share coverage jumps around 95 %, because hits are whole numbers
    hits = random.random(n) < share
    low, high = interval_of_mean(float(hits.mean()), float(hits.std(ddof=1)), n, 0.05, are_shares=True)
    return not low <= share <= high


def group_is_named(random: Random, *, loss: float = 0.0) -> bool:
    """Return whether a group is named in which the better model has worse values; all ten gain 0.012, or one loses."""
    d = np.where(random.random(4000) < 0.3, random.normal(0.04, 0.4, 4000), 0.0)
    groups = random.integers(0, 10, 4000)
    d = d - loss * (groups == 0)

    def pair_difference(values: Values, by: str | None = None, group: str | None = None) -> Difference:
        subject = Subject("measure", "base", "model", by=by, group=group)
        return compare_paired(subject, np.zeros(len(values)), values, SETTINGS, values=ValueRange(-2.0, 2.0))

    within = judge_family([pair_difference(d[groups == group], "users.plan", f"p{group}") for group in range(10)], SETTINGS)
    return bool(worse_in_groups(within, {("base", "model")}, [pair_difference(d)]))


def misses(difference: Difference) -> bool:
    """Return whether the interval excludes 0, the true difference."""
    assert difference.interval is not None
    return not difference.interval[0] <= 0 <= difference.interval[1]


def zipf_sizes(n_clusters: int) -> NDArray[np.int64]:
    """Return the sizes of clusters by Zipf's law, twenty users on average."""
    harmonic = 1 / np.arange(1, n_clusters + 1)
    return np.maximum(1, np.round(20 * n_clusters * harmonic / harmonic.sum())).astype(np.int64)


def clusters_missed(n_clusters: int, random: Random) -> bool:
    """Return whether the interval is wrong for clusters of Zipf's sizes, twenty users on average, who share a third of their variance."""
    members = np.repeat(np.arange(n_clusters), zipf_sizes(n_clusters))
    d = random.normal(0, math.sqrt(1 / 3), n_clusters)[members] + random.normal(0, math.sqrt(2 / 3), len(members))
    return misses(compare_paired(SUBJECT, np.zeros(len(d)), d, SETTINGS, clusters=members))


def pooled_clusters_missed(n_clusters: int, random: Random) -> bool:
    """Return whether the interval of two pooled recalls is wrong for equally good models and clusters of Zipf's sizes.

    Users have 1 to 50 relevant items, mostly few, and each cluster has its own chance of a hit with each model.
    """
    members = np.repeat(np.arange(n_clusters), zipf_sizes(n_clusters))
    relevant = np.minimum(random.geometric(0.2, len(members)), 50)
    chances = random.beta(5, 15, (2, n_clusters))[:, members]
    sides = [RatioTerms(random.binomial(relevant, chance).astype(float), relevant.astype(float)) for chance in chances]
    return misses(difference_of(SUBJECT, pooled_with_clusters(*sides, members), SETTINGS, None))


def weighted_missed(n: int, shape: float, random: Random) -> bool:
    """Return whether the interval of two weighted means is wrong for equally good models and weights of Pareto's distribution."""
    weights, chance = random.pareto(shape, n) + 1, random.beta(1, 3, n)
    sides = [RatioTerms(weights * random.binomial(10, chance) / 10, weights) for _ in range(2)]
    return misses(difference_of(SUBJECT, weighted_estimate(*sides), SETTINGS, None))


def folds_missed(sizes: tuple[int, ...], random: Random) -> bool:
    """Return whether the interval is wrong for the mean over folds of different sizes and means."""
    folds = np.repeat(np.arange(len(sizes)), sizes)
    of_folds = np.linspace(-0.3, 0.3, len(sizes))
    d = of_folds[folds] + random.normal(0, 1, len(folds))
    confidence = estimate_folds(np.zeros(len(d)), d, folds, SETTINGS).confidence
    assert confidence is not None
    return not confidence.at(0.025) <= 0 <= confidence.at(0.975)


def runs_missed(n_runs: int, of_runs: float, random: Random) -> bool:
    """Return whether the interval is wrong for two models of several runs: noise of users, of each run, and of each user in each run."""
    sides = []
    users = random.normal(0, 0.15, 400)
    for _ in range(2):
        of_model = users + random.normal(0, 0.15, 400)
        sides.append([of_model + random.normal(0, of_runs) + random.normal(0, 0.2, 400) for _ in range(n_runs)])
    return misses(difference_of(SUBJECT, runs_estimate(*sides), SETTINGS, None))


def rows() -> Iterator[Row]:
    """Yield the rows."""
    for n_clusters in (10, 30, 100):
        yield Row("clusters: interval", f"{n_clusters} of Zipf's sizes", 0.05, partial(clusters_missed, n_clusters))
        yield Row("clusters: pooled interval", f"{n_clusters} of Zipf's sizes", 0.05, partial(pooled_clusters_missed, n_clusters))
    for n, shape in ((200, 1.1), (1000, 1.1), (200, 1.5), (1000, 1.5), (5000, 1.5)):
        yield Row("weights: interval", f"{n:,} users, Pareto {shape}", 0.05, partial(weighted_missed, n, shape))
    for sizes in ((50, 500, 5000), (200, 200, 200)):
        yield Row("folds: interval", " / ".join(f"{n:,}" for n in sizes) + " users", 0.05, partial(folds_missed, sizes))
    for n_runs in (2, 3, 5):
        for spread in (0.0, 0.02):
            world = f"{n_runs} runs of each, training {spread:g}"
            yield Row("runs: interval", world, 0.05, partial(runs_missed, n_runs, spread))
    yield Row("one run: interval", "training 0.02", None, partial(runs_missed, 1, 0.02))
    kinds = {
        "1,000 users": (verdict_on_users, 1000),
        "200 clusters of 20": (verdict_on_clusters, 200),
        "1,000 clusters of 20": (verdict_on_clusters, 1000),
        "4,000 users, lognormal weights": (verdict_on_weights, 4000),
        "4,000 users, pooled": (verdict_on_sizes, 4000),
        "5 folds of the same 1,000": (verdict_on_folds, 1000),
        "3 runs of 1,000": (verdict_on_runs, 1000),
    }
    for words, (verdict, n) in kinds.items():
        for name, draw in (("rare", rare), ("usual", usual)):
            wrong, true = partial(verdict, draw, n), partial(verdict, draw, n, gain=True)
            yield Row("compare: worse", f"{words}, {name}", 0.025, partial(says, "worse", wrong), partial(says, "better", true))
    for n, gain, loss in ((150, (0.01, 0.9), (0.9, 0.01)), (200, (0.005, 1.0), (0.5, 0.01)), (1000, (0.003, 0.9), (0.9, 0.003))):
        world = f"{100 * gain[0]:g} % +{gain[1]:g}, {100 * loss[0]:g} % -{loss[1]:g}, {n:,} users"
        yield Row("compare: worse", world, 0.025, partial(says, "worse", partial(hidden_gain, n, gain, loss)))
    yield Row("run: one beats another", "2 equal by revenue, 400 users", 0.05, revenue_beats, partial(revenue_beats, gain=0.2))
    yield Row("run: one beats another", "10 equal, other users each", 0.05, some_beat, partial(some_beat, lead=0.15), 20)
    gates = (("pooled recall, Pareto sizes", pooled_gate, 0.05), ("folds of 50 and 2,000 users", folds_gate, 0.04))
    for words, gate, at_limit in gates:
        yield Row("gate: pass at the margin", words, 0.05, partial(gate, loss=at_limit), partial(gate, loss=0.0))
    usual_folds = partial(folds_gate, sizes=(1000, 1000))
    yield Row("gate: pass at the margin", "folds of 1,000 users", 0.05, partial(usual_folds, loss=0.04), partial(usual_folds, loss=0.005))
    yield Row("gate: fail at no loss", "10 groups of 400 users", 0.05, groups_fail, partial(groups_fail, loss=0.4), 4)
    for n, churn in ((400, 0.03), (1000, 0.03), (1000, 0.2)):
        yield Row("compare: N users can detect", f"{100 * churn:g} % churn, {n:,} users", 0.2, partial(is_undetected, n, churn))
    for share in (0.01, 0.03, 0.3):
        yield Row("report: interval of a share", f"about {100 * share:g} % of 300 users", 0.05, partial(share_is_missed, share, 300))
    yield Row("compare: but within a group", "10 groups that gain alike", 0.05, group_is_named, partial(group_is_named, loss=0.15), 4)
