"""Results in MLflow (file store, and a real server with SQLite if it is installed) and in Weights & Biases (the files of offline runs)."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec
from pathlib import Path

import pytest
import receval as library
from msgspec.structs import replace
from receval.actions.track import files_of
from receval.config.run_sections import MlflowTracking, WandbTracking

from tests.trackers.conftest import MEASURE
from tests.trackers.readers import wandb_runs

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # ignore warnings within these libraries
needs_mlflow = pytest.mark.skipif(find_spec("mlflow") is None, reason="needs the extra mlflow")
needs_server = pytest.mark.skipif(find_spec("mlflow") is None or find_spec("alembic") is None, reason="needs the whole of mlflow")


@pytest.fixture(scope="module")
def result(evaluated: library.EvaluationResult) -> library.EvaluationResult:
    return replace(evaluated, gates=evaluated.gate("nDCG@3 >= 0.5", models="new.er").gates)


def _check_mlflow(result: library.EvaluationResult, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Log a result, and check what MLflow has stored."""
    from mlflow import MlflowClient
    from receval.trackers.mlflow import MlflowRuns

    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    went = MlflowRuns(MlflowTracking(experiment="home", run="commit 1")).log(result, files_of(result))
    client = MlflowClient(address)
    experiment = client.get_experiment_by_name("home")
    runs = {run.info.run_name: run for run in client.search_runs([experiment.experiment_id])}
    parent = runs["commit 1"]
    assert went == f"home, run {parent.info.run_id}"
    assert set(runs) == {"commit 1", "old", "new.er"}
    assert {run.data.tags.get("mlflow.parentRunId") for name, run in runs.items() if name != "commit 1"} == {parent.info.run_id}
    assert {run.info.status for run in runs.values()} == {"FINISHED"}
    names = json.loads(parent.data.tags["receval.measures"])
    assert names["nDCG.gain-linear_at_3"] == MEASURE
    logged = runs["new.er"].data.metrics
    assert {names[name]: value for name, value in logged.items() if not name.endswith((".low", ".high"))} == result.to_dict()["new.er"]
    assert logged["nDCG_at_3.low"] < logged["nDCG_at_3"] < logged["nDCG_at_3.high"]
    assert parent.data.metrics == logged  # the best model is the new one
    assert parent.data.tags["receval.model"] == "new.er"
    assert parent.data.params["convention"] == "receval"
    assert parent.data.params["hash_test"].startswith("blake3:")
    assert parent.data.tags["receval.comparison"] == "passed"
    assert runs["new.er"].data.tags["receval.gate.1"] == "pass: nDCG@3 ≥ 0.5"
    assert {file.path for file in client.list_artifacts(parent.info.run_id)} == {"results.json", "report.html", "manifest.json"}
    (table,) = client.list_artifacts(runs["old"].info.run_id)
    lines = list(csv.DictReader(Path(client.download_artifacts(runs["old"].info.run_id, table.path)).read_text().splitlines()))
    assert table.path == "values.csv"
    assert [(line["model"], line["metric"], float(line["value"])) for line in lines] == [
        ("old", row.measure.partition("@")[0], row.value) for row in result["old"].values()
    ]


@pytest.mark.release
@needs_mlflow
def test_a_result_in_mlflow_is_a_run_with_a_child_per_model(result: library.EvaluationResult, files: str, monkeypatch: pytest.MonkeyPatch):
    _check_mlflow(result, files, monkeypatch)


@needs_server
def test_a_result_goes_to_a_server_of_mlflow(result: library.EvaluationResult, server: str, monkeypatch: pytest.MonkeyPatch):
    _check_mlflow(result, server, monkeypatch)


@needs_mlflow
def test_runs_of_an_experiment_can_be_sorted_by_their_best_model(files: str, monkeypatch: pytest.MonkeyPatch):
    from mlflow import MlflowClient
    from receval.trackers.mlflow import MlflowRuns

    monkeypatch.setenv("MLFLOW_TRACKING_URI", files)
    test = {user: [user % 7] for user in range(20)}
    good, half = dict(test), {user: [user % 7 if user % 2 else 9] for user in test}
    for run, lists in {"worse": {"als": half}, "better": {"knn": half, "als": good}}.items():
        found = library.evaluate(test=test, recommendations=lists, metrics=["nDCG@1"], yardsticks="oracle", health=False)
        MlflowRuns(MlflowTracking(run=run)).log(found, {})
    single = library.evaluate(test=test, recommendations={"als": half}, metrics=["nDCG@1"], health=False)
    MlflowRuns(MlflowTracking(run="single")).log(single, {})
    client = MlflowClient(files)
    experiment = client.get_experiment_by_name("receval").experiment_id
    runs = client.search_runs([experiment], order_by=["metrics.nDCG_at_1 DESC", "attributes.start_time"])
    evaluations = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    assert [(run.info.run_name, run.data.metrics["nDCG_at_1"], run.data.tags["receval.model"]) for run in evaluations] == [
        ("better", 1.0, "als"),
        ("worse", 0.5, "als"),  # oracle is better, but only a reference
        ("single", 0.5, "als"),
    ]
    assert not [run for run in runs if run.data.tags.get("mlflow.parentRunId") == evaluations[-1].info.run_id]


@needs_mlflow
def test_without_children_each_model_is_a_run_with_the_files(result: library.EvaluationResult, files: str, monkeypatch: pytest.MonkeyPatch):
    from mlflow import MlflowClient
    from receval.trackers.mlflow import MlflowRuns

    monkeypatch.setenv("MLFLOW_TRACKING_URI", files)
    MlflowRuns(MlflowTracking(runs="models")).log(result, {"results.json": b"{}"})
    client = MlflowClient(files)
    runs = client.search_runs([client.get_experiment_by_name("receval").experiment_id])
    assert {run.info.run_name for run in runs} == {"old new.er/old", "old new.er/new.er"}
    assert all([file.path for file in client.list_artifacts(run.info.run_id)] == ["results.json"] for run in runs)


@needs_mlflow
def test_the_hash_of_every_input_is_a_parameter_even_of_many_inputs(
    result: library.EvaluationResult, files: str, monkeypatch: pytest.MonkeyPatch
):
    from mlflow import MlflowClient
    from receval.trackers.mlflow import MlflowRuns

    monkeypatch.setenv("MLFLOW_TRACKING_URI", files)
    (test, *_) = result.inputs
    many = replace(result, inputs=tuple(replace(test, role=f"data.recommendations.m{number}") for number in range(120)))
    MlflowRuns(MlflowTracking(runs="models")).log(many, {})
    client = MlflowClient(files)
    for run in client.search_runs([client.get_experiment_by_name("receval").experiment_id]):
        assert sum(name.startswith("hash_") for name in run.data.params) == 120


@pytest.mark.release
def test_a_result_in_wandb_is_a_group_of_runs_kept_offline(result: library.EvaluationResult, wandb_folder: Path):
    from receval.trackers.wandb import WandbRuns

    went = WandbRuns(WandbTracking(project="home", run="commit 1", mode="offline")).log(result, files_of(result))
    assert went == "home, group commit 1 (offline: wandb sync)"
    runs = wandb_runs(wandb_folder, 3)
    assert {name: (run["group"], run["job"]) for name, run in runs.items()} == {
        "commit 1": ("commit 1", "evaluation"),
        "old": ("commit 1", "model"),
        "new.er": ("commit 1", "model"),
    }
    names = runs["new.er"]["config"]["receval_measures"]
    assert names["nDCG_gain_linear_at_3"] == MEASURE
    summary = runs["new.er"]["summary"]
    assert summary["nDCG_at_3_low"] < summary["nDCG_at_3"] < summary["nDCG_at_3_high"]
    values = {names[name]: value for name, value in runs["new.er"]["summary"].items() if name in names}
    assert values == result.to_dict()["new.er"]
    assert (runs["new.er"]["summary"]["gates"], runs["new.er"]["summary"]["gate_1"]) == ("passed", "pass: nDCG@3 ≥ 0.5")
