"""The best model, the models that it beats, and how often that is claimed of equal models."""

from __future__ import annotations

import math

import numpy as np
import pytest
from receval.documents.headline import closing_sentences
from receval.stats.best import MOST_VALUES, conclude_values
from receval.stats.concluding import adjust, judge_family
from receval.stats.confidence import t_at
from receval.stats.difference import Settings, Subject
from receval.stats.estimates import SKEWED
from receval.stats.two_models import compare_paired

from tests.sizes import some

N = 100
SIGNS = np.tile([1.0, -1.0], N // 2)
QUARTERS = np.tile([1.0, 1.0, -1.0, -1.0], N // 4)
THREE = {"m@5": {"low": np.full(N, 0.5), "high": 0.6 + 0.1 * SIGNS, "near": 0.59 + 0.1 * SIGNS + 0.1 * QUARTERS}}


def verdicts(conclusion):
    return {rival.model: rival.verdict for rival in conclusion.rivals}


def test_a_conclusion_has_the_best_model_its_users_its_verdicts_and_what_was_corrected():
    (one,) = conclude_values(THREE)
    assert (one.best, one.users, one.family, one.n_pairs, one.level) == ("high", {"low": N, "high": N, "near": N}, 3, 3, 0.95)
    assert (one.test, one.correction) == ("t", "holm")
    assert verdicts(one) == {"low": "better", "near": "inconclusive"}
    assert one.alike == ("high", "near")


def test_the_interval_of_a_lead_is_corrected_for_all_pairs_of_the_measure():
    """Note: high - low is 0.1 with a deviation of 0.1·√(100/99); the quantile is that of 1 - 0.05/3/2, because there are three pairs."""
    rival = conclude_values(THREE)[0].rivals[0]
    half = t_at(1 - 0.05 / 6, N - 1) * 0.1 * math.sqrt(N / (N - 1)) / math.sqrt(N)
    assert (rival.difference, rival.low, rival.high) == pytest.approx((0.1, 0.1 - half, 0.1 + half), rel=1e-9)


def test_there_is_a_p_value_for_every_pair_of_every_measure():
    random = np.random.default_rng(0)
    values = {f"m{j}": {model: random.random(N) + 0.1 * (model == "b") for model in "abcd"} for j in range(3)}
    pairs = [
        compare_paired(Subject(measure, base, model), of_models[base], of_models[model], Settings())
        for measure, of_models in values.items()
        for base, model in ("ab", "ac", "ad", "bc", "bd", "cd")
    ]
    expected = {
        (difference.subject.measure, frozenset((difference.subject.base, difference.subject.model))): difference.p_adjusted
        for difference in judge_family(pairs, Settings())
    }
    made = conclude_values(values)
    assert {difference.family for difference in made} == {18}
    for difference in made:
        for rival in difference.rivals:
            assert rival.p_adjusted == expected[difference.measure, frozenset((difference.best, rival.model))]


def test_if_lower_is_better_the_lowest_is_best_and_its_lead_is_negative():
    (one,) = conclude_values(THREE, higher_is_better={"m@5": False})
    assert (one.best, verdicts(one)) == ("low", {"high": "better", "near": "better"})
    assert all(rival.difference < 0 and rival.high <= 0 for rival in one.rivals)


def test_the_best_is_chosen_on_common_users():
    """Let one count 20 easy users with 0.7, and two all users, with 0.9 for the easy ones and 0.3 for the others: its mean is 0.42."""
    noise = 0.01 * SIGNS
    one = np.where(np.arange(N) < 20, 0.7, math.nan) + noise
    two = np.where(np.arange(N) < 20, 0.9, 0.3) - noise
    (made,) = conclude_values({"m": {"one": one, "two": two}})
    rival = made.rivals[0]
    assert (made.best, rival.verdict, rival.n_users, rival.n_unpaired, made.users) == ("two", "better", 20, 80, {"one": 20, "two": N})
    assert rival.difference == pytest.approx(0.2)


def test_models_that_lead_each_other_in_a_circle_have_no_best_one():
    """Give two models to each third of the users, so that each model leads the next in a circle."""
    third = np.repeat([0, 1, 2], 20)
    noise = 0.01 * np.tile([1.0, -1.0], 30)

    def model(high, low):
        return np.select([third == high, third == low], [0.9 + noise, 0.1 - noise], math.nan)

    (made,) = conclude_values({"m": {"a": model(0, 2), "b": model(1, 0), "c": model(2, 1)}})
    assert (made.best, made.rivals, made.alike, made.is_tested) == (None, (), (), True)


def test_a_model_without_common_users_is_not_tested():
    a = np.append(0.5 + 0.1 * SIGNS[:50], np.full(50, math.nan))
    (made,) = conclude_values({"m": {"a": a, "b": a[::-1] - 0.1, "c": a - 0.2 + 0.1 * QUARTERS}})
    assert verdicts(made) == {"b": None, "c": "better"}
    assert (made.alike, made.untested) == (("a",), ("b",))


def test_with_many_models_only_pairs_with_the_best_are_compared_and_all_pairs_are_corrected_for(monkeypatch):
    random = np.random.default_rng(0)
    values = {"m": {f"x{i}": random.random(N) + 0.3 * (i == 3) for i in range(8)}}
    (every,) = conclude_values(values)
    monkeypatch.setattr("receval.stats.best.MOST_VALUES", 0)
    (few,) = conclude_values(values)
    assert MOST_VALUES > 0
    assert (few.best, few.family, few.n_pairs) == ("x3", 28, 28)
    for rival, other in zip(every.rivals, few.rivals, strict=True):
        assert (rival.low, rival.high, rival.p) == (other.low, other.high, other.p)
        assert rival.p_adjusted <= other.p_adjusted <= 28 * other.p


def test_comparisons_that_were_not_computed_count_in_the_correction():
    """Give the two smallest of ten p values: 10 · 0.01 and 9 · 0.02; by rank 10/1 and 10/2 for Benjamini-Hochberg."""
    assert adjust([0.02, 0.01], "holm", 10) == pytest.approx([0.18, 0.1])
    assert adjust([0.02, 0.01], "bh", 10) == pytest.approx([0.1, 0.1])
    assert adjust([0.02, 0.01], "none", 10) == [0.02, 0.01]


DRAWS = 125
"""Claims may exceed 5 % by three standard errors of so many draws, up to 10.8 %. At a true rate of 5 % this happens by chance once in
250 runs, and here never, because the draws are the same every time. A rate of 15 % is noticed in 91 of 100 runs, one of 20 % in more
than 99."""


def falsely_beaten(draw):
    """Return the share of draws of equal models in which one is called worse."""
    random = np.random.default_rng(1)
    made = (conclude_values(draw(random)) for _ in range(DRAWS))
    return sum(any(conclusion.beaten for conclusion in conclusions) for conclusions in made) / DRAWS


def equal(n_models, n_measures=1, n=N):
    def draw(random):
        shared = random.normal(0, 0.8, (n_models, n))
        return {f"m{j}": dict(enumerate(shared + random.normal(0, 0.6, (n_models, n)))) for j in range(n_measures)}

    return draw


def variants(random):
    """Draw five variants of one model and one different model, all equally good."""
    like = random.normal(0, 1, N)
    return {"m": {**{i: like + random.normal(0, 0.15, N) for i in range(5)}, 5: random.normal(0, 1, N)}}


@pytest.mark.release
@pytest.mark.parametrize("draw", some([equal(3, 4), equal(2), equal(5), variants], 2))
def test_an_equal_model_is_called_worse_in_at_most_5_percent_of_draws(draw):
    assert falsely_beaten(draw) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.release
@pytest.mark.parametrize("step", some([0.0, 0.1, 0.25], 2))
def test_the_interval_of_the_lead_over_the_runner_up_covers_despite_the_selection(step):
    random = np.random.default_rng(2)
    truth = np.arange(4) * step
    covered = 0
    for _ in range(DRAWS):
        (one,) = conclude_values({"m": dict(enumerate(truth[:, np.newaxis] + random.normal(0, 1, (4, N))))})
        nearest = min(one.rivals, key=lambda rival: abs(rival.difference))
        covered += nearest.low <= truth[one.best] - truth[nearest.model] <= nearest.high
    assert covered / DRAWS >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.release
def test_a_model_that_is_as_good_as_the_best_keeps_its_mark_in_95_percent_of_draws():
    random = np.random.default_rng(3)
    truth = np.array([0.0, 0.3, 0.3, -0.5])
    kept = 0
    for _ in range(DRAWS):
        (one,) = conclude_values({"m": dict(enumerate(truth[:, np.newaxis] + random.normal(0, 1, (4, N))))})
        kept += 1 in one.alike
    assert kept / DRAWS >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.release
def test_equivalence_of_12_measures_at_the_margin_is_claimed_in_at_most_5_percent_of_draws():
    """Use true differences equal to the margin, so that every claim is false; uncorrected 46 % of draws have one."""
    random = np.random.default_rng(4)
    margin, wrong, uncorrected = 0.3, 0, 0
    for _ in range(DRAWS):
        made = [
            compare_paired(Subject(f"m{j}", "a", "b"), np.zeros(60), random.normal(margin, 1, 60), Settings(), margin) for j in range(12)
        ]
        judged = judge_family(made, Settings())
        wrong += any(difference.verdict == "equivalent" for difference in judged)
        uncorrected += any(difference.p_equivalent <= 0.05 for difference in judged)
    assert wrong / DRAWS <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / DRAWS)
    assert uncorrected / DRAWS > 0.3


def test_the_p_value_of_equivalence_is_corrected_over_comparisons_with_a_margin():
    random = np.random.default_rng(5)
    values = [random.normal(0, 1, N) for _ in range(3)]
    given = enumerate(zip(values, (0.5, 0.4, None), strict=True))
    made = [compare_paired(Subject(f"m{j}", "a", "b"), np.zeros(N), d, Settings(), margin) for j, (d, margin) in given]
    judged = judge_family(made, Settings())
    p, q = (difference.p_equivalent for difference in judged[:2])
    assert [difference.p_equivalent_adjusted for difference in judged] == [
        *((2 * p, max(q, 2 * p)) if p < q else (max(p, 2 * q), 2 * q)),
        None,
    ]


def in_turn(*leads):
    """Return three models of which each pair has 40 users of its own; the first of each pair has this lead on them."""
    noise = np.tile([0.1, -0.1], 20)
    values = {model: np.full(120, np.nan) for model in "abc"}
    for part, (pair, lead) in enumerate(zip(("ab", "bc", "ca"), leads, strict=True)):
        users = slice(40 * part, 40 * part + 40)
        values[pair[0]][users], values[pair[1]][users] = 0.5 + lead + noise, 0.5 + noise[::-1].repeat(2)[:40]
    return {"m@5": values}


def test_without_a_best_model_the_pairs_that_are_shown_are_named_and_no_others():
    (shown,) = conclude_values(in_turn(0.5, 0.01, 0.01))
    assert (shown.best, shown.shown, shown.is_tested) == (None, (("a", "b"),), True)
    end = "on the users that both have in common"
    assert closing_sentences([shown]) == [f"m@5: no model is best, but some pairs differ {end}: a beats b."]
    (not_shown,) = conclude_values(in_turn(0.01, 0.01, 0.01))
    assert closing_sentences([not_shown]) == [f"m@5: no clear difference between any two of 3 models {end}."]
    assert not_shown.shown == ()


def test_a_conclusion_on_skewed_differences_has_the_note_of_comparisons():
    paid = np.exp(2 * np.random.default_rng(0).normal(size=400))
    (one,) = conclude_values({"m": {"a": paid, "b": np.where(np.arange(400) % 3, 0.0, paid)}})
    assert one.notes == (SKEWED,)
    assert closing_sentences([one])[0].endswith(f". {SKEWED}")
    assert conclude_values(THREE)[0].notes == ()
