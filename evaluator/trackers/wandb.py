"""Weights & Biases: a run per model and one of the evaluation, in one group."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..config.run_sections import WandbTracking
from ..results.gates import Verdicts
from ..results.result import Result
from ..support.errors import OutputError
from ..support.extras import missing_extra
from . import tracker

_STEP: Final = "receval_step"
_DIGITS: Final = 32
"""The length of the id of a run that is resumed."""


class WandbRuns:
    """Log to the project; `offline` keeps the runs in the folder wandb/ for `wandb sync`."""

    def __init__(self, tracking: WandbTracking) -> None:
        self._tracking = tracking

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Log the runs; return the project and the group."""
        wandb = _library()
        group, names = tracker.run_name(result, self._tracking.run), tracker.as_identifiers(tracker.measures(result))
        config = {**tracker.settings(result), "receval_measures": {name: measure for measure, name in names.items()}}
        gates = {"gates": tracker.gates_word(result), **({"gates_summary": Verdicts(result.gates).summary()} if result.gates else {})}
        with self._run(wandb, group, "evaluation", group, config) as run:
            run.summary.update(gates)
            artifact = wandb.Artifact("receval", type="evaluation")
            for name, content in files.items():
                with artifact.new_file(name, mode="wb") as file:
                    file.write(content)
            run.log_artifact(artifact)
        for model, points in tracker.points_by_model(result).items():
            with self._run(wandb, model, "model", group, {**config, "model": model}) as run:
                run.summary.update({**tracker.numbers_of(points, names, "_"), **gates, **tracker.gates_of_model(result, model, "gate_")})
        return f"{self._tracking.project}, group {group}" + (" (offline: wandb sync)" if self._tracking.mode == "offline" else "")

    def log_step(self, values: Mapping[str, Sequence[tracker.MeasuredValue]], step: int) -> str:
        """Log values to the active run (of `wandb.init`), or else to the run of each model in the group, which is resumed.

        Charts have the step as their x axis, `receval_step`: W&B drops values at an earlier step of its own count. Returns the place.
        """
        wandb = _library()
        names, models = tracker.as_identifiers(tracker.measures_of(values)), tracker.as_identifiers(values)
        numbers = {model: tracker.numbers_of(of_model, names, "_") for model, of_model in values.items()}
        if wandb.run is not None:
            prefixes = {model: f"{models[model]}/" if len(values) > 1 else "" for model in values}
            _log_step(wandb.run, {f"{prefixes[model]}{key}": value for model, of in numbers.items() for key, value in of.items()}, step)
            return f"run {wandb.run.name or wandb.run.id}, step {step}"
        if self._tracking.mode == "offline":
            raise OutputError(
                "wandb: no run is active, and an offline run cannot be continued", "call wandb.init first, or use mode: online"
            )
        group = self._tracking.run or " ".join(values)
        config = {"receval_measures": {name: measure for measure, name in names.items()}}
        for model, of_model in numbers.items():
            id = hashlib.sha256(json.dumps([group, model]).encode()).hexdigest()[:_DIGITS]
            with self._run(wandb, model, "model", group, {**config, "model": model}, id=id, resume="allow") as run:
                _log_step(run, of_model, step)
        return f"{self._tracking.project}, group {group}, step {step}"

    def _run(self, wandb: Any, name: str, job: str, group: str, config: Mapping[str, Any], **more: Any) -> Any:
        tracking = self._tracking
        settings_of_run = wandb.Settings(silent=True, console="off", x_disable_stats=True, save_code=False)
        kinds = {"project": tracking.project, "entity": tracking.entity, "mode": tracking.mode, "reinit": "create_new"}
        return wandb.init(**kinds, name=name, job_type=job, group=group, config=dict(config), settings=settings_of_run, **more)


def _log_step(run: Any, numbers: Mapping[str, float], step: int) -> None:
    for name in numbers:
        run.define_metric(name, step_metric=_STEP)
    run.log({**numbers, _STEP: step})


def _library() -> Any:
    try:
        import wandb
    except ImportError:
        raise missing_extra("wandb", "wandb") from None
    return wandb
