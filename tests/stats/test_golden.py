"""Reference values: a toy of ten users, computed with numpy, scipy and statsmodels, and the sample of the repository."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from receval import load_config, run
from receval.stats.concluding import adjust, judge_family
from receval.stats.confidence import not_within
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import RatioTerms, paired_estimate
from receval.stats.paired import PairedSums
from receval.stats.power import detectable_difference, provable_margin, users_needed
from receval.stats.two_models import compare_paired

from tests.conftest import CONFIGS
from tests.stats.compares import compare_ratios, compare_runs, compare_sums

A = np.array([0, 0, 0.5, 1, 0.25, 0, 0.3, 0.6, 0, 0.2])
B = np.array([0, 0.1, 0.5, 0.8, 0.5, 0, 0.4, 0.9, 0.2, 0.2])
TOY = Subject("nDCG@10", "a", "b")
SETTINGS = Settings()


def exactly(expected):
    return pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.fixture(scope="module")
def toy():
    return compare_paired(TOY, A, B, SETTINGS, margin=0.2)


def test_the_difference_of_the_toy_with_its_deviation_and_error(toy):
    assert (toy.difference, toy.sd, toy.se) == exactly((0.075, 0.14766704288891125, 0.046696419087073))


def test_the_t_test_of_the_toy(toy):
    sums = compare_sums(TOY, PairedSums.from_values(A, B), SETTINGS)  # t is 1.6061, the skewness of d -0.1364; few changed: the lower
    assert (sums.statistic, sums.df, sums.p) == exactly((1.5621259279139468, 9, 0.15269353308085176))
    assert (toy.statistic, toy.df, toy.p) == exactly((1.5621259279139468, 9, 0.1875))  # six users changed: all signs


def test_the_intervals_of_the_toy(toy):
    assert toy.interval == exactly((-0.034629236667714315, 0.18063463891484904))
    assert toy.bounds == exactly((-0.013315244291692946, 0.160599809737249))


def test_the_toy_is_not_inferior_by_more_than_a_margin():
    confidence = paired_estimate(PairedSums.from_values(A, B), 0.05).confidence
    assert confidence.below(-0.05) == exactly(0.01514421786548036)


def test_two_one_sided_tests_of_the_toy_agree_with_the_worse_one(toy):
    confidence = paired_estimate(PairedSums.from_values(A, B), 0.05).confidence
    assert max(confidence.below(-0.05), confidence.above(0.2)) == exactly(0.01514421786548036)
    assert toy.p_equivalent == not_within(confidence, 0.2) == confidence.above(0.2)


def test_the_effect_size_of_the_toy(toy):
    assert toy.effect_size == exactly(0.5078993831847904)


def test_the_detectable_difference_of_ten_users(toy):
    assert detectable_difference(toy.se) == exactly(0.13082399745315199)
    assert detectable_difference(toy.se, df=9) == pytest.approx(0.14707665687399152, rel=1e-6)  # the root at which statsmodels stops
    assert users_needed(toy.sd, 0.02) == 428
    assert provable_margin(toy.se) == exactly(0.11610947213651812)


def test_the_toy_rises_for_five_users_and_falls_for_one(toy):
    assert (toy.up, toy.same, toy.down, toy.n_changed) == (5, 4, 1, 6)


def test_the_exact_test_of_signs_of_the_toy():
    assert compare_paired(TOY, A, B, Settings(test="permutation")).p == 0.1875


def test_the_interval_of_the_toy_with_clusters():
    difference = compare_paired(TOY, A, B, SETTINGS, clusters=np.repeat(np.arange(5), 2))
    assert difference.se == exactly(0.05)
    assert difference.interval == exactly((-0.0638222552598896, 0.2138222552598896))
    assert difference.p == pytest.approx(0.208, abs=5e-4)


def test_the_relative_difference_of_the_toy_and_its_interval(toy):
    relative = (toy.relative, toy.relative_low, toy.relative_high)
    assert relative == pytest.approx((0.2631578947, -0.0906108184, 2.4506867620), abs=1e-10)


def test_the_interval_of_pooled_hits():
    places = np.array([5, 5, 5, 4, 5, 3, 5, 5, 2, 5.0])
    base = RatioTerms(np.array([0, 1, 2, 3, 1, 0, 1, 2, 0, 1.0]), places)
    model = RatioTerms(np.array([0, 2, 2, 3, 2, 0, 2, 3, 1, 1.0]), places)
    difference = compare_ratios(TOY, base, model, SETTINGS)
    rest = [np.delete(side.numerators, user).sum() / np.delete(places, user).sum() for side in (model, base) for user in range(10)]
    changes = np.subtract(rest[:10], rest[10:]) - difference.difference
    assert (difference.difference, difference.se) == exactly((0.11363636363636365, (0.9 * (changes**2).sum()) ** 0.5))


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("holm", [0.005, 0.048, 0.063, 0.08, 0.3]),
        ("bh", [0.005, 0.03, 0.035, 0.05, 0.3]),
        ("by", [0.01141666666666667, 0.0685, 0.07991666666666668, 0.1141666666666667, 0.685]),
        ("none", [0.001, 0.012, 0.021, 0.04, 0.3]),
    ],
)
def test_corrected_p_values(method, expected):
    assert adjust([0.001, 0.012, 0.021, 0.04, 0.3], method) == exactly(expected)


def test_the_interval_of_three_runs_of_six_users():
    base = np.array([[0.2, 0.4, 0, 0.5, 0.3, 0.1], [0.25, 0.35, 0.05, 0.5, 0.3, 0.1], [0.2, 0.45, 0, 0.45, 0.35, 0.15]])
    model = base + np.array([[0.05], [0.02], [0.03]]) + np.array([0.1, -0.05, 0, 0.05, 0, 0.1])
    difference = compare_runs(TOY, list(base), list(model), SETTINGS)
    assert difference.difference == exactly(1 / 15)
    found = (difference.sd / 6**0.5, difference.se, difference.df, difference.p)
    assert found == pytest.approx((0.0247206616, 0.0247206616, 5, 0.0460217), rel=1e-5)  # runs differ less than their noise


def test_sums_of_a_weighted_difference_follow_from_a_factor():
    sums, factor = PairedSums.from_values(A, B), Fraction(49, 50)
    other = B - 0.98 * A
    assert float(sums.difference(factor)) == pytest.approx(other.sum(), rel=1e-14)
    assert float(sums.difference_squares(factor)) == pytest.approx((other**2).sum(), rel=1e-14)


SAMPLE = {
    "nDCG@10": (0.0768157920254448, 0.059762969454913155, 0.09324561975854756, 192, 117, 41),
    "Recall@20": (0.09896180657319746, 0.07956530352167226, 0.12020467390055918, 169, 167, 14),
    "MAP@10": (0.04581371252204585, None, None, 188, 119, 43),
}


@pytest.fixture(scope="module")
def sample():
    """Return the per-user values of the quickstart."""
    return run(load_config(CONFIGS / "quickstart.yaml")).per_user


@pytest.mark.parametrize("measure", SAMPLE)
def test_the_differences_of_the_sample(sample, measure):
    base, model = (sample[name][measure].to_numpy() for name in ("popular", "knn"))
    found = compare_paired(Subject(measure, "popular", "knn"), base, model, SETTINGS)
    difference, low, high, up, same, down = SAMPLE[measure]
    assert found.difference == exactly(difference)
    assert low is None or found.interval == exactly((low, high))
    assert (found.up, found.same, found.down) == (up, same, down)


def test_the_sample_has_the_p_values_of_t_corrected_for_skewness(sample):
    base, model = sample["popular"], sample["knn"]
    ndcg, average_precision = (
        compare_paired(Subject(name, "popular", "knn"), base[name].to_numpy(), model[name].to_numpy(), SETTINGS)
        for name in ("nDCG@10", "MAP@10")
    )
    assert ndcg.statistic == exactly(8.359444773986583)
    assert (ndcg.p, average_precision.p) == pytest.approx((1.5186196859707185e-15, 3.038436519820708e-09), rel=1e-10)
    assert ndcg.effect_size == exactly(0.48262572739819626)
    (judged,) = judge_family([ndcg], SETTINGS)
    assert judged.detectable == exactly(0.02383470926201141)
    assert judged.sentence == (
        "knn is better than popular: nDCG@10 is higher by 0.077 (95 % interval 0.060 to 0.093); higher for 192 of 350 users, lower for 41."
    )
