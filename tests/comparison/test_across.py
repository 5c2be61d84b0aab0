"""Models are compared over data sets: effects from paired values, their mean, and what is refused by name."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace
from receval.comparison.across import AcrossOptions, compare_across
from receval.comparison.comparison_options import ComparisonOptions
from receval.documents.across import table
from receval.results.across import AcrossComparison, AcrossDifference, DataSetEffect
from receval.stats.difference import Settings
from receval.stats.meta_analysis import mean_effect
from receval.support.errors import ConfigError, DataError

from tests.comparison.conftest import change_lists, lists_of, rated_items

MEASURE = "nDCG@5"


def models_of(seed, n_users=60, n_changed=40):
    """Return lists of a base and of a model that has more of the relevant items."""
    users = range(1, n_users + 1)
    relevant = rated_items(n_users, seed).filter(pl.col("rating") >= 4)
    good = relevant.select("user", "item", pl.col("rating").cast(pl.Float64).alias("score"))
    base = lists_of(users, seed + 100)
    better = pl.concat([base.filter(pl.col("user") > n_changed), good.filter(pl.col("user") <= n_changed)])
    return {"base": base, "model": better}


@pytest.fixture
def data_sets(result):
    """Return a function that evaluates some data sets, with changed settings."""

    def data_sets(n=3, **given):
        return {f"d{seed}": result(rated_items(60, seed), models_of(seed, n_changed=20 + 10 * seed), **given) for seed in range(1, n + 1)}

    return data_sets


def across(results, *, ranks=False, complete=None, **options):
    return compare_across(results, AcrossOptions(ComparisonOptions(**options), ranks, complete))


def test_effects_are_logarithms_of_ratios_with_the_error_of_paired_users_and_their_mean_follows(data_sets):
    results = data_sets()
    (found,) = across(results, measures=(MEASURE,)).differences
    effects, variances = [], []
    for result in results.values():
        a, b = (result.per_user[model][MEASURE].to_numpy() for model in ("base", "model"))
        cov = np.cov(a, b, ddof=1)
        s2 = (cov[1, 1] / b.mean() ** 2 + cov[0, 0] / a.mean() ** 2 - 2 * cov[0, 1] / (a.mean() * b.mean())) / len(a)
        effects.append(math.log(b.mean() / a.mean()))
        variances.append(s2)
    assert [effect.effect for effect in found.effects] == pytest.approx(effects)
    assert [effect.se**2 for effect in found.effects] == pytest.approx(variances)
    expected = mean_effect(effects, variances)
    assert (found.mean.mean, found.mean.low, *found.mean.further) == pytest.approx((expected.mean, expected.low, *expected.further))
    assert (found.weighted, found.scale) == (True, "ratio")
    assert (found.n_better, found.n_worse, found.mean.n) == (3, 0, 3)


def test_a_sentence_has_the_mean_its_interval_a_further_data_set_and_the_counts(data_sets):
    (found,) = across(data_sets(5), measures=(MEASURE,)).differences
    mean = [round(100 * math.expm1(end)) for end in (found.mean.mean, found.mean.low, found.mean.high, *found.mean.further)]
    change, low, high, least, most = mean
    assert found.verdict == "better"
    start = (
        f"model is better than base: nDCG@5 is higher by {change} % on average over 5 data sets (95 % interval {low} to {high} %); on a "
    )
    ends = f"{least} to {most}" if least > 0 else f"−{-least} to +{most}"
    assert found.sentence == f"{start}further data set about {ends} %; better on 5 of 5."


def test_swapped_models_have_the_opposite_effect_and_a_loss_is_named_without_its_sign(data_sets):
    results = data_sets(5)
    (found,), (swapped,) = (across(results, measures=(MEASURE,), baseline=base).differences for base in ("base", "model"))
    assert swapped.mean.mean == pytest.approx(-found.mean.mean)
    assert (swapped.mean.low, swapped.mean.p) == pytest.approx((-found.mean.high, found.mean.p))
    assert swapped.verdict == "worse"
    assert "nDCG@5 is lower by " in swapped.sentence
    assert "(95 % interval −" not in swapped.sentence


def test_two_data_sets_have_no_interval_and_no_verdict(data_sets):
    found = across(data_sets(2), measures=(MEASURE,))
    (difference,) = found.differences
    assert (difference.mean.low, difference.p_adjusted, difference.verdict) == (None, None, None)
    assert difference.sentence.endswith("on average over 2 data sets, too few for an interval; better on both.")
    assert any(note.startswith("Two data sets have no interval") for note in found.notes)


def test_p_values_are_corrected_over_all_measures_and_pairs(data_sets):
    found = across(data_sets(4))
    labels = [difference.measure for difference in found.differences]
    assert labels == ["nDCG@3", "nDCG@5", "Recall@3", "Recall@5"]
    assert {difference.family for difference in found.differences} == {4}
    least = min(found.differences, key=lambda difference: difference.mean.p)
    assert least.p_adjusted == pytest.approx(min(1, 4 * least.mean.p))


def test_a_value_of_0_makes_all_effects_standardised_differences_and_is_named(result):
    none = lists_of(range(1, 61), 5).with_columns(pl.col("item") + 100)
    results = {f"d{seed}": result(rated_items(60, seed), models_of(seed) | ({"base": none} if seed == 2 else {})) for seed in (1, 2, 3)}
    found = across(results, measures=(MEASURE,))
    (difference,) = found.differences
    d = results["d2"].per_user["model"][MEASURE].to_numpy() - results["d2"].per_user["base"][MEASURE].to_numpy()
    y = d.mean() / d.std(ddof=1)
    assert difference.scale == "standardised"
    assert difference.effects[1].effect == pytest.approx(y)
    assert difference.effects[1].se ** 2 == pytest.approx(1 / 60 + y**2 / 120)
    assert "standard deviations on average over 3 data sets" in difference.sentence
    assert any("nDCG@5 of model against base: a value on d2 is not above 0, so there is no ratio" in note for note in found.notes)


def test_models_with_the_same_lists_are_identical_on_all_data_sets(result):
    same = lists_of(range(1, 61), 5)
    results = {f"d{seed}": result(rated_items(60, seed), {"base": same, "model": same}) for seed in (1, 2, 3)}
    (difference,) = across(results, measures=(MEASURE,)).differences
    assert (difference.verdict, difference.sentence) == ("identical", "nDCG@5 of model and of base is identical on all 3 data sets.")


@pytest.mark.parametrize("why", ["no per-user values", "no user differs"])
def test_data_sets_count_alike_if_the_error_on_one_is_not_known_or_0_and_this_is_said(why, data_sets, result):
    results = data_sets()
    if why == "no per-user values":
        results["d2"] = replace(results["d2"], per_user={})
    else:
        same = lists_of(range(1, 61), 5)
        results["d2"] = result(rated_items(60, 2), {"base": same, "model": same})
    found = across(results, measures=(MEASURE,))
    (difference,) = found.differences
    assert not difference.weighted
    assert difference.mean == mean_effect([effect.effect for effect in difference.effects], None)
    assert any(
        "nDCG@5 of model against base: data sets count alike, because the ratio has no standard error on d2" in note for note in found.notes
    )


def test_pooled_values_have_the_error_of_their_own_ratio(data_sets):
    results = data_sets(aggregates=["micro"], metrics=["Recall@3"])
    (found,) = across(results).differences
    assert found.measure == "Recall@3 (micro)"
    result = next(iter(results.values()))
    sides = [result.per_user[model] for model in ("base", "model")]
    terms = [(side["Recall@3 numerator"].to_numpy(), side["Recall@3 denominator"].to_numpy()) for side in sides]
    influence = [(x - x.sum() / y.sum() * y) / y.mean() / (x.sum() / y.sum()) for x, y in terms]
    assert found.effects[0].se == pytest.approx(float(np.std(influence[1] - influence[0], ddof=1)) / math.sqrt(60), rel=0.02)


def test_whole_model_values_are_combined_without_weights(data_sets):
    (found,) = across(data_sets(metrics=["ShannonEntropy@3"])).differences
    assert (found.weighted, found.mean.n) == (False, 3)


def test_missing_results_are_refused_by_name_or_left_out_by_name(data_sets, result):
    results = data_sets(4)
    results["d4"] = result(rated_items(60, 4), {"base": models_of(4)["base"], "other": models_of(4)["model"]})
    with pytest.raises(DataError) as refused:
        across(results)
    assert refused.value.message == "model has no results on d4; other has no results on d1, d2 and d3"
    assert "complete='models'" in refused.value.hint or "--complete models" in refused.value.hint
    del results["d4"]
    results["d5"] = result(rated_items(60, 5), models_of(5) | {"extra": lists_of(range(1, 61), 9)})
    found = across(results, complete="models")
    assert (found.data_sets, found.models) == (("d1", "d2", "d3", "d5"), ("base", "model"))
    assert found.notes[0] == "Left out: extra, because extra has no results on d1, d2 and d3."
    with pytest.raises(DataError, match="too little is left to compare: 1 data set and the models base, model, extra"):
        across(results, complete="data-sets")


def test_data_sets_without_a_model_are_left_out_by_name(data_sets, result):
    results = data_sets(3)
    results["d4"] = result(rated_items(60, 4), {"base": models_of(4)["base"]})
    found = across(results, complete="data-sets", measures=(MEASURE,))
    assert found.data_sets == ("d1", "d2", "d3")
    assert found.notes[0] == "Left out: d4, because model has no results on d4."


def test_other_definitions_are_refused_by_name(data_sets, result):
    results = data_sets(2)
    results["steam"] = result(rated_items(60, 3), models_of(3), convention="trec_eval")
    with pytest.raises(DataError, match=r"^steam cannot be combined with d1: nDCG: "):
        across(results)


def test_other_thresholds_of_relevance_are_of_the_data_and_named(data_sets, result):
    results = data_sets(3)
    results["d4"] = result(rated_items(60, 4), models_of(4), relevance={"threshold": 5})
    found = across(results, measures=(MEASURE,))
    assert found.notes[0] == "Relevant are ratings from 4 on d1, d2 and d3; ratings from 5 on d4."


def test_measures_that_not_all_data_sets_have_are_named(data_sets, result):
    results = data_sets(2)
    results["d3"] = result(rated_items(60, 3), models_of(3), metrics=["nDCG@5", "MRR@5"])
    found = across(results)
    assert [difference.measure for difference in found.differences] == ["nDCG@5"]
    assert "Not compared, since not all data sets have these measures: nDCG@3 (only d1 and d2)" in found.notes[0]
    with pytest.raises(ConfigError, match="no measure 'MRR@5'"):
        across(results, measures=("MRR@5",))


def test_one_data_set_under_two_names_is_refused(data_sets):
    results = data_sets(2)
    with pytest.raises(DataError, match="d1 and again have the same test data: one data set would count twice"):
        across({**results, "again": results["d1"]})
    with pytest.raises(ConfigError, match="needs the results of two or more; there is only 'd1'"):
        across({"d1": results["d1"]})


def test_other_users_of_two_models_are_refused_or_compared_on_those_in_common(result):
    def half(seed):
        models = models_of(seed)
        return result(
            rated_items(60, seed), models | {"model": models["model"].filter(pl.col("user") <= 40)}, policy={"missing_lists": "drop"}
        )

    results = {f"d{seed}": half(seed) for seed in (1, 2, 3)}
    with pytest.raises(DataError, match="d1/model cannot be compared with d1/base: they count different users"):
        across(results, measures=(MEASURE,))
    (found,) = across(results, measures=(MEASURE,), common=True).differences
    assert {effect.n_users for effect in found.effects} == {40}


def test_all_pairs_are_compared_and_ranks_are_made_by_option_only(data_sets):
    results = data_sets(6)
    assert across(results).ranks == ()
    found = across(results, all_pairs=True, ranks=True, measures=(MEASURE,))
    assert found.base is None
    (ranks,) = found.ranks
    assert (dict(ranks.mean_ranks), ranks.can_reject, len(ranks.pairs)) == ({"model": 1.0, "base": 2.0}, True, 1)


def test_a_lower_value_is_better_where_the_measure_says_so(result):
    results = {f"d{seed}": result(rated_items(60, seed), models_of(seed), metrics=["AveragePopularity@3"], train=rated_items(60, seed)) for
               seed in (1, 2, 3)}  # fmt: skip
    (found,) = across(results).differences
    signs = [np.sign(effect.value - effect.base_value) for effect in found.effects]
    better = found.higher_is_better
    assert [effect.direction for effect in found.effects] == [int(sign) * (-1 if better is False else 1) for sign in signs]


def test_alpha_sets_the_level_of_intervals(data_sets):
    results = data_sets(4)
    wide, narrow = (across(results, measures=(MEASURE,), settings=Settings(alpha=alpha)).differences[0] for alpha in (0.01, 0.2))
    assert wide.mean.high - wide.mean.low > narrow.mean.high - narrow.mean.low
    assert "(80 % interval" in narrow.sentence


def test_order_of_changes_does_not_matter(result):
    models = models_of(1)
    changed = {name: change_lists(lists, range(1, 5), 9) for name, lists in models.items()}
    results = {f"d{seed}": result(rated_items(60, seed), changed) for seed in (1, 2, 3)}
    one, two = (across(dict(order), measures=(MEASURE,)).differences[0] for order in (results.items(), reversed(results.items())))
    assert (one.mean.mean, one.mean.se, one.mean.p) == pytest.approx((two.mean.mean, two.mean.se, two.mean.p))


def made(effects, scale="ratio"):
    """Return a difference with given effects, each with a standard error of 0.03."""
    known = tuple(DataSetEffect(f"d{n}", 100, 0.1, 0.2, effect, 0.03, 1 if effect > 0 else -1) for n, effect in enumerate(effects))
    mean = mean_effect(effects, [0.0009] * len(effects))
    verdict = "better" if mean.mean > 0 else "worse"
    return AcrossDifference("nDCG@5", "base", "model", True, scale, known, mean, True, 0.95, 0.01, 1, verdict)


def test_standard_deviations_have_two_decimals_and_three_digits_if_tiny():
    large, small, tiny = (made(effects, "standardised") for effects in ((-0.647, -0.5, -0.8), (0.073, 0.058, 0.05), (0.0073, 0.0058)))
    assert "lower by 0.65 standard deviations" in large.sentence
    assert "higher by 0.0603 standard deviations" in small.sentence
    assert "by 0.00655 standard deviations" in tiny.sentence
    assert [cell.text for cell in table_of(large).rows[0]][1:3] == ["−0.65 sd", "−1.02 to −0.28 sd"]


def test_a_change_over_two_data_sets_has_no_more_decimals_than_their_own_intervals():
    assert "by 26 % on average over 2 data sets" in made((0.21, 0.25)).sentence


@pytest.mark.parametrize(
    ("effects", "sentence", "cell"),
    [
        ((-0.4, 0.9, 2.0), "on a further data set any change is possible;", "any change"),
        ((4.2, 4.6, 4.4), "on a further data set about +", "or more"),
        ((0.1, 0.11, 0.12), "on a further data set at least 4 to 20 %;", "+4 to +20 %"),
    ],
)
def test_a_further_data_set_has_no_absurd_range_and_a_range_that_is_too_narrow_is_at_least(effects, sentence, cell):
    difference = made(effects)
    assert sentence in difference.sentence
    assert table_of(difference).rows[0][3].text.endswith(cell)


def table_of(difference):
    return table(AcrossComparison(("d0", "d1", "d2"), ("base", "model"), "base", (difference,), "holm", 0.95))
