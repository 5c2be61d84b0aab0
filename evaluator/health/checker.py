"""`check`: a health check is one decorated class; and `Context`, what is known of a model when all its parts are measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar

import polars as pl
from msgspec import Struct, field

from ..checks import CHECKS, Check, CheckSetting, Finding, Severity, declare, setting
from ..conventions.axes import AXES
from ..metrics.definition import Definition
from ..results.result import Row
from ..tables.prepared import Prepared
from .examined import ExaminedPart
from .tallies import EXAMPLES, Tally


def several(count: int, what: str) -> str:
    """`1 user`, `12 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def shared(count: int, total: int, what: str) -> str:
    """`12 of 350 users (3.4 %)`."""
    percent = 100.0 * count / total if total else 0.0
    digits = 0 if percent >= 99.95 or percent == 0 else 1 if percent >= 0.1 else 3
    return f"{count:,} of {total:,} {what} ({percent:.{digits}f} %)"


class Symptom(NamedTuple):
    """A finding, the offending rows where they are kept, and whether the policy refuses data of which this was found."""

    finding: Finding
    rows: pl.DataFrame | None = None
    refused: bool = False


class SourceNames(Struct, frozen=True):
    """What a source is called: its role, such as `data.test`, and for `user` and `item` the names of its columns and what they store."""

    role: str
    columns: Mapping[str, str]
    stored: Mapping[str, str]
    """`integers` or `text`, by column."""
    n_files: int = 1


class Faults(Struct, frozen=True):
    """Rows of a source that were left out: `count` of `total`, the first `places` in words, and the rows if they are kept."""

    role: str
    model: str
    places: tuple[str, ...]
    count: int
    total: int
    rows: pl.DataFrame | None = None


class PopularityRule(Struct, frozen=True):
    """What the lists of the popularity baseline do with items that train holds for the user.

    `sentence` says it after "its lists"; `leaves_out`: they leave them out, and `reads_without`: those of models are read without them too.
    """

    sentence: str = "may contain items of the user's train rows"
    leaves_out: bool = False
    reads_without: bool = False


class Context(Struct, frozen=True, eq=False):
    """What checks are given at the end.

    `counts` are the numbers of rows and users of `Tallies`. `sources` are by `lists`, `test`, `train` and `items`; `measured` has the rows
    of the result of every measure. `bounds` says by label what values can be under ties (`least`, `expected`, `most`), and `unbounded` why
    others have no bounds; `best` and `baseline` are the values of the best possible lists and of popularity over the users that count for
    the model, `popularity_rule` says what the lists of popularity do with seen items. `available` are the `NEEDS` that are met. `shown`
    are the labels of the measures that are shown, not those that only formulas are made of; `twins` says which sources have the same bytes
    as the lists of the model, such as `data.test`.
    """

    model: str
    prepared: Prepared
    settings: Mapping[str, CheckSetting] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    available: frozenset[str] = frozenset()
    cutoffs: tuple[int, ...] = ()
    definitions: Sequence[Definition] = ()
    measured: Sequence[Sequence[Row]] = ()
    sources: Mapping[str, SourceNames] = field(default_factory=dict)
    faults: Sequence[Faults] = ()
    bounds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unbounded: Mapping[str, str] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    baseline: Mapping[str, float] = field(default_factory=dict)
    popularity_rule: PopularityRule = field(default_factory=PopularityRule)
    counts: Tally = field(default_factory=Tally)
    shown: Collection[str] = ()
    twins: Sequence[str] = ()

    def setting(self, check: str) -> CheckSetting:
        """How a check is used."""
        return self.settings.get(check) or setting(CHECKS[check])

    def limit(self, check: str, name: str) -> float:
        """A limit of a check."""
        return self.setting(check).limit(name)

    @property
    def n_lists(self) -> int:
        """The number of users with a list."""
        return self.counts.count("lists")

    def symptoms(
        self,
        check: Check,
        model: str,
        sentence: str,
        count: int,
        total: int,
        examples: Collection[str],
        rows: pl.DataFrame | None,
        severity: Severity | None,
        details: Mapping[str, Any],
        unlimited: bool,
        refusable: bool,
    ) -> list[Symptom]:
        """The finding of a check, if it is one; see `HealthCheck.symptom`."""
        own = self.setting(check.id)
        refused = refusable and check.id in self.refused and count > 0
        limit = 0.0 if unlimited else own.limits.get("max_share", 0.0) or 0.0
        if not refused and (count == 0 or own.severity == "off" or count <= limit * total):
            return []
        weakened = severity if severity and own.severity == check.severity else own.severity
        finding = Finding(
            check=check.id,
            severity="error" if refused else weakened,
            sentence=sentence,
            advice=check.advice,
            model=model,
            count=count,
            total=total,
            examples=tuple(examples)[:EXAMPLES],
            details=details,
        )
        return [Symptom(finding, rows, refused)]


Scope = Literal["model", "files"]
"""Whether a check is made for every model, or once for the files that all models share."""
WANTS: Final = MappingProxyType(
    {
        "faulty_rows": "rows without a value are left out and stored if a run may be tolerant",
        "popularity_lists": "lists of the most popular items are measured",
        "reference_lists": "models are compared with the reference lists that are measured",
        "tie_bounds": "the lowest and highest values over all orders of tied scores are computed",
        "twins": "sources with the same bytes are found",
    }
)
"""What a check may ask of a run, beside the tables and files that it reads."""


class HealthCheck:
    """A health check: what it notes of a part, and what it says when all parts are merged.

    A check overrides `tally` and `finding`, or of these and `comparison` what it needs.
    """

    declared: Check
    uses: frozenset[str]
    per: Scope
    wants: frozenset[str]
    policy: str

    @property
    def id(self) -> str:
        """Its id, such as `R01`."""
        return self.declared.id

    def tally(self, part: ExaminedPart) -> Tally:
        """What the check notes of the users of a part."""
        return Tally()

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        """What the check finds in one model, or in the files, given what it noted of all parts."""
        return []

    def comparison(self, tally: Tally, context: Context) -> list[Symptom]:
        """What the check finds when the model is set beside yardsticks, given what it noted of all parts."""
        return []

    def remark(self, tally: Tally, context: Context) -> str:
        """What there is to say of the model, if anything, when it is set beside yardsticks and nothing is wrong."""
        return ""

    def symptom(
        self,
        context: Context,
        sentence: str,
        count: int,
        total: int,
        *,
        examples: Collection[str] = (),
        rows: pl.DataFrame | None = None,
        model: str | None = None,
        severity: Severity | None = None,
        details: Mapping[str, Any] | None = None,
        unlimited: bool = False,
        refusable: bool = True,
    ) -> list[Symptom]:
        """The finding in a list, or nothing if `count` is 0 or within the limit of the check (unless it is `unlimited`).

        `severity` weakens the check's own one where what was found is harmless; a severity of the config holds all the same. `model`
        is that of the context, or none for a check of the files, unless it is given. The policy does not refuse the data for what is not
        `refusable`.
        """
        about = model if model is not None else context.model if self.per == "model" else ""
        return context.symptoms(self.declared, about, sentence, count, total, examples, rows, severity, details or {}, unlimited, refusable)


_CHECKERS: Final[dict[str, HealthCheck]] = {}
CHECKERS: Final[Mapping[str, HealthCheck]] = MappingProxyType(_CHECKERS)
"""The implementation of every check, by id."""
Implementation = TypeVar("Implementation", bound=type[HealthCheck])


def check(
    declared: Check | str, *, uses: Collection[str] = (), per: Scope = "model", wants: Collection[str] = (), policy: str = ""
) -> Callable[[Implementation], Implementation]:
    """Register the decorated class as the implementation of a check.

    `declared` says what the check is; an id names a declaration of `receval.checks`. `uses` are the tables that it reads, `wants` those of
    `WANTS` that it asks of a run. Where the key `policy` of evaluation.policy says `error`, data of which it finds something are refused.
    `ValueError` if the check is there already, or asks for what no run does.
    """
    if unknown := sorted({*wants} - WANTS.keys()):
        raise ValueError(f"a check may want {', '.join(WANTS)} of a run, not {', '.join(unknown)}")
    if policy and policy not in AXES:
        raise ValueError(f"evaluation.policy has no {policy!r}")
    known = CHECKS[declared] if isinstance(declared, str) else declared
    if known.id in _CHECKERS:
        raise ValueError(f"there is an implementation of the check {known.id!r} already")
    if known is declared:
        declare(declared)

    def register(made: Implementation) -> Implementation:
        made.declared, made.uses, made.per, made.wants, made.policy = known, frozenset(uses), per, frozenset(wants), policy
        _CHECKERS[known.id] = made()
        return made

    return register
