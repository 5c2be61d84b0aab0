"""Formulas of receval in LaTeX: which texts are known symbols, and formulas as MathML, which browsers draw without scripts."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from markupsafe import escape

from ..metrics import METRICS
from ..metrics.notation import GLOSSARY
from ..support.quoting import visible

_KNOWN_SYMBOLS: Final = (
    GLOSSARY.keys()
    | {symbol for meaning in GLOSSARY.values() for symbol in re.findall(r"\$([^$]+)\$", meaning)}
    | {"R", "|T_u|", r"[\ldots]", *(f"M_{place}" for place in range(1, 10))}
)
"""Texts that are used as LaTeX, in addition to the symbols of parameters of metrics."""
_MARKED: Final = re.compile(r"(\$`[^`]+`\$)")
_ACTING: Final = re.compile(r"[<>]\w|\\(?:href|url|class|style)")
"""Formulas that are shown as their source: they look like elements, or name an address."""
_NAMESPACE: Final = ' xmlns="http://www.w3.org/1998/Math/MathML"'


def is_symbol(text: str) -> bool:
    """Return whether a text is a known symbol of a formula, between $` and `$; text of users is never one."""
    of_metrics = (number.symbol for metric in METRICS.values() for number in metric.numbers.values())
    return text.startswith("$`") and text.endswith("`$") and (text[2:-2] in _KNOWN_SYMBOLS or text[2:-2] in of_metrics)


@cache
def as_mathml(formula: str, display: str = "inline") -> str:
    """Return a formula of receval as MathML; as its LaTeX source without the library of the extra `report`."""
    formula = visible(formula)
    if find_spec("latex2mathml") is None or _ACTING.search(formula):
        return f"<code>{escape(formula)}</code>"
    return str(import_module("latex2mathml.converter").convert(formula, display=display)).replace(_NAMESPACE, "", 1)


def with_symbols(text: str) -> str:
    """Return a sentence as HTML, in which known symbols between $` and `$ are drawn; the rest is text, with visible control characters."""
    parts = _MARKED.split(text)
    return "".join(as_mathml(part[2:-2]) if is_symbol(part) else str(escape(visible(part))) for part in parts)
