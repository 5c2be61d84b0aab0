"""One choice that a definition leaves open."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from ..names.measure_strings import Scalar

Part = Literal["lists", "truth", "users", "value", "formula"]


@dataclass(frozen=True)
class Axis:
    """One choice a definition leaves open: what part of the work it belongs to, what it decides, and its allowed values.

    Each value has a sentence; an axis without values is a number above 1.
    """

    name: str
    part: Part
    decides: str
    meanings: dict[str, str]

    @property
    def values(self) -> tuple[str, ...]:
        """The allowed values; empty where any number above 1 is allowed."""
        return tuple(self.meanings)

    def read(self, value: Scalar) -> Scalar:
        """Return `value` if this axis allows it; raise `ValueError` with the allowed values otherwise."""
        if not isinstance(value, str | int | float | bool):
            raise ValueError(f"{self.name} is one of {', '.join(self.values)}" if self.values else f"{self.name} is a number above 1")
        if not self.meanings:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value < float("inf"):
                raise ValueError(f"{self.name} is a number above 1, not {value!r}")
            return float(value)
        if value not in self.meanings:
            close = difflib.get_close_matches(str(value), self.values, n=1)
            hint = f" — did you mean '{close[0]}'?" if close else ""
            raise ValueError(f"{self.name} is one of {', '.join(self.values)}, not {value!r}{hint}")
        return value
