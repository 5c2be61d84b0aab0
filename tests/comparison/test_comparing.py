"""Models of one result, compared: how each kind of value is tested, and that it is the value of the result."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import mean

import numpy as np
import polars as pl
import pytest
from receval import load_config, run
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.documents.headline import closing_of_result
from receval.render.forms import as_json
from receval.render.result_data import comparison_cells
from receval.results.comparison import Comparison, conclusions, worse_in_groups
from receval.stats.concluding import judge_family
from receval.stats.difference import Difference, Settings, Subject
from receval.stats.two_models import compare_paired
from receval.support.errors import ConfigError
from receval.syntax.short_names import Margin

from tests.comparison.conftest import change_lists, lists_of, rated_items
from tests.conftest import CONFIGS

OF_USERS = ["Precision", "Recall", "nDCG", "MAP", "MRR", "HitRate", "F1"]
EVERYTHING = [*OF_USERS, "ItemCoverage", "Gini", "F1(of=means)", "0.5*nDCG@5+0.5*MAP@5"]
CATALOGUE = pl.DataFrame({"item": range(12)})


def differences(result, **asked):
    return {difference.subject.measure: difference for difference in compare({"all": result}, ComparisonOptions(**asked)).differences}


@pytest.fixture(scope="module")
def quickstart():
    return run(load_config(CONFIGS / "quickstart.yaml"))


@pytest.mark.parametrize(
    ("measure", "difference", "interval", "p", "counts"),
    [
        ("nDCG@10", 0.0768157920254448, (0.059762969454913155, 0.09324561975854756), 1.5186196859707185e-15, (192, 117, 41)),
        ("Recall@20", 0.09896180657319746, (0.07956530352167226, 0.12020467390055918), None, (169, 167, 14)),
        ("MAP@10", 0.04581371252204585, None, 3.038436519820708e-09, (188, 119, 43)),
    ],
)
def test_the_sample_has_the_values_that_scipy_gives_with_the_correction_for_skewness(measure, difference, interval, p, counts, quickstart):
    comparison = compare({"all": quickstart}, ComparisonOptions(baseline="popular"))
    (one,) = (row for row in comparison.differences if (row.subject.model, row.subject.measure) == ("knn", measure))
    assert one.difference == pytest.approx(difference, abs=1e-14)
    assert (one.up, one.same, one.down) == counts
    assert interval is None or one.interval == pytest.approx(interval, abs=1e-13)
    assert p is None or one.p == pytest.approx(p, rel=1e-10)


@pytest.mark.each_once
@pytest.mark.parametrize("aggregates", [(), ("mean", "sum", "median", "p90", "geometric", "micro", "std", "ci95")])
@pytest.mark.parametrize("policy", [{}, {"missing_lists": "zero"}])
def test_compared_values_equal_those_of_the_result(aggregates, policy, result):
    lists = {"base": lists_of(range(1, 61), 2), "model": lists_of(range(1, 55), 3)}
    metrics = ["Precision", "Recall"] if aggregates else EVERYTHING
    made = result(None, lists, metrics=metrics, aggregates=list(aggregates), policy=policy, items=CATALOGUE)
    rows = {(row.model, row.label): row.value for row in made.rows}
    compared = differences(made, settings=Settings(resamples=99))
    assert len(compared) == len({label for _, label in rows if "std" not in label and "ci95" not in label})
    for label, difference in compared.items():
        assert difference.base_value == pytest.approx(rows["base", label], abs=1e-12)
        assert difference.value == pytest.approx(rows["model", label], abs=1e-12)
        assert difference.difference == pytest.approx(rows["model", label] - rows["base", label], abs=1e-12)


def test_values_of_whole_models_have_a_difference_and_no_interval(result):
    compared = differences(result(metrics=EVERYTHING, items=CATALOGUE))
    for label in ("ItemCoverage@5", "Gini@5", "F1(of=means)@5"):
        assert compared[label].interval is None
        assert compared[label].verdict is None
        assert compared[label].difference is not None
        assert "there is no interval" in compared[label].sentence


def test_a_pooled_measure_has_the_interval_of_the_delta_method(result):
    one = differences(result(metrics=["Recall"], aggregates=["micro"]))["Recall@5 (micro)"]
    assert one.test == "micro"
    assert one.interval is not None
    assert one.interval[0] < one.difference < one.interval[1]


def test_order_of_rows_changes_no_byte(result):
    lists = lists_of(range(1, 61), 2)
    other = change_lists(lists, range(1, 41), 3)
    first = compare({"x": result(None, {"base": lists, "model": other})}, ComparisonOptions(losers=3, all_pairs=False))
    mixed = {"base": lists.sample(fraction=1, shuffle=True, seed=4), "model": other.sample(fraction=1, shuffle=True, seed=5)}
    second = compare({"x": result(rated_items().sample(fraction=1, shuffle=True, seed=6), mixed)}, ComparisonOptions(losers=3))
    assert as_json(comparison_cells(first)) == as_json(comparison_cells(second))


def test_exchanging_the_sides_turns_every_sign(result):
    made = result()
    ahead, back = differences(made), differences(made, baseline="model")
    for label, difference in ahead.items():
        other = back[label]
        assert other.difference == -difference.difference
        assert other.interval == (-difference.interval[1], -difference.interval[0])
        assert (other.up, other.down, other.p) == (difference.down, difference.up, difference.p)


def test_a_model_compared_with_itself_is_identical(result):
    lists = lists_of(range(1, 61), 2)
    for difference in differences(result(None, {"a": lists, "b": lists})).values():
        assert (difference.verdict, difference.p) == ("identical", 1.0)


def test_measures_that_are_not_tested_are_shown_without_a_verdict(result):
    made = result()
    compared = differences(made, measures=("ndcg@5",))
    assert compared["nDCG@5"].family == 1
    assert [difference.family for label, difference in compared.items() if label != "nDCG@5"] == [None] * 3
    assert {difference.verdict for label, difference in compared.items() if label != "nDCG@5"} == {None}
    assert differences(made)["nDCG@5"].family == 4
    assert compare({"x": made}, ComparisonOptions(measures=("nDCG",))).judged == ("nDCG@3", "nDCG@5")


def test_a_margin_is_a_size_or_a_share_of_the_base_value(result):
    made = result()
    compared = differences(made, margins={"default": Margin.read("10 %"), "Recall@3": Margin.read(0.9)})
    assert compared["Recall@3"].margin == 0.9
    assert compared["Recall@3"].verdict == "equivalent"
    assert compared["nDCG@5"].margin == pytest.approx(0.1 * compared["nDCG@5"].base_value)


def test_groups_are_corrected_together_and_have_their_number_of_users(result):
    plans = pl.DataFrame({"user": range(1, 61), "plan": ["free", "paid"] * 30})
    made = result(users=plans, by=["users.plan"], metrics=["nDCG@5"])
    groups = compare({"x": made}, ComparisonOptions(by=("users.plan",))).by_group
    assert [(difference.subject.group, difference.n_users, difference.family) for difference in groups] == [
        ("free", 30, 2),
        ("paid", 30, 2),
    ]
    by_group = {(row.model, row.group): row.value for row in made.by_group}
    for difference in groups:
        assert difference.base_value == pytest.approx(by_group["base", difference.subject.group], abs=1e-12)
        assert difference.value == pytest.approx(by_group["model", difference.subject.group], abs=1e-12)


def test_users_of_a_cluster_are_grouped_and_users_without_one_are_their_own_cluster(result, evaluate):
    made = result(users=pl.DataFrame({"user": range(1, 61), "house": [f"h{number // 2}" for number in range(60)]}), by=["users.house"])
    plain, clustered = differences(made)["nDCG@5"], differences(made, cluster="users.house")["nDCG@5"]
    assert clustered.df == 29
    assert plain.df == 59
    assert clustered.difference == plain.difference
    alone = result(users=pl.DataFrame({"user": [1], "house": ["h"]}), by=["users.house"])
    assert differences(alone, cluster="users.house")["nDCG@5"].df == 59


def test_the_users_who_lose_most_are_listed_first(result):
    comparison = compare({"x": result(metrics=["nDCG@5"])}, ComparisonOptions(losers=4))
    lost = comparison.losers["model", "nDCG@5"]
    assert lost.columns == ["user", "base", "model", "difference"]
    assert lost["difference"].is_sorted()
    assert lost["difference"].max() < 0
    assert len(lost) == 4


def test_models_without_a_clear_difference_share_a_letter(result):
    good = rated_items().filter(pl.col("rating") >= 4).rename({"rating": "score"})
    poor = lists_of(range(1, 61), 2)
    letters = compare(
        {"x": result(None, {"good": good, "poor": poor, "poor too": change_lists(poor, range(1, 16), 5)}, metrics=["Recall@5"])},
        ComparisonOptions(all_pairs=True),
    ).letters["Recall@5"]
    assert letters == {"good": "a", "poor": "b", "poor too": "b"}


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"baseline": "baes"}, "the baseline is baes, but no model has this name"),
        ({"measures": ("nDGC@5",)}, "measures: the results have no measure 'nDGC@5'"),
        ({"margins": {"x": Margin(0.1)}}, "margin: the results have no measure 'x'"),
        ({"by": ("users.plan",)}, "--by users.plan: the results of base do not have the groups"),
        ({"cluster": "users.house"}, "--cluster users.house: the results of base do not have the groups"),
    ],
)
def test_comparing_unknown_models_measures_or_groups_is_refused(asked, sentence, result):
    with pytest.raises(ConfigError, match=sentence):
        differences(result(), **asked)


def test_a_single_model_cannot_be_compared(result):
    with pytest.raises(ConfigError, match="there is one model, base, and nothing to compare it with"):
        differences(result(None, {"base": lists_of(range(1, 61), 2)}))


def test_pairs_that_count_the_same_users_are_tested_and_a_note_names_the_pair_that_does_not(result):
    lists = {name: lists_of(range(1, 61), seed) for seed, name in enumerate(("base", "other", "short"))}
    lists["short"] = lists["short"].filter(pl.col("user") <= 50)
    label = "nDCG(missing_lists=drop)@5"
    made = result(None, lists, metrics=["nDCG", "nDCG(missing_lists=drop)"], top_k=[5])
    comparison = compare({"x": made}, ComparisonOptions())
    tested = {(difference.subject.model, difference.subject.measure): difference.is_tested for difference in comparison.differences}
    assert tested == {("other", "nDCG@5"): True, ("other", label): True, ("short", "nDCG@5"): True, ("short", label): False}
    assert {difference.family for difference in comparison.differences if difference.is_tested} == {3}
    (note,) = (note for note in comparison.notes if "not tested" in note)
    assert note.startswith(f"{label} of short against base: not tested, because it counts different users (up to 10 users for only one")
    assert not any("Not tested" in sentence for sentence in conclusions(comparison))
    letters = compare({"x": made}, ComparisonOptions(all_pairs=True)).letters
    assert set(letters) == {"nDCG@5"}


def run_config(write, config, **frames):
    for name, frame in frames.items():
        write(f"{name}.csv", frame.write_csv())
    return run(load_config(write("config.yaml", config)))


def test_folds_are_compared_by_the_mean_over_folds(write):
    folds = {"test1": rated_items(20, 1), "test2": rated_items(40, 2, first=11)}
    models = {f"{model}{fold}": lists_of(range(1, 51), seed=10 * fold + place) for place, model in enumerate(("a", "b")) for fold in (1, 2)}
    made = run_config(
        write,
        "data: {folds: [{test: test1.csv, recommendations: {a: a1.csv, b: b1.csv}},\n"
        "  {test: test2.csv, recommendations: {a: a2.csv, b: b2.csv}}]}\n"
        "evaluation: {metrics: [nDCG@5, Recall@5], aggregates: [mean]}\n",
        **folds,
        **models,
    )
    rows = {(row.model, row.label): row.value for row in made.rows}
    comparison = compare({"x": made}, ComparisonOptions())
    for difference in comparison.differences:
        assert difference.difference == pytest.approx(
            rows["b", difference.subject.measure] - rows["a", difference.subject.measure], abs=1e-12
        )
        assert difference.df == pytest.approx(31.13, abs=0.01)  # users 11 to 20 are in both folds, and each is one cluster
    assert "means over 2 folds, and users count in each fold; a user who is in several folds is one cluster" in comparison.notes[0]
    said = [*(difference.sentence for difference in comparison.differences), *conclusions(comparison), *closing_of_result(made)]
    assert {number for sentence in said for number in re.findall(r"[\d,]+ users(?: over 2 folds)?", sentence)} == {"60 users over 2 folds"}


def test_an_inconclusive_pair_is_named_beside_its_measures():
    pairs = [("pop", "knn", "better"), ("pop", "als", "better"), ("knn", "als", "worse")]
    made = [
        Difference(Subject(measure, base, model), 90, 0.1, 0.2, 0.1, verdict=verdict if measure == "nDCG@5" else "inconclusive")
        for base, model, verdict in pairs
        for measure in ("nDCG@5", "Recall@5")
    ]
    comparison = Comparison(None, ("pop", "knn", "als"), tuple(made), Settings(), ("nDCG@5", "Recall@5"), {}, {})
    first, second = conclusions(comparison)[::2], conclusions(comparison)[1::2]
    assert [sentence.rstrip() for sentence in first] == [
        f"{model} is {verdict} than {base} on 1 of 2 measures, inconclusive on 1:" for base, model, verdict in pairs
    ]
    assert second == [f"Inconclusive between {base} and {model}: Recall@5." for base, model, _ in pairs]


def test_runs_put_users_and_training_in_one_interval(write):
    base = lists_of(range(1, 61), 1)
    models = {
        "a1": base,
        "a2": change_lists(base, range(1, 20), 2),
        "b1": change_lists(base, range(1, 50), 3),
        "b2": change_lists(base, range(1, 50), 4),
    }
    made = run_config(
        write,
        "data: {test: test.csv, recommendations: {a: {runs: [a1.csv, a2.csv]}, b: {runs: [b1.csv, b2.csv]}}}\n"
        "evaluation: {metrics: [nDCG@5]}\n",
        test=rated_items(),
        **models,
    )
    (one,) = compare({"x": made}, ComparisonOptions()).differences
    of_runs = {(row.model, row.run): row.value for row in made.repeated}
    runs = {model: [of_runs[model, run] for run in ("1", "2")] for model in "ab"}
    assert one.difference == pytest.approx(mean(runs["b"]) - mean(runs["a"]), abs=1e-12)
    frames = {model: made.per_user[model].pivot("run", index="user", values="nDCG@5").sort("user") for model in "ab"}
    users = (frames["b"]["1"] + frames["b"]["2"] - frames["a"]["1"] - frames["a"]["2"]) / 2
    twice = {model: (frames[model]["1"] - frames[model]["2"]).var() / 4 / 60 for model in "ab"}  # the noise of users in two runs
    training = sum(max(0.0, np.var(runs[model], ddof=1) / 2 - twice[model]) for model in "ab")
    assert one.se == pytest.approx(math.sqrt(users.var() / 60 + training), rel=1e-12)


def write_folds_of_runs(write, runs: dict[int, int], rules: str = "") -> Path:
    """Write a config of two folds with a model `a` of this number of runs in each fold (0: no list of runs) and a model `b`."""
    folds = []
    for fold, n_runs in runs.items():
        write(f"test{fold}.csv", rated_items(60, fold).write_csv())
        names = [f"a{run}_{fold}.csv" for run in range(n_runs or 1)]
        for seed, name in enumerate((*names, f"b{fold}.csv")):
            write(name, lists_of(range(1, 61), 10 * fold + seed).write_csv())
        a = f"{{runs: [{', '.join(names)}]}}" if n_runs else names[0]
        folds.append(f"{{test: test{fold}.csv, recommendations: {{a: {a}, b: b{fold}.csv}}}}")
    text = f"data: {{folds: [{', '.join(folds)}]}}\nevaluation: {{metrics: [nDCG@5]}}\n{rules}"
    return write("config.yaml", text)


def test_runs_over_folds_put_users_and_training_in_one_interval(write, receval, tmp_path):
    config = write_folds_of_runs(write, {1: 3, 2: 3})
    made = run(load_config(config))
    (one,) = compare({"x": made}, ComparisonOptions()).differences
    rows = {row.model: row.value for row in made.rows}
    assert one.difference == pytest.approx(rows["b"] - rows["a"], abs=1e-12)
    assert one.verdict is not None
    assert made.conclusions[0].is_tested
    out = receval("compare", config)[1]
    assert "60 users in 2 folds (120 over all folds), paired by id" in out
    assert receval("plot", "differences", config, "-o", tmp_path / "chart.json")[0] == 0


@pytest.mark.parametrize("second", [2, 0], ids=["fewer", "none"])
def test_folds_with_different_numbers_of_runs_are_not_tested_and_every_output_says_why(second, write, receval, tmp_path):
    rules = "gates: {baseline: b, rules: [nDCG@5 max_loss 0.9]}\n"
    config = write_folds_of_runs(write, {1: 3, 2: second}, rules)
    code, out, err = receval("run", config, "-o", tmp_path / "out")
    why = "o interval because the folds of a have different numbers of runs"
    assert code == 0, err
    assert f"n{why}: judged by the value" in out
    assert "not tested (nDCG@5: no interval)" in out
    assert f"N{why}." in receval("compare", config)[1]
    assert "no per-user values" not in out + receval("compare", config)[1]
    assert "it needs several models, and intervals of their differences" in receval("plot", "differences", config, "-o", "x.json")[2]
    assert receval("compare", tmp_path / "out")[1] == receval("compare", config)[1]


def test_a_cutoff_above_the_lists_of_one_model_only_has_a_caution_before_the_conclusions(result):
    lists = {"old": lists_of(range(1, 61), seed=2, length=3), "new": lists_of(range(1, 61), seed=3, length=6)}
    caution = "old has at most 3 items per list, new 5 or more: @5 does not compare like with like; use k ≤ 3."
    both, apart = result(models=lists, health={}), {name: result(models={name: frame}, health={}) for name, frame in lists.items()}
    said = [conclusions(compare(results, ComparisonOptions()))[0] for results in ({"": both}, apart)]
    assert [*said, closing_of_result(both)[0]] == [caution] * 3
    assert not compare({"": both}, ComparisonOptions(measures=("nDCG@3",))).cautions
    assert not compare({"": result(models={**lists, "new": lists["old"]}, health={})}, ComparisonOptions()).cautions


@pytest.mark.parametrize(
    ("second", "shorter"), [(3, "a has at most 3 items per list"), (6, "a (run 1) has at most 3 items per list")], ids=["all", "one"]
)
def test_runs_whose_lists_are_shorter_than_those_of_another_model_have_the_caution(write, second, shorter):
    config = "data: {test: test.csv, recommendations: {a: {runs: [a1.csv, a2.csv]}, b: {runs: [b1.csv, b2.csv]}}}\n"
    lengths = {"a1": 3, "a2": second, "b1": 6, "b2": 6}
    models = {name: lists_of(range(1, 61), seed, length=n) for seed, (name, n) in enumerate(lengths.items())}
    made = run_config(write, config + "evaluation: {metrics: [nDCG@5]}\n", test=rated_items(), **models)
    others = "b" if second == 3 else "a (run 2) and b"
    (said,) = compare({"": made}, ComparisonOptions()).cautions
    assert said == f"{shorter}, {others} 5 or more: @5 does not compare like with like; use k ≤ 3."


def test_lists_of_mixed_lengths_are_described_by_most_of_them(result):
    lists = pl.concat([lists_of(range(1, 41), 2, length=3), lists_of(range(41, 61), 2, length=6)])
    found = result(models={"old": lists, "new": lists_of(range(1, 61), 3)}, health={})
    (said,) = compare({"": found}, ComparisonOptions()).cautions
    assert said == "most lists of old have fewer than 5 items, those of new 5 or more: @5 does not compare like with like; use k ≤ 3."


def differences_in_groups(values, groups, by="users.plan"):
    """Return the differences over all users, and in each group."""

    def differences_within(part, **within):
        return compare_paired(Subject("nDCG@5", "old", "new", **within), np.zeros(len(part)), part, Settings())

    in_groups = [differences_within(values[groups == group], by=by, group=group) for group in np.unique(groups)]
    return judge_family([differences_within(values)], Settings()), judge_family(in_groups, Settings())


def test_every_group_in_which_the_better_model_is_shown_to_be_worse_is_named_whatever_the_order_of_groupings():
    random = np.random.default_rng(1)
    plans, ages = random.choice(["free", "paid"], 2_000, p=[0.2, 0.8]), random.choice(["old", "young"], 2_000, p=[0.2, 0.8])
    values = random.normal(0.3, 0.2, 2_000) - 0.7 * (plans == "free") - 0.7 * (ages == "old")
    (whole, of_plans), (_, of_ages) = differences_in_groups(values, plans), differences_in_groups(values, ages, "users.age")
    said = {
        worse_in_groups([*first, *other], {("old", "new")}, whole)["old", "new"]
        for first, other in ((of_plans, of_ages), (of_ages, of_plans))
    }
    parts = {"within users.plan free", "within users.age old"}
    assert all(all(part in sentence for part in parts) for sentence in said)
    assert worse_in_groups(of_plans, {("old", "new")}, whole)["old", "new"] == "But within users.plan free new is worse than old on nDCG@5."


def test_a_group_with_lower_values_by_chance_is_not_named_and_one_that_differs_from_the_others_is():
    random = np.random.default_rng(2)
    groups = np.repeat([f"p{n}" for n in range(10)], 120)
    alike = random.normal(0.02, 0.3, 1_200)
    whole, within = differences_in_groups(alike, groups)
    assert any(difference.difference < 0 for difference in within)
    assert worse_in_groups(within, {("old", "new")}, whole) == {}
    apart = alike + 0.1 - 0.13 * (groups == "p3")
    whole, within = differences_in_groups(apart, groups)
    said = worse_in_groups(within, {("old", "new")}, whole)["old", "new"]
    assert said == "But within users.plan p3 new has a worse value than old on nDCG@5 (not shown to be real)."
