"""Comparisons of result folders: the pairing of users, the refused cases, and their messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
import receval as api

from tests.comparison.conftest import change_lists, lists_of, rated_items
from tests.conftest import built_once
from tests.sizes import each_once

CONFIG = """
data: {test: test.csv, recommendations: {knn: knn.csv}%s}
evaluation: {metrics: [nDCG@5, Recall@5], relevance: {threshold: %s}%s}
health: off
"""


@pytest.fixture
def folder(receval, tmp_path):
    """Return a function that evaluates a model into a folder: `folder("main", lists, …)`, with changed settings or data."""

    def folder(name, lists=None, *arguments, test=None, threshold=4, data="", evaluation="", config=CONFIG, **files):
        frames = {"test": rated_items() if test is None else test, "knn": lists_of(range(1, 61), 2) if lists is None else lists, **files}
        texts = {f"{stem}.csv": frame.write_csv() for stem, frame in frames.items()}
        texts["c.yaml"] = config % (data, threshold, evaluation)
        built_once(tmp_path, build, name, tuple(texts.items()), arguments)
        return f"{name}={tmp_path}/{name}"

    def build(name, texts, arguments):
        for file, text in texts:
            Path(file).write_text(text)
        code, _, err = receval("run", "c.yaml", "-q", "-o", f"{name}/", *arguments)
        assert code == 0, err

    return folder


@pytest.fixture
def compared(receval):
    """Return a function that compares folders and gives the differences by measure."""

    def compared(*arguments):
        code, out, err = receval("compare", *arguments, "--format", "json")
        assert code == 0, err
        return {comparison["measure"]: comparison for comparison in json.loads(out)["comparisons"]}

    return compared


def fewer(lists=None):
    return change_lists(lists_of(range(1, 61), 2), range(1, 41), 3) if lists is None else lists


def test_users_of_two_folders_are_paired_by_id(folder, compared):
    today = folder("today", fewer().sample(fraction=1, shuffle=True, seed=1))
    one = compared(folder("main"), today)["nDCG@5"]
    assert (one["base"], one["model"], one["n_users"], one["n_changed"]) == ("main", "today", 60, one["up"] + one["down"])


def test_measures_that_only_one_folder_has_are_named(folder, receval):
    main, today = folder("main", None, "-m", "nDCG@5,MRR@10"), folder("today", None, "-m", "nDCG@5,MRR@none")
    code, out, err = receval("compare", main, today)
    assert code == 0, err
    assert "not all models have these measures: MRR@10 (only main); MRR@none (only today)." in " ".join(out.split())


def test_models_of_other_names_are_compared_with_the_model_of_the_baseline_that_an_option_names(folder, receval, tmp_path):
    names = CONFIG.replace("{knn: knn.csv}", "{a: a.csv, b: b.csv}")
    main, today = folder("main"), folder("today", a=fewer(), b=lists_of(range(1, 61), 2), config=names)
    code, _, err = receval("compare", today, "--baseline", main)
    assert (code, "today and main share no model: a, b; knn" in err, "every model is compared with: --baseline-model NAME" in err) == (
        3,
        True,
        True,
    )
    code, out, _ = receval("compare", today, "--baseline", main, "--baseline-model", "knn", "--format", "json")
    pairs = {
        (comparison["base"], comparison["model"]): comparison["difference"]
        for comparison in json.loads(out)["comparisons"]
        if comparison["measure"] == "nDCG@5"
    }
    assert (list(pairs), pairs["main/knn", "today/b"]) == ([("main/knn", "today/a"), ("main/knn", "today/b")], 0)
    assert receval("compare", today, "--baseline", main, "--baseline-model", "knn")[1].startswith("today/a, today/b against main/knn")
    compared = api.compare({"today": f"{tmp_path}/today"}, f"{tmp_path}/main", baseline_model="knn")
    assert {difference.subject.base for difference in compared.differences} == {"main/knn"}
    assert receval("compare", main, "--baseline", today, "--baseline-model", "b")[1].startswith("main against today/b")
    for wrong, sentence in (
        ((main, "--baseline-model", "als"), "no model has this name"),
        (("a", "--baseline-model", "b"), "another folder"),
    ):
        assert sentence in " ".join(receval("compare", today, "--baseline", *wrong)[2].split())


def test_text_ids_are_paired_with_integer_ids(folder, compared):
    letters = pl.DataFrame({"user": ["x"], "item": ["y"], "score": [1.0]})  # one user with a text id makes all ids text
    text = pl.concat([fewer().cast({"user": pl.String, "item": pl.String}), letters])
    plain, mixed = folder("plain", fewer()), folder("text", text)
    assert compared(folder("main"), plain)["nDCG@5"] | {"model": ""} == compared(folder("main"), mixed)["nDCG@5"] | {
        "model": "",
        "sentence": compared(folder("main"), plain)["nDCG@5"]["sentence"],
    }


def test_a_config_is_compared_with_a_folder(folder, compared, tmp_path):
    main = folder("main")
    folder("today", fewer())
    by_folder = compared(main, f"today={tmp_path}/today")
    assert compared(f"today={tmp_path}/c.yaml", "--baseline", main) == by_folder
    assert compared(main, f"today={tmp_path}/c.yaml") == by_folder


def test_equal_definitions_are_compared_under_conventions_of_different_names(folder, compared, write):
    ours = write("ours.yaml", "name: ours\nextends: receval\n")
    assert compared(folder("main"), folder("today", fewer(), evaluation=f", convention: {ours}"))["nDCG@5"]["n_users"] == 60


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"test": rated_items(59)}, "the test data of today have 59 users and those of main 60"),
        ({"test": rated_items(seed=7)}, "the test data differ, with the same number of rows"),
        ({"threshold": 5}, "nDCG: threshold is 5 in today and 4 in main; Recall: threshold is 5 in today and 4 in main"),
        ({"evaluation": ", policy: {missing_lists: drop}"}, "nDCG: missing_lists is drop in today and zero in main"),
        ({"evaluation": ", convention: rs_metrics"}, r"and \d+ more"),
        ({"threshold": "4, graded: true"}, "graded is True in today and False in main"),
    ],
)
def test_results_with_other_definitions_or_test_data_are_refused(given, sentence, folder, receval):
    main, today = folder("main"), folder("today", fewer(), **given)
    code, out, err = receval("compare", main, today)
    assert (code, out) == (3, "")
    assert err.startswith("receval: today cannot be compared with main: ")
    assert re.search(sentence, err), err


def test_different_users_are_refused_unless_common_users_are_requested(folder, receval, compared):
    drop = ", policy: {missing_lists: drop}"
    main, today = folder("main", evaluation=drop), folder("today", fewer().filter(pl.col("user") <= 50), evaluation=drop)
    code, _, err = receval("compare", main, today)
    assert code == 3
    assert "they count different users; nDCG@5 counts 10 users for only one of them" in err
    assert compared(main, today, "--users", "common")["nDCG@5"]["n_users"] == 50


@pytest.fixture
def partly_other_users(folder):
    """Return two folders: nDCG@5 counts all 60 users in both, nDCG(missing_lists=drop)@5 10 users fewer in the second."""
    config = CONFIG.replace("Recall@5", "nDCG(missing_lists=drop)@5")
    return folder("main", config=config), folder("today", fewer().filter(pl.col("user") <= 50), config=config)


def test_a_measure_that_counts_different_users_is_not_tested_and_the_others_are(partly_other_users, receval, compared):
    differing = "nDCG(missing_lists=drop)@5"
    found = compared(*partly_other_users)
    assert (found["nDCG@5"]["n_users"], found["nDCG@5"]["verdict"] is None, found[differing]["verdict"]) == (60, False, None)
    code, out, _ = receval("compare", *partly_other_users, "--format", "md")
    assert code == 0
    assert f"{differing}: not tested, because it counts different users (up to 10 users for only one model)." in out.replace("\\", "")
    both = compared(*partly_other_users, "--users", "common")
    assert (both[differing]["n_users"], both[differing]["verdict"] is None) == (50, False)


def test_only_the_measures_that_are_named_must_count_the_same_users(partly_other_users, receval, compared):
    assert compared(*partly_other_users, "--measure", "nDCG@5")["nDCG@5"]["n_users"] == 60
    code, out, _ = receval("compare", *partly_other_users, "--measure", "nDCG@5", "--users", "common")
    assert (code, "different users" in out) == (0, False)
    code, _, err = receval("compare", *partly_other_users, "--measure", "nDCG(missing_lists=drop)@5")
    assert (code, "counts 10 users for only one of them" in err) == (3, True)


@pytest.mark.parametrize(
    ("lacks", "asked"),
    each_once(
        ["base", "model", "both"],
        [("--by", "users.plan"), ("--cluster", "users.house"), ("--by", "users.plan", "--cluster", "users.house")],
    ),
)
def test_groups_and_clusters_of_common_users_have_only_users_counted_by_both_models(lacks, asked, folder, receval):
    """Compare with folders in which only the common users have a list."""
    side = pl.DataFrame({"user": range(1, 61), "plan": ["a", "b", "c"] * 20, "house": [f"h{n % 13}" for n in range(60)]})
    given = {"data": ", users: users.csv", "evaluation": ", by: [users.plan, users.house], policy: {missing_lists: drop}", "users": side}
    of_base = pl.col("user") > (4 if lacks != "model" else 0)
    of_model = pl.col("user") < (50 if lacks != "base" else 61)
    lists = lists_of(range(1, 61), 2)

    def compared(main, today, *more):
        code, out, err = receval("compare", main, today, *asked, *more, "--format", "json")
        assert code == 0, err
        content = json.loads(out)
        of_all = (*content["comparisons"], *content.get("by_group", ()))
        return [{key: value for key, value in difference.items() if key not in ("n_unpaired", "notes")} for difference in of_all]

    found = compared(
        folder("main", lists.filter(of_base), **given), folder("today", fewer().filter(of_model), **given), "--users", "common"
    )
    both = of_base & of_model
    wanted = compared(folder("main", lists.filter(both), **given), folder("today", fewer().filter(both), **given))
    assert found == wanted
    assert len(found) == 2 + 6 * (asked[0] == "--by")


def test_folders_without_a_common_user_are_refused_in_one_sentence(folder, receval):
    drop = ", policy: {missing_lists: drop}"
    lists = lists_of(range(1, 61), 2)
    main = folder("main", lists.filter(pl.col("user") <= 30), evaluation=drop)
    today = folder("today", lists.filter(pl.col("user") > 30), evaluation=drop)
    code, _, err = receval("compare", main, today, "--users", "common")
    assert (code, "today cannot be compared with main: no user counts for both" in err) == (3, True)


def test_results_on_another_test_set_are_compared_unpaired_on_request(folder, compared):
    one = compared(folder("main"), folder("today", fewer(), test=rated_items(59)), "--unpaired")["nDCG@5"]
    assert one["test"] == "welch"
    assert one["low"] < one["difference"] < one["high"]


def test_folders_without_per_user_values_are_compared_by_their_standard_deviations(folder, receval):
    off = ("--set", "output.per_user=false")
    code, out, err = receval("compare", folder("main", None, *off), folder("today", fewer(), *off))
    assert (code, err) == (0, "")
    assert "main and today have no per-user values (output.per_user): users are not paired" in out


def test_an_undefined_value_on_one_side_has_no_difference(folder, receval, compared):
    undefined = {"evaluation": ", policy: {missing_lists: undefined}"}
    main, today = folder("main", **undefined), folder("today", fewer().filter(pl.col("user") > 1), **undefined)
    one = compared(main, today)["nDCG@5"]
    assert one["verdict"] is None
    assert "cannot be compared: one of the two has no value" in one["sentence"]


def test_one_user_gives_no_verdict(folder, receval):
    test = rated_items(1)
    code, out, _ = receval("compare", folder("main", test=test), folder("today", fewer(), test=test))
    assert code == 0
    assert not re.search("(is|are) better", out)


def test_another_train_file_is_reported_if_a_measure_reads_it(folder, receval):
    given = {"data": ", train: train.csv", "evaluation": ", policy: {seen_items: drop}"}
    train = pl.DataFrame({"user": [1, 2], "item": [3, 4]})
    main = folder("main", train=train, **given)
    today = folder("today", fewer(), train=train.head(1), **given)
    assert "today was evaluated with a different data.train than main" in receval("compare", main, today)[1]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["nowhere/"], 2, "there is no config or folder of results named nowhere"),
        (["main", "again=main"], 0, ""),
        (["main", "main"], 2, "main is given twice"),
        (["main"], 2, "there is one model, knn, and nothing to compare it with"),
        (["main", "today", "--baseline", "mian"], 2, "the baseline is mian, but no result has this name"),
        (["main", "today", "--margin", "nan"], 2, "a margin must be a number from 0"),
        (["main", "today", "--alpha", "0.7"], 2, "alpha is"),
        (
            ["main", "today", "-o", "x.pdf"],
            2,
            "-o x.pdf: the name of a file must end in .json, .csv, .md, .tex, .html, .htm, or in / for a folder",
        ),
        (["main", "empty"], 3, "empty: there is no manifest.json, so this is not a result folder"),
    ],
)
def test_a_wrong_compare_command_gets_one_sentence_and_its_exit_code(arguments, code, sentence, folder, receval, tmp_path, monkeypatch):
    folder("main"), folder("today", fewer())
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    found, _, err = receval("compare", *arguments)
    assert (found, sentence in err) == (code, True), err


def test_a_comparison_is_written_in_all_forms(folder, receval, tmp_path):
    main, today = folder("main"), folder("today", fewer())
    code, out, _ = receval("compare", main, today, "-q", "--losers", "2", "-o", f"{tmp_path}/out/", "-o", tmp_path / "c.csv")
    assert (code, out) == (0, "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "comparison.csv",
        "comparison.json",
        "comparison.md",
        "comparison_users.parquet",
    ]
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "out" / "comparison.csv").read_bytes()
    users = pl.read_parquet(tmp_path / "out" / "comparison_users.parquet")
    assert users.columns == ["model", "measure", "user", "base", "model_value", "difference"]
    assert users.height == 4


def test_names_are_not_links_or_tags_in_markdown(folder, receval, tmp_path):
    folder("main"), folder("today", fewer())
    code, out, _ = receval("compare", f"[a](x.y)={tmp_path}/main", f"<b>={tmp_path}/today", "--format", "md")
    assert code == 0
    assert "\\[a\\](x.y)" in out
    assert not re.search(r"(?<!\\)\]\(", out)
    assert "\\<b>" in out


def test_the_command_that_explains_a_loser_has_the_name_of_the_model_not_of_the_folder(folder, receval):
    out = receval("compare", folder("main"), folder("today", fewer()), "--losers", "1")[1]
    assert "Users with the largest losses in nDCG@5 with today" in out
    assert "--model 'knn'" in " ".join(out.split())
