"""The charts of a report as figures: what each is of, and its caption."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from ...document import Figure
from ..differences import pairs
from ..report import ReportContent
from . import differences as forest
from . import distribution as histogram
from . import over_k as lines
from . import trade_off as scatter
from .style import Spec

_MOST_MEASURES: Final = 6
"""Of several models so many measures are shown, a panel each."""
_MOST_SPREADS: Final = 6


def wanted_figures(kind: str, content: ReportContent) -> tuple[Figure, ...]:
    """Return the chart, if it is wanted and there is something to show."""
    figure = FIGURES[kind](content) if kind in content.charts else None
    return () if figure is None else (figure,)


def differences(content: ReportContent) -> Figure | None:
    """Return the forest plot, where there is a comparison."""
    comparison = content.comparison
    if comparison is None:
        return None
    wanted = content.charts.get("differences") or comparison.judged
    measures = wanted if len(pairs(comparison)) == 1 else wanted[:_MOST_MEASURES]
    known = [one for one in comparison.differences if one.subject.measure in measures and one.interval is not None]
    shown = known[: forest.MOST_ROWS]
    if not shown:
        return None
    left = len(wanted) - len({one.subject.measure for one in shown})
    more = f" {left} more measure{'s are' if left > 1 else ' is'} in the tables." if left > 0 else ""
    band = " The grey band is the margin." if any(one.margin is not None for one in shown) else ""
    caption = f"Differences with their {100 * comparison.settings.level:g} % intervals; the dashed line marks zero difference.{band}{more}"
    return _figure("differences", caption, forest.differences(shown, comparison.base))


def over_k(content: ReportContent) -> Figure | None:
    """Return measures over their cut-offs, where some have several."""
    known = lines.metrics_over_k(content.points)
    wanted = tuple(metric for metric in known if metric in content.charts.get("over_k", ())) or known
    if not wanted:
        return None
    shown = wanted[: lines.MOST_PANELS]
    left = f" {len(wanted) - len(shown)} more are in the table." if len(wanted) > len(shown) else ""
    caption = f"Measures by cut-off k; each panel has its own scale, which may not start at 0.{left}"
    return _figure("over-k", caption, lines.over_k(content.points, shown))


def distribution(content: ReportContent) -> Figure | None:
    """Return histograms of differences of users; of one model, of its values."""
    spreads = content.comparison.spreads if content.comparison is not None else content.spreads
    if not spreads:
        return None
    shown = spreads[:_MOST_SPREADS]
    left = f" {len(spreads) - len(shown)} more are not shown." if len(spreads) > len(shown) else ""
    what = "Differences per user; blue better, orange worse, grey the same." if shown[0].base is not None else "Per-user values; grey at 0."
    caption = f"{what} Heights are on a logarithmic scale, so that small numbers of users are visible.{left}"
    return _figure("distribution", caption, histogram.distribution(shown))


def trade_off(content: ReportContent) -> Figure | None:
    """Return two measures against each other."""
    chosen = content.charts.get("trade_off", ())
    pair = (chosen[0], chosen[1]) if len(chosen) == 2 else scatter.measures_to_trade(content.points)
    if pair is None or not set(pair) <= set(content.labels):
        return None
    caption = f"{pair[1]} (upwards) and {pair[0]} (to the right), with 95 % intervals of both."
    return _figure("trade-off", caption, scatter.trade_off(content.points, *pair))


def _figure(name: str, caption: str, spec: Spec) -> Figure:
    return Figure(f"{name}-chart", caption, spec)


FIGURES: Final[Mapping[str, Callable[[ReportContent], Figure | None]]] = MappingProxyType(
    {"differences": differences, "over_k": over_k, "distribution": distribution, "trade_off": trade_off}
)
"""Name of a chart → what makes it; `None` where there is nothing to show."""

NEEDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "differences": "it needs several models with per-user values",
        "over_k": "no metric has values at several cut-offs",
        "distribution": "it needs a measure with per-user values",
        "trade_off": "it needs two models and two measures",
    }
)
"""Why there may be nothing to show."""
