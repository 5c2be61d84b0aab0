"""Paths and names as people type them: dots, `~`, backslashes, duplicate names, and missing files."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import yaml
from receval.support.errors import ConfigError, DataError

TEST = "user,item\n1,10\n2,11\n"
LISTS = "user,item,score\n1,10,2\n2,11,1\n"
CONFIG = "data: {{test: t.csv, recommendations: {models}}}\nevaluation: {{convention: receval, metrics: [Recall@1]}}\nhealth: off\n"


@pytest.fixture
def config(folder):
    """Return a function that writes a config with these models and lists into the folder `c`; the working folder is its parent."""

    def config(models: str, *lists: str) -> str:
        folder({"c/c.yaml": CONFIG.format(models=models), "c/t.csv": TEST, **{f"c/{name}": LISTS for name in lists}})
        return "c/c.yaml"

    return config


def models(receval, *arguments):
    code, out, err = receval("run", *arguments, "--format", "json")
    assert code == 0, err
    return [model["model"] for model in json.loads(out)["models"]]


def test_names_of_models_keep_their_dots_and_lose_endings_of_file_formats(receval, config):
    files = ("bpr_lr0.05.csv", "bpr_lr0.1.csv", "als.v2.run.txt", "pop.tsv")
    assert models(receval, config("'l/*'", *(f"l/{name}" for name in files[:3]))) == ["als.v2", "bpr_lr0.05", "bpr_lr0.1"]


def test_two_files_of_one_model_are_named(receval, config):
    code, _, err = receval("run", config("['a/*.csv', 'b/*.csv']", "a/knn.csv", "b/knn.csv"))
    assert code == 3
    assert "data.recommendations: c/a/knn.csv and c/b/knn.csv would have the same model name, 'knn'\n  give the models as name: path" in err
    code, _, err = receval("run", config("'a/knn.*'", "a/knn.csv", "a/knn.txt"))
    assert (code, "c/a/knn.csv and c/a/knn.txt would have the same model name, 'knn'" in err) == (3, True)


def test_an_existing_model_is_replaced_only_on_request(receval, config):
    path = config("{a: a.csv}", "a.csv", "b.csv")
    code, out, err = receval("run", path, "--recs", "a=c/b.csv")
    assert (code, out) == (2, "")
    assert err == "receval: --recs a=c/b.csv: there is a model 'a' already: choose another name, or add --replace\n"
    assert models(receval, path, "--recs", "a=c/b.csv", "--replace") == ["a"]
    assert models(receval, path, "--recs", "b=c/b.csv") == ["a", "b"]
    assert receval("validate", path, "--recs", "x=c/b.csv", "--recs", "x=c/a.csv")[0] == 2
    assert models(receval, path, "--set", "data.recommendations.b.format=csv", "--recs", "b=c/b.csv") == ["a", "b"]
    listed = config("[{name: a, path: a.csv}]", "a.csv")
    assert receval("run", listed, "--recs", "a=c/b.csv")[0] == 2
    assert models(receval, listed, "--recs", "a=c/b.csv", "--replace") == ["a"]


@pytest.mark.parametrize("form", ["{{a: {}}}", "[{}]"])
def test_a_replaced_model_keeps_its_keys(form, receval, config):
    path = config(form.format("{name: a, path: x.csv, columns: {user: uid}, split: '|'}"))
    code, out, _ = receval("run", path, "--recs", "a=c/b.csv", "--replace", "--print-config")
    data = yaml.safe_load(out)["data"]["recommendations"]
    given = data["a"] if isinstance(data, dict) else data[0]
    assert (code, given["path"], given["columns"], given["split"]) == (0, "b.csv", {"user": "uid"}, "|")


def test_a_replaced_query_or_set_of_runs_is_a_file(receval, config):
    for source in ("{uri: 'sqlite:///x.db', query: select 1}", "{runs: [x.csv, y.csv]}"):
        path = config(f"{{a: {source}}}", "b.csv")
        assert receval("run", path, "--recs", "a=c/b.csv")[2].startswith("receval: --recs a=c/b.csv: there is a model 'a' already")
        assert models(receval, path, "--recs", "a=c/b.csv", "--replace") == ["a"]


def test_all_missing_paths_are_named_at_once_relative_to_the_working_folder(receval, config):
    path = config("{a: a.csv, far: 'https://localhost/x.csv'}")
    arguments = (path, "--recs", "b=gone.csv", "--set", "data.train=../no*.csv", "--set", "evaluation.metrics=[EPC@1]")
    missing = (
        "receval: some files are missing or wrong\n"
        "data.train: no file matches no*.csv\n"
        "data.recommendations.a: there is no file c/a.csv\n"
        "data.recommendations.b: there is no file gone.csv\n"
        "  paths in a config are relative to its file, those of options to the current folder\n"
    )
    assert receval("run", *arguments) == (3, "", missing)
    assert receval("validate", *arguments)[0] == 0
    assert receval("validate", *arguments, "--files") == (3, "", missing)
    assert receval("validate", config("{a: a.csv}", "a.csv"), "--files")[0] == 0


def test_a_run_ignores_a_missing_side_input_that_nothing_reads(receval, config):
    path = config("{a: a.csv}", "a.csv")
    assert models(receval, path, "--set", "data.users=gone.csv") == ["a"]
    assert receval("validate", path, "--set", "data.users=gone.csv", "--files")[0] == 3


def test_a_tilde_is_the_home_folder_in_every_path(receval, config, monkeypatch, tmp_path):
    path = config("{a: ~/c/a.csv}", "a.csv", "b.csv")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert models(receval, "~/c/c.yaml", "--recs", "b=~/c/b.csv", "-o", "~/out/") == ["a", "b"]
    receval("run", path, "--set", "output.dir=~/more")
    assert (tmp_path / "out" / "results.json").exists()
    assert (tmp_path / "more" / "results.json").exists()
    assert receval("check", path, "--store-failures", "~/failures")[0] == 0
    assert (tmp_path / "failures").is_dir()


def test_a_path_of_windows_in_double_quotes_gets_a_hint(receval, config):
    path = config("{a: a.csv}", "a.csv")
    code, _, err = receval("validate", path, "--set", r'data.test="C:\Users\me\t.csv"')
    assert (code, "write Windows paths in single quotes or with /" in err) == (2, True)
    code, _, err = receval("run", path, "--set", r'data.test="C:\temp\new.csv"')
    assert (code, "in double quotes a backslash begins an escape; write the path in single quotes" in err) == (3, True)


@pytest.mark.parametrize(
    ("typed", "meant"), [("rnu", "'run'"), ("chek", "'check'"), ("valid", "'validate'"), ("a/c.yaml", "'receval run a/c.yaml'")]
)
def test_a_typo_in_a_command_gets_a_suggestion(typed, meant, receval):
    code, out, err = receval(typed)
    assert (code, out) == (2, "")
    assert f"No such command {typed!r}. Did you mean {meant}?" in err
    assert "Did you mean" not in receval("xyzzy")[2]


@pytest.mark.parametrize(
    "error", [ConfigError([f"problem {n}" for n in range(500)], "a hint"), DataError(["x"] * 30, ["one", "two", "three"])]
)
def test_a_message_is_cut_at_20_lines_and_says_how_many_more_there_are(error):
    lines = error.shown().splitlines()
    assert len(lines) <= 20
    n = len(error.message.splitlines())
    assert f"… and {n - 16} more like these" in lines
    assert lines[0] in ("the config is wrong", "some files are missing or wrong")


def test_a_message_of_20_lines_is_not_cut():
    problems = [f"problem {n}" for n in range(17)]
    assert ConfigError(problems).shown().splitlines() == ["the config is wrong", *problems]


def test_many_problems_of_a_config_are_reported_in_20_lines(receval, config):
    path = config("{a: a.csv}", "a.csv")
    code, _, err = receval("run", path, "--set", f"evaluation.metrics=[{', '.join(f'x{n}' for n in range(60))}]")
    assert (code, len(err.splitlines())) == (2, 18)


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "receval", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("receval ")
