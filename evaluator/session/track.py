"""Log a result with the trackers of a config: each gets the values and the same files, none of which contains user ids."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from msgspec.structs import replace

from ..config.overrides import trackings_of
from ..config.run_sections import Tracking
from ..content.report_page import report
from ..disk.result_folder import MANIFEST, as_manifest, load
from ..errors import ConfigError, OutputError, RecevalError
from ..render.forms import as_json
from ..render.html import as_html
from ..render.result_data import result_cells
from ..results.result import Result
from ..trackers.choosing import tracker_of
from .compare import GatheredResults
from .outcome import TrackerOutcome
from .report import report_of_gathered


def track(result: Result, trackings: Iterable[Tracking], folder: Path, *, required: bool = False) -> Iterator[TrackerOutcome]:
    """Log a result with each tracker and yield its outcome; paths are relative to `folder`.

    A failure of a tracker is a problem of its outcome; a failure of a required one (`required`, or by its settings) raises `RecevalError`.
    """
    files: Mapping[str, bytes] = {}
    for one in trackings:
        files = files or files_of(result)
        try:
            with redirect_stdout(sys.stderr):  # libraries print greetings, and standard output is for results
                went = tracker_of(one, folder).log(result, files)
        except Exception as error:  # any failure of a library or a server: the evaluation is done and written
            first = next(iter(str(error).splitlines()), "")
            failure = error if isinstance(error, RecevalError) else OutputError(f"{one.name}: {type(error).__name__}: {first}")
            if required or one.chosen.required:
                raise failure from error
            yield TrackerOutcome(one.name, problem=str(failure))
        else:
            yield TrackerOutcome(one.name, went)


def track_folder(folder: str, sections: Sequence[str]) -> list[TrackerOutcome]:
    """Log the results of a folder with the trackers of `sections`, or else of its config; every tracker is required."""
    result = load(folder)
    trackings = trackings_of(result.config, sections)
    if not trackings:
        raise ConfigError("no tracker is given", "choose one with --to mlflow, wandb, dvc or tensorboard, or set track in the config")
    return list(track(result, trackings, Path(), required=True))


def files_of(result: Result) -> Mapping[str, bytes]:
    """Return the files for trackers: values, report and manifest, without examples of findings, which may be user ids."""
    anonymous = replace(result, findings=tuple(replace(finding, examples=()) for finding in result.findings))
    content = report_of_gathered(GatheredResults({"result": anonymous}), {"losers": 0})
    files: dict[str, bytes | Path] = {"results.json": as_json(result_cells(anonymous)), "report.html": as_html(report(content)).encode()}
    files[MANIFEST] = as_manifest(anonymous, files)
    return {name: content for name, content in files.items() if isinstance(content, bytes)}
