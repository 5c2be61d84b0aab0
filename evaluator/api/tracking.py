"""`receval.track`: results, and values of epochs, in experiment trackers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

from ..actions.judge import with_bases
from ..actions.outcome import TrackerOutcome
from ..actions.track import ModelValues, track_all, track_step
from ..config.stored_sections import trackings_of
from ..results.result import Result
from ..storage.own_inputs import inputs_of_folders
from ..storage.result_folder import load
from ..support.errors import ConfigError
from ..support.forks import refuse_lost_threads
from ..support.synonyms import takes
from ..trackers.tracker import PlainValue
from .charts import read_by
from .wording import errors_as_arguments


@takes()
def track(
    values: Result | str | os.PathLike[str] | Mapping[str, Any],
    to: Any = None,
    *,
    step: int | None = None,
    models: str | Sequence[str] = (),
) -> list[TrackerOutcome]:
    """Log a result to experiment trackers, as `receval track` does, or values at a `step`, such as an epoch.

        receval.track(evaluator(lists), to="mlflow", step=epoch)

    `values` is a result, its folder, or what an `Evaluator` returns (of several models: `{model: values}`), which needs a `step`. `to` is
    `"mlflow"`, `"wandb"`, `"dvc"` or `"tensorboard"`, with settings `{"mlflow": {"experiment": "home", "run": "als"}}`, or a list of them;
    by default the trackers of the config of the result. With a step only values are logged: to the active run of MLflow or W&B if there is
    one, else to the run with the name of the setting `run`, which is continued. `models` chooses some models of a result. Paths are
    relative to the current folder.

    Returns the `name` of each tracker and where the values `went`. Raises `ConfigError` for wrong arguments, `MissingExtraError` if a
    library is not installed, `RecevalError` if a tracker fails.
    """
    refuse_lost_threads()
    if step is not None and (isinstance(step, bool) or not isinstance(step, int) or step < 0):
        raise ConfigError(f"step: this should be a whole number from 0, not {step!r}")
    folders = [os.fspath(values)] if isinstance(values, str | os.PathLike) else []
    result = load(os.fspath(values)) if isinstance(values, str | os.PathLike) else values
    given = [] if to is None else list(to) if isinstance(to, list | tuple) else [to]
    trackings = trackings_of(result.config if isinstance(result, Result) else {}, given, "to")
    if not trackings:
        raise ConfigError("no tracker is given", "choose one with to='mlflow', 'wandb', 'dvc' or 'tensorboard'")
    if isinstance(result, Result):
        with errors_as_arguments():
            result = with_bases("result", result, [models] if isinstance(models, str) else models)
        return track_all(result, trackings, step, (*inputs_of_folders(folders), *read_by([result])))
    if step is None:
        raise ConfigError("step is missing", "values of an Evaluator are logged at a step: receval.track(values, to=…, step=epoch)")
    return list(track_step(_by_model(result), step, trackings, Path(), inputs=()))


def _by_model(values: Mapping[str, Any]) -> ModelValues:
    """Return values by model; those of one model may be alone."""
    if not isinstance(values, Mapping) or not values:
        raise ConfigError("values: give a result, its folder, or measures with their values, such as {'nDCG@10': 0.21}")
    models = values if all(isinstance(of_model, Mapping) for of_model in values.values()) else {"model": values}
    wrong = [(name, value) for of in models.values() for name, value in of.items() if value is not None and not isinstance(value, Real)]
    for name, value in wrong:
        raise ConfigError(f"values: {name} should be a number, not {value!r}")
    return {
        str(model): [PlainValue(str(name), float(value)) for name, value in of.items() if value is not None] for model, of in models.items()
    }
