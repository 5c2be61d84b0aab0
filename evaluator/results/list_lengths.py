"""A sentence on models whose lists have different lengths: at a cut-off above the shorter ones they are not compared like with like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from ..checks.table import LIST_LENGTHS
from .result import Result
from .row import listed

SHORT_AT: Final = "mostly_short_at"
"""The detail of a finding of `LIST_LENGTHS` with the cut-offs that most lists do not reach; `LONGEST` is the longest list."""
LONGEST: Final = "longest"


def caution(models: Mapping[str, tuple[Result, str]], measures: Collection[str]) -> list[str]:
    """Return a sentence if most lists of one model reach a cut-off of the `measures` and most lists of another do not; else nothing.

    `models` are those compared, by their names in the sentence: the result, and the name of the model in it. Results without the
    check say nothing about their lists.
    """
    known = {name: of_model for name, of_model in models.items() if of_model[0].examined and LIST_LENGTHS not in of_model[0].unmade}
    details = {shown: run_details for name, of_model in known.items() for shown, run_details in _run_details(name, *of_model).items()}
    cutoffs = {row.k for result, model in models.values() for row in result.rows_by_model.get(model, ()) if row.label in measures and row.k}
    short = {name: [k for k in details[name].get(SHORT_AT, ()) if k in cutoffs] for name in details}
    uneven = sorted(k for k in cutoffs if 0 < sum(k in of_model for of_model in short.values()) < len(short))
    if not uneven:
        return []
    first = uneven[0]
    shorter, others = ([name for name in short if (first in short[name]) is is_short] for is_short in (True, False))
    most, least = (of(details[name][LONGEST] for name in shorter) for of in (max, min))
    if most < first:
        subject = f"{listed(shorter)} {'has' if len(shorter) == 1 else 'have'}"
        lengths = f"{subject} at most {most:,} item{'' if most == 1 else 's'} per list, {listed(others)} {first:,} or more"
    else:
        lengths = f"most lists of {listed(shorter)} have fewer than {first:,} items, those of {listed(others)} {first:,} or more"
    usable = least if most < first else max((k for k in cutoffs if k < first), default=0)
    at = f"{listed([f'@{k}' for k in uneven])} {'does' if len(uneven) == 1 else 'do'}"
    return [f"{lengths}: {at} not compare like with like; use {f'k ≤ {usable:,}' if usable else 'smaller cut-offs'}."]


def _run_details(name: str, result: Result, model: str) -> dict[str, Mapping[str, Any]]:
    """Return the details on the lists of a model by its `name`; by the names of its runs, as findings have them, if these differ."""
    runs = dict.fromkeys(f" (run {row.run})" for row in result.repeated if row.model == model and row.run is not None)
    of_runs = {f"{name}{run}": _details(result, f"{model}{run}") for run in runs or ("",)}
    short = {frozenset(details.get(SHORT_AT, ())) for details in of_runs.values()}
    longest = max((details[LONGEST] for details in of_runs.values() if details), default=0)
    return of_runs if len(short) > 1 else {name: {SHORT_AT: short.pop(), LONGEST: longest}}


def _details(result: Result, model: str) -> Mapping[str, Any]:
    """Return the details on the lists of a model, over all folds; empty if most lists reach every cut-off."""
    found = [
        details.details
        for details in result.findings
        if details.check == LIST_LENGTHS and details.model == model and SHORT_AT in details.details
    ]
    if not found:
        return {}
    return {SHORT_AT: {k for details in found for k in details[SHORT_AT]}, LONGEST: max(details[LONGEST] for details in found)}
