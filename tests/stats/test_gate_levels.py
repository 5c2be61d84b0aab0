"""How often a gate passes that must not, and fails that must not: at most as often as its level says, however few users changed.

Forty random gates are tried on 125 draws each, the same ones every time; more time means twice as many draws of each.
`RECEVAL_CLAIMS_SECONDS=1200 RECEVAL_CLAIMS_SEED=7 pytest tests/stats/test_gate_levels.py` looks longer, and elsewhere.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import replace
from receval.stats import gates
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import paired_estimate
from receval.stats.failures import correct_failures
from receval.stats.gates import margin_test
from receval.stats.rare_changes import RareChanges, ValueRange
from receval.stats.two_models import compare_paired, difference_of
from scipy import stats

from tests.sizes import draws, each_once, some
from tests.stats.populations import Population, draw_population

SECONDS = float(os.environ.get("RECEVAL_CLAIMS_SECONDS", "0"))
LEAST = draws(15, 40)
"""Number of gates that are tried in any case, even if time is up."""
SEED = int(os.environ.get("RECEVAL_CLAIMS_SEED", "1"))
DRAWS = 250 if SECONDS else 125
"""Draws of a gate. Any of forty gates may err in 19 of 125 (15 %), which one exceeds by chance once in a thousand runs. A gate that errs
in 25 % of draws is then noticed in 99 of 100 runs, one of 21 % in 93; with 250 draws one of 15 % in 92. All gates together, 5,000 draws,
must keep to 5 %."""
SHARES = ValueRange(0.0, 1.0)
SUBJECT, SETTINGS = Subject("HitRate@10", "main", "today"), Settings()


@pytest.fixture(autouse=True)
def _outcomes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what takes most of the time and decides no outcome: the bounds of a share, and the number of users needed."""
    monkeypatch.setattr(gates, "_power", lambda *arguments: (None, None))
    monkeypatch.setattr(gates, "relative_difference", lambda *arguments: None)


class RandomGate(Struct, frozen=True, eq=False):
    """A rule whose limit is exactly the true value over all users: it must pass, or be `shown_beyond`, at most at its level."""

    population: Population
    n: int
    kind: str
    limit: float
    relative: bool
    higher_is_better: bool

    def outcomes(self, random):
        """Return the outcomes of samples."""
        return [
            margin_test(sums, self.higher_is_better, self.kind, self.limit, self.relative, 0.05, SHARES, "shown_beyond").outcome
            for sums in self.population.draws(random, self.n, DRAWS)
        ]


def random_gates(random) -> Iterator[RandomGate]:
    """Yield gates with any number of users, base value, margin, churn, skew, kind and direction."""
    while True:
        relative, higher_is_better = random.random() < 0.6, random.random() < 0.7
        kind = "max_loss" if random.random() < 0.7 else "min_gain"
        population = draw_population(random, 10 ** random.uniform(-3, -0.5), relative)
        if population is None:
            continue
        if kind == "min_gain":
            population = replace(population, base=population.model, model=population.base)
        population = population if higher_is_better else population.turned()
        limit = abs(population.loss) / (population.base_value if relative else 1)
        yield RandomGate(population, int(10 ** random.uniform(1, 5)), kind, limit, relative, higher_is_better)


@pytest.mark.release
@pytest.mark.slow
def test_random_gates_at_their_limit_pass_and_fail_at_most_as_often_as_their_level():
    random, until = np.random.default_rng(SEED), time.monotonic() + SECONDS
    found = []
    for gate in random_gates(random):
        outcomes = gate.outcomes(random)
        found.append((outcomes.count("pass"), outcomes.count("fail"), gate))
        if len(found) >= LEAST and time.monotonic() >= until:
            break
    allowed = stats.binom.isf(0.001 / (2 * len(found)), DRAWS, 0.05)  # chance exceeds this once in a thousand runs of this test
    assert not [gate for passed, failed, gate in found if passed > allowed or failed > allowed]
    for number in (0, 1):
        assert sum(rates[number] for rates in found) <= 0.05 * DRAWS * len(found)


def hit_rate(loss: float, churn: float, base: float = 0.05) -> Population:
    """Return users of whom the share `base` has a hit; `churn` lose or gain one, and `loss` of the base value more lose one."""
    lost = churn + loss * base
    return Population(np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0, 1]), np.array([base - lost, lost, 1 - base - churn, churn]))


@pytest.mark.release
@pytest.mark.parametrize(("n", "churn"), each_once([200, 1_000, 5_000, 20_000], [0.0, 0.002]))
def test_a_hit_rate_at_the_margin_passes_in_at_most_five_percent_of_draws(n, churn):
    draws = hit_rate(0.02, churn).draws(np.random.default_rng(SEED), n, 400)
    passed = [margin_test(sums, True, "max_loss", 0.02, True, values=SHARES).outcome for sums in draws].count("pass")
    assert passed <= stats.binom.isf(1e-4, 400, 0.05)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("n", some([200, 1_000, 5_000, 20_000], 2))
def test_ten_gates_on_no_change_have_a_failure_in_at_most_five_percent_of_runs(n):
    """Use 2 % churn each way, and a margin of one standard error: √0.04/n."""
    random, margin = np.random.default_rng(SEED), (0.04 / n) ** 0.5
    measures = [hit_rate(0.0, 0.02, base).draws(random, n, 200) for base in np.linspace(0.05, 0.5, 10)]
    failed = []
    for run in zip(*measures, strict=True):
        tests = correct_failures([margin_test(sums, True, "max_loss", margin, values=SHARES) for sums in run])
        failed.append(any(test.outcome == "fail" for test in tests))
    assert sum(failed) <= stats.binom.isf(1e-3, len(failed), 0.05)


@pytest.mark.parametrize("n", [200, 1_000, 5_000])
def test_a_gate_without_any_loss_fails_in_at_most_five_percent_of_draws_although_a_loss_need_not_be_shown_to_exceed_the_limit(n):
    draws = hit_rate(0.0, 0.02, 0.2).draws(np.random.default_rng(SEED), n, 400)
    failed = [margin_test(sums, True, "max_loss", 0.02, True, values=SHARES).outcome for sums in draws].count("fail")
    assert failed <= stats.binom.isf(1e-4, 400, 0.05)


@pytest.mark.release
@pytest.mark.parametrize("expected", some([3.0, 4.75, 6.3, 10.0], 2))
def test_equivalence_at_the_margin_is_shown_in_at_most_five_percent_of_draws(expected):
    """Let `expected` of 2,000 users lose a hit on average, with exactly this loss as margin; try the mirror image too."""
    margin = expected / 2_000
    population = hit_rate(margin / 0.05, 0.0)
    shown = [0, 0]
    for sums in population.draws(np.random.default_rng(SEED), 2_000, 400):
        for side, terms in enumerate((sums, sums.swapped())):
            p = difference_of(SUBJECT, paired_estimate(terms, 0.05), SETTINGS, margin, SHARES).p_equivalent
            shown[side] += p is not None and p <= 0.05
    assert max(shown) <= stats.binom.isf(1e-4, 400, 0.05)


def test_identical_values_are_equivalent_only_within_the_largest_change_of_one_more_user():
    values = np.repeat([0.0, 1.0], [950, 50])
    bound = -np.log(0.05) / 1_001
    for margin, shown in ((0.99 * bound, False), (1.01 * bound, True)):
        found = compare_paired(SUBJECT, values, values, SETTINGS, margin, values=SHARES)
        assert (found.p_equivalent <= 0.05) == shown
        assert (found.one_sided_low, found.one_sided_high) == pytest.approx((-bound, bound))


@pytest.mark.parametrize("k", [0, 1, 5, 40])
def test_the_bound_for_users_who_lose_everything_is_the_exact_poisson_bound(k):
    """Compare with the 95 % bound of a Poisson mean at k events: half the χ² quantile with 2k + 2 degrees of freedom (Garwood, 1936)."""
    n = 10**7
    se = (k / n**2) ** 0.5
    bound = RareChanges(-k / n, se, n, ValueRange(-1.0, 1.0)).at(0.05)
    assert -bound * n == pytest.approx(stats.chi2.ppf(0.95, 2 * k + 2) / 2, rel=1e-4)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.4])
def test_p_value_and_bound_of_rare_changes_agree(share):
    rare = RareChanges(0.01, 0.004, 900, ValueRange(-1.0, 1.0))
    assert rare.below(rare.at(share)) == pytest.approx(share)
    assert rare.above(rare.at(1 - share)) == pytest.approx(share)


def test_the_bound_of_rare_changes_counts_clusters_and_not_users():
    """Use thirty households of ten identical users: one more household, not one more user, may lose everything."""
    values, households = np.repeat([0.0, 1.0], 150), np.arange(300) // 10
    of_clusters = compare_paired(SUBJECT, values, values, SETTINGS, 0.05, households, SHARES)
    assert of_clusters.one_sided_low == pytest.approx(-np.log(20) / 31)
    assert compare_paired(SUBJECT, values, values, SETTINGS, 0.05, values=SHARES).one_sided_low == pytest.approx(-np.log(20) / 301)


def test_the_bound_of_rare_changes_has_the_units_of_sums_and_geometric_means():
    values = np.repeat([0.5, 1.0], 100)
    total = compare_paired(replace(SUBJECT, aggregate="sum"), values, values, SETTINGS, 5.0, values=SHARES)
    assert total.one_sided_low == pytest.approx(-200 * np.log(20) / 201)
    geometric = compare_paired(replace(SUBJECT, aggregate="geometric"), values, values, SETTINGS, 0.1, values=SHARES)
    # one more user may fall from 1 to 1e-5: the mean logarithm by 3.0 · 11.5/201
    assert geometric.one_sided_low == pytest.approx(0.5**0.5 * np.expm1(-np.log(20) * np.log(1e5) / 201))
