"""The charts of a report: what each is of, its caption, and its picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from ...content.differences import pairs
from ..charts import differences as forest
from ..charts import distribution as histogram
from ..charts import over_k as lines
from ..charts import trade_off as scatter
from ..charts.drawing import as_svg, can_draw
from ..charts.style import Spec
from .content import ReportContent
from .views import Picture

_MOST_MEASURES = 6
"""Of several models so many measures are shown, a panel each."""
_MOST_SPREADS = 6


class Chart(NamedTuple):
    """A chart and what to know of it."""

    spec: Spec
    caption: str


def pictures(kind: str, content: ReportContent) -> list[Picture]:
    """The picture of a chart, where it is wanted, there is something to show, and the extra that draws is installed."""
    if kind not in content.charts or not can_draw():
        return []
    chart = SPECS[kind](content)
    return [] if chart is None else [Picture(f"{kind.replace('_', '-')}-chart", chart.caption, chart.spec, as_svg(chart.spec))]


def differences(content: ReportContent) -> Chart | None:
    """The forest plot, where there is a comparison."""
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
    caption = (
        f"Differences with their {100 * comparison.settings.level:g} % intervals; the dashed line is no difference at all.{band}{more}"
    )
    return Chart(forest.differences(shown, comparison.base), caption)


def over_k(content: ReportContent) -> Chart | None:
    """Measures over their cut-offs, where some have several."""
    known = lines.metrics_over_k(content.points)
    wanted = tuple(metric for metric in known if metric in content.charts.get("over_k", ())) or known
    if not wanted:
        return None
    shown = wanted[: lines.MOST_PANELS]
    left = f" {len(wanted) - len(shown)} more are in the table." if len(wanted) > len(shown) else ""
    caption = f"Measures over the cut-off k; each panel has a scale of its own, which need not begin at 0.{left}"
    return Chart(lines.over_k(content.points, shown), caption)


def distribution(content: ReportContent) -> Chart | None:
    """How differences of users are spread; of one model, its values."""
    spreads = content.comparison.spreads if content.comparison is not None else content.spreads
    if not spreads:
        return None
    shown = spreads[:_MOST_SPREADS]
    left = f" {len(spreads) - len(shown)} more are not shown." if len(spreads) > len(shown) else ""
    what = "Differences of users; blue better, orange worse, grey the same." if shown[0].base is not None else "Values of users; grey at 0."
    caption = f"{what} The heights are on a logarithmic scale, so that few users can be seen beside many.{left}"
    return Chart(histogram.distribution(shown), caption)


def trade_off(content: ReportContent) -> Chart | None:
    """Two measures against each other."""
    chosen = content.charts.get("trade_off", ())
    pair = (chosen[0], chosen[1]) if len(chosen) == 2 else scatter.measures_to_trade(content.points)
    if pair is None or not set(pair) <= set(content.labels):
        return None
    caption = f"{pair[1]} (upwards) and {pair[0]} (to the right), with 95 % intervals of both."
    return Chart(scatter.trade_off(content.points, *pair), caption)


SPECS: Final[Mapping[str, Callable[[ReportContent], Chart | None]]] = MappingProxyType(
    {"differences": differences, "over_k": over_k, "distribution": distribution, "trade_off": trade_off}
)
"""Name of a chart → what makes it; `None` where there is nothing to show."""

NEEDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "differences": "it takes several models, whose values of users were kept",
        "over_k": "no metric has values at several cut-offs",
        "distribution": "it takes a measure with values of users that were kept",
        "trade_off": "it takes two models and two measures",
    }
)
"""Why there may be nothing to show."""
