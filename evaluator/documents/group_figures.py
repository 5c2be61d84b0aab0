"""The chart of groups: a panel for each measure and grouping, with intervals; windows of time are lines with bands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from ..results.result import FEW_USERS
from ..results.row import listed
from ..syntax.short_names import is_spread
from . import chart_parts as pieces
from .display_names import names_of, renaming
from .document import Figure
from .group_tables import Cross, points_by_group
from .report import ReportContent
from .scales import ends_of, scale_of
from .values import ValuePoint

_TIME: Final = "rows.timestamp"
_MOST_GROUPINGS, _MOST_PANELS, _MOST_MODELS = 6, 6, 8
"""Largest numbers of groupings, of panels of each, and of models."""
_MOST_GROUPS, _MOST_WINDOWS = 20, 60
"""Largest numbers of groups and of windows of time in a panel."""
_STEP, _BETWEEN_GROUPS = 11, 9
"""The height of a value, and the space between groups, in pixels."""
_WIDEST, _WIDEST_SLIM = 170, 110
"""Largest width of the names of groups, in pixels, on a page of usual width and on a phone."""
_OWN_POSITIONS: Final = {"scale": {"x": "independent", "y": "independent", "color": "shared", "shape": "shared"}}


class _Panels(Struct, frozen=True):
    """The panels of one grouping: title → rows; `groups` are those on the axis of all panels."""

    rows: Mapping[str, Sequence[pieces.Spec]]
    groups: tuple[str, ...]
    is_time: bool
    has_one_scale: bool
    """True if the panels show the same measure, on the same scale."""
    n_left: int
    """Number of groups and panels that are left out."""


def groups(content: ReportContent) -> Figure | None:
    """Return the values of groups: a panel for each measure and grouping, in which all models share the axes; `None` without groups.

    A combination of two groupings shows one measure, with a panel for each group of one of them. Windows of time are on a horizontal axis,
    as lines; other groups are rows.
    """
    wanted = content.charts.get("groups", ())
    shown = {by: [point for point in some if _is_shown(point, wanted)] for by, some in points_by_group(content.models).items()}
    every = [point for some in shown.values() for point in some]
    models = tuple(dict.fromkeys(point.name for point in every))
    names = models[:_MOST_MODELS]
    made = {by: _panels(by, [point for point in some if point.name in names]) for by, some in shown.items() if some}
    panels = dict(list(made.items())[:_MOST_GROUPINGS])
    if not panels:
        return None
    looks = pieces.looks_by("model", names, pieces.COLOURS, pieces.SHAPES)
    renamed = renaming(names_of(content.results.values()))

    def make(size: pieces.ChartSize) -> pieces.Spec:
        room = _room(panels.values(), size)
        parts = [_drawn(panel, looks, len(names), size, room, renamed) for panel in panels.values()]
        return (
            {"vconcat": parts, "spacing": 40, "resolve": {"scale": {"color": "shared", "shape": "shared"}}} if len(parts) > 1 else parts[0]
        )

    left = sum(panel.n_left for panel in panels.values()) + len(made) - len(panels) + len(models) - len(names)
    said = _caption(panels.values(), every, len(names)) + (" Others are in the tables." if left else "")
    return pieces.figure_of("groups", said, f"values by {listed(list(panels))} of {listed(names)}; the tables below have the numbers", make)


def _is_shown(point: ValuePoint, wanted: Sequence[str]) -> bool:
    return point.is_drawn and not is_spread(point.row.aggregate) and (not wanted or point.label in wanted)


def _caption(panels: Iterable[_Panels], points: Sequence[ValuePoint], n_models: int) -> str:
    """Return what the marks are: intervals, lines, and hollow marks of small groups."""
    every = list(panels)
    has_intervals, has_time = any(point.low is not None for point in points), any(panel.is_time for panel in every)
    bars = "bars" if any(not panel.is_time for panel in every) else ""
    bands = "bands" if has_time and n_models <= pieces.MOST_BANDS else ""
    what = " and ".join(filter(None, (bars, bands)))
    said = "Values by group; scales may not start at 0."
    said += " The panels of a combination show one measure, on one scale." if any(panel.has_one_scale for panel in every) else ""
    if not has_intervals:
        said += " Without intervals."
    elif what:
        said += f" The {what} are 95 % intervals of means over the users of a group."
    said += " Windows of time without a test row are left out." if has_time else ""
    return said + (f" Hollow marks: fewer than {FEW_USERS} users." if any(point.row.few_users for point in points) else "")


def _panels(by: str, points: Sequence[ValuePoint]) -> _Panels:
    """Return the panels of a grouping: one per measure, or for a combination one per group of that which is not on the axis."""
    cross = Cross.from_groups(by, dict.fromkeys(point.row.group or "" for point in points))
    if cross is None:
        labels, order = (
            tuple(dict.fromkeys(point.label for point in points)),
            tuple(dict.fromkeys(point.row.group or "" for point in points)),
        )
        found = {f"{label} by {by}": [_row(point, point.row.group or "") for point in points if point.label == label] for label in labels}
        return _limited(found, order, is_time=by == _TIME, has_one_scale=False)
    time_down = cross.names[0] == _TIME
    along, beside = (cross.down, cross.across) if time_down else (cross.across, cross.down)
    label, of_panel = points[0].label, cross.names[time_down]
    found = {f"{label}, {of_panel} {panel}": [] for panel in beside}
    for point in points:
        if point.label == label:
            pair = cross.cells[point.row.group or ""]
            found[f"{label}, {of_panel} {pair[time_down]}"].append(_row(point, pair[not time_down]))
    return _limited(found, along, is_time=_TIME in cross.names, has_one_scale=True)


def _row(point: ValuePoint, group: str) -> pieces.Spec:
    return {
        "group": group,
        "model": point.name,
        "value": point.value,
        "low": point.low,
        "high": point.high,
        "few": bool(point.row.few_users),
    }


def _limited(found: Mapping[str, Sequence[pieces.Spec]], order: Sequence[str], *, is_time: bool, has_one_scale: bool) -> _Panels:
    """Return the first panels with the first groups, of windows of time the last ones."""
    kept = tuple(order[-_MOST_WINDOWS:] if is_time else order[:_MOST_GROUPS])
    panels = {title: [row for row in rows if row["group"] in kept] for title, rows in list(found.items())[:_MOST_PANELS]}
    return _Panels(panels, kept, is_time, has_one_scale, len(order) - len(kept) + len(found) - len(panels))


def _room(panels: Iterable[_Panels], size: pieces.ChartSize) -> float:
    """Return the space for the names of groups and the numbers of axes, the same in all panels, which are aligned with each other."""
    longest = max((size.character * len(name) for panel in panels if not panel.is_time for name in panel.groups), default=0.0)
    return max(min(_WIDEST if size is pieces.BROAD else _WIDEST_SLIM, longest), pieces.NUMBERS_SPACE - 14) + 14


def _drawn(
    panels: _Panels, looks: pieces.Spec, n_models: int, size: pieces.ChartSize, room: float, renamed: Callable[[str], str]
) -> pieces.Spec:
    """Return the panels of a grouping side by side."""
    shown = {title: rows for title, rows in panels.rows.items() if rows}
    width = size.panel(size.forests, room, pieces.BETWEEN_PANELS)
    scale = None
    if panels.has_one_scale:
        every = [row for rows in shown.values() for row in rows]
        low, high = ends_of(*(row[name] for row in every for name in ("value", "low", "high")))
        scale = {"domain": [low, high], **scale_of(every, ("value", "low", "high"))}
    make = _windows if panels.is_time else _rows
    parts = [{"title": renamed(title), **make(rows, panels.groups, looks, n_models, width, room, scale)} for title, rows in shown.items()]
    return {"concat": parts, "columns": size.forests, "spacing": pieces.BETWEEN_PANELS, "resolve": _OWN_POSITIONS}


def _windows(
    rows: Sequence[pieces.Spec], order: Sequence[str], looks: pieces.Spec, n_models: int, width: int, room: float, scale: pieces.Spec | None
) -> pieces.Spec:
    """Return windows of time as lines, with the intervals as bands if there are few models, and hollow marks for small groups."""
    x = {
        "field": "group",
        "type": "ordinal",
        "sort": list(order),
        "scale": {"domain": list(order)},
        "title": None,
        "axis": {"labelAngle": 0},
    }
    panel = pieces.lines_panel(rows, x, looks, n_models <= pieces.MOST_BANDS, width, pieces.LINES_HEIGHT, scale, room)
    return {**panel, "layer": [*panel["layer"], *_hollow(rows, panel["layer"][-1]["encoding"])]}


def _rows(
    rows: Sequence[pieces.Spec], order: Sequence[str], looks: pieces.Spec, n_models: int, width: int, room: float, scale: pieces.Spec | None
) -> pieces.Spec:
    """Return groups as rows, with the models and their intervals below each other in each."""
    axis = {"minExtent": room, "labelLimit": room, "labelPadding": 8, "ticks": False, "grid": False}
    y = {"field": "group", "type": "nominal", "sort": list(order), "scale": {"domain": list(order)}, "title": None, "axis": axis}
    offset = {"yOffset": {"field": "model", "type": "nominal", "scale": {"domain": looks["color"]["scale"]["domain"]}}}
    x = pieces.numbers_axis("value", None, scale=scale or scale_of(rows, ("value", "low", "high")), axis={"tickCount": 5})
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": looks["color"], **offset}
    marks = {"x": x, **offset, **looks}
    layers = [*pieces.where_known(rows, "low", {"type": "rule", "strokeWidth": 2}, ends), pieces.dots(45, marks), *_hollow(rows, marks)]
    height = len(order) * (n_models * _STEP + _BETWEEN_GROUPS)
    return {"width": width, "height": height, "data": {"values": list(rows)}, "encoding": {"y": y}, "layer": layers}


def _hollow(rows: Sequence[pieces.Spec], encoding: pieces.Spec) -> Iterator[pieces.Spec]:
    """Yield a layer of white centres on the marks of small groups, if there are any."""
    if any(row["few"] for row in rows):
        plain = {name: channel for name, channel in encoding.items() if name not in ("color", "shape")} | {"shape": encoding["shape"]}
        mark = {
            "type": "point",
            "filled": True,
            "size": 12,
            "color": "#fff",
            "opacity": 1,
        }  # the page turns this white into its dark background
        yield {"mark": mark, "transform": [{"filter": "datum.few"}], "encoding": plain}
