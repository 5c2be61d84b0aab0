"""The evaluator `receval` of `mlflow.models.evaluate`, which MLflow finds by the entry point `mlflow.model_evaluator`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mlflow.models.evaluation.base import EvaluationResult, ModelEvaluator  # only MLflow imports this module

from ..actions.track import files_of
from ..support.errors import ConfigError
from ..trackers.mlflow import log_to_run, measures_tag, mlflow_client
from ..trackers.tracker import best_model, for_mlflow, measures, numbers_of, points_by_model, settings

_OWN: Final = ("test", "metrics")
"""The settings by which an `evaluator_config` is recognised, because MLflow asks every installed evaluator if the caller names none."""


class RecevalEvaluator(ModelEvaluator):  # type: ignore[misc]
    """Evaluate the lists that a model predicts, or that `data` has; `evaluator_config` are the arguments of `receval.evaluate`."""

    @classmethod
    def can_evaluate(cls, *, model_type: Any, evaluator_config: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        """Return whether the settings are those of receval."""
        return any(name in (evaluator_config or {}) for name in _OWN)

    def evaluate(
        self,
        *,
        model_type: Any,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any],
        model: Any = None,
        model_id: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Evaluate the lists and log values with intervals, settings (as tags) and files to the run; return the values.

        Raises `ConfigError` for wrong settings, `DataError` for lists or test data that cannot be read.
        """
        from .calls import evaluate

        if "recommendations" in evaluator_config:
            raise ConfigError("recommendations: they are what the model predicts", "remove them from evaluator_config")
        lists = dataset.features_data if model is None else model.predict(dataset.features_data)
        result = evaluate(**{**evaluator_config, "recommendations": lists})
        names = for_mlflow(measures(result))
        numbers = numbers_of(points_by_model(result)[best_model(result)], names, ".")
        client = mlflow_client()
        tags = {f"receval.{name}": value for name, value in settings(result).items()} | measures_tag(names)
        log_to_run(client, run_id, numbers, tags, model_id=model_id)
        for file, content in files_of(result).items():
            client.log_text(run_id, content.decode(), file)
        return EvaluationResult(metrics=numbers, artifacts={}, run_id=run_id)
