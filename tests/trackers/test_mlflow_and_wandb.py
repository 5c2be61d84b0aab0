"""Results in MLflow (file store, and a real server with SQLite if it is installed) and in Weights & Biases (offline)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import receval as library
from msgspec.structs import replace
from receval.config.run_sections import MlflowTracking, WandbTracking
from receval.session.track import files_of

from tests.trackers.conftest import MEASURE

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # ignore warnings within these libraries
needs_mlflow = pytest.mark.skipif(find_spec("mlflow") is None, reason="needs the extra mlflow")
needs_server = pytest.mark.skipif(find_spec("mlflow") is None or find_spec("sqlalchemy") is None, reason="needs the whole of mlflow")
needs_wandb = pytest.mark.skipif(find_spec("wandb") is None, reason="needs the extra wandb")


@pytest.fixture(scope="module")
def result(evaluated: library.EvaluationResult) -> library.EvaluationResult:
    return replace(evaluated, gates=evaluated.gate("nDCG@3 >= 0.5", models="new.er").gates)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    return (tmp_path / "mlruns").as_uri()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Yield the address of an MLflow server with SQLite."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    stores = ["--backend-store-uri", f"sqlite:///{tmp_path}/mlflow.db", "--artifacts-destination", str(tmp_path / "artifacts")]
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", port, "--workers", "1", *stores]
    with open(tmp_path / "server.log", "wb") as log, subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait(f"{address}/health", process, tmp_path / "server.log")
            yield address
        finally:
            process.terminate()


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        assert process.poll() is None, log.read_text()
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    raise AssertionError(log.read_text())


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
    assert parent.data.params["convention"] == "receval"
    assert parent.data.params["hash_test"].startswith("blake3:")
    assert parent.data.tags["receval.gates"] == "passed"
    assert runs["new.er"].data.tags["receval.gate.1"] == "pass: nDCG@3 ≥ 0.5"
    assert {file.path for file in client.list_artifacts(parent.info.run_id)} == {"results.json", "report.html", "manifest.json"}


@needs_mlflow
def test_a_result_in_mlflow_is_a_run_with_a_child_per_model(result: library.EvaluationResult, files: str, monkeypatch: pytest.MonkeyPatch):
    _check_mlflow(result, files, monkeypatch)


@needs_server
def test_a_result_goes_to_a_server_of_mlflow(result: library.EvaluationResult, server: str, monkeypatch: pytest.MonkeyPatch):
    _check_mlflow(result, server, monkeypatch)


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


@needs_wandb
def test_a_result_in_wandb_is_a_group_of_runs_kept_offline(
    result: library.EvaluationResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import wandb
    from receval.trackers.wandb import WandbRuns

    for name in ("WANDB_DIR", "WANDB_CONFIG_DIR", "WANDB_CACHE_DIR", "WANDB_DATA_DIR", "WANDB_ARTIFACT_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    logged: list[dict[str, Any]] = []
    leave = wandb.Run.__exit__
    monkeypatch.setattr(wandb.Run, "__exit__", lambda run, *ended: (logged.append(_seen(run)), leave(run, *ended))[1])
    went = WandbRuns(WandbTracking(project="home", run="commit 1", mode="offline")).log(result, files_of(result))
    assert went == "home, group commit 1 (offline: wandb sync)"
    runs = {run["name"]: run for run in logged}
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
    assert len([folder for folder in os.listdir(tmp_path / "wandb") if folder.startswith("offline-run-")]) == 3


def _seen(run: Any) -> dict[str, Any]:
    return {"name": run.name, "group": run.group, "job": run.job_type, "config": dict(run.config), "summary": dict(run.summary)}
