"""`check`, the decorator that registers a class as a health check; and `Context`, the data of a model once all its parts are measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeVar

import polars as pl
from msgspec import Struct, field

from ..checks import CHECKS, Check, CheckSetting, Finding, Severity, declare, setting
from ..conventions.axes import AXES
from ..metrics.definition import Definition
from ..results.catalogue_bounds import CatalogueBounds
from ..results.result import Row
from ..support import plugins
from ..tables.prepared import Prepared
from .examined import ExaminedPart
from .tallies import EXAMPLES, Tally


def count_text(count: int, what: str) -> str:
    """Format a count: `1 user`, `12 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def share_text(count: int, total: int, what: str) -> str:
    """Format a count with its share: `12 of 350 users (3.4 %)`."""
    percent = 100.0 * count / total if total else 0.0
    digits = 0 if percent >= 99.95 or percent == 0 else 1 if percent >= 0.1 else 3
    return f"{count:,} of {total:,} {what} ({percent:.{digits}f} %)"


class Symptom(NamedTuple):
    """A finding, the affected rows if they are kept, and whether the policy refuses such data."""

    finding: Finding
    rows: pl.DataFrame | None = None
    refused: bool = False


class SourceNames(Struct, frozen=True):
    """Names of a source: its role, such as `data.test`, and the names and stored types of its `user` and `item` columns."""

    role: str
    columns: Mapping[str, str]
    stored: Mapping[str, str]
    """`integers` or `text`, by column."""
    n_files: int = 1
    find_model_column: Callable[[], str | None] = lambda: None
    """Returns a column of lists that may name several models; it reads the schema of the file."""
    file: str = ""
    """The name of its first file, or the type of a table in memory."""
    setting: str = ""
    """Its place in the config."""
    keys: Mapping[str, str | int] = field(default_factory=dict)
    """The names or positions by which the config can name its `user` and `item` columns."""

    @property
    def place(self) -> str:
        """Its role and its file, such as `data.test (test.csv)`."""
        more = f" and {self.n_files - 1:,} more" if self.n_files > 1 else ""
        return f"{self.role} ({self.file}{more})" if self.file else self.role


class Faults(Struct, frozen=True):
    """Rows of a source that were left out: `count` of `total`, the first `places` in words, and the rows if they are kept.

    `by_policy`: the config says that such rows are left out.
    """

    role: str
    model: str
    places: tuple[str, ...]
    count: int
    total: int
    rows: pl.DataFrame | None = None
    by_policy: bool = False


class PopularityRule(Struct, frozen=True):
    """Treatment of the user's train items in the lists of the popularity baseline.

    `sentence` continues "its lists". `leaves_out`: they leave these items out; `reads_without`: lists of models are read without them too.
    """

    sentence: str = "may contain items of the user's train rows"
    leaves_out: bool = False
    reads_without: bool = False


class Context(Struct, frozen=True, eq=False):
    """Input of checks once all parts are merged.

    `counts` are the numbers of rows and users of `Tallies`. `sources` are by `lists`, `test`, `train` and `items`; `rows_by_measure` are
    the rows of the result of every measure. `bounds` are, by label, the range of values under ties (`least`, `expected`, `most`), and
    `unbounded` the reasons why others have no bounds. `best` and `baseline` are the values of the best possible lists and of popularity
    over the users that count for the model; `popularity_rule` is the treatment of seen items in the lists of popularity, `baseline_depth`
    the length of these lists. `available` are the `NEEDS` that are met. `shown` are the labels of the measures that are shown, without
    those that only formulas use. `twins` are the sources, such as `data.test`, with the same bytes as the lists of the model.
    `catalogue` are the bounds of the values over the whole catalogue, if they were asked for.
    """

    model: str
    prepared: Prepared
    settings: Mapping[str, CheckSetting] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    available: frozenset[str] = frozenset()
    cutoffs: tuple[int, ...] = ()
    definitions: Sequence[Definition] = ()
    rows_by_measure: Sequence[Sequence[Row]] = ()
    sources: Mapping[str, SourceNames] = field(default_factory=dict)
    faults: Sequence[Faults] = ()
    bounds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unbounded: Mapping[str, str] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    baseline: Mapping[str, float] = field(default_factory=dict)
    popularity_rule: PopularityRule = field(default_factory=PopularityRule)
    baseline_depth: int = 0
    counts: Tally = field(default_factory=Tally)
    shown: Collection[str] = ()
    twins: Sequence[str] = ()
    catalogue: CatalogueBounds | None = None

    def setting(self, check: str) -> CheckSetting:
        """Return the setting of a check."""
        return self.settings.get(check) or setting(CHECKS[check])

    def limit(self, check: str, name: str) -> float:
        """Return a limit of a check."""
        return self.setting(check).limit(name)

    @property
    def n_lists(self) -> int:
        """Number of users with a list."""
        return self.counts.count("lists")


Scope = Literal["model", "files"]
"""Scope of a check: every model, or once the files that all models share."""
WANTS: Final = MappingProxyType(
    {
        "faulty_rows": "rows without a value are left out and stored if a run may be tolerant",
        "popularity_lists": "lists of the most popular items are measured",
        "reference_lists": "models are compared with the reference lists that are measured",
        "tie_bounds": "the lowest and highest values over all orders of tied scores are computed",
        "twins": "sources with the same bytes are found",
    }
)
"""Further inputs that a check may want from a run, beside tables and files."""


class HealthCheck:
    """A health check: its tally of a part, and its findings from the merged tally.

    A check overrides `tally` and one or more of `finding`, `comparison` and `remark`.
    """

    declared: Check
    uses: frozenset[str]
    per: Scope
    wants: frozenset[str]
    policy: str

    @property
    def id(self) -> str:
        """Id, such as `R01`."""
        return self.declared.id

    def tally(self, part: ExaminedPart) -> Tally:
        """Return the tally of the users of a part."""
        return Tally()

    def finding(self, tally: Tally, context: Context) -> list[Symptom]:
        """Return the findings in one model, or in the files, from the merged tally of all parts."""
        return []

    def comparison(self, tally: Tally, context: Context) -> list[Symptom]:
        """Return the findings of a comparison with reference lists, from the merged tally of all parts."""
        return []

    def remark(self, tally: Tally, context: Context) -> str:
        """Return a remark on the comparison with reference lists if nothing is wrong; empty if there is none."""
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
        advice: str = "",
        cures: Sequence[str] = (),
    ) -> list[Symptom]:
        """Return the finding in a list; empty if `count` is 0 or within the limit of the check (unless `unlimited`).

        `severity` replaces the check's default for a harmless finding; a severity of the config takes precedence. `model` is by default
        that of the context, or empty for a check of the files. If not `refusable`, the policy does not refuse the data because of this
        finding. `advice` replaces that of the check; `cures` are options of a command that mend the finding, each a line.
        """
        own = context.setting(self.id)
        refused = refusable and self.id in context.refused and count > 0
        limit = 0.0 if unlimited else own.limits.get("max_share", 0.0) or 0.0
        if not refused and (count == 0 or own.severity == "off" or count <= limit * total):
            return []
        weakened = severity if severity and own.severity == self.declared.severity else own.severity
        finding = Finding(
            check=self.id,
            severity="error" if refused else weakened,
            sentence=sentence,
            advice=advice or self.declared.advice,
            model=model if model is not None else context.model if self.per == "model" else "",
            count=count,
            total=total,
            examples=tuple(examples)[:EXAMPLES],
            details=details or {},
            cures=tuple(cures),
        )
        return [Symptom(finding, rows, refused)]


_ANSWERS: Final = ("tally", "finding", "comparison", "remark")
"""Methods that a check may override."""
_CHECKERS: Final[dict[str, HealthCheck]] = {}
CHECKERS: Final[Mapping[str, HealthCheck]] = MappingProxyType(_CHECKERS)
"""Implementations of all checks, by id."""
Implementation = TypeVar("Implementation", bound=type[HealthCheck])


def check(
    declared: Check | str, *, uses: Collection[str] = (), per: Scope = "model", wants: Collection[str] = (), policy: str = ""
) -> Callable[[Implementation], Implementation]:
    """Register the decorated class as the implementation of a check.

    `declared` is the declaration, or the id of one in `receval.checks`. `uses` are the tables that the class reads, `wants` the keys of
    `WANTS` that it needs from a run. If the key `policy` of evaluation.policy is `error`, data with a finding are refused.

    `ValueError` if the check is registered already, or wants something that no run provides.
    """
    if unknown := sorted({*wants} - WANTS.keys()):
        raise ValueError(f"a check can request {', '.join(WANTS)}, not {', '.join(unknown)}")
    if policy and policy not in AXES:
        raise ValueError(f"evaluation.policy has no {policy!r}")
    declaration = CHECKS[declared] if isinstance(declared, str) else declared
    if declaration.id in _CHECKERS:
        raise ValueError(f"there is an implementation of the check {declaration.id!r} already")
    if declaration is declared:
        declare(declared)

    def register(cls: Implementation) -> Implementation:
        cls.declared, cls.uses, cls.per, cls.wants, cls.policy = declaration, frozenset(uses), per, frozenset(wants), policy
        if not plugins.is_own(cls.__module__):
            for answer in _ANSWERS:
                setattr(
                    cls,
                    answer,
                    plugins.guarded(f"the check {declaration.id}", getattr(cls, answer)),
                )
        _CHECKERS[declaration.id] = cls()
        return cls

    return register
