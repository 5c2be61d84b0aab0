"""Specs → pictures, by vl-convert, which needs no browser and no network; its SVG is made smaller for pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final
from xml.etree import ElementTree

from ..support.extras import missing_extra

_Spec = Mapping[str, Any]
_SCALE: Final = 2
"""A PNG has twice the size of the chart in pixels, for screens and paper."""
_SVG: Final = "http://www.w3.org/2000/svg"
_GROUP, _PATH = f"{{{_SVG}}}g", f"{{{_SVG}}}path"
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
    """Return the chart as SVG with only presentation attributes: no style, no script, and nothing invisible.

    Empty paths, default values, and digits below the resolution of a screen are left out.
    """
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(_drawer().vegalite_to_svg(dict(spec), allowed_base_urls=[]))
    for element in root.iter():
        for name, value in list(element.items()):
            if name in _DROPPED or _DEFAULTS.get(name) == value:
                del element.attrib[name]
            elif name in _WITH_NUMBERS:
                element.set(name, _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value))
    _prune(root)
    root.set("font-family", _FONT)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


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
    """Return Vega, Vega-Lite and vega-embed as one script, which defines `vegaEmbed`."""
    return str(_drawer().javascript_bundle())


def _on_white(spec: _Spec) -> dict[str, Any]:
    return {**spec, "config": {**spec["config"], "background": "#ffffff", "padding": 10}}


def require() -> None:
    """Raise `MissingExtraError` if the extra that draws charts is not installed."""
    if not can_draw():
        raise missing_extra("report", "drawing charts")


def _drawer() -> Any:
    require()
    return import_module("vl_convert")


def _prune(element: ElementTree.Element) -> None:
    """Remove paths that draw nothing and empty groups; replace a group without attributes by its children.

    Attributes that all children of a group share are moved to the group.
    """
    kept: list[ElementTree.Element] = []
    for child in element:
        _prune(child)
        if child.tag == _GROUP and not child.attrib:
            kept += child
        elif len(child) if child.tag == _GROUP else _is_visible(child):
            kept.append(child)
    element[:] = kept
    for name in _INHERITED if element.tag == _GROUP and len(element) > 1 else ():
        values = {child.get(name) for child in element}
        if len(values) == 1 and (value := values.pop()) is not None:
            element.set(name, value)
            for child in element:
                del child.attrib[name]


def _is_visible(element: ElementTree.Element) -> bool:
    """Return whether an element is visible; a path is with an extent, and a colour of its own or of a group."""
    drawn = element.get("d", "")
    if element.tag != _PATH:
        return True
    if not drawn or element.get("display") == "none" or re.fullmatch(r"M[\d.,-]+h0v0h0Z", drawn):
        return False
    return "fill" in element.attrib or "stroke" in element.attrib
