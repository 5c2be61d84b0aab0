"""`--models` in every command that has models: names and patterns, of configs, of files and of stored results."""

from __future__ import annotations

import json
import shutil

import pytest
from receval import ConfigError, check, compare, enriched, evaluate_config, load_config, load_results, track
from receval import evaluate as receval_evaluate

from tests.conftest import built_once
from tests.sizes import each_once

LISTS = {"bpr_1": "1,a\n2,b\n3,c\n", "bpr_2": "1,a\n2,x\n3,c\n", "knn": "1,x\n2,y\n3,c\n", "pop": "1,x\n2,a\n3,z\n"}
CONFIG = """
data:
  test: test.csv
  train: train.csv
  recommendations: {bpr_1: bpr_1.csv, bpr_2: bpr_2.csv, knn: knn.csv, pop: pop.csv}
compare: {baseline: pop}
evaluation: {metrics: [Recall, MRR], top_k: [1, 2], by: ['train_count:2+']}
health: off
"""


@pytest.fixture
def place(folder):
    files = {f"{name}.csv": f"user,item\n{rows}" for name, rows in LISTS.items()}
    return folder(
        {**files, "test.csv": "user,item\n1,a\n2,b\n3,c\n", "train.csv": "user,item\n1,q\n2,q\n3,q\n3,r\n", "config.yaml": CONFIG}
    )


def models_of(out: str) -> list[str]:
    return [model["model"] for model in json.loads(out)["models"]]


@pytest.mark.parametrize(
    ("options", "models"),
    [
        (("--models", "bpr_1,knn"), ["bpr_1", "knn", "pop"]),
        (("--models", "knn", "--models", "bpr_1"), ["bpr_1", "knn", "pop"]),
        (("--models", "bpr*"), ["bpr_1", "bpr_2", "pop"]),
        (("--set", "data.models=[knn]", "--set", "compare=null"), ["knn"]),
    ],
)
def test_a_run_evaluates_the_chosen_models_and_the_one_that_they_are_compared_with(options, models, place, receval):
    code, out, err = receval("run", "config.yaml", *options, "--format", "json")
    assert (code, models_of(out)) == (0, models), err
    assert any(f"{len(models)} of 4 models chosen: " in remark for remark in json.loads(out)["remarks"])


def test_models_that_are_named_after_their_files_are_chosen_too(place, receval):
    files = ("--test", "test.csv", "--recs", "[bkp]*.csv", "-m", "Recall@2", "--format", "json")
    code, out, err = receval("run", *files, "--models", "b*,pop")
    assert (code, models_of(out)) == (0, ["bpr_1", "bpr_2", "pop"]), err
    code, _, err = receval("run", *files, "--models", "bpr")
    assert code == 2
    assert "there is no model named 'bpr': did you mean 'bpr_2' or 'bpr_1'?" in err


def test_models_that_a_column_names_are_chosen_too(place, receval):
    rows = "".join(f"{name},{row}\n" for name, lists in LISTS.items() for row in lists.split())
    (place / "all.csv").write_text(f"model,user,item\n{rows}")
    files = ("--test", "test.csv", "--recs", "all.csv", "-m", "Recall@2", "--format", "json")
    code, out, err = receval("run", *files, "--models", "b*")
    assert (code, models_of(out)) == (0, ["bpr_1", "bpr_2"]), err


COMMANDS = [
    ("compare", "SOURCE"),
    ("report", "SOURCE", "--format", "md"),
    ("gate", "SOURCE", "--rule", "Recall@2 >= 0"),
    ("user", "1", "SOURCE"),
    ("plot", "over_k", "SOURCE", "-o", "chart.json"),
    ("slices", "SOURCE"),
    ("track", "out", "--to", "dvc"),
    ("baseline", "show", "out"),
    ("baseline", "set", "out", "--to", "main"),
    ("run", "config.yaml"),
    ("check", "config.yaml"),
    ("audit", "config.yaml", "--convention", "ranx"),
    ("describe", "config.yaml"),
    ("validate", "config.yaml"),
    ("explain", "MRR@2", "config.yaml", "--user", "1"),
]


@pytest.mark.parametrize(("command", "source"), each_once(COMMANDS, ["config.yaml", "out"]))
def test_every_command_with_models_takes_names_of_configs_and_of_stored_results(command, source, place, receval):
    def build():
        for file in place.iterdir():
            shutil.copy(file, ".")
        assert receval("run", "config.yaml", "-q", "-o", "out/", "--set", "output.per_user=parquet")[0] == 0

    built_once(place, build)
    typed = [source if word == "SOURCE" else word for word in command]
    code, out, err = receval(*typed, "--models", "knn")
    assert code == 0, err
    assert "| bpr" not in out
    code, out, err = receval(*typed, "--models", "kn")
    assert (code, out) == (2, ""), err
    assert "there is no model named 'kn': did you mean 'knn'?" in " ".join(err.split())
    assert receval(*typed, "--models", "x*")[0] == 2


def test_the_two_models_of_a_diff_can_be_given_by_the_same_option(place, receval):
    assert receval("diff", "config.yaml", "--models", "knn,pop")[1] == receval("diff", "config.yaml", "knn", "pop")[1] != ""


def test_a_comparison_of_chosen_stored_models_says_how_many_there_were(place, receval):
    receval("run", "config.yaml", "-q", "-o", "out/")
    text = " ".join(receval("compare", "out", "--models", "bpr*")[1].split())
    assert text.startswith("bpr_1, bpr_2 against pop")
    assert "3 of 4 models chosen: bpr_1, bpr_2 and pop." in text


def test_python_chooses_models_of_a_config_and_of_a_folder_by_the_same_names(place):
    record = evaluate_config("config.yaml", outputs="out/", models="bpr*")
    assert record.result.models == ("bpr_1", "bpr_2", "pop")
    assert load_config("config.yaml", models=["knn"]).config.data.models == ("knn", "pop")
    assert load_results("out", models=["bpr_2"]).models == ("bpr_2",)
    with pytest.raises(ConfigError, match="did you mean 'bpr_2'"):
        load_results("out", models="bpr_")


def test_measures_can_be_given_by_their_names_in_reports_and_other_names_make_no_error(place, receval):
    (place / "config.yaml").write_text(CONFIG + "report: {names: {MRR@2: 'First, hit', Recall@2: Share, knn: Near}}\n")
    code, out, err = receval("run", "config.yaml", "-m", "First, hit", "-m", "Share", "--models", "bpr*", "--format", "json", "-o", "x.md")
    assert (code, {f"{row['metric']}@{row['k']}" for row in json.loads(out)["results"]}) == (0, {"MRR@2", "Recall@2"}), err
    assert receval("run", "config.yaml", "-m", "Share", "-o", "x.html")[0] == 0
    receval("run", "config.yaml", "-q", "-o", "out/")
    assert receval("report", "out", "--models", "bpr_1", "-o", "x.html")[0] == 0


def test_a_baseline_of_chosen_models_has_only_these_and_the_base_with_their_values_and_lists(place, receval):
    receval("run", "config.yaml", "-q", "-o", "out/", "--set", "output.enriched=true", "--set", "output.per_user=[csv, parquet]")
    code, _, err = receval("baseline", "set", "out", "--to", "main", "--models", "bpr_1")
    assert (code, err) == (0, "receval: out is now the baseline main; 2 of 4 models chosen: bpr_1 and pop\n")
    whole, part = load_results("out"), load_results("main")
    assert part.models == ("bpr_1", "pop")
    assert part.rows == tuple(row for row in whole.rows if row.model in part.models)
    assert all(part.per_user[model].equals(whole.per_user[model]) for model in part.models)
    names = {path.name for path in (place / "main").iterdir()}
    assert names == {path.name for path in (place / "out").iterdir()} - {"enriched.bpr_2.parquet", "enriched.knn.parquet"}
    assert receval("baseline", "set", "out", "--to", "main")[0] == 0
    assert load_results("main").models == whole.models
    assert "2 of 4 models chosen: bpr_1 and pop." in receval("baseline", "show", "main", "--models", "bpr_1")[1]


def test_the_lists_of_all_runs_of_a_chosen_model_are_in_its_baseline(place, receval):
    runs = "data.recommendations={bpr: {runs: [bpr_1.csv, bpr_2.csv]}, knn: knn.csv, pop: pop.csv}"
    receval("run", "config.yaml", "-q", "-o", "out/", "--set", "output.enriched=true", "--set", runs)
    assert receval("baseline", "set", "out", "--to", "main", "--models", "b*")[0] == 0
    names = {path.name for path in (place / "main").glob("enriched*")}
    assert names == {"enriched.bpr (run 1).parquet", "enriched.bpr (run 2).parquet", "enriched.pop.parquet"}


def test_only_the_values_of_chosen_models_are_logged_to_trackers(place, receval):
    receval("run", "config.yaml", "-q", "-o", "out/")
    code, _, err = receval("track", "out", "--to", "{dvc: {dir: logged}}", "--models", "knn")
    assert (code, "receval: 2 of 4 models chosen: knn and pop\n" in err) == (0, True), err
    assert {*json.loads((place / "logged/metrics.json").read_text())} == {"knn", "pop"}


def test_a_rule_against_a_model_keeps_it_among_the_chosen_ones(place, receval):
    receval("run", "config.yaml", "-q", "-o", "out/", "--set", "compare=null")
    code, out, err = receval("gate", "out", "--models", "bpr*", "--rule", "Recall@2 max_loss 0.9 against knn", "--format", "json")
    assert code == 0, err
    assert {gate["model"] for gate in json.loads(out)["gates"]} >= {"bpr_1", "bpr_2"}


LISTED = {"health": False, "recommendations": {name: f"{name}.csv" for name in LISTS}, "test": "test.csv", "metrics": "Recall@2"}


def test_functions_take_the_names_and_patterns_of_their_commands(place, receval):
    assert receval_evaluate("config.yaml", models="bpr*").models == ("bpr_1", "bpr_2", "pop")
    whole = receval_evaluate(**LISTED)
    result = receval_evaluate(**LISTED, models=["knn", "bpr_1"])
    assert result.models == ("bpr_1", "knn")
    assert "2 of 4 models chosen: bpr_1 and knn." in result.remarks
    assert {row["model"] for row in compare(whole, "pop", models="b*").to_polars().to_dicts()} == {"bpr_1", "bpr_2"}
    assert repr(whole.compare("pop", models="b*")) == repr(compare({"result": whole}, "pop", models=["bpr_1,bpr_2"]))
    whole.report("page.md", models="knn")
    assert "| bpr" not in (place / "page.md").read_text()
    assert "bpr" not in str(whole.chart("distribution", models="k*,pop").spec)
    track(whole, {"dvc": {"dir": "logged"}}, models="knn")
    assert "bpr" not in (place / "logged/metrics.json").read_text()
    assert set(enriched(**LISTED, models="b*")) == {"bpr_1", "bpr_2"}
    assert check("config.yaml", models="knn").models == ("knn", "pop")
    calls = (
        lambda: compare(whole, models="kn"),
        lambda: receval_evaluate(**LISTED, models="kn"),
        lambda: track(whole, "dvc", models="kn"),
        lambda: whole.chart(models="kn"),
    )
    for call in calls:
        with pytest.raises(ConfigError, match=r"^models: there is no model named 'kn': did you mean 'knn'"):
            call()
    with pytest.raises(ConfigError, match=r"load_config\(CONFIG, models=…\)"):
        receval_evaluate(load_config("config.yaml"), models="knn")


def test_a_card_of_some_models_says_nothing_of_the_files_of_the_others(place, receval):
    assert receval("run", "config.yaml", "-o", "out/", "--set", "output.describe=true", "-q")[0] == 0
    for models, other in (("knn", "bpr_1"), ("bpr*", "knn")):
        code, out, err = receval("card", "out", "--models", models, "--format", "md")
        measured = out.partition("## To repeat it")[0]
        assert (code, err) == (0, "")
        assert [text for text in (f"{other}.csv", f"{other} in test", f"data.recommendations.{other}") if text in measured] == []
        assert "pop in test" in measured, "the model that they are compared with stays"
