"""`check`: a health check is one decorated class, with what it notes of every part and what it says at the end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

import polars as pl

from ..checks import CHECKS, Check, Severity, declare
from ..conventions.axes import AXES
from .context import Context, Symptom
from .part import ExaminedPart
from .tally import Tally

Scope = Literal["model", "files"]
"""Whether a check is made for every model, or once for the files that all models share."""
WANTS: Final = MappingProxyType(
    {
        "faulty_rows": "rows without a value are left out, and kept, where a run may be tolerant",
        "popularity_lists": "lists of the most popular items are measured",
        "reference_lists": "models are compared with the reference lists that are measured",
        "tie_bounds": "the least and the most that values can be over all orders of tied scores are computed",
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
