"""Specs → pictures, by vl-convert, which needs no browser and no network; SVG for pages in fewer bytes than it writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final
from xml.etree import ElementTree

from ..extras import missing

_Spec = Mapping[str, Any]
_SCALE: Final = 2
"""A PNG has twice as many pixels in each direction as the chart is wide, for screens and paper."""
_SVG: Final = "http://www.w3.org/2000/svg"
_DROPPED: Final = ("class", "pointer-events", "role", "aria-hidden", "aria-roledescription", "aria-label", "version", "font-family")
_DEFAULTS: Final = {"opacity": "1", "stroke-width": "1", "transform": "translate(0,0)", "text-anchor": "start", "font-weight": "normal"}
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
_INHERITED: Final = ("fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "font-size", "font-weight", "text-anchor")
_WITH_NUMBERS: Final = ("transform", "d", "x", "y", "x2", "y2", "width", "height")
_FONT: Final = "Helvetica, Arial, sans-serif"


def can_draw() -> bool:
    """Return whether the extra that draws charts is installed."""
    return find_spec("vl_convert") is not None


def as_svg(spec: _Spec) -> str:
    """Return the chart as SVG with presentation attributes only: no style, no script."""
    return slim(_drawer().vegalite_to_svg(dict(spec), allowed_base_urls=[]))


def as_svg_file(spec: _Spec) -> str:
    """Return the chart as SVG, on white."""
    return as_svg(_on_white(spec))


def as_json(spec: _Spec) -> str:
    """Return the specification of the chart."""
    return json.dumps(spec, indent=1, ensure_ascii=False) + "\n"


def as_png(spec: _Spec) -> bytes:
    """Return the chart as PNG, on white."""
    return bytes(_drawer().vegalite_to_png(_on_white(spec), scale=_SCALE, allowed_base_urls=[]))


def as_pdf(spec: _Spec) -> bytes:
    """Return the chart as PDF, on white."""
    return bytes(_drawer().vegalite_to_pdf(_on_white(spec), allowed_base_urls=[]))


def script_bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script, which defines `vegaEmbed`."""
    return str(_drawer().javascript_bundle())


def _on_white(spec: _Spec) -> dict[str, Any]:
    return {**spec, "config": {**spec["config"], "background": "#ffffff", "padding": 10}}


def require() -> None:
    """`MissingExtraError` if the extra that draws charts is not installed."""
    if not can_draw():
        raise missing("report", "drawing charts")


def _drawer() -> Any:
    require()
    return import_module("vl_convert")


def slim(svg: str) -> str:
    """Return the picture without what does not show: empty paths, default values, more digits than a screen has."""
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        _without_needless(element)
    _prune(root)
    root.set("font-family", _FONT)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _without_needless(element: ElementTree.Element) -> None:
    for name in _DROPPED:
        element.attrib.pop(name, None)
    for name, value in _DEFAULTS.items():
        if element.get(name) == value:
            del element.attrib[name]
    for name in _WITH_NUMBERS:
        if name in element.attrib:
            element.set(name, _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), element.attrib[name]))


def _prune(element: ElementTree.Element) -> None:
    """Remove paths that draw nothing, and groups that hold nothing; a group without attributes gives way to what it holds."""
    for child in list(element):
        _prune(child)
    kept: list[ElementTree.Element] = []
    for child in element:
        tag = child.tag.rpartition("}")[2]
        if tag == "path" and (child.get("display") == "none" or not _is_visible(child)):
            continue
        if tag == "g" and not child.attrib:
            kept += list(child)
        elif tag != "g" or len(child):
            kept.append(child)
    element[:] = kept
    _say_once(element)


def _say_once(group: ElementTree.Element) -> None:
    """Say of a group what all that it holds has in common."""
    if len(group) < 2 or not group.tag.endswith("}g"):
        return
    for name in _INHERITED:
        values = {child.get(name) for child in group}
        if len(values) == 1 and (value := values.pop()) is not None:
            group.set(name, value)
            for child in group:
                del child.attrib[name]


def _is_visible(path: ElementTree.Element) -> bool:
    """Return whether a path has an extent, and a colour of its own or from a group."""
    drawn = path.get("d", "")
    if not drawn or re.fullmatch(r"M[\d.,-]+h0v0h0Z", drawn):
        return False
    return any(name in path.attrib for name in ("fill", "stroke"))
