"""`receval compare` shows the measures asked for, against the same base as every other output."""

from __future__ import annotations

import re

import polars as pl
import pytest

from tests.comparison.conftest import change_lists, lists_of, rated_items

CONFIG = """
data: {test: test.csv, recommendations: {one: one.csv, poor: poor.csv, two: two.csv}}
evaluation: {metrics: [nDCG@5, Recall@5, MRR@5], relevance: {threshold: 4}}
health: off
%s
"""
GATES = "gates: {baseline: poor, rules: ['nDCG@5 max_loss 2%']}"


@pytest.fixture
def config(write):
    """Return a function that writes a config of two good models with a poor one between them."""

    def config(settings=""):
        good = rated_items().filter(rated_items()["rating"] >= 4).rename({"rating": "score"}).cast({"score": pl.Float64})
        lists = {"one": change_lists(good, range(1, 15), 4), "two": change_lists(good, range(3, 19), 5), "poor": lists_of(range(1, 61), 6)}
        for name, frame in {"test": rated_items(), **lists}.items():
            write(f"{name}.csv", frame.write_csv())
        return write("config.yaml", CONFIG % settings)

    return config


def test_gates_closing_sentences_report_summary_and_compare_have_one_base(config, receval, tmp_path):
    path = config(GATES)
    out = " ".join(receval("run", path, "-o", f"{tmp_path}/run/")[1].split())
    assert "gates · 2 models against poor" in out
    assert "one is better than poor on all 3 measures" in out
    for source in (path, tmp_path / "run"):
        page = receval("report", source, "--format", "md")[1]
        assert "one, two against poor: 60 users" in page
        assert "poor is worse" not in page
        assert "Compared with" not in page
        compared = receval("compare", source)[1]
        assert compared.startswith("one, two against poor")
        assert "Compared with" not in compared
    assert receval("compare", path, "--baseline", "two")[1].startswith("one, poor against two")


@pytest.mark.each_once
@pytest.mark.parametrize("label", ["main", "config"])
@pytest.mark.parametrize(
    ("models", "title"),
    [("{one: two.csv}", "one against %s"), ("{one: two.csv, two: two.csv}", "one, two against %s, models of the same name")],
)
def test_models_of_a_config_have_their_own_names_beside_those_of_a_folder(models, title, label, config, receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = config()
    recommendations = f"data.recommendations={models}"
    receval("run", path, "--set", recommendations, "-o", f"{label}/", "-q")
    assert receval("compare", path, "--set", recommendations, "--baseline", label)[1].startswith(title % label)
    assert receval("report", path, "--set", recommendations, "--baseline", label, "--format", "md")[1].startswith("# ")
    assert receval("compare", f"new={path}", "--set", recommendations, "--baseline", label)[1].startswith("new against")


def test_a_model_with_the_name_of_the_baseline_folder_keeps_the_name_of_its_config(config, receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one = ("--set", "data.recommendations={one: two.csv}")
    receval("run", config(), *one, "-o", "one/", "-q")
    assert receval("compare", config(), *one, "--baseline", "./one")[1].startswith("config against one")


def test_the_first_model_is_the_base_only_if_the_header_says_so(config, receval):
    path = config()
    said = "Baseline: one, the first model; choose another with --baseline."
    assert said in receval("compare", path)[1]
    assert said in receval("report", path, "--format", "md")[1]
    assert said not in receval("compare", path, "--baseline", "one")[1]
    assert "two is better than one" not in receval("run", path)[1]


def test_rows_without_a_value_are_refused_or_left_out_in_comparisons_and_reports_as_in_a_run(config, receval, tmp_path):
    path, drop = config(), ("--set", "evaluation.policy.missing_values=drop")
    (tmp_path / "two.csv").write_text((tmp_path / "two.csv").read_text() + ",1,0.5\n")
    commands = (("run", path), ("compare", path), ("report", path, "--format", "md"))
    said = {receval(*command)[::2] for command in commands}
    assert [code for code, _ in said] == [3]
    assert "no value for user (in 1 of" in said.pop()[1]
    assert {receval(*command, *drop)[0] for command in commands} == {0}


def test_an_unpaired_comparison_shows_the_users_of_both_sides(config, receval, tmp_path):
    receval("run", config(), "-o", f"{tmp_path}/whole/", "-q")
    half = rated_items().filter(pl.col("user") <= 40)
    (tmp_path / "test.csv").write_text(half.write_csv())
    receval("run", tmp_path / "config.yaml", "-o", f"{tmp_path}/half/", "-q")
    pair = (tmp_path / "whole", tmp_path / "half", "--unpaired", "--baseline-model", "one", "--baseline", "whole")
    for form in ("table", "md", "latex"):
        assert "60 users of whole/one, 40 users of half/one, half/poor and half/two · 95" in receval("compare", *pair, "--format", form)[1]
    assert "60 users · 95" in receval("compare", f"again={pair[0]}", *pair[:1], "--unpaired")[1]


def test_folders_are_compared_with_the_one_that_their_gates_name(config, receval, tmp_path):
    receval("run", config(), "-o", f"{tmp_path}/results/main/", "-q")
    receval("run", config("gates: {baseline: results/main, rules: ['nDCG@5 max_loss 2%']}"), "-o", f"{tmp_path}/today/", "-q")
    folders = (f"today={tmp_path}/today", f"last={tmp_path}/results/main")
    assert receval("compare", *folders)[1].startswith(
        "last against today, models of the same name"
    )  # from this working folder the path of the folder does not exist
    named = (f"today={tmp_path}/today", f"main={tmp_path}/results/main")
    assert receval("compare", *named)[1].startswith("today against main, models of the same name")


def test_one_model_with_gates_gets_the_command_that_compares_it_with_their_baseline(config, receval, tmp_path):
    path = config("gates: {baseline: results/main, rules: ['nDCG@5 max_loss 2%']}")
    code, _, err = receval("compare", path, "--set", "data.recommendations={one: one.csv}")
    assert code == 2
    assert "to compare it with the baseline of its gates, add --baseline results/main" in err


def test_only_selected_measures_are_printed_and_a_line_says_so(config, receval):
    path = config()
    out = " ".join(receval("compare", path, "--measure", "nDCG@5")[1].split())
    assert "1 of 3 measures is tested; 2 are not shown, --all prints them." in out
    assert "Recall@5" not in out
    every = " ".join(receval("compare", path, "--measure", "nDCG@5", "--measure", "MRR@5", "--all")[1].split())
    assert "2 of 3 measures are tested." in every
    assert "Recall@5" in every
    assert "(not tested)" in every
    assert "not shown, --all" not in receval("compare", path)[1]


def test_a_measure_without_a_test_is_not_counted_as_tested(config, receval):
    out = receval("compare", config(), "--set", "data.train=test.csv", "-m", "nDCG@5,ItemCoverage@5", "--all")[1]
    assert "p by Holm over 2 comparisons" in out
    assert "- poor is worse than one: nDCG@5 is lower by" in " ".join(out.split())
    assert out.count("Not tested, without an interval: ItemCoverage@5.") == 1
    assert "1 measures" not in out


def test_a_measure_that_is_not_tested_has_no_p_value(config, receval):
    out = receval("compare", config(), "--measure", "nDCG@5", "--all")[1]
    rows = [line for line in out.splitlines() if "(not tested)" in line]
    assert len(rows) == 4
    assert not [row for row in rows if re.search(r" to \S+ +<?[01]\.\d{3} ", row)]


def test_the_statistics_do_not_depend_on_the_printed_measures(config, receval):
    path = config()
    forms = [receval("compare", path, "--measure", "nDCG@5", "--format", "json", *more)[1] for more in ((), ("--all",), ("--relative",))]
    assert forms[0] == forms[1] == forms[2]
    assert forms[0].count('"measure": "Recall@5"') == 2  # programs read all measures


@pytest.mark.parametrize("form", ["md", "latex"])
def test_files_for_people_agree_with_the_screen(form, config, receval):
    path = config()
    text = receval("compare", path, "--measure", "nDCG@5", "--format", form)[1]
    assert "Recall@5" not in text
    assert "Recall@5" in receval("compare", path, "--measure", "nDCG@5", "--all", "--format", form)[1]


def test_margins_are_in_the_header(config, receval):
    path = config()
    first = [receval("compare", path, *asked)[1] for asked in ([], ["--margin", "1%"], ["--margin", "nDCG@5=0.02"],
                                                                ["--margin", "0.01", "--margin", "nDCG@5=2%"])]  # fmt: skip
    heads = [" ".join(text.partition(" users, paired")[2].partition(". up/same/down")[0].split()) for text in first]
    assert "margin" not in heads[0]
    assert heads[1].endswith("· margin 1 %")
    assert heads[2].endswith("· margin 0.02 (nDCG@5)")
    assert heads[3].endswith("· margins 2 % (nDCG@5), 0.01 (Recall@5, MRR@5)")


def test_folders_are_compared_as_their_config_says_unless_options_do(config, receval, tmp_path):
    receval("run", config("compare: {margin: 1%, measures: [nDCG@5]}"), "-q", "-o", f"{tmp_path}/run/")
    text = " ".join(receval("compare", tmp_path / "run")[1].split())
    assert "· margin 1 %." in text
    assert "From the config of the results (compare): measures, margin." in text
    assert "Recall@5" not in text
    text = " ".join(receval("compare", tmp_path / "run", "--margin", "2%", "--measure", "Recall@5")[1].split())
    assert "· margin 2 %." in text
    assert "From the config" not in text
    assert "nDCG@5" not in text


def test_folders_whose_configs_disagree_on_comparisons_are_compared_by_the_defaults(config, receval, tmp_path):
    for name, settings in (("old", "compare: {margin: 1%}"), ("new", "")):
        receval("run", config(settings), "-q", "-o", f"{tmp_path}/{name}/")
    text = " ".join(receval("compare", tmp_path / "old", tmp_path / "new")[1].split())
    assert "· margin" not in text
    assert "The configs of the results differ in the section compare, so it is not used" in text


def test_a_relative_difference_is_in_percent_of_the_base_with_its_interval(config, receval):
    path = config()
    text = receval("compare", path, "--measure", "nDCG@5", "--relative", "--format", "md")[1]
    assert text.startswith("# poor, two against one, nDCG@5 ↑\n")
    (row,) = re.findall(r"\| poor \| (\S+) \| (\S+) \| \S+ \| worse \| −(\S+) \| −(\S+) to −(\S+) \|", text)
    base, value, relative, low, high = map(float, row)
    assert relative == pytest.approx(100 * (base - value) / base, abs=0.06)
    assert low > relative > high
    assert "| Δ % | interval (%) |" in text


@pytest.mark.parametrize("width", [80, 120, 200])
def test_the_verdict_is_beside_its_difference_also_with_long_names(width, config, receval, write, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    names = ["implicit-als-f128-reg0.01-alpha40-iterations30", "implicit-als-f128-reg0.01-alpha40-iterations60", "popularity-of-seven-days"]
    models = "{" + ", ".join(f"{name}: {file}.csv" for name, file in zip(names, ("one", "two", "poor"), strict=True)) + "}"
    metrics = "[nDCG@5, '0.5*nDCG@5 + 0.25*Recall@5 + 0.25*Precision@10']"
    write("users.csv", "user,plan\n" + "".join(f"{user},{'free' if user % 2 else 'paid'}\n" for user in range(1, 61)))
    asked = ("--set", f"data.recommendations={models}", "--set", f"evaluation.metrics={metrics}", "--set", "data.users=users.csv")
    code, out, err = receval("compare", config(), *asked, "--by", "users.plan", "--relative")
    assert code == 0, err
    assert max(map(len, out.splitlines())) <= width
    heads = [line for line in out.splitlines() if re.search(r" (Δ|verdict)( |$)", line) and "not shown" not in line]
    assert len(heads) > 2
    assert all(re.search(r"Δ +verdict", head) for head in heads), out


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("compare",), "the baseline is pop, but no model has this name\n  did you mean 'popular'?\n"),
        (("report", "-o", "page.html"), "the baseline is pop, but no model has this name\n  did you mean 'popular'?\n"),
        (("plot", "differences", "-o", "chart.json"), "the baseline is pop, but no model has this name\n  did you mean 'popular'?\n"),
        (("compare", "today"), "the baseline is pop, but no result has this name\n  there are lists, today\n"),
    ],
)
def test_an_unknown_baseline_is_refused_before_the_evaluation(typed, sentence, receval, sample, monkeypatch):
    monkeypatch.chdir(sample)
    assert receval("run", "quickstart.yaml", "-q", "-o", "today/")[0] == 0
    (sample / "lists.yaml").write_text(
        "data: {test: t.csv, recommendations: {knn: k.csv, popular: p.csv}}\nevaluation: {metrics: [nDCG]}\n"
    )
    command, *others = typed
    given = (*others[:1], "lists.yaml", *others[1:]) if command == "plot" else ("lists.yaml", *others)
    code, out, err = receval(command, *given, "--baseline", "pop")
    assert (code, out) == (2, "")
    assert err.endswith(f"receval: {sentence}")


def test_a_baseline_that_is_no_folder_of_results_or_lacks_a_model_is_refused_before_the_evaluation(receval, sample, monkeypatch):
    monkeypatch.chdir(sample)
    assert receval("run", "quickstart.yaml", "-q", "-o", "today/")[0] == 0
    (sample / "lists.yaml").write_text("data: {test: gone.csv, recommendations: {knn: k.csv}}\nevaluation: {metrics: [nDCG@5]}\n")
    assert "data: there is no manifest.json, so this is not a result folder" in receval("compare", "lists.yaml", "--baseline", "data")[2]
    rule = ("--rule", "nDCG@5 max_loss 2%", "--baseline", "today", "--baseline-model", "als")
    assert "the baseline today has no model als: it has knn, popular" in receval("gate", "lists.yaml", *rule)[2]


def test_a_reference_list_can_be_the_baseline_of_a_config(receval, sample, monkeypatch):
    monkeypatch.chdir(sample)
    code, out, err = receval("compare", "quickstart.yaml", "--set", "evaluation.yardsticks=[oracle]", "--baseline", "(oracle)")
    assert code == 0, err
    assert "against (oracle)" in out


def test_a_comparison_with_one_of_several_models_says_that_a_run_compares_all_pairs(sample, receval):
    said = "receval run compares all pairs of models, so its marks can differ."
    config = sample / "quickstart.yaml"
    assert said in receval("compare", config, "--baseline", "knn")[1]
    for options in (("--all-pairs",), ("--correction", "none")):
        assert "compares all pairs" not in receval("compare", config, *options)[1], options
    config.write_text("\n".join(line for line in config.read_text().splitlines() if " random:" not in line))
    assert "compares all pairs" not in receval("compare", config)[1]
