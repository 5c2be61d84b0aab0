"""A callback for Lightning: values of each validation in `trainer.callback_metrics`, and early stopping on an interval."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

from ..api.calls import Evaluator
from ..api.epoch_values import EpochValues
from ..support.errors import ConfigError
from .early_stopping import EarlyStopping
from .epochs import logged, missing_library, refuse_without_users

_NAMES: Final = ("lightning.pytorch", "pytorch_lightning")
"""Lightning under its two names; a callback for the one is not a callback for the other."""


def _bases() -> tuple[Any, ...]:
    """Return the class `Callback` of Lightning, under each name that is imported, or else under the first that is installed."""
    errors = []
    for name in () if any(map(sys.modules.get, _NAMES)) else _NAMES:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            errors.append(missing_library(error, "lightning", name.partition(".")[0]))
        else:
            break
    if bases := tuple(sys.modules[name].Callback for name in _NAMES if sys.modules.get(name)):
        return bases
    raise errors[0]


class LightningCallback(*_bases()):  # type: ignore[misc]
    """Evaluate the lists of a module after each validation, and log the values as `receval/nDCG@10` and the like.

    `lists_of` is a function of the module that returns the lists of all users in any form that an `Evaluator` takes. Without it
    `validation_step` returns the lists of its batch: `{"users": …, "lists": …}`, as arguments of `Evaluator.update`.

    `ModelCheckpoint(monitor="receval/nDCG@10", mode="max")` then keeps the best epoch. With `stopping` the training ends after its
    patience. `values` are those of the last validation. Raises `ConfigError` if `stopping` has no per-user values to compare, and if lists
    of batches come from several processes.
    """

    def __init__(
        self, evaluator: Evaluator, lists_of: Callable[[Any], Any] | None = None, *, stopping: EarlyStopping | None = None
    ) -> None:
        refuse_without_users(evaluator, stopping)
        self._evaluator, self._lists_of, self._stopping = evaluator, lists_of, stopping
        self.values: EpochValues | None = None

    def on_validation_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Keep the lists of a batch."""
        if self._lists_of is not None or trainer.sanity_checking:
            return
        if not isinstance(outputs, Mapping) or not {"users", "lists"} <= outputs.keys():
            hint = "return {'users': …, 'lists': …} from it, or give the callback lists_of, a function of the module"
            raise ConfigError("validation_step does not return users and their lists", hint)
        if trainer.world_size > 1:
            hint = "give the callback lists_of, a function of the module that returns the lists of all users"
            raise ConfigError(f"the lists of batches are in {trainer.world_size} processes, and receval evaluates in one", hint)
        self._evaluator.update(outputs["users"], outputs["lists"])

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Evaluate, log, and stop the training if there was no clear improvement for a while."""
        if trainer.sanity_checking:
            return
        self.values = self._evaluator.compute() if self._lists_of is None else self._evaluator(self._lists_of(pl_module))
        pl_module.log_dict(logged(self.values))
        if self._stopping is not None and trainer.state.fn == "fit":
            self._stopping.update(self.values, trainer.current_epoch)
            trainer.should_stop = trainer.should_stop or self._stopping.should_stop
