"""A result of two models, a store and a server of MLflow."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import receval as library

MEASURE = "nDCG(gain=linear)@3"


@pytest.fixture(scope="package")
def evaluated() -> library.EvaluationResult:
    users = range(60)
    lists = {
        "old": {user: [9, user % 7] for user in users},
        "new.er": {user: [user % 7, 9] if user % 6 else [9, user % 7] for user in users},
    }
    test = {user: [user % 7] for user in users}
    return library.evaluate(test=test, recommendations=lists, metrics=[MEASURE, "nDCG@3", "HitRate@1"], health=False)


@pytest.fixture
def wandb_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let W&B write into a folder, which becomes the current one; it reads where to write once in a process."""
    wandb = pytest.importorskip("wandb", reason="needs the extra wandb")
    for name in ("WANDB_DIR", "WANDB_CONFIG_DIR", "WANDB_CACHE_DIR", "WANDB_DATA_DIR", "WANDB_ARTIFACT_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    wandb.teardown()
    yield tmp_path
    wandb.teardown()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    return (tmp_path / "mlruns").as_uri()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of an MLflow server with SQLite."""
    folder = tmp_path_factory.mktemp("mlflow")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    stores = ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", str(folder / "artifacts")]
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", port, "--workers", "1", *stores]
    with open(folder / "server.log", "wb") as log, subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait(f"{address}/health", process, folder / "server.log")
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
