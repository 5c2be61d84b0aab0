"""`--models` in every command that has models: names and patterns, of configs, of files and of stored results."""

from __future__ import annotations

import json

import pytest
from receval import ConfigError, evaluate_config, load_config, load_results

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
    ("run", "config.yaml"),
    ("check", "config.yaml"),
    ("audit", "config.yaml", "--convention", "ranx"),
    ("describe", "config.yaml"),
    ("validate", "config.yaml"),
    ("explain", "MRR@2", "config.yaml", "--user", "1"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=[command[0] for command in COMMANDS])
@pytest.mark.parametrize("source", ["config.yaml", "out"])
def test_every_command_with_models_takes_names_of_configs_and_of_stored_results(command, source, place, receval):
    assert receval("run", "config.yaml", "-q", "-o", "out/", "--set", "output.per_user=parquet")[0] == 0
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
