"""`receval init --demo` writes the sample that comes with the package."""

from __future__ import annotations

import os
from pathlib import Path

from receval import load_config
from receval.config import json_schema

from tests.conftest import CONFIGS


def test_the_demo_is_the_sample_of_the_repository_and_runs(receval, tmp_path):
    target = tmp_path / "new" / "demo"
    code, out, err = receval("init", "--demo", target)
    assert (code, out) == (0, "")
    assert err == f"receval: wrote the sample to {target}; next: receval run {target / 'quickstart.yaml'}\n"
    written = {path.relative_to(target): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert written.pop(Path("receval.schema.json")).decode() == json_schema()
    assert written == {name: (CONFIGS / name).read_bytes() for name in written}
    assert {str(name) for name in written if "/" not in str(name)} == {
        "families.yaml",
        "grids.yaml",
        "quickstart.yaml",
    }
    assert {name.name for name in written if name.parent.name} == {path.name for path in (CONFIGS / "data").iterdir()} - {
        "make.py",
        "__pycache__",
    }
    assert receval("run", target / "quickstart.yaml")[1] == receval("run", CONFIGS / "quickstart.yaml")[1]


def test_the_demo_leaves_a_folder_with_something_in_it_alone_unless_forced(receval, tmp_path, write):
    write("mine.txt", "mine")
    code, _, err = receval("init", "--demo", tmp_path)
    assert (code, [path.name for path in tmp_path.iterdir()]) == (2, ["mine.txt"])
    assert "is not empty" in err
    assert receval("init", "--demo", tmp_path / "mine.txt")[0] == 2
    assert receval("init", "--demo", tmp_path, "--force")[0] == 0
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert receval("validate", tmp_path / "quickstart.yaml")[0] == 0


def test_init_guesses_the_config_of_the_sample(receval, sample, monkeypatch):
    monkeypatch.chdir(sample / "data")
    assert receval("init", "-o", "config.yaml")[0] == 0
    guessed, ours = load_config("config.yaml").resolved()["data"], load_config(sample / "families.yaml").resolved()["data"]
    for key in ours.keys() - {"baseline", "recommendations"}:
        assert guessed[key] == {**ours[key], "path": os.path.basename(ours[key]["path"])}
    assert guessed["recommendations"].keys() == ours["recommendations"].keys()
    assert receval("run", "config.yaml", "-q")[0] == 0
