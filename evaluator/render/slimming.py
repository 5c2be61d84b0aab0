"""SVG as vl-convert writes it → the same picture in fewer bytes, for a page that has many of them."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree

_SVG: Final = "http://www.w3.org/2000/svg"
_DROPPED: Final = ("class", "pointer-events", "role", "aria-hidden", "aria-roledescription", "aria-label", "version", "font-family")
_DEFAULTS: Final = {"opacity": "1", "stroke-width": "1", "transform": "translate(0,0)", "text-anchor": "start", "font-weight": "normal"}
_LONG_NUMBER: Final = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
_INHERITED: Final = ("fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "font-size", "font-weight", "text-anchor")
_WITH_NUMBERS: Final = ("transform", "d", "x", "y", "x2", "y2", "width", "height")
_FONT: Final = "Helvetica, Arial, sans-serif"


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
