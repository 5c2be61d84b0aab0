r"""The equation of all users for a pooled measure (`micro`), made from the equation of one user: Σ numerators / Σ denominators."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ..syntax.measure_strings import Scalar
from .catalogue import title
from .registry import Metric, at

_OVER: Final = r" \biggl/ "
_USERS: Final = r"\sum_{u \in U} "
_NEXT: Final = r"\\"


def pooled_equation(metric: Metric, params: Mapping[str, Scalar], parts: Sequence[tuple[Metric, Mapping[str, Scalar]]]) -> tuple[str, ...]:
    """Return the lines of the equation over all users; for a metric of metrics (`parts`) its formula of their pooled values."""
    if parts:
        pooled = [f"M_{place} = {_pooled(at(values, part.tex))}" for place, (part, values) in enumerate(parts, 1)]
        return (f"{title(metric)} = {at(params, metric.tex).replace(chr(92) + 'bar{M}', 'M')}", *pooled)
    return (f"{title(metric)} = {_pooled(at(params, metric.tex))}",)


def _pooled(formula: str) -> str:
    """Return the sum of the numerators over the sum of the denominators, of a formula's first line; its other lines define symbols."""
    first, *_ = map(str.strip, formula.split(_NEXT))
    above, below = _divided(re.split(r", \\quad", first)[0].strip())
    return rf"\frac{{{_summed(above)}}}{{{_summed(below)}}}"


def _summed(term: str) -> str:
    return "|U|" if term == "1" else _USERS + term


def _divided(formula: str) -> tuple[str, str]:
    """Return numerator and denominator of a formula, which is a quotient, or a quotient times a sum; else it is its own numerator."""
    above, over, below = formula.rpartition(_OVER)
    factor = re.match(r"\\frac(?=\{)", formula)
    if factor is None:
        return (above, below) if over else (formula, "1")
    end = _closing(formula, factor.end())
    last = _closing(formula, end + 1)
    first, second, rest = formula[factor.end() + 1 : end], formula[end + 2 : last], formula[last + 1 :].strip().removeprefix(r"\,")
    if over:
        above, _, below = rest.rpartition(_OVER)
        return rf"\frac{{{first}}}{{{second}}} {above}", below
    return _times(first, rest), second


def _times(factor: str, rest: str) -> str:
    if not rest or factor == "1":
        return rest or factor
    is_sum = not factor.startswith("\\sum") and re.search(r" [+-] ", factor)
    return rf"({factor}) \cdot {rest}" if is_sum else rf"{factor} \cdot {rest}"


def _closing(formula: str, start: int) -> int:
    """Return the position of the brace that closes the one at `start`."""
    depth = 0
    for place in range(start, len(formula)):
        sign, escaped = formula[place], formula[place - 1] == "\\"
        depth += 0 if escaped else {"{": 1, "}": -1}.get(sign, 0)
        if depth == 0:
            return place
    raise ValueError(f"unbalanced braces in {formula!r}")
