"""The charts of a report as figures: spec, caption and description, in colours and shapes for everybody. Long: a function for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from ..metrics import find
from ..results.description import Spread
from ..results.row import listed
from ..stats.difference import VERDICTS, Difference
from ..syntax.formula import is_formula
from . import chart_parts as pieces
from .basic_charts import difference_panels
from .differences import by_pair
from .display_names import names_of, renaming
from .document import Figure
from .exposure_curve import gamma_curve
from .group_figures import groups
from .precision_recall import precision_recall
from .report import ReportContent
from .scales import ends_of, nearby, scale_of
from .values import ValuePoint, by_label

VERDICT_COLOURS: Final = {"better": pieces.BLUE, "worse": pieces.ORANGE}
VERDICT_SHAPES: Final = {"better": "circle", "worse": "triangle-down", "inconclusive": "diamond"}
"""Shape and colour of verdicts; others are a grey square."""
_NO_VERDICT: Final = "no verdict"

_MOST_ROWS: Final = 60
_MOST_MEASURES: Final = 6
"""Number of measures (panels) that are shown for several models."""
_MOST_SCALES: Final = 4
_ALIKE: Final = 8.0
"""Measures share a scale if the sizes of their differences are within this factor."""
_STEP: Final = 24
_NARROW: Final = 170
"""Largest width of the names of models."""
_APART: Final = "A model that is far from the others is in a panel below with a scale of its own."
_MOST_METRICS: Final = 6
_OWN_SCALES: Final = {"scale": {"x": "independent", "y": "independent", "color": "shared", "shape": "shared"}}
_MOST_SPREADS: Final = 6
_BEYOND: Final = ("coverage", "diversity", "fairness", "novelty", "popularity", "serendipity")
"""The families of metrics that look beyond accuracy."""


def wanted_figures(kind: str, content: ReportContent) -> tuple[Figure, ...]:
    """Return the chart, if it is wanted and has data."""
    figure = FIGURES[kind](content) if kind in content.charts else None
    return () if figure is None else (figure,)


# Differences


def differences(content: ReportContent) -> Figure | None:
    """Return the differences with their intervals, and the margin as a band; `None` without a comparison.

    For one model there is a row per measure: measures with differences of similar size share a panel and scale. For several models there
    is a panel per measure with a row per model.
    """
    comparison = content.comparison
    if comparison is None:
        return None
    wanted = content.charts.get("differences") or comparison.judged
    measures = wanted if len(by_pair(comparison)) == 1 else wanted[:_MOST_MEASURES]
    known = [
        difference for difference in comparison.differences if difference.subject.measure in measures and difference.interval is not None
    ]
    shown = known[:_MOST_ROWS]
    if not shown:
        return None
    n_left = len(wanted) - len({difference.subject.measure for difference in shown})
    left = pieces.left_text(n_left, f"measure{'s are' if n_left > 1 else ' is'} in the tables")
    band = " The grey band is the margin." if any(difference.margin is not None for difference in shown) else ""
    level = f"{100 * comparison.settings.level:g} %"
    several = len({(difference.subject.base, difference.subject.model) for difference in shown}) > 1
    scales = f" Each panel has its own scale.{_apart(map(_far_differences, _by_measure(shown).values()))}" if several else ""
    others = dict.fromkeys(difference.subject.model for difference in shown)
    of = f" of {listed([*others])} from {comparison.base}" if comparison.base else ""
    caption = f"Differences{of} with their {level} intervals; the dashed line marks zero difference.{band}{scales}{left}"
    description = f"differences of {len(shown)} values from {comparison.base or 'each other'} with their intervals"
    renamed = renaming(names_of(content.results.values()))
    chart = pieces.figure_of("differences", caption, description, partial(_forest, shown, comparison.base, renamed))
    groups = list(_by_measure(shown).values()) if several else _pair_panels(shown)
    return replace(chart, panels=difference_panels(groups, comparison.base, by_model=several))


def _pair_panels(shown: Sequence[Difference]) -> list[list[Difference]]:
    """Group the differences of one pair into panels of similar size."""
    rows = [
        {"difference": difference.difference, "low": difference.low, "high": difference.high, "one": difference} for difference in shown
    ]
    return [[row["one"] for row in some] for some in _by_size(rows)]


def _by_measure(shown: Sequence[Difference]) -> dict[str, list[Difference]]:
    found: dict[str, list[Difference]] = {}
    for difference in shown:
        found.setdefault(difference.subject.measure, []).append(difference)
    return found


def _far_differences(some: Sequence[Difference]) -> frozenset[int]:
    """Return the positions of differences of one measure that are far from the others and from 0."""
    ranges = [ends_of(difference.difference, *(difference.interval or ())) for difference in some]
    margin = max((difference.margin or 0.0 for difference in some), default=0.0)
    everything = frozenset(range(len(some)))
    return everything - nearby(ranges, (-margin, margin)) if len(some) > 1 else frozenset()


def _apart(far: Iterable[Collection[object]]) -> str:
    """Return a sentence on panels with a separate scale; empty if there are none."""
    return f" {_APART}" if any(far) else ""


def _forest(shown: Sequence[Difference], base: str | None, renamed: Callable[[str], str], size: pieces.ChartSize) -> pieces.Spec:
    several = len({(difference.subject.base, difference.subject.model) for difference in shown}) > 1
    panels: dict[str, list[pieces.Spec]] = {}
    for difference in shown:
        model = difference.subject.model if base is not None else f"{difference.subject.model} against {difference.subject.base}"
        of_values = {"difference": difference.difference, "low": difference.low, "high": difference.high, "margin": difference.margin}
        row = {"row": model if several else difference.subject.measure, **of_values, "verdict": difference.verdict or _NO_VERDICT}
        panels.setdefault(difference.subject.measure if several else "", []).append(row)
    # Labels take the same space in all panels, so that stacked panels are aligned.
    longest = max(size.character * len(renamed(row["row"])) for rows in panels.values() for row in rows)
    room = min(_NARROW if several or size is pieces.SLIM else pieces.WIDEST_LABEL, longest) + 14
    width = size.panel(size.forests if several else 1, room)
    if several:
        far = {measure: _far_differences(some) for measure, some in _by_measure(shown).items()}
        plots = [_with_far_ones(measure, rows, far[measure], width, room) for measure, rows in panels.items()]
    else:
        title = renamed(f"{shown[0].subject.model} minus {shown[0].subject.base}")
        plots = [_forest_panel(rows, title, width, room) for rows in _by_size(panels[""])]
    scales = {"scale": {"x": "independent", "color": "shared", "shape": "shared"}}
    columns = size.forests if several else 1
    return {"concat": plots, "columns": columns, "spacing": 24, "resolve": scales} if len(plots) > 1 else plots[0]


def _with_far_ones(measure: str, rows: Sequence[pieces.Spec], far: Collection[int], width: int, room: float) -> pieces.Spec:
    """Return the differences of a measure; those `far` from the others and from 0 are below, on a separate scale."""
    parts = [[row for place, row in enumerate(rows) if (place in far) == is_far] for is_far in (False, True)]
    panels = [_forest_panel(part, None, width, room, with_zero=number == 0) for number, part in enumerate(parts) if part]
    return {"title": measure, **(panels[0] if len(panels) == 1 else {"vconcat": panels, "spacing": 4, "resolve": _OWN_SCALES})}


def _forest_panel(rows: Sequence[pieces.Spec], title: str | None, width: int, room: float, *, with_zero: bool = True) -> pieces.Spec:
    """Return some differences on one scale, which includes 0 if `with_zero`."""
    axis = {"minExtent": room, "labelLimit": room, "labelPadding": 8, "ticks": False, "grid": False}
    y = {"field": "row", "type": "nominal", "sort": [row["row"] for row in rows], "title": None, "axis": axis}
    verdicts = (*VERDICTS, _NO_VERDICT)
    colours, shapes = (
        [VERDICT_COLOURS.get(verdict, pieces.GREY) for verdict in verdicts],
        [VERDICT_SHAPES.get(verdict, "square") for verdict in verdicts],
    )
    looks = pieces.looks_by("verdict", verdicts, colours, shapes, legend=None)
    bar, below = {"type": "bar", "color": pieces.GREY, "opacity": 0.18, "height": _STEP}, {"calculate": "-datum.margin", "as": "below"}
    x = pieces.numbers_axis(
        "difference", title, axis={"tickCount": 5}, **({} if with_zero else {"scale": scale_of(rows, ("difference", "low", "high"))})
    )
    zero = {"mark": {"type": "rule", "color": pieces.GREY, "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}, "y": None}}
    margins = pieces.where_known(rows, "margin", bar, {"x": {**x, "field": "below"}, "x2": {"field": "margin"}}, below)
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": looks["color"]}
    layers = [
        *([*margins, zero] if with_zero else []),
        *pieces.where_known(rows, "low", {"type": "rule", "strokeWidth": 2}, ends),
        pieces.dots(60, {"x": x, **looks}),
    ]
    return {"width": width, "height": {"step": _STEP}, "data": {"values": list(rows)}, "encoding": {"y": y}, "layer": layers}


def _by_size(rows: Sequence[pieces.Spec]) -> list[list[pieces.Spec]]:
    """Group rows of similar size into panels, in the order of their first rows."""
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
    """Return the metrics with values at several cut-offs, a panel each, with 95 % intervals if there are few models."""
    plain = [point for point in content.points if point.row.aggregate in ("mean", "system", "")]
    cutoffs: dict[str, set[int | None]] = {}
    for point in plain:
        cutoffs.setdefault(point.row.metric, set()).add(point.row.k)
    known = tuple(metric for metric, several in cutoffs.items() if len(several) > 1)
    wanted = tuple(metric for metric in known if metric in content.charts.get("over_k", ())) or known
    if not wanted:
        return None
    metrics = wanted[:_MOST_METRICS]
    shown = [point for point in plain if point.row.metric in metrics and point.is_drawn]
    texts = {k: "all" if k is None else str(k) for k in sorted({point.row.k for point in shown}, key=lambda k: (k is None, k or 0))}
    rows: dict[str, list[pieces.Spec]] = {metric: [] for metric in metrics}
    for point in shown:
        at = {"model": point.name, "metric": point.row.metric, "k": texts[point.row.k]}
        rows[point.row.metric].append({**at, "value": point.value, "low": point.low, "high": point.high})
    names = tuple(dict.fromkeys(point.name for point in shown))
    looks, bands = pieces.looks_by("model", names, pieces.COLOURS, pieces.SHAPES), len(names) <= pieces.MOST_BANDS

    def make(size: pieces.ChartSize) -> pieces.Spec:
        beside = min(size.lines, len(rows))
        width = size.panel(beside, pieces.NUMBERS_SPACE, pieces.BETWEEN_PANELS)
        panels = [_over_k_panels(some, metric, [*texts.values()], looks, bands, width) for metric, some in rows.items()]
        return {
            "concat": panels,
            "columns": beside,
            "bounds": "flush",  # panels of one row are aligned, whatever the size of their labels
            "spacing": {"row": 75, "column": pieces.BETWEEN_PANELS + pieces.NUMBERS_SPACE},
            "resolve": {"scale": {"color": "shared", "shape": "shared"}},
        }

    n_left = len(wanted) - len(metrics)
    left = pieces.left_text(n_left, f"metric{'s are' if n_left > 1 else ' is'} in the table")
    apart = _apart(map(_far_models, rows.values()))
    caption = f"Measures by cut-off k; each panel has its own scale, which may not start at 0.{apart}{left}"
    return pieces.figure_of(
        "over-k", caption, f"{', '.join(metrics)} of {len(names)} models at the cut-offs {', '.join(texts.values())}", make
    )


def _far_models(rows: Sequence[pieces.Spec]) -> frozenset[str]:
    """Return the models whose values of a metric are far from those of the others."""
    names = list(dict.fromkeys(row["model"] for row in rows))
    ranges = [
        ends_of(*(number for row in rows if row["model"] == name for number in (row["value"], row["low"], row["high"]))) for name in names
    ]
    close = nearby(ranges)
    return frozenset(name for place, name in enumerate(names) if place not in close)


def _over_k_panels(
    rows: Sequence[pieces.Spec], metric: str, cutoffs: Sequence[str], looks: pieces.Spec, bands: bool, width: int
) -> pieces.Spec:
    """Return one metric; models far from the others are below, on a separate scale."""
    names = _far_models(rows)
    far = [row for row in rows if row["model"] in names]
    if not far:
        return {"title": metric, **_over_k_panel(rows, cutoffs, looks, bands, width, pieces.LINES_HEIGHT)}
    upper = _over_k_panel(
        [row for row in rows if row["model"] not in names], cutoffs, looks, bands, width, pieces.LINES_HEIGHT - 60, has_k=False
    )
    lower = _over_k_panel(far, cutoffs, looks, bands, width, 44)
    return {"title": metric, "vconcat": [upper, lower], "spacing": 16, "bounds": "flush", "resolve": _OWN_SCALES}


def _over_k_panel(
    rows: Sequence[pieces.Spec], cutoffs: Sequence[str], looks: pieces.Spec, bands: bool, width: int, height: int, *, has_k: bool = True
) -> pieces.Spec:
    """Return lines with a mark at each cut-off, above bands of intervals if wanted."""
    axis = {"labelAngle": 0} if has_k else {"labels": False, "ticks": False}
    x = {"field": "k", "type": "ordinal", "sort": cutoffs, "title": "k" if has_k else None, "axis": axis}
    return pieces.lines_panel(rows, x, looks, bands, width, height)


# Values of users, or their differences


def distribution(content: ReportContent) -> Figure | None:
    """Return histograms of per-user differences; for one model, of its per-user values."""
    spreads = content.comparison.spreads if content.comparison is not None else content.spreads
    if not spreads:
        return None
    shown = spreads[:_MOST_SPREADS]
    several = shown[0].base is not None
    n_left = len(spreads) - len(shown)
    left = pieces.left_text(n_left, f"histogram{'s are' if n_left > 1 else ' is'} left out")
    what = "Differences per user; blue better, orange worse, grey the same." if several else "Per-user values; grey at 0."
    caption = f"{what} Heights are on a logarithmic scale, so that small numbers of users are visible.{left}"
    measures = ", ".join(dict.fromkeys(spread.measure for spread in shown))
    description = f"histogram of {'per-user differences' if several else 'per-user values'} in {measures}"

    def make(size: pieces.ChartSize) -> pieces.Spec:
        beside = min(size.histograms, len(shown))
        panels = [_histogram(spread, size.panel(beside, pieces.NUMBERS_SPACE)) for spread in shown]
        return {"concat": panels, "columns": beside, "spacing": 24} if len(panels) > 1 else panels[0]

    return pieces.figure_of("distribution", caption, description, make)


def _histogram(spread: Spread, width: int) -> pieces.Spec:
    """Return counts on a logarithmic scale; users with value 0, or without a change, are one grey bar at 0 with their number."""
    rows = []
    for bar in (bar for bar in spread.bins if bar.rows):
        side = "better" if (bar.low + bar.high > 0) == spread.higher_is_better else "worse"
        rows.append({"low": bar.low, "high": bar.high, "users": bar.rows, "side": side})
    most = max([spread.zero, *(bar.rows for bar in spread.bins)])
    of = f" of {spread.model}" if spread.base is None else f": {spread.model} less {spread.base}"
    x = pieces.numbers_axis("low", f"{spread.measure}{of}, per user", axis={"tickCount": 6, "titleLimit": width})
    ticks = [0, *(10**power for power in range(len(str(most))))]
    y = pieces.numbers_axis("users", "users", scale={"type": "symlog", "domainMin": 0}, axis={"values": ticks})
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": ["better", "worse"], "range": [pieces.BLUE, pieces.ORANGE]},
        "legend": None,
    }
    coloured = {"color": colour} if spread.base is not None and spread.higher_is_better is not None else {}
    bars = {
        "mark": {"type": "bar", "color": pieces.BLUE, "opacity": 0.9},
        "data": {"values": rows},
        "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "y2": {"datum": 0}, **coloured},
    }
    text = f"{spread.zero:,} {'at 0' if spread.base is None else 'the same'}"
    at_zero = {"data": {"values": [{"low": 0, "users": spread.zero, "text": text}]}}
    zero = {**at_zero, "mark": {"type": "bar", "color": pieces.GREY, "width": 7}, "encoding": {"x": x, "y": y, "y2": {"datum": 0}}}
    above = {"x": x, "y": {"value": 0}, "text": {"field": "text"}}  # above every bar, because a bar beside it may be higher
    count = {**at_zero, "mark": {"type": "text", "dy": -7, "color": pieces.DARK}, "encoding": above}
    return {"width": width, "height": 200, "layer": [*([bars] if rows else []), *([zero, count] if spread.zero else [])]}


# Two measures against each other


def trade_off(content: ReportContent) -> Figure | None:
    """Return the models by two measures, with 95 % intervals in both directions; values grow upwards and to the right."""
    chosen, table = content.charts.get("trade_off", ()), by_label(content.points)
    pair = chosen if len(chosen) == 2 else _measures_to_trade(table)
    if not pair or not set(pair) <= table.keys():
        return None
    both = [name for name, point in table[pair[0]].items() if point.is_drawn and name in table[pair[1]] and table[pair[1]][name].is_drawn]
    rows: list[pieces.Spec] = []
    for name in both:
        one, other = (table[label][name] for label in pair)
        ends = {"x_low": one.low, "x_high": one.high, "y_low": other.low, "y_high": other.high}
        rows.append({"model": name, "x": one.value, "y": other.value, **ends})
    words = {True: " (higher is better)", False: " (lower is better)", None: ""}
    titles = {field: f"{label}{words[content.higher_is_better[label]]}" for field, label in zip("xy", pair, strict=True)}
    looks = pieces.looks_by("model", both, pieces.COLOURS, pieces.SHAPES)
    ranges = {field: [ends_of(row[field], row[f"{field}_low"], row[f"{field}_high"]) for row in rows] for field in "xy"}
    close = nearby(ranges["x"]) & nearby(ranges["y"])
    near = [row for place, row in enumerate(rows) if place in close or len(close) < 2]
    far = [row for row in rows if row not in near]

    def make(size: pieces.ChartSize) -> pieces.Spec:
        beside = 2 if far and size is pieces.BROAD else 1
        width, height = size.panel(beside, 2 * pieces.NUMBERS_SPACE), 380 if size is pieces.BROAD else 300
        panels = [_trade_off_panel(some, titles, looks, width, height) for some in (near, far) if some]
        return {"concat": panels, "columns": beside, "spacing": 24, "resolve": _OWN_SCALES} if far else panels[0]

    apart = f" {listed([row['model'] for row in far])}: far from the others, in a panel with its own scales." if far else ""
    known = [label for label, field in zip(pair, "xy", strict=True) if any(row[f"{field}_low"] is not None for row in rows)]
    intervals = f", with 95 % intervals of {'both' if len(known) > 1 else known[0]}" if known else ""
    without = [name for name in both if table[pair[0]][name].row.repeats and all(table[label][name].low is None for label in pair)]
    which = f" ({listed(without)})" if without != both else ""
    repeated = f" Means over folds or runs{which} have no interval." if without else ""
    caption = f"{pair[1]} (upwards) and {pair[0]} (to the right){intervals}.{repeated}{apart}"
    return pieces.figure_of("trade-off", caption, f"{pair[1]} against {pair[0]} of {len(both)} models", make)


def _trade_off_panel(rows: Sequence[pieces.Spec], titles: Mapping[str, str], looks: pieces.Spec, width: int, height: int) -> pieces.Spec:
    """Return models by two measures, with the titles of x and y, on one pair of scales."""
    at_x, at_y = (
        pieces.numbers_axis(field, title, scale=scale_of(rows, (field, f"{field}_low", f"{field}_high")), axis={"tickCount": 6})
        for field, title in titles.items()
    )
    thin = {"type": "rule", "strokeWidth": 1, "opacity": 0.7}
    across = {"x": {**at_x, "field": "x_low"}, "x2": {"field": "x_high"}, "y": at_y, "color": looks["color"]}
    up = {"x": at_x, "y": {**at_y, "field": "y_low"}, "y2": {"field": "y_high"}, "color": looks["color"]}
    layers = [
        *pieces.where_known(rows, "x_low", thin, across),
        *pieces.where_known(rows, "y_low", thin, up),
        pieces.dots(90, {"x": at_x, "y": at_y, **looks}),
    ]
    return {"width": width, "height": height, "data": {"values": list(rows)}, "layer": layers}


def _measures_to_trade(table: Mapping[str, Mapping[str, ValuePoint]]) -> tuple[str, ...]:
    """Return the first measure and the first one of another kind; empty if one is missing, or with fewer than two models.

    The other kind is beyond accuracy if the first measure is of accuracy, and vice versa; else any other metric.
    """
    rows = {label: next(iter(some.values())).row for label, some in table.items() if sum(point.is_drawn for point in some.values()) > 1}
    if not rows:
        return ()
    first, *others = rows
    beyond = {label: not is_formula(row.metric) and find(row.metric.partition("(")[0]).family in _BEYOND for label, row in rows.items()}
    elsewhere = [label for label in others if beyond[label] != beyond[first]]
    elsewhere = elsewhere or [label for label in others if rows[label].metric != rows[first].metric]
    return (first, elsewhere[0]) if elsewhere else ()


FIGURES: Final[Mapping[str, Callable[[ReportContent], Figure | None]]] = MappingProxyType(
    {
        "differences": differences,
        "over_k": over_k,
        "precision_recall": precision_recall,
        "gamma_curve": gamma_curve,
        "groups": groups,
        "distribution": distribution,
        "trade_off": trade_off,
    }
)
"""Name of a chart → the function that makes it, which returns `None` without data."""
NEEDS: Final[Mapping[str, str]] = {
    "differences": "it needs several models, and intervals of their differences",
    "over_k": "no metric has values at several cut-offs",
    "precision_recall": "it needs InterpolatedPrecision at two or more levels of recall, RecallAtPrecision at two or more levels of "
    "precision, or Precision and Recall at three or more cut-offs",
    "gamma_curve": "it needs a measure at three or more gamma",
    "groups": "it needs values by group: evaluation.by",
    "distribution": "it needs a measure with per-user values",
    "trade_off": "it needs two models and two measures",
}
"""Name of a chart → the reason why there may be nothing to show."""
ADVICE: Final[Mapping[str, str]] = {
    "precision_recall": "for the usual eleven levels add this line to evaluation.metrics: "
    "- InterpolatedPrecision: {recall: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]}",
    "gamma_curve": "for Recall@20 add this line to evaluation.metrics: "
    "- Recall: {ips: popularity, gamma: [-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3], k: 20}",
}
"""Name of a chart → the next step if there is nothing to show."""
