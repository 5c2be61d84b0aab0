"""The outcome of a run: its result with gates, what was written and tracked, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Generic, TypeVar

from msgspec import Struct

from ..comparison.bases import base_of
from ..comparison.questions import Questions
from ..config import Loaded
from ..content.findings import failure
from ..content.report import ReportContent
from ..errors import RecevalError
from ..results.comparison import closing_sentences, conclusions
from ..results.gates import Verdicts
from ..results.result import Result

_MOST_SENTENCES: Final = 2
Found = TypeVar("Found", bound=Result)
"""A result, or one to look into."""


class Tracked(Struct, frozen=True):
    """What came of a tracker: where the result `went`, or the `problem`, which is only a warning."""

    name: str
    went: str = ""
    problem: str = ""


class JudgedResult(Struct, Generic[Found], frozen=True, eq=False):
    """A result whose gates were judged, and what a `report` of it is made of, where one was made."""

    result: Found
    report: ReportContent | None = None
    strict: bool = False

    @property
    def verdicts(self) -> Verdicts:
        """What came of the gates."""
        return Verdicts(self.result.gates)

    @property
    def gate_summary(self) -> str:
        """How the gates ended, in a sentence."""
        return f"{self.verdicts.summary()}{'; --strict needs at least one' if self.strict and self.verdicts.none_judged else ''}"

    @property
    def check_summary(self) -> str:
        """Which health checks make the exit code 1, in a sentence; empty if none does."""
        return failure(self.result)

    @property
    def exit_code(self) -> int:
        """1 if a gate or a check of level error failed, with `strict` also if a gate is inconclusive."""
        return int(self.result.failed() or self.verdicts.failed(self.strict))


class RunRecord(JudgedResult[Found], Generic[Found], frozen=True, eq=False, kw_only=True):
    """What a run gave: the result with its gates, the files and folders that were `written`, and where it was `tracked`.

    `report` is the content of reports, where the run made any. With a `failure` gates could not be judged, or a required tracker
    failed; everything before was done.
    """

    loaded: Loaded
    written: tuple[Path, ...] = ()
    tracked: tuple[Tracked, ...] = ()
    failure: RecevalError | None = None

    @property
    def sentences(self) -> list[str]:
        """How the run ends: see `closing_of`."""
        return closing_of(self.loaded, self.result)

    @property
    def check_summary(self) -> str:
        """Which health checks make the exit code 1, with `strict` also those of level warn."""
        return failure(self.result, self.strict)

    @property
    def exit_code(self) -> int:
        """0 if all is well, 1 if a gate or a check of level error failed, that of the failure if there is one."""
        judged = int(self.result.failed(self.strict) or self.verdicts.failed(self.strict))
        return judged if self.failure is None else self.failure.exit_code


def closing_of(loaded: Loaded, result: Result) -> list[str]:
    """One or two sentences on which model is best, or on the models against a baseline; nothing where that was not tested.

    The baseline is that of `base_of`, or a folder, which is seen from that of the config.
    """
    if not result.conclusions:
        return []
    questions = Questions.of(loaded.config.compare)
    baseline = questions.baseline
    if baseline is None:
        base = base_of({"": result})
        if base.is_default:
            return closing_sentences(result.conclusions)
        baseline = base.name
    from .compare import Gathered, compare  # only here: few runs name a baseline to compare with

    try:
        said = conclusions(compare(Gathered({"this run": result}, loaded), questions).comparison)
    except RecevalError as error:
        return [f"Not compared with the baseline {baseline}: {error.message}."]
    more = [f"receval compare lists {len(said) - 1} more."] if len(said) > _MOST_SENTENCES else []
    return [*said[: _MOST_SENTENCES - len(more)], *more]
