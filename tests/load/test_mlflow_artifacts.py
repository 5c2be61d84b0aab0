"""Lists that a run of MLflow logged as an artifact, from a file store; `tests/trackers` has a test with a server."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
import receval
from blake3 import blake3
from receval.cli.main import main

pytestmark = [
    pytest.mark.slow,  # MLflow takes seconds to import
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(find_spec("mlflow") is None, reason="needs the extra mlflow"),
]
TEST = {1: [10], 2: [20]}
LISTS = pl.DataFrame({"user": [1, 1, 2], "item": [10, 20, 30], "score": [0.9, 0.8, 0.7]})


@pytest.fixture
def run_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Log lists/als.parquet and als.csv in a run; return its id."""
    from mlflow import MlflowClient

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    client = MlflowClient()
    run = str(client.create_run(client.create_experiment("home")).info.run_id)
    LISTS.write_parquet(tmp_path / "als.parquet")
    LISTS.write_csv(tmp_path / "als.csv")
    client.log_artifact(run, str(tmp_path / "als.parquet"), "lists")
    client.log_artifact(run, str(tmp_path / "als.csv"))
    return run


@pytest.mark.parametrize("written", ["runs:/{}/lists/als.parquet", "mlflow:{}/als.csv", "mlflow:/{}/lists/als.parquet"])
def test_an_artifact_of_a_run_is_read_like_the_logged_file(run_id: str, tmp_path: Path, written: str):
    path = written.format(run_id)
    result = receval.evaluate(test=TEST, recommendations={"als": path}, metrics=["nDCG@2", "Recall@2"])
    held = receval.evaluate(test=TEST, recommendations={"als": LISTS}, metrics=["nDCG@2", "Recall@2"])
    assert result.to_dict() == held.to_dict()
    (source,) = [source for source in result.inputs if "als" in source.role]
    assert (source.files[0].path, source.files[0].hash) == (
        path,
        "blake3:" + blake3((tmp_path / path.rpartition("/")[2]).read_bytes()).hexdigest(),
    )


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("runs:/{}/lists/knn.parquet", "there is no artifact lists/knn.parquet in the run {}"),
        ("runs:/{}/lists/knn.parquet", "this one has als.csv, lists"),
        ("runs:/0123/als.csv", "MLflow has no run 0123"),
        ("runs:/{}", "runs:/{} is not a file of an MLflow run\nwrite runs:/RUN_ID/path/to/lists.parquet"),
        ("runs:/{}/lists", "runs:/{}/lists is a folder\ngive a file in it: runs:/{}/lists/als.parquet"),
    ],
)
def test_a_missing_run_or_artifact_is_reported_in_one_sentence(run_id: str, path: str, sentence: str):
    with pytest.raises(receval.DataError) as failure:
        receval.evaluate(test=TEST, recommendations=path.replace("{}", run_id), metrics="nDCG@2")
    told = failure.value
    assert sentence.replace("{}", run_id) in f"{told.message}\n{told.hint}"


def test_recs_can_add_an_artifact(run_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "test.csv").write_text("user,item\n1,10\n2,20\n")
    config = tmp_path / "config.yaml"
    config.write_text("data: {test: test.csv}\nevaluation: {metrics: HitRate@1}\n")
    assert main(["run", str(config), "--recs", f"als=runs:/{run_id}/lists/als.parquet", "--format", "csv"]) == 0
    assert ",als,HitRate@1,HitRate,1,mean,,,,,0.5" in capsys.readouterr().out


def test_an_unreachable_server_is_reported_without_its_login(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:secret@127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(receval.DataError, match="the MLflow server cannot be reached") as failure:
        receval.evaluate(test=TEST, recommendations="runs:/0123/als.csv", metrics="nDCG@2")
    assert "secret" not in str(failure.value)


def test_without_mlflow_the_extra_to_install_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    (tmp_path / "test.csv").write_text("user,item\n1,10\n")
    config = tmp_path / "config.yaml"
    config.write_text("data: {test: test.csv, recommendations: 'runs:/0123/als.csv'}\nevaluation: {metrics: nDCG@2}\n")
    assert main(["run", str(config)]) == 4
    assert "reading runs:/0123/als.csv needs the extra mlflow, which is not installed" in capsys.readouterr().err
