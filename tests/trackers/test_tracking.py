"""Results in trackers: files for DVC, trackers of packages, and failures."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import receval as library
import yaml
from receval.actions.track import files_of
from receval.support import plugins
from receval.support.extras import install_command
from receval.trackers.dvc import DvcFiles

from tests.conftest import CONFIGS

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("results")
    config = library.load_config(CONFIGS / "quickstart.yaml")
    result = library.evaluate(config)
    library.EvaluationResult.of(result).save(place)
    return place


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Register a tracker like a package, and return the arguments it gets."""
    given: list[Any] = []

    class Acme:
        def __init__(self, options: Any) -> None:
            given.append(options)

        def log(self, result: library.Result, files: Any) -> str:
            print("hello from a library")
            if given[0].get("broken"):
                raise ConnectionError("no server\nat all")
            given.extend((result.models, sorted(files)))
            return "acme.example"

    monkeypatch.setitem(sys.modules, "acme_tracker", type(sys)("acme_tracker"))
    sys.modules["acme_tracker"].Acme = Acme  # type: ignore[attr-defined]
    entry = EntryPoint("acme", "acme_tracker:Acme", "receval.trackers")
    monkeypatch.setattr(plugins, "entry_points_of", lambda kind: (entry,) if kind == "trackers" else ())
    return given


def test_files_for_dvc_have_the_values_under_names_without_dots(receval: Command, folder: Path, tmp_path: Path):
    assert receval("track", folder, "--to", f"{{dvc: {{dir: {tmp_path / 'dvc'}}}}}")[0] == 0
    read = {path.name: path.read_text("utf-8") for path in (tmp_path / "dvc").iterdir() if path.is_file()}
    assert set(read) == {"metrics.json", "names.json", "dvc.yaml", "results.json", "report.html", "manifest.json"}
    result, values, names = library.load_results(folder), json.loads(read["metrics.json"]), json.loads(read["names.json"])
    back = {names["models"][model]: {names["measures"][name]: value for name, value in of.items()} for model, of in values.items()}
    assert back == {model: {label: value for label, value in of.items() if value is not None} for model, of in result.to_dict().items()}
    assert "." not in "".join((*values, *values["knn"]))
    plots = [next(iter(entry.items())) for entry in yaml.safe_load(read["dvc.yaml"])["plots"]]
    for path, how in plots:
        rows = list(csv.DictReader((tmp_path / "dvc" / path).read_text().splitlines()))
        assert {float(row["knn"]) for row in rows} <= {row.value for row in result["knn"].values()}
        assert list(rows[0]) == [how["x"], *how["y"]] == ["k", "knn", "popular", "random"]


def test_models_of_any_name_are_a_column_each_in_plots_for_dvc(tmp_path: Path):
    test = {1: [10], 2: [20]}
    lists = dict.fromkeys(("=1+1", "a\rb", "k"), test)
    DvcFiles(tmp_path, inputs=()).log(library.evaluate(test=test, recommendations=lists, metrics=["Recall"], top_k=[1, 2]), {})
    with open(tmp_path / "plots" / "Recall.csv", newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["k", "_1_1", "a_b", "_k"], ["1", "1.0", "1.0", "1.0"], ["2", "1.0", "1.0", "1.0"]]


def test_plots_for_dvc_are_of_means_at_several_cut_offs(tmp_path: Path):
    asked = {"metrics": ["Recall@1", "Recall@2", "MRR@1"], "aggregates": ["mean", "median"]}
    test = {1: [10], 2: [20]}
    DvcFiles(tmp_path, inputs=()).log(library.evaluate(test=test, recommendations=test, **asked), {})
    assert (tmp_path / "plots" / "Recall.csv").read_text() == "k,model\n1,1.0\n2,1.0\n"
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["Recall.csv"]


def test_no_file_of_a_tracker_names_a_user(tmp_path: Path):
    lists = {"user-one": ["a", "a", "b"], "user-two": ["b"], "user-lost": ["a"]}
    result = library.check(test={"user-one": ["a"], "user-two": ["c"]}, recommendations={"als": lists})
    assert any("user-one" in str(finding.examples) for finding in result.findings)
    for name, content in files_of(result).items():
        assert b"user-" not in content, name


def test_a_run_tracks_its_results_and_prints_the_same_output(receval: Command, acme: list[Any]):
    plain = receval("run", CONFIGS / "quickstart.yaml", "--format", "csv")
    code, out, err = receval("run", CONFIGS / "quickstart.yaml", "--format", "csv", "--set", "track=[{acme: {team: home}}]")
    assert (code, out) == (plain[0], plain[1])
    assert "receval: tracked with acme: acme.example" in err
    assert acme == [{"team": "home"}, ("knn", "popular", "random"), ["manifest.json", "report.html", "results.json"]]


def test_a_tracker_that_fails_is_a_warning_unless_it_is_required(receval: Command, acme: list[Any], folder: Path):
    config = CONFIGS / "quickstart.yaml"
    code, out, err = receval("run", config, "-q", "--set", "track=[{acme: {broken: true}}]", "--format", "csv")
    assert (code, bool(out)) == (0, True)
    assert "receval: warning: not tracked: acme: ConnectionError: no server\n" in err
    acme.clear()
    code, out, err = receval("run", config, "-q", "--set", "track=[{acme: {broken: true, required: true}}]", "--format", "csv")
    assert (code, bool(out), "receval: acme: ConnectionError: no server" in err) == (2, True, True)
    acme.clear()
    assert receval("track", folder, "--to", "{acme: {broken: true}}")[0] == 2


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ("[{mlfow: {}}]", "unknown key 'mlfow' — did you mean 'mlflow'?"),
        ("[{mlflow: {experimnt: a}}]", "unknown key 'experimnt' — did you mean 'experiment'?"),
        ("[{mlflow: {}, wandb: {}}]", "each entry must be exactly one tracker: mlflow, wandb, dvc, tensorboard, plugin"),
        ("[{wandb: {mode: sometimes}}]", "track[0].wandb.mode"),
    ],
)
def test_a_wrong_track_section_is_refused_in_one_sentence(receval: Command, section: str, sentence: str):
    code, _, err = receval("run", CONFIGS / "quickstart.yaml", "--set", f"track={section}")
    assert (code, sentence in err) == (2, True), err


def test_trackers_have_a_short_form_and_the_config_reads_back():
    given = library.load_config(CONFIGS / "quickstart.yaml", ["track=[mlflow, {wandb: {mode: offline}}, dvc: ]"])
    assert [tracking.name for tracking in given.config.track] == ["mlflow", "wandb", "dvc"]
    again = given.resolved()
    assert again["track"][1] == {"wandb": {"project": "receval", "mode": "offline", "required": False}}


def test_tracking_without_a_tracker_or_with_a_wrong_one_is_refused(receval: Command, folder: Path):
    code, _, err = receval("track", folder)
    assert (code, "no tracker is given" in err) == (2, True)
    code, _, err = receval("track", folder, "--to", "{dvc: {dri: x}}")
    assert (code, "--to[0].dvc.dri" in err) == (2, True), err


def test_a_required_tracker_without_its_extra_is_refused_before_the_evaluation(receval: Command, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("receval.trackers.choosing.find_spec", lambda name: None)
    code, out, err = receval("run", CONFIGS / "quickstart.yaml", "--set", "track=[{mlflow: {required: true}}]")
    assert (code, out) == (4, "")
    assert install_command("mlflow") in err
