"""Artifacts of MLflow: a file that a run logged, fetched whole by MLflow's client."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ..errors import DataError
from ..extras import missing
from ..secrets import harmless

_ADDRESS: Final = re.compile(r"(?:runs|mlflow):/*([^/]+)/(.*[^/])", re.DOTALL)
_FORM: Final = "write runs:/RUN_ID/path/to/lists.parquet"
_SETTINGS: Final = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2", "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false"}
"""By itself MLflow tries for minutes to reach a server, and draws bars."""


def path_of(url: str) -> str:
    """The path of an artifact, below that of its run."""
    found = _ADDRESS.fullmatch(url)
    return found[2] if found else ""


def download(url: str, options: Mapping[str, str], folder: Path) -> Path:
    """Fetch an artifact into a folder from the server that MLFLOW_TRACKING_URI names; gives the file.

    `DataError` if there is no such run or artifact, or no server; `MissingExtraError` without the extra.
    """
    found = _ADDRESS.fullmatch(url)
    if found is None:
        raise DataError(f"{url} is not a file of an MLflow run", _FORM)
    if options:
        raise DataError(f"{url}: storage_options are not for MLflow", "set MLFLOW_TRACKING_URI, and the login as for MLflow")
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError:
        raise missing("mlflow", f"reading {url}") from None
    run, path = found.groups()
    with _quick_and_quiet():
        try:
            client = MlflowClient()
            client.get_run(run)
        except (MlflowException, ImportError, OSError) as error:
            raise _without_run(url, run, error) from None
        try:
            file = Path(client.download_artifacts(run, path, str(folder)))
        except (MlflowException, OSError) as error:
            hint = f"runs log files by mlflow.log_artifact; this one has {_artifacts(client, run)}"
            raise DataError(f"there is no artifact {path} in the run {run} of MLflow ({_first_line(error)})", hint) from None
    if file.is_dir():
        raise DataError(f"{url} is a folder", f"give a file in it: {url.rstrip('/')}/{next(iter(sorted(os.listdir(file))), 'FILE')}")
    return file


def _without_run(url: str, run: str, error: Exception) -> DataError:
    """The sentence for a run that cannot be looked at."""
    if getattr(error, "error_code", "") == "RESOURCE_DOES_NOT_EXIST":
        return DataError(f"MLflow has no run {run}", "check the run id and MLFLOW_TRACKING_URI")
    if "failed with exception" in str(error):
        said = re.search(r"Errno \d+\] ([^\"')]*)", str(error))
        return DataError(
            f"{url} cannot be fetched: the MLflow server cannot be reached{f' ({said[1]})' if said else ''}", "check MLFLOW_TRACKING_URI"
        )
    return DataError(f"{url} cannot be fetched from MLflow: {_first_line(error)}", "set MLFLOW_TRACKING_URI to the address of a server")


def _artifacts(client: Any, run: str) -> str:
    """The names at the top of a run."""
    try:
        names = sorted(str(file.path) for file in client.list_artifacts(run))
    except Exception:  # the sentence is about another failure
        names = []
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "") if names else "none"


def _first_line(error: Exception) -> str:
    return harmless(next(iter(str(error).strip().splitlines()), type(error).__name__))[:300]


@contextmanager
def _quick_and_quiet() -> Iterator[None]:
    """What MLflow reads from the environment, where nobody set it."""
    missing = [name for name in _SETTINGS if name not in os.environ]
    os.environ.update({name: _SETTINGS[name] for name in missing})
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)
