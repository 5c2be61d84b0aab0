"""What all checks share: counting, examples, and when a finding is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import narwhals as nw

from ..checks import CHECKS, Finding, Setting, Severity
from ..frames import Frame
from ..load.scan import Engine

EXAMPLES: Final = 5


class Symptom(NamedTuple):
    """A finding, and the offending rows, which are only computed if somebody wants to keep them."""

    finding: Finding
    rows: Callable[[], Frame] | None = None
    refused: bool = False
    """Whether the policy refuses data of which this was found."""


@dataclass(frozen=True)
class Lists:
    """What is known of the lists of one model, as its file has them.

    `lengths` has `user n_recommended`; `profile` `user n n_items` and, where there are scores, `n_scores`, where there are ranks,
    `n_ranks first last`; `items` `item n`; `seen` the rows that train holds; `rising` the rows whose score is higher than their rank
    allows. `rows` reads the file again.
    """

    model: str
    role: str
    n_rows: int
    lengths: Frame
    profile: Frame
    items: Frame
    rows: Callable[[], Frame]
    columns: frozenset[str]
    seen: Frame | None = None
    rising: Frame | None = None


@dataclass(frozen=True)
class Examiner:
    """Counts on one engine, under the settings of the config.

    `refused` are the checks whose finding refuses the data, whatever their severity.
    """

    engine: Engine
    settings: Mapping[str, Setting]
    refused: frozenset[str] = field(default_factory=frozenset)

    def asks(self, *checks: str) -> bool:
        """Whether one of the checks is made."""
        return any(self.settings[check].severity != "off" or check in self.refused for check in checks)

    def limit(self, check: str, name: str = "max_share") -> float:
        """A limit of a check."""
        return self.settings[check].limit(name)

    def one(self, frame: Frame) -> dict[str, Any]:
        """The only row of a frame, nothing being 0; numbers that are added up must be integers, as there is no order here."""
        (settled,) = self.engine.settle([frame])
        return {name: value or 0 for name, value in self.engine.collect(settled).rows(named=True)[0].items()}

    def size(self, frame: Frame) -> int:
        """The number of rows."""
        return int(self.one(frame.select(n=nw.len()))["n"])

    def examples(self, frame: Frame, *columns: str) -> tuple[str, ...]:
        """The first few rows of `columns`, in their order, as text."""
        rows = self.engine.collect(frame.select(*columns).unique(list(columns)).sort(*columns).head(EXAMPLES)).rows()
        return tuple(", ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True)) for row in sorted(rows))

    def symptom(
        self,
        check: str,
        sentence: str,
        count: int,
        total: int,
        *,
        model: str = "",
        examples: Sequence[str] = (),
        rows: Callable[[], Frame] | None = None,
        severity: Severity | None = None,
        details: Mapping[str, Any] | None = None,
        unlimited: bool = False,
        refusable: bool = True,
    ) -> list[Symptom]:
        """The finding in a list, or nothing if there is none, or it is within its limit (unless it is `unlimited`).

        The policy refuses the data for it unless it is not `refusable`.

        `severity` weakens the check's own one where what was found is harmless; what the config says holds all the same.
        """
        setting = self.settings[check]
        refused = refusable and check in self.refused and count > 0
        limit = 0.0 if unlimited else setting.limits.get("max_share", 0.0) or 0.0
        if not refused and (count == 0 or setting.severity == "off" or count <= limit * total):
            return []
        weak = severity if severity and setting.severity == CHECKS[check].severity else setting.severity
        finding = Finding(
            check=check,
            severity="error" if refused else weak,
            sentence=sentence,
            advice=CHECKS[check].advice,
            model=model,
            count=count,
            total=total,
            examples=tuple(examples)[:EXAMPLES],
            details=details or {},
        )
        return [Symptom(finding, rows, refused)]


def several(count: int, what: str) -> str:
    """`1 user`, `12 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def shared(count: int, total: int, what: str) -> str:
    """`12 of 350 users (3.4 %)`."""
    percent = 100.0 * count / total if total else 0.0
    digits = 0 if percent >= 99.95 or percent == 0 else 1 if percent >= 0.1 else 3
    return f"{count:,} of {total:,} {what} ({percent:.{digits}f} %)"
