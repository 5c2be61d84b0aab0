"""A value as text for people."""

from __future__ import annotations

from ..results.result import Row


def shown(row: Row | None) -> str:
    """A value for the eye: four decimals, or four significant digits where that would show nothing."""
    if row is None or row.value is None:
        return ""
    return f"{row.value:.4g}" if row.value != 0 and (abs(row.value) < 0.001 or abs(row.value) >= 10_000) else f"{row.value:.4f}"
