"""Log a result with the trackers of a config: each gets the values and the same files, none of which contains user ids."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from ..config.run_sections import Tracking
from ..config.stored_sections import trackings_of
from ..documents.report_page import report
from ..render.forms import as_json
from ..render.html import as_html
from ..render.result_data import result_cells
from ..results.notes import CHOSEN
from ..results.result import Result
from ..storage.overwriting import MANIFEST, InputPath
from ..storage.own_inputs import inputs_of_folders, inputs_of_result
from ..storage.places import NO_OPTIONS
from ..storage.result_folder import as_manifest, load
from ..support import plugins
from ..support.errors import ConfigError, OutputError, RecevalError
from ..support.secrets import conceal, hidden_in_outputs
from ..trackers.choosing import tracker_of
from ..trackers.tracker import MeasuredValue, StepTracker, Tracker, points_by_model
from .compare import GatheredResults
from .judge import with_bases
from .outcome import TrackerOutcome
from .report import report_of_gathered

ModelValues = Mapping[str, Sequence[MeasuredValue]]
"""Model → its values."""


def track(
    result: Result,
    trackings: Iterable[Tracking],
    folder: Path,
    inputs: Iterable[InputPath],
    *,
    required: bool = False,
    storage: Mapping[str, str] = NO_OPTIONS,
) -> Iterator[TrackerOutcome]:
    """Log a result with each tracker and yield its outcome; paths are relative to `folder`. A tracker does not write over the `inputs`.

    `storage` are options to reach a baseline in a store. A failure of a tracker is a problem of its outcome; a failure of a required
    one (`required`, or by its settings) raises `RecevalError`.
    """
    kept, result = (*inputs, *inputs_of_result(result)), conceal(result, hidden_in_outputs(), keys=True)
    files = cache(lambda: files_of(result, storage))
    yield from (_outcome(tracking, required, lambda own: tracker_of(own, folder, kept).log(result, files())) for tracking in trackings)


def track_step(
    values: ModelValues, step: int, trackings: Iterable[Tracking], folder: Path, inputs: Iterable[InputPath]
) -> Iterator[TrackerOutcome]:
    """Log the values of models at a step, such as an epoch, with each tracker and yield its outcome; every tracker is required."""
    kept, values = tuple(inputs), conceal(values, hidden_in_outputs(), keys=True)
    yield from (_outcome(tracking, True, lambda own: _log_step(tracker_of(own, folder, kept), own, values, step)) for tracking in trackings)


def track_folder(
    folder: str, sections: Sequence[str], step: int | None = None, models: Sequence[str] = ()
) -> tuple[list[TrackerOutcome], str]:
    """Log the results of a folder, or only some `models`, with the trackers of `sections`, or else of its config; all are required.

    With a `step` only the values are logged, beside those of other steps. Returns the outcomes, and a sentence on the chosen models.
    """
    result = with_bases(folder, load(folder), models)
    trackings = trackings_of(result.config, sections)
    if not trackings:
        raise ConfigError("no tracker is given", "choose one with --to mlflow, wandb, dvc or tensorboard, or set track in the config")
    chosen = next((remark for remark in result.remarks if models and CHOSEN in remark), "")
    return track_all(result, trackings, step, inputs_of_folders([folder])), chosen


def track_all(result: Result, trackings: Iterable[Tracking], step: int | None, inputs: Iterable[InputPath]) -> list[TrackerOutcome]:
    """Log a result, or its values at a step, with trackers that are all required; paths are relative to the current folder.

    The trackers do not write over the `inputs`.
    """
    if step is None:
        return list(track(result, trackings, Path(), inputs, required=True))
    return list(track_step(points_by_model(result), step, trackings, Path(), inputs))


def _outcome(tracking: Tracking, required: bool, log: Callable[[Tracking], str]) -> TrackerOutcome:
    """Return the outcome of a tracker; raise the failure of one that is required."""
    try:
        with redirect_stdout(sys.stderr):  # libraries print greetings, and standard output is for results
            return TrackerOutcome(tracking.name, log(tracking))
    except BaseException as error:  # any failure of a library or a server: the evaluation is done and written
        if plugins.passes(error) and not isinstance(error, RecevalError):
            raise
        first = next(iter(plugins.reason(error).splitlines()), "")
        failure = error if isinstance(error, RecevalError) and plugins.passes(error) else OutputError(f"{tracking.name}: {first}")
        if required or tracking.chosen.required:
            raise failure from error
        return TrackerOutcome(tracking.name, problem=str(failure))


def _log_step(tracker: Tracker, tracking: Tracking, values: ModelValues, step: int) -> str:
    if not isinstance(tracker, StepTracker):
        raise ConfigError(f"{tracking.name}: this tracker has no steps", "log the result without a step, or use another tracker")
    return tracker.log_step(values, step)


def files_of(result: Result, storage: Mapping[str, str] = NO_OPTIONS) -> Mapping[str, bytes]:
    """Return the files for trackers: values, report and manifest, without examples of findings, which may be user ids."""
    anonymous = replace(result, findings=tuple(replace(finding, examples=()) for finding in result.findings))
    content = report_of_gathered(GatheredResults({"result": anonymous}, storage=storage), {"losers": 0})
    files: dict[str, bytes | Path] = {"results.json": as_json(result_cells(anonymous)), "report.html": as_html(report(content)).encode()}
    files[MANIFEST] = as_manifest(anonymous, files)
    return {name: content for name, content in files.items() if isinstance(content, bytes)}
