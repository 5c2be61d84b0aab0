"""Several training runs of each model: users and training in one interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from ..sums.exact import ExactSums
from .estimates import CONSTANT, Estimate, mean_and_deviation
from .paired import Floats, PairedSums, both_finite, differences_of
from .relative import Relative

ONE_RUN: Final = "One run of each model: nothing is said about training again."
_ENOUGH: Final = 5


def runs_estimate(base: Sequence[Floats], model: Sequence[Floats]) -> Estimate:
    """The difference of two models over users and training runs (Bouthillier et al., 2021), each run with one value per user.

    The value of a user is the mean over the runs of a model. Users and runs are crossed: the variance s²_users of users' differences, and
    that of the means of the K runs of a model, s²_a, both hold the noise e²_a of a user in a run, which the mean has only once:

        SE² = s²_users/n + max(0, s²_a/K_a - e²_a/(n·K_a)) + max(0, s²_b/K_b - e²_b/(n·K_b))

    e² is the mean square of what is left of the values beside their users and runs. Degrees of freedom by Satterthwaite (1946), in which a
    model whose runs differ no more than that noise has no term.

    Edge cases: a model of one run has no term of its own, and a note says so. A user without a value in one of the runs of a
    model has none for that model. `ValueError` if a model has no run.
    """
    if not base or not model:
        raise ValueError("a model is compared by at least one run")
    a, b, n_unpaired = both_finite(_means(base), _means(model))
    paired = PairedSums.of(a, b)
    n = paired.n
    if n == 0:
        return Estimate(0, None, None, None, n_unpaired=n_unpaired)
    difference, sd = mean_and_deviation(differences_of(a, b))
    value, base_value = mean_and_deviation(b)[0], mean_and_deviation(a)[0]
    estimate = Estimate(
        n,
        base_value,
        value,
        difference,
        up=paired.up,
        down=paired.down,
        n_unpaired=n_unpaired,
        relative=Relative.of(difference, base_value),
        notes=_notes(base, model),
    )
    if n == 1:
        return estimate
    among = np.isfinite(_means(base)) & np.isfinite(_means(model))
    of_users, of_runs = sd**2 / n, [_training([run[among] for run in runs]) for runs in (base, model) if len(runs) > 1]
    training = math.fsum(one.beyond_noise for one in of_runs)
    variance = of_users + training
    squares = of_users**2 / (n - 1) + math.fsum(one.variance**2 / one.df for one in of_runs if one.beyond_noise)
    df = variance**2 / squares if variance else n - 1
    notes = estimate.notes if variance or not paired.n_changed else (*estimate.notes, CONSTANT)
    estimate = replace(estimate, training=training, runs=min(len(base), len(model)))
    return replace(estimate.with_t(math.sqrt(variance), df), sd=sd, notes=notes)


class _Training(NamedTuple):
    """The variance of the mean of a model's runs, of that what is no noise of users in runs, and its degrees of freedom."""

    variance: float
    beyond_noise: float
    df: int


def _training(runs: Sequence[Floats]) -> _Training:
    """What training again does to the mean over runs, from the values of the users that all of them have."""
    n, n_runs = len(runs[0]), len(runs)
    variance = mean_and_deviation(np.array([mean_and_deviation(run)[0] for run in runs]))[1] ** 2 / n_runs
    rests = np.stack(runs) - _means(runs)
    within = float(ExactSums.of_squares(rests.reshape(1, -1)).values()[0])  # of runs around the mean of each user
    noise = max(0.0, within - n * n_runs * (n_runs - 1) * variance) / ((n_runs - 1) * (n - 1))
    return _Training(variance, max(0.0, variance - noise / (n * n_runs)), n_runs - 1)


def _means(runs: Sequence[Floats]) -> Floats:
    """The mean of each user, whatever the order of runs."""
    return np.asarray(np.sort(np.stack(runs), axis=0).sum(axis=0) / len(runs), dtype=np.float64)


def _notes(base: Sequence[Floats], model: Sequence[Floats]) -> tuple[str, ...]:
    fewest = min(len(base), len(model))
    if max(len(base), len(model)) == 1:
        return (ONE_RUN,)
    if fewest == 1:
        return ("One of the models has one run only: what training again changes is known of the other alone.",)
    return (f"{fewest} runs of a model: how much training again changes is known roughly; 5 are advised.",) if fewest < _ENOUGH else ()
