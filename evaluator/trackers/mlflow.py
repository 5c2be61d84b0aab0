"""MLflow: a run per evaluation with a child per model, through its client, which leaves no run active."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from ..config.run_sections import MlflowTracking
from ..render.forms import as_csv, is_spreadsheet_safe
from ..render.result_data import values_table
from ..results.gates import Verdicts
from ..results.result import Result
from ..support.errors import OutputError
from ..support.extras import missing_extra
from . import tracker

_MOST_METRICS: Final = 1000
_MOST_PARAMS: Final = 100
_LONGEST: Final = 5000
"""The limits of a call, and of the length of a tag."""
_MODEL: Final = "receval.model"
_STEPS: Final = "receval.steps"
"""The tags with the model whose values a run has, and of runs to which steps can be added."""
_MOST_RUNS: Final = 1000
"""The number of latest runs with steps among which a name is looked up."""


class MlflowRuns:
    """Log to the server that MLFLOW_TRACKING_URI names."""

    def __init__(self, tracking: MlflowTracking) -> None:
        self._tracking = tracking

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Log a run, with a child per model if there are several, or a run per model; return the experiment and the id of the first run.

        The run of the evaluation has all files and the values of the best model, so that evaluations can be sorted by them; a child has
        the values of its model, and all of them, with those of groups and folds, in `values.csv`.
        """
        client = mlflow_client()
        experiment = _experiment(client, self._tracking.experiment)
        name, names = tracker.run_name(result, self._tracking.run), tracker.for_mlflow(tracker.measures(result))
        shared = {"receval.comparison": tracker.gates_word(result), **measures_tag(names)}
        points, params = tracker.points_by_model(result), tracker.settings(result)
        runs: list[str] = []
        if self._tracking.runs == "children":
            best = tracker.best_model(result)
            tags = {**shared, **({"receval.comparison.summary": Verdicts(result.gates).summary()} if result.gates else {})}
            tags |= {_MODEL: best, **tracker.gates_of_model(result, best, "receval.gate.")}
            runs.append(_create_run(client, experiment, name, tags, params, tracker.numbers_of(points[best], names, "."), files))
        several = self._tracking.runs == "models" or len(points) > 1
        for model, of_model in points.items() if several else ():
            tags = {**shared, _MODEL: model, **tracker.gates_of_model(result, model, "receval.gate.")}
            title, artifacts = f"{name}/{model}", files
            if self._tracking.runs == "children":
                tags["mlflow.parentRunId"] = runs[0]
                title, artifacts = model, {"values.csv": _table_of_model(result, model)}
            runs.append(_create_run(client, experiment, title, tags, params, tracker.numbers_of(of_model, names, "."), artifacts))
        return f"{self._tracking.experiment}, run {runs[0]}"

    def log_step(self, values: Mapping[str, Sequence[tracker.MeasuredValue]], step: int) -> str:
        """Log values to the active run (of `mlflow.start_run`, or MLFLOW_RUN_ID), or else to the latest run of this name; return the run.

        Without an active run each of several models has a run of its own.
        """
        client = mlflow_client()
        names, models = tracker.for_mlflow(tracker.measures_of(values)), tracker.for_mlflow(values)
        active = _active_run()
        if active is not None:
            prefixes = {model: f"{models[model]}/" if len(values) > 1 else "" for model in values}
            numbers = {
                f"{prefixes[model]}{key}": value
                for model, of in values.items()
                for key, value in tracker.numbers_of(of, names, ".").items()
            }
            log_to_run(client, active, numbers, measures_tag(names), step=step)
            return f"run {active}, step {step}"
        experiment = _experiment(client, self._tracking.experiment)
        name = self._tracking.run or " ".join(values)
        runs = {model: name if len(values) == 1 else f"{name}/{model}" for model in values}
        for model, run_of_model in runs.items():
            run = _run_with_steps(client, experiment, run_of_model, {_MODEL: model, _STEPS: "true"})
            log_to_run(client, run, tracker.numbers_of(values[model], names, "."), measures_tag(names), step=step)
            client.set_terminated(run, "FINISHED")
        return f"{self._tracking.experiment}, {', '.join(f'run {name}' for name in runs.values())}, step {step}"


def mlflow_client() -> Any:
    """Return a client; raise `MissingExtraError` without the extra, `OutputError` if the address of the server cannot be used."""
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


def log_to_run(
    client: Any, run: str, numbers: Mapping[str, float], tags: Mapping[str, str], *, step: int = 0, model_id: str | None = None
) -> None:
    """Log numbers and tags to an existing run; `model_id` is the logged model of MLflow that they belong to."""
    from mlflow.entities import Metric, RunTag

    now = int(time.time() * 1000)
    of_model = {} if model_id is None else {"model_id": model_id}
    for some in _batched([Metric(key, value, now, step, **of_model) for key, value in numbers.items()], _MOST_METRICS):
        client.log_batch(run, metrics=some)
    for some in _batched([RunTag(key, value[:_LONGEST]) for key, value in tags.items()], _MOST_PARAMS):
        client.log_batch(run, tags=some)


def measures_tag(names: Mapping[str, str]) -> dict[str, str]:
    """Return the tag that maps names to measures; empty if it would be too long, and then results.json has the measures."""
    text = json.dumps({name: measure for measure, name in names.items()}, ensure_ascii=False)
    return {"receval.measures": text} if len(text) <= _LONGEST else {}


def _experiment(client: Any, name: str) -> str:
    found = client.get_experiment_by_name(name)
    return str(found.experiment_id if found is not None else client.create_experiment(name))


def _active_run() -> str | None:
    """Return the id of the run that is active in this process, or that the environment names."""
    import mlflow

    run = mlflow.active_run()
    return str(run.info.run_id) if run is not None else os.environ.get("MLFLOW_RUN_ID")


def _run_with_steps(client: Any, experiment: str, name: str, tags: Mapping[str, str]) -> str:
    """Return the id of the latest run of this name that has steps; create it if there is none."""
    latest = client.search_runs([experiment], f"tags.`{_STEPS}` = 'true'", max_results=_MOST_RUNS, order_by=["attributes.start_time DESC"])
    found = next((run.info.run_id for run in latest if run.info.run_name == name), None)
    return str(found or client.create_run(experiment, run_name=name, tags=dict(tags)).info.run_id)


def _create_run(
    client: Any,
    experiment: str,
    name: str,
    tags: Mapping[str, str],
    params: Mapping[str, str],
    numbers: Mapping[str, float],
    files: Mapping[str, bytes],
) -> str:
    """Create a run and return its id; it ends as failed if anything could not be logged."""
    from mlflow.entities import Param

    run: str = client.create_run(experiment, run_name=name, tags={key: value[:_LONGEST] for key, value in tags.items()}).info.run_id
    ended = "FAILED"
    try:
        log_to_run(client, run, numbers, {})
        for some in _batched([Param(key, value) for key, value in params.items()], _MOST_PARAMS):
            client.log_batch(run, params=some)
        for file, content in files.items():
            client.log_text(run, content.decode(), file)
        ended = "FINISHED"
    finally:
        client.set_terminated(run, ended)
    return run


def _table_of_model(result: Result, model: str) -> bytes:
    """Return the values of one model as CSV, which MLflow shows as a table."""
    parts = {name: tuple(row for row in getattr(result, name) if row.model == model) for name in ("rows", "by_group", "repeated")}
    return as_csv(values_table(replace(result, **parts)), spreadsheet_safe=is_spreadsheet_safe(result))


def _batched(entries: list[Any], most: int) -> Iterator[list[Any]]:
    """Yield the entries in their order, at most `most` at a time."""
    yield from (entries[start : start + most] for start in range(0, len(entries), most))
