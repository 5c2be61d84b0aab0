"""Runs in their order, each compared with the run that was accepted last: which runs are compared, and for how many that is corrected.

A run is accepted if it is the first, if it is shown to be better than the one accepted before, or if people say so. Any other run, also
one that is not shown to be worse, leaves the accepted run in its place: were it accepted, fifty runs that each lose too little to be shown
would lose everything unseen.

The accepted run is chosen by its values, which flatter it, so all pairs of runs count. Corrected for the n - 1 comparisons alone, fifty
equal runs after a gain near the limit of what can be shown have a wrong loss in 17 % of draws at a level of 5 %; for all pairs in less
than 1 %.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from .concluding import judge_family
from .difference import Difference, Settings


class Step(Struct, frozen=True):
    """A run, its difference from the accepted one, which is to be judged with all others, and whether it is accepted itself."""

    run: str
    difference: Difference
    accepted: bool


def pairs_of_runs(n_runs: int) -> int:
    """Return the number of pairs of runs."""
    return n_runs * (n_runs - 1) // 2


def against_accepted(
    runs: Sequence[str],
    difference: Callable[[str, str], Difference],
    settings: Settings,
    family: int,
    accepted: Collection[str] = (),
) -> tuple[Step, ...]:
    """Compare each run but the first with the one accepted last, by `difference` of base and run; `accepted` are so whatever is shown.

    A gain is shown if it is after Bonferroni's correction for a `family` of comparisons, which later runs do not change.
    """
    base, steps = runs[0], []
    for run in runs[1:]:
        found = difference(base, run)
        (alone,) = judge_family([found], settings, family)
        takes = alone.verdict == "better" or run in accepted
        steps.append(Step(run, found, takes))
        base = run if takes else base
    return tuple(steps)
