"""Numbers in sentences: as many digits as are known, and no more."""

from __future__ import annotations

import math
from typing import Final

_MOST_DECIMALS: Final = 9


def decimals(half_width: float | None) -> int | None:
    """How many decimals show two significant digits of the half-width of an interval; `None`: four significant digits of each number."""
    if half_width is None or not math.isfinite(half_width) or half_width <= 0:
        return None
    wanted = 1 - math.floor(math.log10(half_width) + 1e-9)
    return max(0, wanted) if wanted <= _MOST_DECIMALS else None


def plain(number: float, n_decimals: int | None = None) -> str:
    """A number with a minus sign if it is below 0, and without one if it rounds to 0."""
    text = f"{number:.4g}" if n_decimals is None else f"{number:,.{n_decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def signed(number: float, n_decimals: int | None = None) -> str:
    """A number with its sign, plus or minus; 0 without one."""
    text = plain(number, n_decimals)
    return text if text.startswith("−") or float(text.replace(",", "")) == 0 else f"+{text}"


def percent(share: float) -> str:
    """A share as a percentage: `95 %`, `−5.3 %`."""
    return f"{plain(float(f'{100 * share:.6g}'))} %"


def users_text(n: int) -> str:
    """A number of users: `1 user`, `1,200 users`."""
    return "1 user" if n == 1 else f"{n:,} users"


def span(low: float, high: float, n_decimals: int | None) -> str:
    """The two ends of an interval; with signs if it reaches below and above 0."""
    show = signed if low < 0 < high else plain
    return f"{show(low, n_decimals)} to {show(high, n_decimals)}"
