"""Worlds for `claims.py` of many runs: histories, leaderboards, and looks at one baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np
from claims_of_units import Random, Row, Values
from receval.actions.looks import level_of_look
from receval.stats.accepted import against_accepted, pairs_of_runs
from receval.stats.concluding import judge_family
from receval.stats.difference import Difference, Settings, Subject
from receval.stats.letters import different_pairs, letters
from receval.stats.rare_changes import ValueRange
from receval.stats.two_models import compare_paired

SETTINGS: Final = Settings()
N_USERS: Final = 1000
_SPREAD: Final = 0.1
"""The standard deviation of how much the value of a user changes in a run."""
ERROR: Final = _SPREAD * (2 / N_USERS) ** 0.5
"""The standard error of the difference of two runs."""


def drawn_runs(means: Values, random: Random) -> dict[str, Values]:
    """Draw values of the same users in runs with these true means, relative to the first."""
    users = random.normal(0.5, 0.1, N_USERS)
    return {f"{number:03}": users + mean + random.normal(0, _SPREAD, N_USERS) for number, mean in enumerate(means)}


def difference(runs: dict[str, Values], base: str, run: str) -> Difference:
    """Return the difference of two runs."""
    return compare_paired(Subject("measure", base, run), runs[base], runs[run], SETTINGS, values=ValueRange(-1.0, 2.0))


def losses(means: Values, random: Random, family: int | None = None) -> list[tuple[int, int]]:
    """Return base and run of each loss that a history shows."""
    runs = drawn_runs(means, random)
    n_pairs = pairs_of_runs(len(runs)) if family is None else family
    steps = against_accepted([*runs], partial(difference, runs), SETTINGS, n_pairs)
    judged = judge_family([step.difference for step in steps], SETTINGS, n_pairs)
    return [(int(one.subject.base), int(one.subject.model)) for one in judged if one.verdict == "worse"]


def shows_wrong_loss(means: Values, random: Random, family: int | None = None) -> bool:
    """Return whether a history shows a loss of a run that is as good as the one it is compared with."""
    return any(means[run] >= means[base] for base, run in losses(means, random, family))


def shows_loss(means: Values, random: Random) -> bool:
    """Return whether a history shows any loss."""
    return bool(losses(means, random))


def gained(n_runs: int, gain: float) -> Values:
    """Return means of runs that are all better than the first, by this many standard errors."""
    return np.where(np.arange(n_runs) > 0, gain * ERROR, 0.0)


def fallen(n_runs: int, loss: float, at: int) -> Values:
    """Return means of runs that are worse from one run on, by this many standard errors."""
    return np.where(np.arange(n_runs) >= at, -loss * ERROR, 0.0)


def sinking(n_runs: int, loss: float) -> Values:
    """Return means of runs each of which loses a little: all together this many standard errors."""
    return np.linspace(0.0, -loss * ERROR, n_runs)


def letters_differ(n_models: int, random: Random, *, lead: float = 0.0) -> bool:
    """Return whether two equal models of a leaderboard share no letter; with a `lead`, whether the first is alone."""
    runs = drawn_runs(np.where(np.arange(n_models) == 0, lead * ERROR, 0.0), random)
    judged = judge_family([difference(runs, *pair) for pair in combinations(runs, 2)], SETTINGS)
    given = letters(sorted(runs, key=lambda name: -runs[name].mean()), different_pairs(judged)) or {}
    if lead:
        return not any({*given["000"]} & {*other} for name, other in given.items() if name != "000")
    return any(not {*one} & {*other} for one, other in combinations(given.values(), 2))


def look_is_wrong(n_looks: int, level: Callable[[int], float], random: Random) -> bool:
    """Return whether any of many runs, each as good as the baseline, is shown to differ from it, each look at its level."""
    runs = drawn_runs(np.zeros(n_looks + 1), random)
    base, *others = runs
    p_values = (difference(runs, base, run).p for run in others)
    return any(p is not None and p <= level(look) for look, p in enumerate(p_values, 1))


def rows() -> Iterator[Row]:
    """Yield the rows."""
    jump, drift = partial(shows_loss, fallen(20, 5.5, 12)), partial(shows_loss, sinking(50, 8.0))
    yield Row("history: a loss", "20 equal runs", 0.05, partial(shows_wrong_loss, np.zeros(20)), jump, 20)
    after_gain = partial(shows_wrong_loss, gained(50, 2.5))
    yield Row("history: a loss", "49 equal runs after a gain of 2.5 errors", 0.05, after_gain, drift, 50)
    yield Row("history over n - 1", "49 equal runs after a gain of 2.5 errors", None, partial(after_gain, family=49), None, 50)
    letter = partial(letters_differ, 6)
    yield Row("leaderboard: letters apart", "6 equal models", 0.05, letter, partial(letter, lead=5.0), 15)
    corrected = partial(look_is_wrong, 20, partial(level_of_look, SETTINGS.alpha))
    yield Row("looks: one of 20 is wrong", "each at the level of its look", 0.05, corrected, None, 20)
    yield Row("looks: one of 20 is wrong", "all at 5 %", None, partial(look_is_wrong, 20, lambda _: SETTINGS.alpha), None, 20)
