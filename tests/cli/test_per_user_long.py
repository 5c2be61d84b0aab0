"""The long form of per-user values: a row for each model, measure and user; every command reads both forms."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
import receval as library

from tests.conftest import built_once
from tests.sizes import each_once

LISTS = "user,item,score\nal,x,2\nal,z,1\nbo,q,3\nbo,y,2\ncy,z,1\n"
OTHER = "user,item,score\nal,q,2\nal,x,1\nbo,y,3\nbo,q,2\ncy,q,1\n"
PLAIN = """
data: {test: test.csv, recommendations: {knn: knn.csv, pop: pop.csv}}
evaluation: {metrics: [Precision@1, MRR@2]}
health: off
"""
RICH = """
data:
  folds: [{name: one, test: test.csv}, {name: two, test: test.csv}]
  recommendations: {knn: {runs: [knn.csv, pop.csv]}, pop: {runs: [pop.csv, knn.csv]}}
  users: users.csv
evaluation:
  metrics: [Precision@1, MRR@2, Recall@2]
  by: users.plan
  weights: {users: users.revenue}
  yardsticks: {oracle: true}
health: off
"""


@pytest.fixture
def folders(receval, tmp_path):
    """Return a function that writes a config and its results in both forms."""

    def folders(config):
        built_once(tmp_path, build, config)
        return tmp_path / "wide", tmp_path / "long"

    def build(config):
        Path("test.csv").write_text("user,item\nal,x\nal,y\nbo,y\ncy,z\n")
        Path("users.csv").write_text("user,plan,revenue\nal,free,1\nbo,paid,2.5\ncy,free,0.5\n")
        Path("knn.csv").write_text(LISTS)
        Path("pop.csv").write_text(OTHER)
        Path("config.yaml").write_text(config)
        for form in ("wide", "long"):
            code, _, err = receval("run", "config.yaml", "-q", "-o", f"{form}/", "--set", f"output.per_user={form}")
            assert (code, err) == (0, "")

    return folders


def test_the_long_form_has_a_row_for_each_model_measure_and_user(folders):
    rows = pl.read_parquet(folders(PLAIN)[1] / "per_user.parquet")
    assert rows.columns == ["model", "user", "n_relevant", "n_recommended", "measure", "value"]
    assert rows.height == 2 * 2 * 3
    assert rows.rows()[:4] == [
        ("knn", "al", 2, 2, "Precision@1", 1.0),
        ("knn", "bo", 1, 2, "Precision@1", 0.0),
        ("knn", "cy", 1, 1, "Precision@1", 1.0),
        ("knn", "al", 2, 2, "MRR@2", 1.0),
    ]


@pytest.mark.parametrize("config", [PLAIN, RICH])
def test_both_forms_are_read_as_the_same_values(folders, config):
    wide, long = map(library.load_results, folders(config))
    assert list(wide.per_user) == list(long.per_user)
    for model, frame in wide.per_user.items():
        assert frame.equals(long.per_user[model])
        assert frame.columns == long.per_user[model].columns


COMMANDS = (
    ("compare", "FOLDER", "--format", "json"),
    ("gate", "FOLDER", "--baseline", "FOLDER", "MRR@2 max_loss 5%", "--format", "json"),
    ("report", "FOLDER", "--format", "md"),
    ("user", "al", "FOLDER", "--format", "json"),
)


@pytest.mark.parametrize(("command", "config"), each_once(COMMANDS, [PLAIN, RICH]))
def test_every_command_says_the_same_of_both_forms(folders, receval, config, command):
    said = []
    for folder in folders(config):
        code, out, err = receval(*(str(folder) if word == "FOLDER" else word for word in command))
        said.append((code, out.replace(str(folder), "FOLDER"), err.replace(str(folder), "FOLDER")))
    assert said[0] == said[1]
    assert any(said[0][1:])


def test_the_long_form_has_folds_runs_groups_and_terms(folders):
    rows = pl.read_parquet(folders(RICH)[1] / "per_user.parquet")
    assert rows.columns == [
        *("model", "fold", "run", "user", "n_relevant", "n_recommended", "users.plan", "measure", "value", "numerator", "denominator")
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_per_user_values_are_printed_in_the_form_of_the_config(folders, receval, tmp_path, form):
    folders(PLAIN)
    code, out, _ = receval("run", tmp_path / "config.yaml", "--per-user", "-q", "--format", form, "--set", "output.per_user=long")
    first = out.splitlines()[-1] if form == "jsonl" else out.splitlines()[0]
    assert code == 0
    assert [*(json.loads(first) if form == "jsonl" else first.split(","))] == [
        *("model", "user", "n_relevant", "n_recommended", "measure", "value")
    ]  # fmt: skip


def test_a_folder_can_have_the_long_form_in_several_formats(folders, receval, tmp_path):
    folders(PLAIN)
    assert (
        receval("run", tmp_path / "config.yaml", "-q", "-o", f"{tmp_path / 'both'}/", "--set", "output.per_user=[long, csv, parquet]")[0]
        == 0
    )
    assert pl.read_csv(tmp_path / "both" / "per_user.csv").equals(pl.read_parquet(tmp_path / "both" / "per_user.parquet"))


def test_wide_and_long_together_are_refused(folders, receval, tmp_path):
    folders(PLAIN)
    code, _, err = receval("run", tmp_path / "config.yaml", "--set", "output.per_user=[wide, long]")
    assert code == 2
    assert "output.per_user: per-user values are either wide or long: remove one of them" in err


def test_a_result_in_python_gives_both_forms_and_saves_them(folders, tmp_path):
    result = library.load_results(folders(PLAIN)[0])
    assert result.to_polars(per_user="long").equals(pl.read_parquet(tmp_path / "long" / "per_user.parquet"))
    assert result.to_polars(per_user="wide").equals(pl.read_parquet(tmp_path / "wide" / "per_user.parquet"))
    assert result.to_pandas(per_user="long").shape == (12, 6)
    assert result.to_arrow(per_user=True).num_rows == 12
    result.save(tmp_path / "saved", per_user="long")
    assert (tmp_path / "saved" / "per_user.parquet").read_bytes() == (tmp_path / "long" / "per_user.parquet").read_bytes()
    with pytest.raises(library.ConfigError, match='per_user must be "wide", "long" or False, not \'tall\''):
        result.to_polars(per_user="tall")


def test_values_without_users_are_refused_in_python(folders, tmp_path):
    folders(PLAIN)
    result = library.evaluate(
        test=tmp_path / "test.csv", recommendations={"knn": tmp_path / "knn.csv"}, metrics="MRR@2", health=False, keep_users=False
    )
    with pytest.raises(library.ConfigError, match="this result has no per-user values"):
        result.to_polars(per_user="long")
