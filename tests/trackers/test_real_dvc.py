"""The files for DVC, shown by DVC itself in a git repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import receval as library

TEST = {user: [user % 7] for user in range(20)}


@pytest.fixture
def dvc(tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs DVC in a new repository."""
    pytest.importorskip("dvc", reason="needs DVC itself: pip install dvc")
    if shutil.which("git") is None:
        pytest.skip("needs git")
    settings = {
        "DVC_NO_ANALYTICS": "1",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "DVC_SITE_CACHE_DIR": str(tmp_path / "cache"),
    }

    def run(*command: str) -> str:
        program = [sys.executable, "-m", "dvc"] if command[0] != "git" else ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
        arguments = command if command[0] != "git" else command[1:]
        done = subprocess.run([*program, *arguments], cwd=tmp_path, env={**os.environ, **settings}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("git", "init", "-q")
    run("init", "-q")
    return run


def log(folder: Path, hits: int) -> None:
    """Log two models, of which `als` has so many hits."""
    lists = {"als": {user: [user % 7 if user < hits else 9, 8] for user in TEST}, "knn": {user: [9, user % 7] for user in TEST}}
    result = library.evaluate(test=TEST, recommendations=lists, metrics=["HitRate"], top_k=[1, 2], health=False)
    library.track(result, {"dvc": {"dir": str(folder / "dvc")}})


def drawn(dvc: Callable[..., str], file: str, x: str = "k") -> dict[str, list[tuple[str, str]]]:
    """Return the line of each model that DVC draws of the only plot."""
    ((name, (plot,)),) = json.loads(dvc("plots", "show", "--json"))["data"].items()
    assert name.endswith(file)
    lines: dict[str, list[tuple[str, str]]] = {}
    for point in plot["content"]["data"]["values"]:
        lines.setdefault(point["field"], []).append((point[x], point["dvc_inferred_y_value"]))
    return lines


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dvc_shows_metrics_their_changes_and_plots(dvc: Callable[..., str], tmp_path: Path):
    log(tmp_path, 10)
    dvc("git", "add", "-A")
    dvc("git", "commit", "-qm", "first")
    log(tmp_path, 15)
    (of_file,) = json.loads(dvc("metrics", "show", "--json"))[""]["data"].values()
    assert of_file["data"] == {"als": {"HitRate_at_1": 0.75, "HitRate_at_2": 0.75}, "knn": {"HitRate_at_1": 0.0, "HitRate_at_2": 1.0}}
    (changes,) = json.loads(dvc("metrics", "diff", "--json")).values()
    assert changes["als.HitRate_at_1"] == {"old": 0.5, "new": 0.75, "diff": 0.25}
    assert drawn(dvc, "plots/HitRate.csv") == {"als": [("1", "0.75"), ("2", "0.75")], "knn": [("1", "0.0"), ("2", "1.0")]}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_dvc_shows_the_plots_of_epochs(dvc: Callable[..., str], tmp_path: Path):
    for epoch, value in enumerate((0.5, 0.625)):
        library.track({"als": {"HitRate@1": value}, "knn": {"HitRate@1": 0.5}}, {"dvc": {"dir": str(tmp_path / "dvc")}}, step=epoch)
    (of_file,) = json.loads(dvc("metrics", "show", "--json"))[""]["data"].values()
    assert of_file["data"] == {"step": 1, "als": {"HitRate_at_1": 0.625}, "knn": {"HitRate_at_1": 0.5}}
    assert drawn(dvc, "steps/HitRate_at_1.csv", "step") == {"als": [("0", "0.5"), ("1", "0.625")], "knn": [("0", "0.5"), ("1", "0.5")]}
