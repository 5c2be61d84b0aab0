"""A result goes to the trackers of a config: each gets the values and the same files, none of which names a user."""

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
from .compare import Gathered
from .outcome import Tracked
from .report import report_of_gathered


def track(result: Result, asked: Iterable[Tracking], folder: Path, *, required: bool = False) -> Iterator[Tracked]:
    """Log a result with each tracker; paths are seen from `folder`.

    A tracker that fails is a problem to tell; `RecevalError` if it is `required`, or its settings say so.
    """
    files: Mapping[str, bytes] = {}
    for one in asked:
        files = files or files_of(result)
        try:
            with redirect_stdout(sys.stderr):  # libraries greet there, and standard output is for results
                went = tracker_of(one, folder).log(result, files)
        except Exception as error:  # whatever a library or a server does, the evaluation is done and was written
            first = next(iter(str(error).splitlines()), "")
            told = error if isinstance(error, RecevalError) else OutputError(f"{one.name}: {type(error).__name__}: {first}")
            if required or one.chosen.required:
                raise told from error
            yield Tracked(one.name, problem=str(told))
        else:
            yield Tracked(one.name, went)


def track_folder(folder: str, sections: Sequence[str]) -> list[Tracked]:
    """Log the results of a folder as `sections` say, or without any as its config does; every tracker is required."""
    result = load(folder)
    asked = trackings_of(result.config, sections)
    if not asked:
        raise ConfigError("no tracker is given", "choose one with --to mlflow, wandb, dvc or tensorboard, or set track in the config")
    return list(track(result, asked, Path(), required=True))


def files_of(result: Result) -> Mapping[str, bytes]:
    """The files that trackers keep: values, report and manifest; examples of findings, which may be ids of users, are left out."""
    anonymous = replace(result, findings=tuple(replace(finding, examples=()) for finding in result.findings))
    content = report_of_gathered(Gathered({"result": anonymous}), {"losers": 0})
    files: dict[str, bytes | Path] = {"results.json": as_json(result_cells(anonymous)), "report.html": as_html(report(content)).encode()}
    files[MANIFEST] = as_manifest(anonymous, files)
    return {name: content for name, content in files.items() if isinstance(content, bytes)}
