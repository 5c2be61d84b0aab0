"""The closing sentences of a run of several models."""

from __future__ import annotations

import re

import polars as pl
import pytest
from receval.documents.methods import NAMES

from tests.comparison.conftest import change_lists, lists_of, rated_items

CONFIG = """
data: {test: test.csv, recommendations: {one: one.csv, two: two.csv%s}}
evaluation: {metrics: [nDCG@5, Recall@5], relevance: {threshold: 4}}
health: off
%s
"""


@pytest.fixture
def config(write):
    """Write a config with a good model, one not clearly different from it, and perhaps a poor one."""

    def config(more="", settings=""):
        good = rated_items().filter(rated_items()["rating"] >= 4).rename({"rating": "score"}).cast({"score": pl.Float64})
        lists = {"one": change_lists(good, range(1, 15), 4), "two": change_lists(good, range(3, 19), 5), "poor": lists_of(range(1, 61), 6)}
        for name, frame in {"test": rated_items(), **lists}.items():
            write(f"{name}.csv", frame.write_csv())
        return write("config.yaml", CONFIG % (more, settings))

    return config


def test_a_run_ends_with_the_conclusion_about_the_best_model(config, receval):
    out = " ".join(receval("run", config(", poor: poor.csv"))[1].split())
    assert "No model is clearly best on any of 2 measures. nDCG@5: one beats poor. No clear difference between one and two. 60 users" in out
    assert "with 80 % power." in out
    alone = " ".join(receval("run", config(), "--set", "data.recommendations={one: one.csv, poor: poor.csv}")[1].split())
    assert "one is best on both measures; on nDCG@5 by 0." in alone


def test_the_interval_of_a_lead_says_over_how_many_pairs_it_is_corrected(config, receval):
    lead = r"one is best on both measures; on nDCG@5 by \S+ over poor \(95 % interval \S+ to \S+, corrected over 3 pairs\)\."
    three = receval("run", config(", poor: poor.csv"), "--set", "data.recommendations={one: one.csv, poor: poor.csv, worse: poor.csv}")[1]
    assert re.search(lead, " ".join(three.split())), three
    two = receval("run", config(), "--set", "data.recommendations={one: one.csv, poor: poor.csv}")[1]
    assert "corrected over" not in two


def test_the_conclusion_is_about_the_first_measure_that_the_table_shows(config, receval):
    out = " ".join(receval("run", config(", poor: poor.csv"), "--columns", "Recall@5")[1].split())
    assert ("Recall@5: one beats poor" in out, "nDCG@5" in out) == (True, False)
    markdown = receval("run", config(", poor: poor.csv"), "--columns", "Recall@5", "--format", "md")[1]
    assert ("Recall@5: one beats poor" in markdown, "nDCG@5" in markdown) == (True, False)


def test_values_not_clearly_different_from_the_best_are_marked_like_it(config, receval):
    out = receval("run", config(", poor: poor.csv"), "--measures-as-rows")[1]
    (line,) = (line for line in out.splitlines() if line.strip().startswith("nDCG@5 ↑"))
    assert [part.endswith("◂") for part in line.replace(" ◂", "◂").split()[2:]] == [True, True, False]
    assert f"◂ best; several in a measure: not clearly different from the best ({NAMES['t']}, Holm, 5 %)." in out


def test_equal_values_of_whole_models_are_not_marked(write, receval):
    write("test.csv", "user,item\n1,10\n2,11\n")
    write("one.csv", "user,item,score\n1,10,2\n2,12,1\n")
    write("two.csv", "user,item,score\n1,13,2\n2,11,1\n")
    write("items.csv", "item\n10\n11\n12\n13\n")
    lists = "data: {test: test.csv, items: items.csv, recommendations: {one: one.csv, two: two.csv}}"
    path = write("c.yaml", f"{lists}\nevaluation: {{metrics: [ItemCoverage(form=count)@1]}}\n")
    code, out, err = receval("run", path, "--measures-as-rows", "--set", "health=off")
    assert code == 0, err
    lines = [line for line in out.splitlines() if line.strip().startswith("ItemCoverage")]
    assert [line.count("◂") + line.count("◃") for line in lines] == [0], out  # all print alike: none is marked


def test_the_headline_is_about_all_measures_and_shows_an_ndcg_although_another_measure_comes_first(sample, receval):
    out = receval("run", sample / "quickstart.yaml")[1]
    lead = r"on nDCG@10 by 0\.0\d+ over popular \(95 % interval 0\.\d+ to 0\.\d+, corrected over 3 pairs\)\."
    assert re.search(f"knn is best on all 12 measures; {lead}", " ".join(out.split()))
    assert "350 users for each model." in out
    assert "users   " not in out
    assert "17 of 31 health checks ran and found 3 notes; 14 had nothing to look at (receval run -v has the details)." in out
    assert f"◂ best ({NAMES['t']}, Holm, 5 %)." in out  # no measure has two


def test_models_are_compared_with_the_baseline_of_the_config(config, receval):
    out = receval("run", config(", poor: poor.csv", "compare: {baseline: poor}"))[1]
    assert "one is better than poor on both measures: nDCG@5 is higher by" in out
    assert out.index("No model is clearly best") < out.index("one is better than poor")  # who is best comes first
    assert "two is better than poor on both measures: nDCG@5 is higher by" in out


def test_a_missing_baseline_folder_is_reported_and_the_run_goes_on(config, receval):
    code, out, _ = receval("run", config(settings="compare: {baseline: {main: results/main}}"))
    assert code == 0
    assert "Not compared with the baseline main=results/main: " in out
    assert "the folder does not exist" in out


def test_one_model_has_no_closing_sentence(config, receval, sample):
    out = receval("run", sample / "quickstart.yaml", "--set", "data.recommendations={knn: data/knn.parquet}")[1]
    assert "better" not in out.partition("Convention")[0].replace("higher", "")


def test_per_user_values_above_a_limit_are_not_kept_for_closing_sentences(config, receval, monkeypatch):
    monkeypatch.setattr("receval.actions.run.MOST_VALUES", 10)
    out = receval("run", config())[1]
    assert "clear" not in out
    assert "◂" not in out
    assert "◃ best value printed, not tested." in " ".join(out.split())
