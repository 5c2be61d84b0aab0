"""Stop a training when no epoch was clearly better for a while: for every library, and for loops of your own."""

from __future__ import annotations

import logging
from typing import Final

from ..api.epoch_values import EpochValues
from ..results.row import Row
from ..stats.concluding import plain
from ..stats.difference import Difference
from ..support.errors import ArgumentError
from .epochs import NamedValues, judge, row_to_watch

_LOG: Final = logging.getLogger(__name__)


class EarlyStopping:
    """Stop a training after `patience` epochs without a clear improvement of a measure, by default the first of the `Evaluator`.

        stopping = EarlyStopping(patience=5)
        for epoch in range(100):
            ...
            stopping.update(evaluator(lists))
            if stopping.best_epoch == epoch:
                save(model)
            if stopping.should_stop:
                break

    An epoch is a clear improvement if it is better than the last clear improvement (at first: than the first epoch) by a paired test over
    users. At most `patience` epochs are compared with the same one, each at the level `alpha` / `patience` from one side. So the
    probability that one of them is called an improvement without being one is at most `alpha`. `min_gain` is a gain that must be shown.

    `best_epoch` is the epoch with the best value, which need not be a clear improvement: save this one. `clear_epoch` is the last clear
    improvement, `difference` the last comparison with it, and `sentence` says what was found. The sentence is also logged, at level INFO of
    `logging`. Raises `ArgumentError` for wrong arguments.
    """

    def __init__(self, *, patience: int = 5, measure: str = "", alpha: float = 0.05, min_gain: float = 0.0) -> None:
        if patience < 1:
            raise ArgumentError(f"patience must be at least 1 epoch, not {patience}")
        if not 0 < alpha < 0.25:
            raise ArgumentError(f"alpha is the rate of false improvements and must be between 0 and 0.25, not {alpha:g}")
        if not min_gain >= 0:
            raise ArgumentError(f"min_gain must be 0 or more, not {min_gain:g}")
        self.patience, self.measure, self.alpha, self.min_gain = patience, measure, alpha, min_gain
        self.best_epoch: int | None = None
        self.best_value: float | None = None
        self.clear_epoch: int | None = None
        self.difference: Difference | None = None
        self._clear: EpochValues | None = None
        self._last_epoch = -1
        self._n_without = 0

    def update(self, values: EpochValues, epoch: int | None = None) -> bool:
        """Compare an epoch with the last clear improvement; return whether it is one. The first epoch always is.

        `epoch` is its number, by default counted from 0. Raises `ConfigError` if the values cannot be compared by user.
        """
        row = row_to_watch(values, self.measure)
        self.measure = row.label
        self._last_epoch = self._last_epoch + 1 if epoch is None else epoch
        if self._is_best(row):
            self.best_epoch, self.best_value = self._last_epoch, row.value
        is_clear = self._clear is None or (not self.should_stop and self._is_clear(self._clear, values, row))
        self._n_without = 0 if is_clear else self._n_without + 1
        if is_clear:
            self._clear, self.clear_epoch = values, self._last_epoch
        if self.sentence:
            _LOG.info(self.sentence)
        return is_clear

    @property
    def should_stop(self) -> bool:
        """True after `patience` epochs without a clear improvement, and from then on."""
        return self._n_without >= self.patience

    @property
    def sentence(self) -> str:
        """The last comparison in words, or the reason to stop; empty before the second epoch."""
        if self.should_stop:
            epochs = "1 epoch" if self.patience == 1 else f"{self.patience} epochs"
            best = "no epoch has a value"
            if self.best_value is not None:
                best = f"the best value is that of epoch {self.best_epoch}, {plain(self.best_value)}"
            return f"No clear improvement in {self.measure} for {epochs} after epoch {self.clear_epoch}; {best}."
        return self.difference.sentence if self.difference is not None else ""

    def _is_best(self, row: Row) -> bool:
        if row.value is None or self.best_value is None:
            return self.best_value is None
        return row.value > self.best_value if row.higher_is_better else row.value < self.best_value

    def _is_clear(self, clear: EpochValues, values: EpochValues, row: Row) -> bool:
        if clear[self.measure] is None:  # any value is better than none
            return row.value is not None
        base, model = (NamedValues(f"epoch {number}", of) for number, of in ((self.clear_epoch, clear), (self._last_epoch, values)))
        self.difference = judge(base, model, row, self.alpha / self.patience)
        low, high = self.difference.interval or (0.0, 0.0)
        return self.difference.verdict == "better" and (low if row.higher_is_better else -high) >= self.min_gain
