"""Results by group on the command line."""

from __future__ import annotations

import csv
import json

import polars as pl
import pytest
import yaml


@pytest.fixture
def config(sample):
    data = {
        "test": "data/test.csv",
        "train": "data/train.csv",
        "items": {"path": "data/items.csv", "categories": "genres", "split": "|"},
        "users": "data/users.csv",
        "recommendations": {"knn": "data/knn.parquet", "popular": "data/popular.parquet"},
    }
    by = ["users.plan", "items.genres", {"train_count": [5, 20]}, "cold"]
    evaluation = {"relevance": {"threshold": 4}, "metrics": ["nDCG", "Recall"], "top_k": [5, 10], "by": by}
    (sample / "by.yaml").write_text(yaml.safe_dump({"data": data, "evaluation": evaluation, "health": "off"}))
    return sample / "by.yaml"


def test_every_output_has_the_groups(receval, config, tmp_path):
    assert receval("run", config, "-q", "-o", f"{tmp_path}/out/", "-o", tmp_path / "r.jsonl")[0] == 0
    long = pl.read_csv(tmp_path / "out" / "results.csv", infer_schema_length=None)
    split = long.filter(pl.col("by").is_not_null())
    assert split["by"].unique(maintain_order=True).to_list() == ["users.plan", "items.genres", "train_count", "cold"]
    free, paid = (
        long.filter(model="knn", metric="nDCG", k=10, by="users.plan", group=group).row(0, named=True) for group in ("free", "paid")
    )
    everyone = long.filter(pl.col("by").is_null(), model="knn", metric="nDCG", k=10).row(0, named=True)
    assert free["n_users"] + paid["n_users"] == everyone["n_users"]
    weighted = (free["value"] * free["n_users"] + paid["value"] * paid["n_users"]) / everyone["n_users"]
    assert weighted == pytest.approx(everyone["value"], abs=1e-14)
    assert long.filter(by="train_count", metric="nDCG", k=10, model="knn")["few_users"].to_list() == [True, True, False]
    rows = pl.read_parquet(tmp_path / "out" / "results.parquet").to_dicts()
    assert json.loads((tmp_path / "out" / "results.json").read_text())["results"] == rows
    assert [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()] == rows
    with (tmp_path / "out" / "results_wide.csv").open() as file:
        wide = list(csv.DictReader(file))
    assert next(row for row in wide if (row["model"], row["group"]) == ("knn", "free"))["nDCG@10"] == str(free["value"])
    shown = f"| free | {free['n_users']} | knn |"
    assert shown in (tmp_path / "out" / "results.md").read_text()


def test_the_screen_shows_a_table_for_each_split_and_marks_small_groups(receval, config):
    code, out, _ = receval("run", config)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("By ")] == [
        "By users.plan",
        "By items.genres",
        "By train_count",
        "By cold",
    ]
    assert "0-4           4 (few)    knn" in out
    assert "few: fewer than 100 users, whose values are very uncertain." in out


def test_the_resolved_config_reads_back(receval, config, tmp_path):
    _, out, _ = receval("run", config, "--print-config")
    by = ["users.plan", "items.genres", {"train_count": [5, 20]}, "cold"]
    assert yaml.safe_load(out)["evaluation"]["by"] == by
    assert receval("run", config, "--print-config", "--set", "evaluation.by=cold")[1].count("by: [cold]") == 1


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        ("[plan]", "evaluation.by must be a column of users (users.plan)"),
        ("[{train_count: [20, 5]}]", "train_count must be a list of ascending numbers from 1, such as [5, 20], not [20, 5]"),
        ("[{train_count: [0]}]", "train_count must be a list of ascending numbers from 1,"),
        ("train_count", "train_count needs the numbers of train rows at which groups start:"),
        ("[cold, cold]", "evaluation.by must be cold twice"),
    ],
)
def test_what_cannot_be_split_by_is_a_config_error(receval, config, by, sentence):
    code, out, err = receval("run", config, "--set", f"evaluation.by={by}")
    assert (code, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize(("by", "role"), [("users.plan", "users"), ("items.label", "items"), ("cold", "train")])
def test_a_split_by_a_file_that_is_not_given_is_a_config_error(receval, config, by, role):
    code, _, err = receval("run", config, "--set", f"evaluation.by={by}", "--set", f"data.{role}=null")
    assert code == 2
    assert f"evaluation.by[0]: {by} comes from data.{role}: give data.{role}" in err


def test_a_column_that_is_not_there_is_a_data_error_that_names_those_that_are(receval, config):
    code, out, err = receval("run", config, "--set", "evaluation.by=users.plam")
    assert (code, out) == (3, "")
    assert "data/users.csv: no column 'plam'; the columns are 'user_id', 'activity', 'plan'" in err


@pytest.mark.parametrize(("command", "options"), [(("audit",), ()), (("explain", "nDCG@10"), ("--user", "2", "--model", "knn"))])
def test_commands_without_groups_say_nothing_of_them(command, options, receval, config):
    code, _, err = receval(*command, config, *options)
    assert code == 0, err
    assert "evaluation.by" not in err
