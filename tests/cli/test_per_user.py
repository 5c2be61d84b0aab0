"""Per-user values on standard output, in files and in folders."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

TEST = "user,item,rating\nbo,x,5\nbo,y,5\nal,x,4\nal,z,1\n"
KNN = "user,item,score\nbo,y,3\nbo,q,2\nal,z,2\nal,x,1\n"
CONFIG = """
data: {test: test.csv, recommendations: {knn: knn.csv}}
evaluation: {relevance: {threshold: 4}, metrics: [Precision@1, MRR@2], %s}
health: off
output: {%s}
"""
# al: z is not a hit, x at rank 2 is: Precision@1 0, MRR@2 1/2, one relevant item. bo: y is a hit: 1 and 1, two relevant items.
EXPECTED = [
    {"model": "knn", "user": "al", "n_relevant": 1, "n_recommended": 2, "Precision@1": 0.0, "MRR@2": 0.5},
    {"model": "knn", "user": "bo", "n_relevant": 2, "n_recommended": 2, "Precision@1": 1.0, "MRR@2": 1.0},
]


@pytest.fixture
def config(write):
    def config(output="", evaluation="top_k: 1"):
        write("test.csv", TEST)
        write("knn.csv", KNN)
        return write("config.yaml", CONFIG % (evaluation, output))

    return config


def read_csv(text):
    rows = csv.DictReader(io.StringIO(text))
    return [{name: cell if name in ("model", "user") else float(cell) if cell else None for name, cell in row.items()} for row in rows]


def test_per_user_values_are_printed_as_csv(config, receval):
    code, out, err = receval("run", config(), "--per-user")
    assert (code, err) == (0, "")
    assert read_csv(out) == EXPECTED
    assert receval("run", config(), "--per-user", "--format", "csv")[1] == out


def test_per_user_values_are_printed_as_json_lines(config, receval):
    code, out, _ = receval("run", config(), "--per-user", "--format", "jsonl", "--quiet")
    assert code == 0
    assert list(map(json.loads, out.splitlines())) == EXPECTED


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_per_user_values_are_written_to_files(config, receval, tmp_path, ending):
    target = tmp_path / f"users.{ending}"
    assert receval("run", config(), "--per-user", "-q", "-o", target) == (0, "", "")
    read = {"csv": lambda: read_csv(target.read_text()), "jsonl": lambda: list(map(json.loads, target.read_text().splitlines()))}
    assert read.get(ending, lambda: pl.read_parquet(target).to_dicts())() == EXPECTED


def test_a_folder_has_the_formats_that_the_config_names(config, receval, tmp_path):
    assert receval("run", config("dir: out, per_user: [csv, jsonl]"), "-q")[0] == 0
    assert read_csv((tmp_path / "out" / "per_user.csv").read_text()) == EXPECTED
    assert list(map(json.loads, (tmp_path / "out" / "per_user.jsonl").read_text().splitlines())) == EXPECTED
    assert not (tmp_path / "out" / "per_user.parquet").exists()
    listed = {entry["path"] for entry in json.loads((tmp_path / "out" / "manifest.json").read_text())["outputs"]}
    assert {"per_user.csv", "per_user.jsonl"} <= listed


def test_a_folder_has_parquet_if_only_the_command_line_asks_for_per_user_values(config, receval, tmp_path):
    assert receval("run", config("dir: out"), "--per-user", "-q")[0] == 0
    assert pl.read_parquet(tmp_path / "out" / "per_user.parquet").to_dicts() == EXPECTED


def test_a_user_without_a_value_has_an_empty_cell(config, receval):
    path = config(evaluation="top_k: 1, policy: {}")
    path.write_text(path.read_text().replace("MRR@2", "MRR(threshold=5)@2"))
    out = receval("run", path, "--per-user")[1]
    assert [row["MRR(threshold=5)@2"] for row in read_csv(out)] == [None, 1.0]
    out = receval("run", path, "--per-user", "--format", "jsonl")[1]
    assert [json.loads(line)["MRR(threshold=5)@2"] for line in out.splitlines()] == [None, 1.0]


@pytest.mark.parametrize("form", ["table", "json", "md"])
def test_formats_without_per_user_rows_are_refused(config, receval, form):
    code, out, err = receval("run", config(), "--per-user", "--format", form)
    assert (code, out) == (2, "")
    assert f"--per-user prints csv or jsonl, not {form}" in err


def test_per_user_files_of_other_formats_are_refused(config, receval, tmp_path):
    code, _, err = receval("run", config(), "--per-user", "-o", tmp_path / "users.md")
    assert code == 2
    assert "the name of a file must end in .csv, .jsonl, .parquet" in err


def test_an_unknown_format_in_the_config_is_refused_with_the_known_ones(config, receval):
    code, _, err = receval("run", config("per_user: [csv, excel]"))
    assert code == 2
    assert "output.per_user: this must be true, false, or a list of formats (parquet, csv, jsonl, wide, long), not ['csv', 'excel']" in err


def test_a_reference_list_without_a_pooled_measure_has_empty_cells(write, receval):
    write("test.csv", TEST)
    write("knn.csv", KNN)
    write("old.csv", "user,item,score\nal,x,0.5\nbo,y,0.5\n")
    path = write(
        "config.yaml",
        "data: {test: test.csv, recommendations: {knn: knn.csv}, previous_policy: old.csv}\n"
        "evaluation: {metrics: [NCISnDCG, Recall], top_k: 2, aggregates: [mean, micro], yardsticks: [oracle]}\n",
    )
    code, out, err = receval("run", path, "--per-user", "--format", "csv")
    assert code == 0, err
    rows = [row for row in read_csv(out) if row["model"] == "(oracle)"]
    assert [(row["user"], row["NCISnDCG@2 numerator"], row["Recall@2 numerator"]) for row in rows] == [
        ("al", None, 2.0),
        ("bo", None, 2.0),
    ]


@pytest.mark.parametrize("files", [["r.tex"], ["r.tex", "paper.html", "r.md"]])
def test_reports_of_the_config_are_the_same_with_per_user_values(files, config, receval, tmp_path):
    path = config(evaluation="top_k: 1")
    asked = ("--set", f"report.files={json.dumps(files)}", "-q")
    assert receval("run", path, *asked)[0] == 0
    reports = {name: (tmp_path / name).read_bytes() for name in files}
    code, out, err = receval("run", path, "--per-user", *asked, "-o", tmp_path / "users.csv")
    assert (code, out) == (0, ""), err
    assert {name: (tmp_path / name).read_bytes() for name in files} == reports
    assert read_csv((tmp_path / "users.csv").read_text()) == EXPECTED
