"""`Margin`: how small a difference does not matter, as `0.005` in units of a measure or `1%` of the base value."""

from __future__ import annotations

import math

from msgspec import Struct


class Margin(Struct, frozen=True):
    """A size, or with `is_share` a share of the base value; both above or equal to 0."""

    size: float
    is_share: bool = False

    @classmethod
    def read(cls, written: object) -> Margin:
        """Read `0.005`, `"0.005"`, `"1%"` or `"1 %"`; `ValueError` for anything else."""
        text = str(written).strip() if isinstance(written, str | int | float) and not isinstance(written, bool) else ""
        percent = text.endswith("%")
        try:
            size = float(text.removesuffix("%"))
        except ValueError:
            size = math.nan
        if not math.isfinite(size) or size < 0:
            raise ValueError(
                f"a margin is a number from 0 such as 0.005, or a share of the base value such as 1%, not {str(written)[:80]!r}"
            )
        return cls(size / 100, True) if percent else cls(size)

    def of(self, base_value: float | None) -> float | None:
        """The margin in units of the measure; `None` for a share of no value or of 0."""
        if not self.is_share:
            return self.size
        return self.size * abs(base_value) if base_value else None

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.is_share else f"{self.size:g}"
