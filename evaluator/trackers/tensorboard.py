"""TensorBoard: event files with a run per model, and the report."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

from ..config.run_sections import TensorboardTracking
from ..results.gates import Verdicts
from ..results.result import Result
from ..storage.overwriting import InputPath, Target
from ..storage.stage import Stage
from ..support.extras import missing_extra
from . import tracker

_DIGITS: Final = 9
"""Digits of the step in the name of a file."""


class TensorboardFiles:
    """Write a new folder inside that of the config: event files in a folder per model, and the files of the result."""

    def __init__(self, tracking: TensorboardTracking, folder: Path, inputs: Sequence[InputPath]) -> None:
        self._tracking, self._folder, self._inputs = tracking, folder, inputs

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Write the files; return the folder."""
        writer = _library()
        names, models = tracker.for_mlflow(tracker.measures(result)), tracker.as_identifiers(result.models)
        folder = self._new_folder(tracker.run_name(result, self._tracking.run))
        texts = {
            "receval.measures": json.dumps({name: measure for measure, name in names.items()}, ensure_ascii=False),
            "receval.settings": json.dumps(tracker.settings(result), ensure_ascii=False),
            "receval.comparison": f"{tracker.gates_word(result)}: {Verdicts(result.gates).summary()}"
            if result.gates
            else tracker.gates_word(result),
        }
        for model, points in tracker.points_by_model(result).items():
            judged = tracker.gates_of_model(result, model, "receval.gate.")
            with writer(str(folder / models[model])) as run:
                for name, number in tracker.numbers_of(points, names, ".").items():
                    run.add_scalar(name, number, 0)
                for tag, text in {**texts, "receval.model": model, **judged}.items():
                    run.add_text(tag, text, 0)
        with Stage([Target(f"track.tensorboard.dir: {self._folder}", folder, files.__contains__, is_local=True)], self._inputs) as stage:
            stage.commit({folder / name: content for name, content in files.items()})
        return str(folder)

    def log_step(self, values: Mapping[str, Sequence[tracker.MeasuredValue]], step: int) -> str:
        """Add values at a step to the folder of each model; those at this step and later ones, of an earlier training, are hidden."""
        writer = _library()
        names, models = tracker.for_mlflow(tracker.measures_of(values)), tracker.as_identifiers(values)
        (name,) = tracker.as_identifiers([self._tracking.run or " ".join(values)]).values()
        folder = self._folder / name
        for model, of_model in values.items():
            # Files are read in the order of their names, and begin with the time in seconds.
            with writer(str(folder / models[model]), purge_step=step, filename_suffix=f".step{step:0{_DIGITS}}") as run:
                for tag, number in tracker.numbers_of(of_model, names, ".").items():
                    run.add_scalar(tag, number, step)
        return f"{folder}, step {step}"

    def _new_folder(self, run: str) -> Path:
        """Return a folder that does not exist yet: TensorBoard would draw two evaluations in one folder as one run."""
        (name,) = tracker.as_identifiers([run]).values()
        folders = (self._folder / (name if number == 1 else f"{name}_{number}") for number in count(1))
        return next(folder for folder in folders if not os.path.lexists(folder))


def _library() -> Any:
    try:
        from tensorboardX import SummaryWriter
    except ImportError:
        raise missing_extra("tensorboard", "tensorboard") from None
    return SummaryWriter
