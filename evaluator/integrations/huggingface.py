"""Metrics for the Trainer of Hugging Face: a `compute_metrics` that is also a callback, for early stopping on an interval."""

from __future__ import annotations

from typing import Any

from ..api.calls import Evaluator
from ..api.epoch_values import EpochValues
from ..support.errors import DataError
from .early_stopping import EarlyStopping
from .epochs import missing_library, refuse_without_users

try:
    from transformers import TrainerCallback
except ModuleNotFoundError as error:
    raise missing_library(error, "huggingface", "transformers") from None


class HuggingFaceMetrics(TrainerCallback):  # type: ignore[misc]
    """Evaluate the predictions of a Trainer as lists of items: the argument `compute_metrics`.

    `users` are the ids of the users in the order of the evaluation data set. Predictions are scores (users × items) or, with
    `preprocess_logits_for_metrics=lambda scores, labels: scores.topk(10).indices`, item ids (users × ranks), which need less memory; items
    are numbers from 0. The Trainer logs the values as `eval_nDCG@10` and the like, so that `metric_for_best_model="nDCG@10"` with
    `greater_is_better=True` keeps the best epoch.

    With `stopping` give the same object in `callbacks` too: the training ends after its patience. `values` are those of the last
    evaluation. Raises `ConfigError` if `stopping` has no per-user values to compare.
    """

    def __init__(self, evaluator: Evaluator, users: Any, *, stopping: EarlyStopping | None = None) -> None:
        refuse_without_users(evaluator, stopping)
        self._evaluator, self._users, self._stopping = evaluator, users, stopping
        self.values: EpochValues | None = None

    def __call__(self, prediction: Any) -> dict[str, float]:
        """Return the values of an `EvalPrediction`; raise `DataError` if it does not have a row for each user."""
        lists = prediction.predictions
        n_rows = len(lists[0] if isinstance(lists, tuple) else lists)
        if n_rows != len(self._users):
            hint = "give the users in the order of eval_dataset, one for each of its rows"
            raise DataError(f"the Trainer has predictions of {n_rows:,} rows, but there are {len(self._users):,} users", hint)
        self._evaluator.update(self._users, lists)
        self.values = self._evaluator.compute()
        return {label: value for label, value in self.values.items() if value is not None}

    def on_evaluate(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Stop the training if there was no clear improvement for a while."""
        if self._stopping is not None and self.values is not None:
            self._stopping.update(self.values, round(state.epoch or 0))
            control.should_training_stop = control.should_training_stop or self._stopping.should_stop
