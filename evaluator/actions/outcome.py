"""The outcome of a run: its result with gates, the files written, the trackers, and the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Generic, TypeVar

from msgspec import Struct

from ..comparison.bases import base_of
from ..comparison.best_models import closing_with_groups
from ..comparison.comparison_options import ComparisonOptions
from ..config import Loaded
from ..documents.findings import failure
from ..documents.headline import closing_of_result
from ..documents.report import ReportContent
from ..results.comparison import conclusions
from ..results.gates import Verdicts
from ..results.result import Result
from ..support.errors import RecevalError

_MOST_SENTENCES: Final = 2
Found = TypeVar("Found", bound=Result)
"""A `Result`, or an `EvaluationResult` of the Python API."""


class TrackerOutcome(Struct, frozen=True):
    """The outcome of a tracker: the place to which the result `went`, or the `problem`, which is only a warning."""

    name: str
    went: str = ""
    problem: str = ""


class JudgedResult(Struct, Generic[Found], frozen=True, eq=False):
    """A result whose gates were judged, and the content of its `report`, if one was made.

    `looks` are sentences on how often baselines were compared with.
    """

    result: Found
    report: ReportContent | None = None
    strict: bool = False
    looks: tuple[str, ...] = ()

    @property
    def verdicts(self) -> Verdicts:
        """The verdicts of the gates."""
        return Verdicts(self.result.gates)

    @property
    def gate_summary(self) -> str:
        """The summary of the gates, in a sentence."""
        verdicts = self.verdicts
        passes = not self.strict and not verdicts.failed() and any(gate.outcome == "inconclusive" for gate in verdicts.gates)
        needs = "; --strict needs at least one" if self.strict and verdicts.none_judged else ""
        return f"{verdicts.summary()}{'; this fails only with --inconclusive fail' if passes else needs}"

    @property
    def check_summary(self) -> str:
        """Which health checks make the exit code 1, in a sentence; empty if none does."""
        return failure(self.result)

    @property
    def exit_code(self) -> int:
        """1 if a gate or a check of level error failed; with `strict`, also if a gate warns or none was judged; else 0."""
        return int(self.result.failed() or self.verdicts.failed(self.strict))


class RunRecord(JudgedResult[Found], Generic[Found], frozen=True, eq=False, kw_only=True):
    """The record of a run: the result with its gates, the files and folders `written`, and the outcomes of trackers (`tracked`).

    `report` is the content of reports, if the run made any. `failure`: gates could not be judged, or a required tracker failed; all
    earlier steps were done.
    """

    loaded: Loaded
    written: tuple[Path, ...] = ()
    tracked: tuple[TrackerOutcome, ...] = ()
    failure: RecevalError | None = None

    @property
    def sentences(self) -> list[str]:
        """The closing sentences: see `closing_of`."""
        return closing_of(self.loaded, self.result)

    def sentences_on(self, shown: Result) -> list[str]:
        """Return the closing sentences, see `closing_of`, on the measures of the part of the result that is shown."""
        return closing_of(self.loaded, self.result, frozenset(row.label for row in shown.rows))

    @property
    def check_summary(self) -> str:
        """Which health checks make the exit code 1, with `strict` also those of level warn."""
        return failure(self.result, self.strict)

    @property
    def exit_code(self) -> int:
        """0 on success, 1 if a gate or a check failed, that of the failure if there is one."""
        judged = int(self.result.failed(self.strict) or self.verdicts.failed(self.strict))
        return judged if self.failure is None else self.failure.exit_code


def closing_of(loaded: Loaded, result: Result, measures: frozenset[str] | None = None) -> list[str]:
    """Return the headline on the best model, and then, with a baseline, the conclusions against it; only a caution if that was not tested.

    The headline is about `measures`, by default all measures.

    The baseline is that of `base_of`, or a folder relative to the config.
    """
    if not result.conclusions:
        return closing_of_result(result, measures)
    options = ComparisonOptions.from_config(loaded.config.compare)
    baseline = options.baseline
    if baseline is None:
        base = base_of({"": result})
        if base.is_default:
            return closing_with_groups(result, options, measures)
        baseline = base.name
    from .compare import GatheredResults, compare  # only here: few runs name a baseline to compare with

    try:
        comparison = compare(GatheredResults({"this run": result}, loaded), options).comparison
    except RecevalError as error:
        return [f"Not compared with the baseline {baseline}: {error.message}."]
    best, said = closing_with_groups(result, options, measures), conclusions(comparison)
    said = [sentence for sentence in said if sentence not in best]
    more = [f"receval compare lists {len(said) - 1} more."] if len(said) > _MOST_SENTENCES else []
    against = [*said[:1], *comparison.in_groups.values(), *said[1 : _MOST_SENTENCES - len(more)], *more]
    return list(dict.fromkeys((*best, *against)))
