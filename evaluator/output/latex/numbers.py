"""Numbers as other formats print them, in LaTeX."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"(-?)([\d.,]+|inf)(?:e([+-]\d+))?")


def in_latex(text: str) -> str:
    """A number in LaTeX; a dash where there is none."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text or "--"
    minus, digits, exponent = found.groups()
    sign = "$-$" if minus else ""
    power = rf"$\cdot 10^{{{int(exponent)}}}$" if exponent else ""
    return sign + digits.replace("inf", r"$\infty$") + power
