"""The formula of a metric as an equation in LaTeX: what stands left of it, and its lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..names.measure_strings import Scalar
from .registry import Metric

_NEXT: Final = r"\\"


def title(metric: Metric) -> str:
    """The metric as a symbol, with its cut-off if it takes one."""
    return rf"\mathrm{{{metric.name}}}{'@k' if metric.cut else ''}"


def is_of_a_user(metric: Metric, params: Mapping[str, Scalar]) -> bool:
    """Whether the formula is that of one user's value, not that of the whole model or of means over users."""
    of_means = any(axis == "f_of" and params[name] == "means" for name, axis in metric.axes.items())
    return not (metric.system or of_means)


def equation(metric: Metric, params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """The lines of the equation; none for a metric without a formula."""
    formula = metric.tex(params)
    if not formula:
        return ()
    left = f"{title(metric)}(u)" if is_of_a_user(metric, params) else title(metric)
    first, *others = map(str.strip, formula.split(_NEXT))
    return (f"{left} = {first}", *others)
