"""The charts of a report as figures: what each is of, its spec and its caption, in colours and shapes that everybody can tell apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from ..document import Figure
from ..metrics import find
from ..names.formula import is_formula
from ..quoting import visible
from ..results.description import Spread
from ..stats.difference import VERDICTS, Difference
from .differences import by_pair
from .report import ReportContent
from .values import ValuePoint, by_label

Spec = dict[str, Any]
"""A Vega-Lite spec."""

BLUE: Final = "#0072b2"
ORANGE: Final = "#d55e00"
GREY: Final = "#767676"
COLOURS: Final = (BLUE, ORANGE, "#009068", "#b8578f", "#8a6a1c", "#3a8bbf", "#7661b3", "#6b7a14")
"""After Okabe and Ito, darkened so that each has a contrast of 3 on white and on black."""
_SHAPES: Final = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down", "triangle-right")
VERDICT_COLOURS: Final = {"better": BLUE, "worse": ORANGE}
VERDICT_SHAPES: Final = {"better": "circle", "worse": "triangle-down", "inconclusive": "diamond"}
"""Of other verdicts the shape is a square, the colour grey."""
_NO_VERDICT: Final = "no verdict"

_LINE_ENDS: Final = {0x2028: "⏎", 0x2029: "⏎"}
"""Characters that Vega writes into its expressions as they are, and then cannot read."""
_CHARACTER: Final = 6.4
"""About how wide a character of a label is, in pixels."""
_WIDEST: Final = 260
_DARK: Final = "#333333"
_BELOW: Final = {"orient": "bottom", "columns": 4, "symbolOpacity": 1}
_CONFIG: Final[Mapping[str, Any]] = {
    "font": "Helvetica, Arial, sans-serif",
    "background": None,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _DARK,
        "titleColor": _DARK,
        "titleFontWeight": "normal",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "gridColor": GREY,
        "gridOpacity": 0.2,
        "domain": False,
        "tickColor": GREY,
        "labelLimit": _WIDEST,
        "titleLimit": 2 * _WIDEST,
        "labelOverlap": "greedy",
        "labelSeparation": 6,
    },
    "header": {"labelColor": _DARK, "labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": 2 * _WIDEST, "title": None},
    "legend": {"labelColor": _DARK, "labelFontSize": 11, "title": None, "labelLimit": _WIDEST, **_BELOW},
    "title": {"color": _DARK, "fontSize": 12, "anchor": "start", "limit": 2 * _WIDEST},
}

_MOST_ROWS: Final = 60
_MOST_MEASURES: Final = 6
"""Of several models so many measures are shown, a panel each."""
_MOST_SCALES: Final = 4
_ALIKE: Final = 8.0
"""Measures whose differences are of sizes within this factor share a scale."""
_STEP: Final = 20
_NARROW: Final = 150
"""How wide names are where two panels stand beside each other."""
_MOST_METRICS: Final = 6
_MOST_BANDS: Final = 4
"""With more models bands would hide each other."""
_MOST_SPREADS: Final = 6
_BEYOND: Final = ("coverage", "diversity", "fairness", "novelty", "popularity", "serendipity")
"""The families of metrics that look beyond accuracy."""


def wanted_figures(kind: str, content: ReportContent) -> tuple[Figure, ...]:
    """Return the chart, if it is wanted and there is something to show."""
    figure = FIGURES[kind](content) if kind in content.charts else None
    return () if figure is None else (figure,)


# Parts of a spec


def _figure(name: str, caption: str, description: str, spec: Spec) -> Figure:
    """Return a chart with what all charts share; `description` says in a sentence what it shows."""
    whole = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **_visible({"description": description, **spec})}
    return Figure(f"{name}-chart", caption, {**whole, "config": dict(_CONFIG)})


def _visible(content: Any) -> Any:
    """Return a spec whose texts, such as names of models, have no control characters or line ends of Unicode: no picture may hold them."""
    if isinstance(content, str):
        return visible(content).translate(_LINE_ENDS)
    if isinstance(content, dict):
        return {name: _visible(value) for name, value in content.items()}
    return [_visible(value) for value in content] if isinstance(content, list) else content


def _numbers(field: str, title: str | None, **more: Any) -> Spec:
    """Return an axis of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def _dots(size: int, encoding: Spec) -> Spec:
    return {"mark": {"type": "point", "filled": True, "size": size, "opacity": 1}, "encoding": encoding}


def _where_known(rows: Sequence[Spec], field: str, mark: Spec, encoding: Spec, *transforms: Spec) -> list[Spec]:
    """Return a layer of the rows that have a field; none where no row has it."""
    layer = {"mark": mark, "transform": [{"filter": f"datum.{field} != null"}, *transforms], "encoding": encoding}
    return [layer] if any(row[field] is not None for row in rows) else []


def _looks(field: str, domain: Sequence[str], colours: Sequence[str], shapes: Sequence[str], **more: Any) -> Spec:
    """Return colour and shape by a field: those at the place of each value, from the beginning again where they end."""
    ranges = {name: [of[number % len(of)] for number in range(len(domain))] for name, of in (("color", colours), ("shape", shapes))}
    scales = {name: {"domain": list(domain), "range": of} for name, of in ranges.items()}
    return {name: {"field": field, "type": "nominal", "scale": scale, **more} for name, scale in scales.items()}


def _left(number: int, rest: str) -> str:
    """Return a sentence on what a chart leaves out, if it does."""
    return f" {number} more {rest}." if number > 0 else ""


# Differences


def differences(content: ReportContent) -> Figure | None:
    """Return the differences with their intervals, and the margin as a band, where there is a comparison.

    Of one model they have a row per measure: measures share a scale where their differences are of like size, and stand in panels of their
    own where they are not. Of several models they have a panel per measure with a row per model.
    """
    comparison = content.comparison
    if comparison is None:
        return None
    wanted = content.charts.get("differences") or comparison.judged
    measures = wanted if len(by_pair(comparison)) == 1 else wanted[:_MOST_MEASURES]
    known = [one for one in comparison.differences if one.subject.measure in measures and one.interval is not None]
    shown = known[:_MOST_ROWS]
    if not shown:
        return None
    n_left = len(wanted) - len({one.subject.measure for one in shown})
    left = _left(n_left, f"measure{'s are' if n_left > 1 else ' is'} in the tables")
    band = " The grey band is the margin." if any(one.margin is not None for one in shown) else ""
    level = f"{100 * comparison.settings.level:g} %"
    caption = f"Differences with their {level} intervals; the dashed line marks zero difference.{band}{left}"
    description = f"differences of {len(shown)} values from {comparison.base or 'each other'} with their intervals"
    return _figure("differences", caption, description, _forest(shown, comparison.base))


def _forest(shown: Sequence[Difference], base: str | None) -> Spec:
    several = len({(one.subject.base, one.subject.model) for one in shown}) > 1
    panels: dict[str, list[Spec]] = {}
    for one in shown:
        model = one.subject.model if base is not None else f"{one.subject.model} against {one.subject.base}"
        of_values = {"difference": one.difference, "low": one.low, "high": one.high, "margin": one.margin}
        row = {"row": model if several else one.subject.measure, **of_values, "verdict": one.verdict or _NO_VERDICT}
        panels.setdefault(one.subject.measure if several else "", []).append(row)
    # Labels take the same room in all panels, so that panels above each other begin at the same place.
    longest = max(_CHARACTER * len(row["row"]) for rows in panels.values() for row in rows)
    room = min(_NARROW if several else _WIDEST, longest) + 8
    if several:
        plots = [{"title": measure, **_forest_panel(rows, None, room)} for measure, rows in panels.items()]
    else:
        plots = [_forest_panel(rows, "model minus baseline", room) for rows in _by_size(panels[""])]
    scales = {"scale": {"x": "independent", "color": "shared", "shape": "shared"}}
    return {"concat": plots, "columns": 2 if several else 1, "spacing": 18, "resolve": scales} if len(plots) > 1 else plots[0]


def _forest_panel(rows: Sequence[Spec], title: str | None, room: float) -> Spec:
    """Return some differences on one scale."""
    axis = {"minExtent": room, "labelLimit": room, "ticks": False, "grid": False}
    y = {"field": "row", "type": "nominal", "sort": [row["row"] for row in rows], "title": None, "axis": axis}
    x = _numbers("difference", title, axis={"tickCount": 5})
    verdicts = (*VERDICTS, _NO_VERDICT)
    colours, shapes = [VERDICT_COLOURS.get(one, GREY) for one in verdicts], [VERDICT_SHAPES.get(one, "square") for one in verdicts]
    looks = _looks("verdict", verdicts, colours, shapes, legend=None)
    bar, below = {"type": "bar", "color": GREY, "opacity": 0.18, "height": _STEP}, {"calculate": "-datum.margin", "as": "below"}
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": looks["color"]}
    layers = [
        *_where_known(rows, "margin", bar, {"x": {**x, "field": "below"}, "x2": {"field": "margin"}}, below),
        {"mark": {"type": "rule", "color": GREY, "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}, "y": None}},
        *_where_known(rows, "low", {"type": "rule", "strokeWidth": 2}, ends),
        _dots(60, {"x": x, **looks}),
    ]
    return {"width": 360, "height": {"step": _STEP}, "data": {"values": list(rows)}, "encoding": {"y": y}, "layer": layers}


def _by_size(rows: Sequence[Spec]) -> list[list[Spec]]:
    """Return rows in panels, those of like size together, the panels and their rows in the order of the first."""
    panels: list[list[int]] = []
    sizes = [max(1e-300, *(abs(row[name]) for name in ("difference", "low", "high") if row[name] is not None)) for row in rows]
    for place in sorted(range(len(rows)), key=lambda place: sizes[place]):
        if panels and (sizes[place] <= _ALIKE * sizes[panels[-1][0]] or len(panels) == _MOST_SCALES):
            panels[-1].append(place)
        else:
            panels.append([place])
    return [[rows[place] for place in panel] for panel in sorted(map(sorted, panels))]


# Measures over their cut-offs


def over_k(content: ReportContent) -> Figure | None:
    """Return the metrics that have values at several cut-offs, a panel each, with 95 % intervals where there are few models."""
    plain = [one for one in content.points if one.row.aggregate in ("mean", "system", "")]
    cutoffs: dict[str, set[int | None]] = {}
    for one in plain:
        cutoffs.setdefault(one.row.metric, set()).add(one.row.k)
    known = tuple(metric for metric, several in cutoffs.items() if len(several) > 1)
    wanted = tuple(metric for metric in known if metric in content.charts.get("over_k", ())) or known
    if not wanted:
        return None
    metrics = wanted[:_MOST_METRICS]
    shown = [one for one in plain if one.row.metric in metrics and one.is_drawn]
    texts = {k: "all" if k is None else str(k) for k in sorted({one.row.k for one in shown}, key=lambda k: (k is None, k or 0))}
    rows: dict[str, list[Spec]] = {metric: [] for metric in metrics}
    for one in shown:
        at = {"model": one.name, "metric": one.row.metric, "k": texts[one.row.k]}
        rows[one.row.metric].append({**at, "value": one.value, "low": one.low, "high": one.high})
    names = tuple(dict.fromkeys(one.name for one in shown))
    looks, bands = _looks("model", names, COLOURS, _SHAPES), len(names) <= _MOST_BANDS
    panels = [_over_k_panel(of_metric, metric, [*texts.values()], looks, bands) for metric, of_metric in rows.items()]
    spec = {
        "concat": panels,
        "columns": 3,
        "bounds": "flush",  # panels of one row stand at one height, whatever their labels take
        "spacing": {"row": 75, "column": 55},
        "resolve": {"scale": {"color": "shared", "shape": "shared"}},
    }
    left = _left(len(wanted) - len(metrics), "are in the table")
    caption = f"Measures by cut-off k; each panel has its own scale, which may not start at 0.{left}"
    return _figure("over-k", caption, f"{', '.join(metrics)} of {len(names)} models at the cut-offs {', '.join(texts.values())}", spec)


def _over_k_panel(rows: Sequence[Spec], metric: str, cutoffs: Sequence[str], looks: Spec, bands: bool) -> Spec:
    """Return one metric: bands of intervals, where wanted, below lines with a mark at each cut-off."""
    x = {"field": "k", "type": "ordinal", "sort": cutoffs, "title": "k", "axis": {"labelAngle": 0}}
    y = _numbers("value", None, scale={"zero": False}, axis={"tickCount": 5})
    area = {"y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": looks["color"]}
    layers = [
        *(_where_known(rows, "low", {"type": "area", "opacity": 0.15}, area) if bands else []),
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"y": y, "color": looks["color"]}},
        _dots(45, {"y": y, **looks}),
    ]
    return {"title": metric, "width": 215, "height": 150, "data": {"values": list(rows)}, "encoding": {"x": x}, "layer": layers}


# Values of users, or their differences


def distribution(content: ReportContent) -> Figure | None:
    """Return histograms of differences of users; of one model, of its values."""
    spreads = content.comparison.spreads if content.comparison is not None else content.spreads
    if not spreads:
        return None
    shown = spreads[:_MOST_SPREADS]
    several = shown[0].base is not None
    left = _left(len(spreads) - len(shown), "are not shown")
    what = "Differences per user; blue better, orange worse, grey the same." if several else "Per-user values; grey at 0."
    caption = f"{what} Heights are on a logarithmic scale, so that small numbers of users are visible.{left}"
    measures = ", ".join(dict.fromkeys(one.measure for one in shown))
    description = f"histogram of {'per-user differences' if several else 'per-user values'} in {measures}"
    panels = [_histogram(one) for one in shown]
    spec = {"concat": panels, "columns": 2, "spacing": 24} if len(panels) > 1 else panels[0]
    return _figure("distribution", caption, description, spec)


def _histogram(spread: Spread) -> Spec:
    """Return counts on a logarithmic scale; users whose value is 0, or did not change, are one grey bar at 0 with their number."""
    rows = []
    for one in (one for one in spread.bins if one.rows):
        side = "better" if (one.low + one.high > 0) == spread.higher_is_better else "worse"
        rows.append({"low": one.low, "high": one.high, "users": one.rows, "side": side})
    most = max([spread.zero, *(one.rows for one in spread.bins)])
    of = f" of {spread.model}" if spread.base is None else f": {spread.model} less {spread.base}"
    x = _numbers("low", f"{spread.measure}{of}, per user", axis={"tickCount": 6, "titleLimit": 340})
    ticks = [0, *(10**power for power in range(len(str(most))))]
    y = _numbers("users", "users", scale={"type": "symlog", "domainMin": 0}, axis={"values": ticks})
    colour = {"field": "side", "type": "nominal", "scale": {"domain": ["better", "worse"], "range": [BLUE, ORANGE]}, "legend": None}
    coloured = {"color": colour} if spread.base is not None and spread.higher_is_better is not None else {}
    bars = {
        "mark": {"type": "bar", "color": BLUE, "opacity": 0.9},
        "data": {"values": rows},
        "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"datum": 0}, **coloured},
    }
    text = f"{spread.zero:,} {'at 0' if spread.base is None else 'the same'}"
    at_zero = {"data": {"values": [{"low": 0, "users": spread.zero, "text": text}]}}
    zero = {**at_zero, "mark": {"type": "bar", "color": GREY, "width": 7}, "encoding": {"x": x, "y": y, "y2": {"datum": 0}}}
    count = {**at_zero, "mark": {"type": "text", "dy": -7, "color": _DARK}, "encoding": {"x": x, "y": y, "text": {"field": "text"}}}
    return {"width": 330, "height": 180, "layer": [*([bars] if rows else []), *([zero, count] if spread.zero else [])]}


# Two measures against each other


def trade_off(content: ReportContent) -> Figure | None:
    """Return the models by two measures, with 95 % intervals in both directions; further up and to the right is more."""
    chosen, table = content.charts.get("trade_off", ()), by_label(content.points)
    pair = chosen if len(chosen) == 2 else _measures_to_trade(table)
    if not pair or not set(pair) <= table.keys():
        return None
    both = [name for name, one in table[pair[0]].items() if one.is_drawn and name in table[pair[1]] and table[pair[1]][name].is_drawn]
    rows = []
    for name in both:
        one, other = (table[label][name] for label in pair)
        ends = {"x_low": one.low, "x_high": one.high, "y_low": other.low, "y_high": other.high}
        rows.append({"model": name, "x": one.value, "y": other.value, **ends})
    words = {True: " (higher is better)", False: " (lower is better)", None: ""}
    titles = {field: f"{label}{words[content.higher_is_better[label]]}" for field, label in zip("xy", pair, strict=True)}
    at_x, at_y = (_numbers(*title, scale={"zero": False, "nice": True}, axis={"tickCount": 6}) for title in titles.items())
    looks = _looks("model", both, COLOURS, _SHAPES)
    thin = {"type": "rule", "strokeWidth": 1, "opacity": 0.7}
    across = {"x": {**at_x, "field": "x_low"}, "x2": {"field": "x_high"}, "y": at_y, "color": looks["color"]}
    up = {"x": at_x, "y": {**at_y, "field": "y_low"}, "y2": {"field": "y_high"}, "color": looks["color"]}
    layers = [
        *_where_known(rows, "x_low", thin, across),
        *_where_known(rows, "y_low", thin, up),
        _dots(90, {"x": at_x, "y": at_y, **looks}),
    ]
    caption = f"{pair[1]} (upwards) and {pair[0]} (to the right), with 95 % intervals of both."
    spec = {"width": 420, "height": 320, "data": {"values": rows}, "layer": layers}
    return _figure("trade-off", caption, f"{pair[1]} against {pair[0]} of {len(both)} models", spec)


def _measures_to_trade(table: Mapping[str, Mapping[str, ValuePoint]]) -> tuple[str, ...]:
    """Return the first measure, and the first one that looks at something else; nothing if there are no two, or fewer than two models.

    Something else is something beyond accuracy if the first measure is one of accuracy, and the other way round; else another metric.
    """
    rows = {label: next(iter(some.values())).row for label, some in table.items() if sum(one.is_drawn for one in some.values()) > 1}
    if not rows:
        return ()
    first, *others = rows
    beyond = {label: not is_formula(row.metric) and find(row.metric.partition("(")[0]).family in _BEYOND for label, row in rows.items()}
    elsewhere = [label for label in others if beyond[label] != beyond[first]]
    elsewhere = elsewhere or [label for label in others if rows[label].metric != rows[first].metric]
    return (first, elsewhere[0]) if elsewhere else ()


FIGURES: Final[Mapping[str, Callable[[ReportContent], Figure | None]]] = MappingProxyType(
    {"differences": differences, "over_k": over_k, "distribution": distribution, "trade_off": trade_off}
)
"""Name of a chart → what makes it; `None` where there is nothing to show."""
NEEDS: Final[Mapping[str, str]] = {
    "differences": "it needs several models with per-user values",
    "over_k": "no metric has values at several cut-offs",
    "distribution": "it needs a measure with per-user values",
    "trade_off": "it needs two models and two measures",
}
"""Why there may be nothing to show."""
