"""Weights & Biases: a run per model and one of the evaluation, in one group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..config.run_sections import WandbTracking
from ..extras import missing_extra
from ..results.gates import Verdicts
from ..results.result import Result
from .tracker import as_identifiers, gates_of_model, gates_word, measures, numbers_of, points_by_model, run_name, settings


class WandbRuns:
    """Log to the project; `offline` keeps the runs in the folder wandb/ for `wandb sync`."""

    def __init__(self, tracking: WandbTracking) -> None:
        self._tracking = tracking

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Log the runs; return the project and the group."""
        wandb = _library()
        group, names = run_name(result, self._tracking.run), as_identifiers(measures(result))
        config = {**settings(result), "receval_measures": {name: measure for measure, name in names.items()}}
        gates = {"gates": gates_word(result), **({"gates_summary": Verdicts(result.gates).summary()} if result.gates else {})}
        with self._run(wandb, group, "evaluation", group, config) as run:
            run.summary.update(gates)
            artifact = wandb.Artifact("receval", type="evaluation")
            for name, content in files.items():
                with artifact.new_file(name, mode="wb") as file:
                    file.write(content)
            run.log_artifact(artifact)
        for model, points in points_by_model(result).items():
            with self._run(wandb, model, "model", group, {**config, "model": model}) as run:
                run.summary.update({**numbers_of(points, names, "_"), **gates, **gates_of_model(result, model, "gate_")})
        return f"{self._tracking.project}, group {group}" + (" (offline: wandb sync)" if self._tracking.mode == "offline" else "")

    def _run(self, wandb: Any, name: str, job: str, group: str, config: Mapping[str, Any]) -> Any:
        tracking = self._tracking
        settings_of_run = wandb.Settings(silent=True, console="off", x_disable_stats=True, save_code=False)
        kinds = {"project": tracking.project, "entity": tracking.entity, "mode": tracking.mode, "reinit": "create_new"}
        return wandb.init(**kinds, name=name, job_type=job, group=group, config=dict(config), settings=settings_of_run)


def _library() -> Any:
    try:
        import wandb
    except ImportError:
        raise missing_extra("wandb", "wandb") from None
    return wandb
