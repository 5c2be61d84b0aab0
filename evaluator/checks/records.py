"""What a check is, how a run uses it, and what it found."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from msgspec import Struct, field

Severity = Literal["error", "warn", "info", "off"]
SEVERITIES: Final = ("error", "warn", "info", "off")


class Limit(Struct, frozen=True):
    """A number that a check takes from the config: its default (`None`: not asked), its bounds, and what it means."""

    default: float | None
    means: str
    most: float = float("inf")


_SHARE: Final = Limit(0.0, "the share up to which the check passes", most=1.0)
_COUNTED: Final = MappingProxyType({"max_share": _SHARE})


class Check(Struct, frozen=True):
    """One check: its id, its severity unless the config says otherwise, what it finds, what to do, and its limits.

    `needs` are those of `NEEDS` without which it is not made.
    """

    id: str
    severity: Severity
    finds: str
    advice: str
    limits: Mapping[str, Limit] = field(default_factory=lambda: _COUNTED)
    needs: tuple[str, ...] = ()


class CheckSetting(Struct, frozen=True):
    """How a check is used in one run: its severity, and its limits."""

    severity: Severity
    limits: Mapping[str, float | None]

    def limit(self, name: str) -> float:
        """A limit that has a number."""
        value = self.limits[name]
        assert value is not None
        return value


class Finding(Struct, frozen=True):
    """What a check found: one full sentence with count and share, examples, and what to do.

    `model` is empty where it is about the files that all models share. `count` of `total` are affected. `details` has further
    numbers, such as the bounds of values under ties.
    """

    check: str
    severity: Severity
    sentence: str
    advice: str
    model: str = ""
    count: int = 0
    total: int = 0
    examples: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share that is affected."""
        return self.count / self.total if self.total else 0.0

    def cells(self) -> dict[str, Any]:
        """What the formats for machines say of it."""
        return {
            "check": self.check,
            "severity": self.severity,
            "model": self.model,
            "sentence": self.sentence,
            "advice": self.advice,
            "count": self.count,
            "total": self.total,
            "share": self.share,
            "examples": list(self.examples),
            **({"details": dict(self.details)} if self.details else {}),
        }


def setting(check: Check, severity: Severity | None = None, **limits: float | None) -> CheckSetting:
    """How `check` is used, where something of it is given."""
    return CheckSetting(severity or check.severity, {name: limit.default for name, limit in check.limits.items()} | limits)
