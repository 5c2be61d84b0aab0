"""Pruning for Optuna: a trial ends early only if it is clearly worse than the best one at the same step."""

from __future__ import annotations

from typing import Any

from ..api.epoch_values import EpochValues
from ..support.errors import ArgumentError
from .epochs import NamedValues, judge, logged, missing_library, row_to_watch

try:
    from optuna import TrialPruned
    from optuna.trial import TrialState
except ModuleNotFoundError as error:
    raise missing_library(error, "optuna", "optuna") from None


class OptunaPruning:
    """Report each step of the trials of a study, and prune those that are clearly worse than the best one.

        pruning = OptunaPruning(n_steps=20)
        def objective(trial):
            for epoch in range(20):
                ...
                values = evaluator(lists)          # of an Evaluator with keep_users=True
                pruning.report(trial, values, epoch)
            return values["nDCG@10"]

    A trial is compared at each step with the best completed trial at the same step, by a paired test over users. The level is `alpha`
    divided by `n_steps` (the steps of a trial) and by the number of completed trials, one of which is the best. So the probability that a
    trial is pruned that is not worse than the best one at any step is at most `alpha`. Per-user values stay in memory: processes that share
    a study each compare with their own trials. `measure`, by default the first of the `Evaluator`, has to be the value of the objective.
    """

    def __init__(self, *, n_steps: int, measure: str = "", alpha: float = 0.05) -> None:
        if n_steps < 1:
            raise ArgumentError(f"n_steps must be at least 1, not {n_steps}")
        if not 0 < alpha < 0.25:
            raise ArgumentError(f"alpha is the rate of false pruning and must be between 0 and 0.25, not {alpha:g}")
        self._n_steps, self._measure, self._alpha = n_steps, measure, alpha
        self._steps: dict[int, dict[int, EpochValues]] = {}

    def report(self, trial: Any, values: EpochValues, step: int) -> None:
        """Report a step of a trial; raise `optuna.TrialPruned` if it is clearly worse than the best one.

        Its values become attributes of the trial such as `receval/nDCG@10`, and the comparison that prunes it `receval/pruned`. After
        `n_steps` steps nothing is pruned. Raises `ConfigError` if the values cannot be compared by user.
        """
        row = row_to_watch(values, self._measure)
        if row.value is not None:
            trial.report(row.value, step)
        for name, value in logged(values).items():
            trial.set_user_attr(name, value)
        own = self._steps.setdefault(trial.number, {})
        own[step] = values
        completed = trial.study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if not completed or len(own) > self._n_steps:
            return
        best = trial.study.best_trial.number
        self._forget_all_but(best, trial.study)
        if (of_best := self._steps.get(best, {}).get(step)) is None:
            return
        level = self._alpha / (self._n_steps * len(completed))
        difference = judge(NamedValues(f"trial {best}", of_best), NamedValues(f"trial {trial.number}", values), row, level)
        if difference.verdict == "worse":
            trial.set_user_attr("receval/pruned", difference.sentence)
            raise TrialPruned(difference.sentence)

    def _forget_all_but(self, best: int, study: Any) -> None:
        """Keep the values of the best trial and of running ones: no other trial can become the best."""
        running = {trial.number for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))}
        for number in [*self._steps]:
            if number != best and number not in running:
                del self._steps[number]
