"""Numbers in the columns of tables: all of a column with as many decimals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

_MOST_DECIMALS: Final = 9


def decimals_of(values: Iterable[float | None], digits: int) -> int:
    """How many decimals the values of a column have.

    `digits` where the largest value is near 1; more where it is small, so that it has three digits that say something, and fewer
    where it is large; none where all values are whole numbers above 1.
    """
    finite = [abs(value) for value in values if value is not None and math.isfinite(value)]
    if not finite or max(finite) == 0:
        return digits
    if max(finite) > 1 and all(value == int(value) for value in finite):
        return 0
    exponent = math.floor(math.log10(max(finite)))
    wanted = digits - exponent if exponent > 0 else max(digits, min(digits, 2) - exponent) if exponent < 0 else digits
    return min(max(wanted, 1), _MOST_DECIMALS)


def number(value: float | None, decimals: int) -> str:
    """A number in LaTeX; a dash where there is none."""
    if value is None:
        return "--"
    if not math.isfinite(value):
        return r"$-\infty$" if value < 0 else r"$\infty$"
    text = f"{value:,.{decimals}f}"
    negative = text.startswith("-") and float(text.replace(",", "")) != 0
    return f"{'$-$' if negative else ''}{text.removeprefix('-')}"
