"""Values over γ: the tables and the sentences of a study, its cells for programs, and the chart."""

from __future__ import annotations

from typing import Any, Final

from msgspec import to_builtins

from ..results.gamma_curve import FEWEST, FORMAT_VERSION, GammaCurve, GammaCurves, over_gamma
from ..results.row import listed
from .chart_parts import BROAD, COLOURS, MOST_BANDS, NUMBERS_SPACE, SHAPES, ChartSize, Spec, figure_of, lines_panel, looks_by, numbers_axis
from .document import Block, Column, Document, Figure, Heading, Paragraph, Points, Table
from .numbers import decimals, number
from .report import ReportContent

_MEANING: Final = (
    "γ = -1 weighs all relevant items equally; a larger γ gives more weight to those with few users in train.",
    "Crossings lie between two values of γ, on a straight line, and are not tested: receval compare tests a difference at one γ.",
)


def document(curves: GammaCurves) -> Document:
    """Return a table for each measure, γ × models, and where models cross."""
    blocks: list[Block] = []
    for curve in curves.curves:
        places = decimals(value for values in curve.values.values() for value in values)
        columns = (Column("γ"), *(Column(name, "value") for name in curve.values), Column("effective items", "counts"))
        rows = (
            (f"{gamma:g}", *(number(values[at], places) for values in curve.values.values()), number(curve.effective[at], 0))
            for at, gamma in enumerate(curve.gammas)
        )
        blocks += [Heading(f"{curve.measure} over γ", 2), Table.from_texts(columns, rows)]
        blocks += [Points(said)] if (said := (*_jump(curve), *_crossings(curve))) else []
    meaning = " ".join(_MEANING if any(len(curve.values) > 1 for curve in curves.curves) else _MEANING[:1])
    return (*blocks, Paragraph(meaning), *([Points(curves.remarks)] if curves.remarks else []))


def _jump(curve: GammaCurve) -> tuple[str, ...]:
    if not curve.jumps:
        return ()
    one = curve.no_train == 1
    pairs = "pair has an item without train rows: it counts" if one else "pairs have items without train rows: they count"
    unsearched = f" No crossing is looked for up to γ = {curve.gammas[1]:g}." if len(curve.values) > 1 else ""
    return (f"{curve.no_train:,} relevant user-item {pairs} like all others only at γ = -1, so values jump there.{unsearched}",)


def _crossings(curve: GammaCurve) -> tuple[str, ...]:
    if len(curve.values) < 2:
        return ()
    found = tuple(f"{one.first} is above {one.second} up to γ ≈ {one.gamma:.2g}, and below it from there on." for one in curve.crossings)
    return found or (f"No two models cross from γ = {curve.gammas[curve.jumps]:g} to {curve.gammas[-1]:g}.",)


def cells(curves: GammaCurves) -> dict[str, Any]:
    """Return all values in full precision."""
    of_each = [{**to_builtins(curve), "crossings": to_builtins(curve.crossings)} for curve in curves.curves]
    return {"format_version": FORMAT_VERSION, "curves": of_each, "remarks": list(curves.remarks)}


def rows(curves: GammaCurves) -> list[tuple[Any, ...]]:
    """Return a head, and one row per measure, γ and model."""
    table: list[tuple[Any, ...]] = [("measure", "gamma", "model", "value", "effective_items")]
    for curve in curves.curves:
        for at, gamma in enumerate(curve.gammas):
            table += [(curve.measure, gamma, model, values[at], curve.effective[at]) for model, values in curve.values.items()]
    return table


def gamma_curve(content: ReportContent) -> Figure | None:
    """Return the chart of values over γ, a line for each model and a panel for each measure at three γ or more."""
    wanted, found = frozenset(content.charts.get("gamma_curve", ())), dict[str, list[Spec]]()
    for point in content.points:
        if point.is_drawn and (read := over_gamma(point.row.measure)):
            row = {"model": point.name, "x": read[1], "value": point.value, "low": point.low, "high": point.high}
            if not wanted or wanted & {point.row.label, point.row.metric}:
                found.setdefault(str(read[0]), []).append(row)
    shown = {measure: some for measure, some in found.items() if len({row["x"] for row in some}) >= FEWEST}
    if not shown:
        return None
    names = tuple(dict.fromkeys(row["model"] for some in shown.values() for row in some))
    looks, bands = looks_by("model", names, COLOURS, SHAPES), len(names) <= MOST_BANDS

    def make(size: ChartSize) -> Spec:
        beside = min(size.forests, len(shown))
        width, height = size.panel(beside, NUMBERS_SPACE), 380 if size is BROAD and beside == 1 else 300
        axis = numbers_axis("x", "γ", scale={"zero": False}, axis={"tickCount": 9})
        drawn = [lines_panel(some, axis, looks, bands, width, height, title=measure) for measure, some in shown.items()]
        return {"concat": drawn, "columns": beside, "spacing": 24} if len(drawn) > 1 else drawn[0]

    has_bands = bands and any(row["low"] is not None for some in shown.values() for row in some)
    of_gamma = "how strongly popularity decides what is observed; at γ = -1 not at all"
    caption = f"{listed(list(shown))} over γ: {of_gamma}. There items without train rows count like all others, so lines may jump."
    return figure_of(
        "gamma-curve", f"{caption}{' The bands are 95 % intervals.' if has_bands else ''}", f"Values over γ of {len(names)} models", make
    )
