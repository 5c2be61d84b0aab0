"""The chart of precision and recall: precision at levels of recall, recall at levels of precision, or both at the same cut-offs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..metrics import find
from ..results.row import Row, listed
from ..results.spellings import without_aggregate
from ..syntax.formula import is_formula
from ..syntax.measure_strings import MetricSpec, parse
from . import chart_parts as pieces
from .document import Figure
from .report import ReportContent
from .values import ValuePoint

_LEVELS: Final = {"InterpolatedPrecision": "recall", "RecallAtPrecision": "precision"}
"""Metric → its parameter that is a level of the other of precision and recall."""
_PRECISION, _RECALL = "Precision", "Recall"
CURVES: Final = (*_LEVELS, _PRECISION, _RECALL)
"""The metrics that the chart shows."""
_FEWEST_LEVELS, _FEWEST_CUTOFFS = 2, 3
"""Smallest number of points of a line of each kind."""
_MOST_PANELS: Final = 4


class _Panel(Struct, frozen=True):
    """A line for each model, with the titles of its axes; the rows of a model are in the order of its line."""

    x: str
    y: str
    rows: Sequence[pieces.Spec]
    metrics: frozenset[str]
    """The metrics that are drawn, without level and cut-off."""
    caption: str
    numbered: str | None = None
    """Over cut-offs: the model at whose marks the cut-offs are; it reaches the highest recall."""


def precision_recall(content: ReportContent) -> Figure | None:
    """Return precision and recall, a line for each model: metrics at their levels, or without these Precision against Recall over k.

    Metrics with other settings have a panel of their own.
    """
    wanted = frozenset(content.charts.get("precision_recall", ()))
    points = [
        point for point in content.points if point.is_drawn and point.row.aggregate in ("mean", "system", "") and _spec(point.row.measure)
    ]
    over_levels, over_cutoffs = list(_over_levels(points)), list(_over_cutoffs(points))
    panels = [curve for curve in (*over_levels, *over_cutoffs) if curve.metrics & wanted] if wanted else over_levels or over_cutoffs
    shown = panels[:_MOST_PANELS]
    if not shown:
        return None
    drawn_models = {row["model"] for curve in shown for row in curve.rows}
    names = tuple(name for name in dict.fromkeys(point.name for point in points) if name in drawn_models)
    looks, bands = pieces.looks_by("model", names, pieces.COLOURS, pieces.SHAPES), len(names) <= pieces.MOST_BANDS

    def make(size: pieces.ChartSize) -> pieces.Spec:
        beside = min(size.forests, len(shown))
        width, height = size.panel(beside, 2 * pieces.NUMBERS_SPACE), 380 if size is pieces.BROAD and beside == 1 else 300
        drawn = [_drawn(curve, looks, bands, width, height) for curve in shown]
        return {"concat": drawn, "columns": beside, "spacing": 24} if len(drawn) > 1 else drawn[0]

    has_bands = bands and any(row["low"] is not None for curve in shown for row in curve.rows)
    repeats = any(point.row.repeats for point in points) and any(curve.numbered is None for curve in shown)
    repeated = " Means over folds or runs have no interval." if repeats else ""
    left = pieces.left_text(len(panels) - len(shown), "with other settings: see the table")
    caption = f"{' '.join(curve.caption for curve in shown)}{' The bands are 95 % intervals.' if has_bands else ''}{repeated}{left}"
    return pieces.figure_of(
        "precision-recall", caption, f"{listed([f'{curve.y} against {curve.x}' for curve in shown])} of {len(names)} models", make
    )


def curve_metrics(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics of some measures that the chart can show, without level and cut-off."""
    measures = (without_aggregate(label)[0] for label in labels)
    specs = [spec for measure in measures if (spec := _spec(measure)) is not None]
    return tuple(dict.fromkeys(_without_level(spec).title for spec in specs))


def has_levels(rows: Iterable[Row]) -> bool:
    """Return whether rows have a metric at several levels of precision or recall."""
    specs = {spec for measure in {row.measure for row in rows} if (spec := _spec(measure)) is not None and spec.name in _LEVELS}
    return len(specs) > len(set(map(_without_level, specs)))


def _spec(measure: str) -> MetricSpec | None:
    """Return a measure that the chart can show; `None` for others, such as the end of an interval, `Recall@5 (bootstrap95 low)`."""
    name = measure.partition("@")[0].partition("(")[0]
    if name not in CURVES or is_formula(measure):
        return None
    with suppress(ValueError):
        return parse(measure)
    return None


def _without_level(spec: MetricSpec) -> MetricSpec:
    return replace(spec, params=tuple((key, value) for key, value in spec.params if key != _LEVELS.get(spec.name)))


def _level(spec: MetricSpec) -> float:
    key = _LEVELS[spec.name]
    return float(dict(spec.params).get(key, find(spec.name).numbers[key].usual))


def _over_levels(points: Iterable[ValuePoint]) -> Iterator[_Panel]:
    """Yield metrics over their levels, a panel for each of their other settings and cut-offs."""
    found: dict[MetricSpec, list[tuple[float, ValuePoint]]] = {}
    for point in points:
        spec = parse(point.row.measure)
        if spec.name in _LEVELS:
            found.setdefault(_without_level(spec), []).append((_level(spec), point))
    for spec, some in found.items():
        rows = [
            {"model": point.name, "x": level, "value": point.value, "low": point.low, "high": point.high}
            for level, point in sorted(some, key=lambda pair: pair[0])
        ]
        n_levels, other = len({level for level, _ in some}), _LEVELS[spec.name]
        if n_levels >= _FEWEST_LEVELS:
            yield _Panel(other, str(spec), rows, frozenset({spec.title}), f"{spec} at {n_levels} levels of {other}: means over users.")


def _over_cutoffs(points: Iterable[ValuePoint]) -> Iterator[_Panel]:
    """Yield Precision against Recall at the cut-offs that both have, a panel for each of their settings."""
    found: dict[str, dict[tuple[int | None, str], dict[str, ValuePoint]]] = {}
    for point in points:
        spec = parse(point.row.metric)
        if spec.name not in _LEVELS:
            settings = spec.title.removeprefix(spec.name)
            found.setdefault(settings, {}).setdefault((point.row.k, point.name), {})[spec.name] = point
    for settings, some in found.items():
        both = {place: pair for place, pair in some.items() if len(pair) > 1}
        cutoffs = sorted({k for k, _ in both}, key=_by_size)
        rows: list[pieces.Spec] = [
            {"model": name, "x": pair[_RECALL].value, "value": pair[_PRECISION].value, "k": k, "low": None, "high": None}
            for (k, name), pair in sorted(both.items(), key=lambda item: _by_size(item[0][0]))
        ]
        if len(cutoffs) >= _FEWEST_CUTOFFS:
            precision, recall = f"{_PRECISION}{settings}", f"{_RECALL}{settings}"
            first, last = ("the whole list" if k is None else f"k = {k}" for k in (cutoffs[0], cutoffs[-1]))
            numbered = max(rows, key=lambda row: row["x"])["model"]
            caption = (
                f"{precision} against {recall} at {len(cutoffs)} cut-offs k, from {first} to {last}: means over users. "
                f"The numbers at the marks of {numbered} are k."
            )
            yield _Panel(f"{recall} at k", f"{precision} at k", rows, frozenset({precision, recall}), caption, numbered)


def _by_size(k: int | None) -> tuple[bool, int]:
    return k is None, k or 0


def _drawn(panel: _Panel, looks: pieces.Spec, bands: bool, width: int, height: int) -> pieces.Spec:
    """Return the lines of a panel on axes that start at 0; that of levels ends at 1."""
    scale = {"domain": [0, 1]} if panel.numbered is None else _from_zero(panel.rows, ("x",))
    x = pieces.numbers_axis("x", panel.x, scale=scale, axis={"tickCount": 10})
    y = _from_zero(panel.rows, ("value", "high") if bands else ("value",))
    drawn = pieces.lines_panel(panel.rows, x, looks, bands, width, height, y, title=panel.y)
    return drawn if panel.numbered is None else _numbered(drawn, panel.numbered)


def _numbered(panel: pieces.Spec, model: str) -> pieces.Spec:
    """Return a panel over cut-offs with lines in their order, and with the cut-offs at the marks of a model."""
    texts: dict[tuple[float, float], str] = {}
    for row in panel["data"]["values"]:
        if row["model"] == model:
            at, text = (row["x"], row["value"]), "all" if row["k"] is None else str(row["k"])
            texts[at] = f"{texts[at]}, {text}" if at in texts else text
    rows = [
        {**row, "order": place, "text": texts.pop((row["x"], row["value"]), None) if row["model"] == model else None}
        for place, row in enumerate(panel["data"]["values"])
    ]
    *_, line, marks = panel["layer"]
    in_order = {**line, "encoding": {**line["encoding"], "order": {"field": "order", "type": "quantitative"}}}
    mark = {"type": "text", "align": "left", "dx": 7, "dy": -7, "color": pieces.DARK}
    numbers = pieces.where_known(rows, "text", mark, {"y": marks["encoding"]["y"], "text": {"field": "text"}})
    return {**panel, "data": {"values": rows}, "layer": [in_order, marks, *numbers]}


def _from_zero(rows: Sequence[pieces.Spec], fields: Sequence[str]) -> pieces.Spec:
    """Return a scale of fields that starts at 0; it ends at 1 if all values are 0."""
    return {"domain": [0, max(row[field] or 0.0 for row in rows for field in fields) or 1], "nice": True}
