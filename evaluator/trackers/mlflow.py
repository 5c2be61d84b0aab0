"""MLflow: a run per evaluation with a child per model, through its client, which leaves no run active."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ..config.run_sections import MlflowTracking
from ..content.values import ValuePoint
from ..errors import OutputError
from ..extras import missing_extra
from ..results.gates import Verdicts
from ..results.result import Result
from .tracker import for_mlflow, gates_of_model, gates_word, measures, numbers_of, points_by_model, run_name, settings

_MOST_METRICS: Final = 1000
_MOST_PARAMS: Final = 100
_LONGEST: Final = 5000
"""The limits of a call, and of the length of a tag."""


class MlflowRuns:
    """Log to the server that MLFLOW_TRACKING_URI names."""

    def __init__(self, tracking: MlflowTracking) -> None:
        self._tracking = tracking

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Log a run with children, or a run per model; return the experiment and the id of the first run."""
        client = _client()
        experiment = _experiment(client, self._tracking.experiment)
        name, names = run_name(result, self._tracking.run), for_mlflow(measures(result))
        shared = {"receval.gates": gates_word(result), **_measures_tag(names)}
        runs: list[str] = []
        if self._tracking.runs == "children":
            summary = {"receval.gates.summary": Verdicts(result.gates).summary()} if result.gates else {}
            runs.append(_create_run(client, experiment, name, {**shared, **summary}, settings(result), [], files, names))
        for model, points in points_by_model(result).items():
            tags = {**shared, "receval.model": model, **({"mlflow.parentRunId": runs[0]} if self._tracking.runs == "children" else {})}
            tags |= gates_of_model(result, model, "receval.gate.")
            title, artifacts = (model, {}) if self._tracking.runs == "children" else (f"{name}/{model}", files)
            runs.append(_create_run(client, experiment, title, tags, settings(result), points, artifacts, names))
        return f"{self._tracking.experiment}, run {runs[0]}"


def _client() -> Any:
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError:
        raise missing_extra("mlflow", "mlflow") from None
    try:
        return MlflowClient()
    except (MlflowException, ImportError) as error:
        first = str(error).splitlines()[0]
        raise OutputError(f"mlflow: {first}", "set MLFLOW_TRACKING_URI to the address of a server") from None


def _experiment(client: Any, name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found is not None else client.create_experiment(name))


def _create_run(
    client: Any,
    experiment: str,
    name: str,
    tags: Mapping[str, str],
    params: Mapping[str, str],
    points: Iterable[ValuePoint],
    files: Mapping[str, bytes],
    names: Mapping[str, str],
) -> str:
    """Create a run and return its id; it ends as failed if anything could not be logged."""
    from mlflow.entities import Metric, Param

    run: str = client.create_run(experiment, run_name=name, tags={key: value[:_LONGEST] for key, value in tags.items()}).info.run_id
    now, ended = int(time.time() * 1000), "FAILED"
    try:
        for some in _batched([Metric(key, value, now, 0) for key, value in numbers_of(points, names, ".").items()], _MOST_METRICS):
            client.log_batch(run, metrics=some)
        for some in _batched([Param(key, value) for key, value in params.items()], _MOST_PARAMS):
            client.log_batch(run, params=some)
        for file, content in files.items():
            client.log_text(run, content.decode(), file)
        ended = "FINISHED"
    finally:
        client.set_terminated(run, ended)
    return run


def _batched(entries: list[Any], most: int) -> Iterator[list[Any]]:
    """Yield the entries in their order, at most `most` at a time."""
    yield from (entries[start : start + most] for start in range(0, len(entries), most))


def _measures_tag(names: Mapping[str, str]) -> dict[str, str]:
    """Return the tag that maps names to measures; empty if it would be too long, and then only measures.json has it."""
    text = json.dumps({name: measure for measure, name in names.items()}, ensure_ascii=False)
    return {"receval.measures": text} if len(text) <= _LONGEST else {}
