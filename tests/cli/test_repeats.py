"""Several test sets (folds) and several runs of a model: values of each, mean and standard deviation, worked by hand."""

from __future__ import annotations

import json
import math
import re

import polars as pl
import pytest
import receval as library
import yaml

# Recall@1 over the users of a test set, the lists being one item long
TESTS = {"1": "a,x b,y", "2": "a,x", "3": "c,z"}
LISTS = {"1": "a,x b,x", "2": "a,x", "3": "c,x c,z"}  # 1/2, 1, 0: mean 1/2, standard deviation 1/2
ROOT_HALF = math.sqrt(0.5)


@pytest.fixture
def folder(tmp_path):
    for kind, files in (("test", TESTS), ("lists", LISTS)):
        for fold, rows in files.items():
            (tmp_path / f"{kind}_{fold}.csv").write_text("user,item\n" + "\n".join(rows.split()) + "\n")
    # over test_1: both found, one, none
    for run, rows in {"all": "a,x b,y", "one": "a,x b,x", "none": "a,y b,x"}.items():
        (tmp_path / f"{run}.csv").write_text("user,item\n" + "\n".join(rows.split()) + "\n")
    (tmp_path / "users.csv").write_text("user,plan\na,free\nb,paid\n")
    return tmp_path


@pytest.fixture
def config(folder):
    """Return a function that writes a config with a data section."""

    def config(data, **evaluation):
        document = {"data": data, "evaluation": {"metrics": ["Recall"], "top_k": 1, **evaluation}, "health": "off"}
        (folder / "config.yaml").write_text(yaml.safe_dump(document))
        return folder / "config.yaml"

    return config


FOLDS = {"folds": [1, 2, 3], "test": "test_{fold}.csv", "recommendations": {"als": "lists_{fold}.csv"}}
RUNS = {"test": "test_1.csv", "recommendations": {"als": {"runs": ["all.csv", "one.csv", {"path": "none.csv"}]}, "pop": "one.csv"}}


def run(config, *overrides):
    return library.run(library.load_config(config, overrides))


def repeats(result):
    """Return (model, fold, run) → the value of each repetition."""
    return {(row.model, row.fold, row.run): row.value for row in result.repeated if row.by is None}


def test_a_value_over_folds_is_their_mean_with_its_standard_deviation(config):
    result = run(config(FOLDS))
    (row,) = result.rows
    assert (row.value, row.repeats, row.repeats_std, row.n_users) == (0.5, 3, 0.5, 4)
    assert repeats(result) == {("als", "1", None): 0.5, ("als", "2", None): 1, ("als", "3", None): 0}
    assert [row.n_users for row in result.repeated] == [2, 1, 1]
    assert result.counts["als"].test == 4
    assert result.notes()[1] == "Values are means over 3 folds; numbers of users are added up over them."
    assert result.per_user["als"].select("fold", "user", "Recall@1").rows() == [
        ("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 1.0), ("3", "c", 0.0),
    ]  # fmt: skip


def test_folds_can_be_a_list_of_their_own_data_sections(config):
    own = [{"test": f"test_{fold}.csv", "recommendations": {"als": f"lists_{fold}.csv"}} for fold in (1, 2)]
    result = run(config({"folds": [{"name": "first", **own[0]}, own[1]], "recommendations": {"same": "lists_1.csv"}}))
    assert repeats(result) == {
        ("same", "first", None): 0.5, ("als", "first", None): 0.5, ("same", "2", None): 1, ("als", "2", None): 1,
    }  # fmt: skip
    assert [(row.model, row.value, row.repeats_std) for row in result.rows] == [
        ("same", 0.75, pytest.approx(ROOT_HALF / 2)), ("als", 0.75, pytest.approx(ROOT_HALF / 2)),
    ]  # fmt: skip


def test_the_runs_of_a_model_are_one_model_with_their_mean(config):
    result = run(config(RUNS))
    rows = {row.model: row for row in result.rows}
    assert (rows["als"].value, rows["als"].repeats, rows["als"].repeats_std, rows["als"].n_users) == (0.5, 3, 0.5, 2)
    assert (rows["pop"].value, rows["pop"].repeats, rows["pop"].repeats_std) == (0.5, None, None)
    assert repeats(result) == {("als", None, "1"): 1, ("als", None, "2"): 0.5, ("als", None, "3"): 0}
    assert result.models == ("als", "pop")
    assert result.per_user["als"].select("run", "user", "Recall@1").rows() == [
        ("1", "a", 1.0), ("1", "b", 1.0), ("2", "a", 1.0), ("2", "b", 0.0), ("3", "a", 0.0), ("3", "b", 0.0),
    ]  # fmt: skip
    assert result.per_user["pop"]["run"].to_list() == [None, None]


def test_users_without_a_list_are_numbered_by_run(config, folder):
    """The first run has both lists, the second one of them, the third none of them."""
    (folder / "some.csv").write_text("user,item\na,x\n")
    (folder / "none.csv").write_text("user,item\nd,x\n")
    data = {"test": "test_1.csv", "recommendations": {"als": {"runs": ["all.csv", "some.csv", "none.csv"]}, "pop": "one.csv"}}
    result = run(config(data))
    said = "als: 0 to 2, by run, of these users have no list and count 0 (evaluation.policy.missing_lists)."
    assert said in result.notes()
    assert [counts.listed for counts in result.counts["als"].each] == [2, 1, 0]
    assert result.counts["pop"].each == (result.counts["pop"],)
    library.evaluate_config(folder / "config.yaml", outputs=f"{folder}/out/")
    assert library.load_results(folder / "out").counts == result.counts
    assert said in library.load_results(folder / "out").notes()


def test_users_without_a_list_are_added_up_over_folds_run_by_run(config, folder):
    (folder / "some.csv").write_text("user,item\na,x\n")
    runs = {"als": {"runs": ["all.csv", "some.csv"]}}
    result = run(config({"folds": [{"name": name, "test": f"test_{name}.csv"} for name in (1, 2)], "recommendations": runs}))
    assert [(counts.relevant, counts.listed) for counts in result.counts["als"].each] == [(3, 3), (3, 2)]
    assert "als: 0 to 1, by run, of these users have no list and count 0 (evaluation.policy.missing_lists)." in result.notes()


def test_a_value_for_users_without_a_relevant_item_is_not_added_up_over_folds(config, folder):
    (folder / "test_2.csv").write_text("user,item,rating\na,x,5\nb,y,1\n")
    (folder / "test_1.csv").write_text("user,item,rating\na,x,5\nb,y,1\n")
    data = {"folds": [{"name": name, "test": f"test_{name}.csv"} for name in (1, 2)], "recommendations": {"als": "one.csv"}}
    result = run(config(data, relevance={"threshold": 4}, policy={"no_relevant": "one"}))
    assert result.counts["als"].irrelevant_value == 1


def test_runs_in_folds_are_averaged_in_each_fold_first(config, folder):
    (folder / "test_2.csv").write_text("user,item\na,x\nb,x\n")  # all.csv: 1/2, none.csv: 1/2
    data = {"folds": [1, 2], "test": "test_{fold}.csv", "recommendations": {"als": {"runs": ["all.csv", "none.csv"]}}}
    result = run(config(data))
    (row,) = result.rows
    assert (row.value, row.repeats, row.repeats_std) == (0.5, 2, 0)
    assert repeats(result) == {
        ("als", "1", None): 0.5, ("als", "1", "1"): 1, ("als", "1", "2"): 0,
        ("als", "2", None): 0.5, ("als", "2", "1"): 0.5, ("als", "2", "2"): 0.5,
    }  # fmt: skip
    of_fold = next(row for row in result.repeated if (row.fold, row.run) == ("1", None))
    assert (of_fold.repeats, of_fold.repeats_std) == (2, pytest.approx(ROOT_HALF))


def test_groups_are_averaged_over_the_runs_and_folds_that_have_them(config):
    result = run(config({**FOLDS, "users": "users.csv"}, by=["users.plan"]))
    found = {row.group: (row.value, row.repeats, row.repeats_std, row.n_users) for row in result.by_group}
    # free: a in folds 1 and 2; paid: b in fold 1; without a plan: c in fold 3
    assert found == {"free": (1, 2, 0, 2), "paid": (0, 1, None, 1), "(missing)": (0, 1, None, 1)}
    of_runs = run(config({**RUNS, "users": "users.csv"}, by=["users.plan"]))
    assert {(row.model, row.group): row.value for row in of_runs.by_group} == {
        ("als", "free"): pytest.approx(2 / 3), ("als", "paid"): pytest.approx(1 / 3), ("pop", "free"): 1, ("pop", "paid"): 0,
    }  # fmt: skip


def test_every_output_has_each_run_the_mean_and_the_standard_deviation(receval, config, tmp_path):
    path = config(RUNS)
    code, out, _ = receval("run", path, "-o", f"{tmp_path}/out/", "-o", tmp_path / "r.jsonl")
    assert code == 0
    assert "0.5000 ± 0.5000" in out
    rows = json.loads((tmp_path / "out" / "results.json").read_text())["results"]
    found = [(row["model"], row["run"], row["value"], row["repeats"], row["repeats_std"]) for row in rows]
    assert found == [
        ("als", None, 0.5, 3, 0.5), ("pop", None, 0.5, None, None),
        ("als", "1", 1.0, None, None), ("als", "2", 0.5, None, None), ("als", "3", 0.0, None, None),
    ]  # fmt: skip
    table = pl.read_parquet(tmp_path / "out" / "results.parquet")
    assert table["run"].to_list() == [row["run"] for row in rows]
    assert table["value"].to_list() == [row["value"] for row in rows]
    assert [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()] == table.to_dicts()
    assert (tmp_path / "out" / "results_wide.csv").read_text().splitlines() == [
        "model,run,over_repeats,Recall@1", "als,,mean,0.5", "als,,std,0.5", "pop,,,0.5", "als,1,,1.0", "als,2,,0.5", "als,3,,0.0",
    ]  # fmt: skip
    markdown = (tmp_path / "out" / "results.md").read_text()
    assert "| als | mean | 0.5000 |" in markdown
    assert "| als | std | 0.5000 |" in markdown


def test_the_screen_has_means_over_folds_and_with_v_the_values_of_each(receval, config):
    short, whole = (receval("run", config(FOLDS), *option)[1] for option in ((), ("-v",)))
    assert "0.5000 ± 0.5000" in short
    assert "receval run -v shows the values of each fold." in short
    assert "By fold" not in short
    assert re.search(r"als     mean +0\.5000", whole)
    assert "receval run -v" not in whole


def test_the_manifest_lists_the_files_of_each_fold_and_shared_files_once(receval, config, tmp_path):
    assert receval("run", config({**FOLDS, "users": "users.csv"}, by=["users.plan"]), "-q", "-o", f"{tmp_path}/out/")[0] == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    roles = [source["role"] for source in manifest["inputs"]]
    assert roles == [
        "data.users", "data.test of fold 1", "data.recommendations.als of fold 1", "data.test of fold 2",
        "data.recommendations.als of fold 2", "data.test of fold 3", "data.recommendations.als of fold 3",
    ]  # fmt: skip
    assert [fold["name"] for fold in manifest["config"]["data"]["folds"]] == ["1", "2", "3"]


def test_the_resolved_config_reads_back(receval, config, folder):
    for data in (FOLDS, RUNS):
        path = config(data)
        printed = receval("run", path, "--print-config")[1]
        (folder / "again.yaml").write_text(printed)
        assert receval("run", folder / "again.yaml", "--print-config")[1] == printed
        tables = [receval("run", file, "--format", "csv")[1].splitlines() for file in (folder / "again.yaml", path)]
        again, before = ([line.rpartition(",")[0] for line in lines] for lines in tables)  # except the place of the cut-off
        assert again == before


def test_findings_name_their_fold_and_run(receval, config):
    path = config({**FOLDS, "recommendations": {"als": {"runs": ["lists_{fold}.csv", "all.csv"]}}})
    _, out, _ = receval("check", path, "--set", "health={}")
    assert "als (run 1): fold 3: " in out


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"folds": 2}, "data.folds: folds must be a list of names that replace {fold} in paths, such as [1, 2, 3]"),
        ({"folds": []}, "data.folds: folds must be a list of names"),
        ({"folds": [1, 1]}, "data.folds: two folds are named 1"),
        (
            {"folds": [1, 2], "test": "test_1.csv"},
            "data.folds[0]: the fold 1 has the same test set as the others: write {fold} in the path",
        ),
        ({"folds": [{"tset": "test_1.csv"}, 2]}, "data.folds[0].tset: unknown key 'tset' — did you mean 'test'?"),
        ({"folds": [True, 2]}, "data.folds[0]: a fold must be a name or a mapping"),
        ({"recommendations": {"als": "-"}}, "standard input (-) can be read only once, but data.folds reads every file once per fold"),
        ({"recommendations": {"als": {"runs": ["all.csv"]}}}, "runs must be a list of at least two files;"),
        ({"recommendations": {"als": {"runs": "all.csv"}}}, "runs must be a list of at least two files;"),
    ],
)
def test_invalid_folds_and_runs_are_config_errors(receval, config, change, sentence):
    code, out, err = receval("run", config({**FOLDS, **change}))
    assert (code, out) == (2, "")
    assert sentence in err


def test_a_missing_file_of_a_fold_is_a_data_error(receval, config):
    code, _, err = receval("run", config({**FOLDS, "folds": [1, 9]}))
    assert code == 3
    assert "there is no file" in err
    assert "lists_9.csv" in err


@pytest.mark.parametrize("arguments", [("audit", "CONFIG"), ("explain", "Recall@1", "CONFIG", "--user", "a")])
def test_commands_of_one_test_set_refuse_folds(receval, config, arguments):
    code, _, err = receval(*(config(FOLDS) if argument == "CONFIG" else argument for argument in arguments))
    assert code == 2
    assert (
        "this command needs a single test set, and data.folds has 3 folds\n  choose one by its name, such as --set 'data.folds=[1]'" in err
    )


@pytest.mark.parametrize(
    "arguments", [("audit", "CONFIG"), ("explain", "Recall@1", "CONFIG", "--user", "a", "--model", "als"), ("run", "CONFIG")]
)
def test_a_single_fold_is_a_test_set_like_any_other(receval, config, arguments):
    path = config(FOLDS)
    code, out, err = receval(*(path if argument == "CONFIG" else argument for argument in arguments), "--set", "data.folds=[1]")
    assert code == 0, err
    assert "±" not in out


def test_each_fold_has_its_enriched_lists_and_its_description_of_files(receval, config, tmp_path):
    out = tmp_path / "out"
    wanted = ("--set", "output.enriched=true", "--set", "output.describe=true")
    code, _, err = receval("run", config(FOLDS), *wanted, "-o", f"{out}/")
    assert code == 0, err
    rows = {file.name: pl.read_parquet(file).height for file in out.glob("enriched.*")}
    assert rows == {"enriched.1%2Fals.parquet": 2, "enriched.2%2Fals.parquet": 1, "enriched.3%2Fals.parquet": 2}
    tables = library.describe(library.load_config(config(FOLDS))).tables
    assert {table.name: table.rows for table in tables} == {
        "test of fold 1": 2,
        "als of fold 1": 2,
        "test of fold 2": 1,
        "als of fold 2": 1,
        "test of fold 3": 1,
        "als of fold 3": 2,
    }


def test_files_of_many_folds_are_described_in_rows(receval, config):
    models = dict.fromkeys(("als", "knn"), "lists_{fold}.csv")
    out = receval("describe", config({**FOLDS, "recommendations": models}))[1]
    lines = [line.split() for line in out.splitlines()]
    assert ["file", "rows", "users", "items", "density"] in lines
    assert ["als", "of", "fold", "3", "2", "1", "2", "100.0", "%"] in lines
    assert len({line[3] for line in lines if line[:3] == ["test", "of", "fold"]}) == 3


def test_the_caption_of_a_paper_says_what_plus_minus_is(receval, config):
    out = receval("run", config(FOLDS), "--format", "latex")[1]
    assert "Results over 3 users in 3 folds (4 over all folds). Mean ± standard deviation over 3 folds." in " ".join(out.split())
    of_runs = {**FOLDS, "recommendations": {"als": {"runs": ["lists_{fold}.csv", "one.csv"]}}}
    document = receval("run", config(of_runs), "--format", "latex-document")[1]
    said = "standard deviation over 3 folds, each the mean of 2 runs."
    assert f"Mean ± {said}" in " ".join(document.split())
    assert f"Means ± sample {said}" in " ".join(document.split())  # of the table by fold and run


def test_a_user_in_several_folds_is_one_user_for_people_and_one_row_per_fold_for_programs(receval, config):
    path = config({**FOLDS, "recommendations": {"als": "lists_{fold}.csv", "pop": "test_{fold}.csv"}})
    users = "3 users in 3 folds (4 over all folds)"
    assert f"\n{users}, paired by id · " in receval("compare", path)[1]
    assert f"{users} for each model." in receval("run", path)[1]
    assert f"Results over {users}." in " ".join(receval("run", path, "--format", "latex")[1].split())
    assert json.loads(receval("compare", path, "--format", "json")[1])["comparisons"][0]["n_users"] == 4
    runs = {"test": "test_1.csv", "recommendations": {"als": {"runs": ["all.csv", "one.csv"]}}}
    assert "Mean ± standard deviation over 2 runs." in receval("run", config(runs), "--format", "latex")[1]
    assert "\n4 users over 3 folds.\n" in receval("run", config(FOLDS))[1]  # without per-user values only their sum is known


def test_files_that_look_like_folds_but_are_read_as_one_are_asked_about(folder, config):
    for fold in TESTS:
        (folder / f"fold_{fold}").mkdir()
        for kind in ("test", "lists"):
            (folder / f"{kind}_{fold}.csv").rename(folder / f"fold_{fold}" / f"{kind}.csv")
    data = {"test": "fold_*/test.csv", "recommendations": {"als": "fold_*/lists.csv", "pop": "one.csv"}}
    as_many = "als has as many, with the same names, and they are read as one test set"
    said = run(config(data)).cautions
    assert said[0] == f"data.test has 3 files, {as_many}: are these folds? receval init writes a config with folds."


@pytest.fixture
def seeded(tmp_path):
    """Write lists of seeds 0, 2 and 10 in two folds, and two files that are no run."""
    for fold in (1, 2):
        (tmp_path / f"fold{fold}").mkdir()
        (tmp_path / f"fold{fold}" / "test.csv").write_text("user,item\na,x\nb,y\n")
        for seed, rows in {0: "a,x\nb,y\n", 2: "a,x\nb,x\n", 10: "a,y\nb,x\n"}.items():
            (tmp_path / f"fold{fold}" / f"als_seed{seed}.csv").write_text("user,item\n" + rows)
        (tmp_path / f"fold{fold}" / "pop.csv").write_text("user,item\na,x\nb,x\n")
    return tmp_path


def _seed_outputs(folder, als):
    models = {"als": als, "pop": "fold{fold}/pop.csv"}
    document = {"data": {"folds": [1, 2], "test": "fold{fold}/test.csv", "recommendations": models}, "health": "off"}
    document["evaluation"] = {"metrics": ["Recall"], "top_k": 1}
    (folder / "config.yaml").write_text(yaml.safe_dump(document))
    return library.load_config(folder / "config.yaml")


@pytest.mark.parametrize(
    "pattern",
    [
        "fold{fold}/als_seed{seed}.csv",
        {"path": "fold{fold}/als_seed{seed}.csv"},
        {"runs": "fold{fold}/als_seed*.csv"},
        {"runs": {"path": "fold{fold}/als_seed{seed}.csv", "columns": {"user": "user", "item": "item"}}},
    ],
)
def test_patterns_of_runs_give_the_values_of_the_files_in_the_order_of_their_numbers(seeded, pattern):
    wanted = [f"fold{{fold}}/als_seed{seed}.csv" for seed in (0, 2, 10)]
    explicit, found = _seed_outputs(seeded, {"runs": wanted}), _seed_outputs(seeded, pattern)
    assert [source.path for _, model, _, source in found.config.data.named_lists() if model == "als"] == [
        (f"fold1/als_seed{seed}.csv",) for seed in (0, 2, 10)
    ]
    assert repeats(library.run(found)) == repeats(library.run(explicit))
    assert explicit.notes == ()
    assert found.notes == ("als: 3 runs in each of 2 folds (6 files, fold1/als_seed0.csv to fold2/als_seed10.csv)",)


def test_a_seed_is_the_same_at_every_place_of_a_path_and_other_files_are_counted(seeded, receval):
    for seed, name in ((1, 1), (2, 2), (3, 4)):
        (seeded / f"seed{seed}").mkdir()
        (seeded / f"seed{seed}" / f"als_{name}.csv").write_text("user,item\na,x\n")
    (seeded / "fold1" / "als_seed2_old.csv").write_text("user,item\na,x\n")
    test = ("run", "--test", f"{seeded}/fold1/test.csv", "-m", "Recall@1", "-q", "-o", f"{seeded}/out.csv")
    models = ("--recs", f"als={seeded}/seed{{seed}}/als_{{seed}}.csv", "--recs", f"{seeded}/fold1/als_seed{{seed}}.csv", "--replace")
    assert receval(*test, *models)[0] == 0
    patterns = {"a": f"{seeded}/seed{{seed}}/als_{{seed}}.csv", "b": f"{seeded}/fold1/als_seed{{seed}}.csv"}
    loaded = library.load_config({"data": {"test": "t.csv", "recommendations": patterns}, "evaluation": {"metrics": ["Recall@1"]}})
    assert [len(names) for names in loaded.config.data.runs.values()] == [2, 3]
    (warning,) = loaded.warnings
    assert warning.startswith("data.recommendations: 2 files left out: ")
    assert "seed3/als_4.csv, " in warning
    assert "als_seed2_old.csv" in warning


def test_seeds_that_differ_between_folds_are_refused_with_the_fold_and_the_seed(seeded):
    (seeded / "fold2" / "als_seed2.csv").unlink()
    with pytest.raises(
        library.ConfigError, match=r"data\.recommendations\.als: fold 2 has no lists of seed 2 \(fold2/als_seed{seed}\.csv\)"
    ):
        _seed_outputs(seeded, "fold{fold}/als_seed{seed}.csv")


def test_a_pattern_that_matches_nothing_is_a_data_error(seeded, receval):
    for path in ("nothing_{seed}.csv", "nothing_*.csv"):
        code, _, err = receval("run", "--test", f"{seeded}/fold1/test.csv", "--recs", f"als={seeded}/{path}", "-m", "Recall@1")
        assert (code, f"no file matches {seeded}/nothing_*.csv" in err) == (3, True)
    code, _, err = receval("run", "--test", f"{seeded}/fold1/test_{{seed}}.csv", "--recs", f"als={seeded}/fold1/pop.csv", "-m", "Recall@1")
    assert (code, "{seed} is for the runs of a model" in err) == (3, True)


def test_a_pattern_of_runs_in_a_store_is_refused_with_what_to_write(receval):
    code, _, err = receval("run", "--test", "t.csv", "--recs", "als=s3://bucket/als_{seed}.csv", "-m", "Recall@1")
    assert (code, "write a list of them, runs: [s3://bucket/als_1.csv, …]" in err) == (2, True)


def test_runs_whose_seeds_differ_between_folds_are_numbered(config):
    def of_seeds(first, second):
        (folder := config(FOLDS).parent).joinpath("als_5.csv").write_text((folder / "one.csv").read_text())
        for seed in (6, 7, 8):
            (folder / f"als_{seed}.csv").write_text((folder / "one.csv").read_text())
        tests = [{"name": str(fold), "test": f"test_{fold}.csv"} for fold in (1, 2)]
        lists = [{"als": {"runs": [f"als_{seed}.csv" for seed in seeds]}} for seeds in (first, second)]
        folds = [{**test, "recommendations": of_fold} for test, of_fold in zip(tests, lists, strict=True)]
        return {row.run for row in run(config({"folds": folds})).repeated}

    assert of_seeds((5, 6), (5, 6)) == {"5", "6", None}
    assert of_seeds((5, 6), (7, 8)) == {"1", "2", None}
