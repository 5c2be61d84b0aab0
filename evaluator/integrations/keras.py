"""A callback for Keras 3, with any backend: values of each epoch in `logs`, and early stopping on an interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api.calls import Evaluator
from ..api.epoch_values import EpochValues
from .early_stopping import EarlyStopping
from .epochs import logged, missing_library, refuse_without_users

try:
    from keras.callbacks import Callback
except ModuleNotFoundError as error:
    raise missing_library(error, "keras", "keras") from None


class KerasCallback(Callback):  # type: ignore[misc]
    """Evaluate the lists of a model after each epoch, and add the values to its logs as `receval/nDCG@10` and the like.

    `lists_of` is a function of the model that returns the lists of all users in any form that an `Evaluator` takes. Give this callback
    before those that read the logs, such as `ModelCheckpoint(…, monitor="receval/nDCG@10", mode="max")`. With `stopping` the training ends
    after its patience. `values` are those of the last epoch. Raises `ConfigError` if `stopping` has no per-user values to compare.
    """

    def __init__(self, evaluator: Evaluator, lists_of: Callable[[Any], Any], *, stopping: EarlyStopping | None = None) -> None:
        super().__init__()
        refuse_without_users(evaluator, stopping)
        self._evaluator, self._lists_of, self._stopping = evaluator, lists_of, stopping
        self.values: EpochValues | None = None

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Evaluate, log, and stop the training if there was no clear improvement for a while."""
        self.values = self._evaluator(self._lists_of(self.model))
        if logs is not None:
            logs.update(logged(self.values))
        if self._stopping is not None:
            self._stopping.update(self.values, epoch)
            self.model.stop_training = self.model.stop_training or self._stopping.should_stop
