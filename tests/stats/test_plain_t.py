"""Student's plain t test: on request, and beside the corrected one, equal to that of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from receval.stats.concluding import judge_family
from receval.stats.difference import Settings, Subject
from receval.stats.rare_changes import ValueRange
from receval.stats.two_models import PLAIN_FAILS, compare_paired, estimate_folds, estimate_paired
from scipy import stats

SUBJECT = Subject("nDCG@10", "main", "today")
SHARES = ValueRange(0.0, 1.0)
PLAIN = Settings("t-plain")
TOY = ([0, 0, 0.5, 1, 0.25, 0, 0.3, 0.6, 0, 0.2], [0, 0.1, 0.5, 0.8, 0.5, 0, 0.4, 0.9, 0.2, 0.2])


def sides(n, changed, seed):
    """Return values of two models, of which a share of users differ by a skewed amount."""
    random = np.random.default_rng(seed)
    base = random.beta(1, 3, n)
    return base, np.where(random.random(n) < changed, np.minimum(1.0, base + random.exponential(0.2, n) - 0.1), base)


@pytest.mark.parametrize(("n", "changed"), [(30, 1.0), (400, 0.3), (400, 0.01), (5_000, 0.5), (20_000, 0.002), (50_000, 0.02)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_equals_that_of_scipy_to_ten_digits_however_few_users_changed(n, changed, seed):
    base, model = sides(n, changed, seed)
    expected = stats.ttest_rel(model, base)
    one, beside = (compare_paired(SUBJECT, base, model, settings, 0.01, values=SHARES) for settings in (PLAIN, Settings()))
    assert (one.statistic, one.p, one.df) == (
        pytest.approx(expected.statistic, rel=1e-10),
        pytest.approx(expected.pvalue, rel=1e-10),
        n - 1,
    )
    assert one.interval == pytest.approx(tuple(expected.confidence_interval(0.95)), rel=1e-10)
    assert one.bounds == pytest.approx(tuple(expected.confidence_interval(0.90)), rel=1e-10)
    assert one.test == "t-plain"
    assert (beside.t_plain, beside.p_plain, beside.df) == (one.t_plain, one.p_plain, one.df) == (one.statistic, one.p, one.df)
    assert n < 100 or beside.interval != one.interval  # p may be that of t, if it is the more careful one


def test_its_equivalence_and_its_share_of_the_base_value_are_those_of_textbooks():
    one = compare_paired(SUBJECT, *TOY, PLAIN, 0.2, values=SHARES)
    assert one.p_equivalent == pytest.approx(0.012667936416440963, rel=1e-10)
    assert (one.relative, one.relative_low, one.relative_high) == pytest.approx((0.2631578947, -0.0906108184, 2.4506867620), rel=1e-9)


def test_it_says_where_it_fails_and_gives_no_verdict_on_few_changes():
    (one,) = judge_family([compare_paired(SUBJECT, *sides(400, 0.01, 1), PLAIN)], PLAIN)
    assert PLAIN_FAILS in one.notes
    assert (one.n_changed < 10, one.verdict) == (True, "inconclusive")


def test_over_folds_it_divides_by_the_error_of_the_mean_over_folds():
    base, model = sides(300, 0.5, 1)
    plain, corrected = (estimate_folds(base, model, np.arange(300) % 3, settings) for settings in (PLAIN, Settings()))
    assert (plain.test, plain.se, plain.df) == ("folds-plain", corrected.se, corrected.df)
    assert plain.statistic == pytest.approx(plain.difference / plain.se, rel=1e-12)
    assert estimate_paired(base, model, PLAIN).test == "t-plain"


@pytest.mark.parametrize("test", ["wilcoxon", "permutation"])
def test_it_is_beside_every_test_that_has_a_standard_error(test):
    base, model = sides(400, 0.3, 1)
    expected = stats.ttest_rel(model, base)
    one = compare_paired(SUBJECT, base, model, Settings(test))
    assert (one.t_plain, one.p_plain) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-10)


def test_identical_models_and_one_user_have_no_t_value():
    for values in (np.ones(50), np.ones(1)):
        assert compare_paired(SUBJECT, values, values, Settings()).t_plain is None
