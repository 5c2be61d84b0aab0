"""`Axis`: one choice that a definition leaves open; and the choices that those of the protocol make: relevance, lists, and who counts."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from ..names.measure_strings import Scalar


class Relevance(Struct, frozen=True):
    """Which test items are relevant as far as the config says: the least rating, and whether ratings are gains."""

    threshold: float | None = None
    graded: bool = False


class Truth(Struct, frozen=True):
    """How test rows become relevant items; `None` as threshold: `rule` decides."""

    rule: str
    threshold: float | None
    graded: bool
    duplicates: str
    filter: str


class Lists(Struct, frozen=True):
    """How rows become lists."""

    order: str
    ties: str
    score_type: str
    duplicates: str
    seen: str
    unknown: str


class UserRules(Struct, frozen=True):
    """Which users count, and what the sum over them is divided by."""

    missing_lists: str
    no_relevant: str
    empty_truth: str
    no_truth: str
    no_hits: str
    divisor: str

    @property
    def may_be_undefined(self) -> bool:
        """Whether a user may count who has no defined value."""
        return "undefined" in (self.missing_lists, self.empty_truth)


Part = Literal["lists", "truth", "users", "value", "formula"]


class Axis(Struct, frozen=True):
    """One choice a definition leaves open: what part of the work it belongs to, what it decides, and its allowed values.

    Each value has a sentence; an axis without values is a number above 1. `synonyms` are other names of values.
    """

    name: str
    part: Part
    decides: str
    meanings: dict[str, str]
    synonyms: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> tuple[str, ...]:
        """The allowed values; empty where any number above 1 is allowed."""
        return tuple(self.meanings)

    def read(self, value: Scalar, called: str = "") -> Scalar:
        """Return `value` if this axis allows it; raise `ValueError` with the allowed values otherwise.

        `called` is what the reader of the message calls the axis, by default its name.
        """
        called = called or self.name
        if not isinstance(value, str | int | float | bool):
            raise ValueError(f"{called} is one of {', '.join(self.values)}" if self.values else f"{called} is a number above 1")
        if not self.meanings:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value < float("inf"):
                raise ValueError(f"{called} is a number above 1, not {value!r}")
            return float(value)
        value = self.synonyms.get(str(value), value)
        if value not in self.meanings:
            close = difflib.get_close_matches(str(value), (*self.values, *self.synonyms), n=1)
            hint = f" — did you mean '{close[0]}'?" if close else ""
            raise ValueError(f"{called} is one of {', '.join(self.values)}, not {value!r}{hint}")
        return value
