"""A standalone Spark cluster on this machine, from the Spark that pip installed: for tests and benchmarks.

    python benchmarks/cluster.py [WORKERS]

starts one, prints its address, and stops it at the end of standard input.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
SECONDS_TO_START = 120


@contextmanager
def standalone_cluster(
    n_workers: int = 2,
    *,
    cores: int = 1,
    memory: str = "2g",
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
) -> Iterator[str]:
    """Start a master and workers, yield the address `spark://…`, and end all processes.

    Each worker has so many `cores` and so much `memory`. `environment` is added to that of the processes, and so to that of the Python
    of the workers; `home` is the folder of another Spark than this Python's. Raise `RuntimeError` if it does not start in time.
    """
    with tempfile.TemporaryDirectory(prefix="spark-cluster-") as folder, ExitStack() as stack:
        master_port, web_port = free_port(), free_port()
        address = f"spark://{HOST}:{master_port}"
        master = ["master.Master", "--host", HOST, "--port", str(master_port), "--webui-port", str(web_port)]
        stack.enter_context(_process(master, Path(folder) / "master", environment, home))
        worker = ["worker.Worker", "--host", HOST, "--cores", str(cores), "--memory", memory, "--webui-port", "0"]
        for number in range(n_workers):
            work = Path(folder) / f"worker-{number}"
            stack.enter_context(_process([*worker, "--work-dir", str(work), address], work, environment, home))
        _await_workers(f"http://{HOST}:{web_port}/json/", n_workers)
        yield address


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def _process(command: list[str], folder: Path, environment: Mapping[str, str] | None, home: Path | None) -> Iterator[None]:
    if home is None:
        import pyspark

        home = Path(pyspark.__file__).parent
    folder.mkdir(parents=True)
    settings = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_DIRS": str(folder), "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1"}
    settings |= environment or {}
    with open(folder / "log", "wb") as log:
        name, *arguments = command
        start = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
        process = subprocess.Popen(start, stdout=log, stderr=log, env=settings, cwd=folder)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_workers(status: str, n_workers: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if _n_alive(status) == n_workers:
            return
        time.sleep(0.2)
    raise RuntimeError(f"the Spark cluster did not start within {SECONDS_TO_START} seconds")


def _n_alive(status: str) -> int:
    """Return the number of workers that have reported to the master."""
    try:
        with urllib.request.urlopen(status, timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
    except (OSError, ValueError):
        return 0
    return sum(worker["state"] == "ALIVE" for worker in found["workers"])


if __name__ == "__main__":
    with standalone_cluster(int(sys.argv[1]) if len(sys.argv) > 1 else 2) as cluster:
        print(cluster, flush=True)
        sys.stdin.read()
