"""Several training runs of each model: users and training in one interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from .estimates import CONSTANT, Estimate, Relative, mean_and_deviation
from .paired import Floats, PairedSums, both_finite, differences_of

ONE_RUN: Final = "One run of each model: nothing is said about training again."
_ENOUGH: Final = 5


def runs_estimate(base: Sequence[Floats], model: Sequence[Floats]) -> Estimate:
    """The difference of two models over users and training runs (Bouthillier et al., 2021), each run with one value per user.

    The value of a user is the mean over the runs of a model. SE² = s²_users/n + s²_a/K_a + s²_b/K_b, where s²_users is the variance of
    users' differences and s²_a that of the means of the K_a runs; degrees of freedom by Satterthwaite (1946).

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
    terms = [(sd**2 / n, n - 1)]
    among = np.isfinite(_means(base)) & np.isfinite(_means(model))
    for runs in (base, model):
        if len(runs) > 1:
            means = np.array([mean_and_deviation(run[among])[0] for run in runs])
            terms.append((mean_and_deviation(means)[1] ** 2 / len(runs), len(runs) - 1))
    variance = sum(term for term, _ in terms)
    df = variance**2 / sum(term**2 / of_term for term, of_term in terms) if variance else n - 1
    notes = estimate.notes if variance or not paired.n_changed else (*estimate.notes, CONSTANT)
    return replace(estimate.with_t(math.sqrt(variance), df), sd=sd, notes=notes)


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
