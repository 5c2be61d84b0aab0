"""Specs → pictures, by vl-convert, which needs no browser and no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from ..extras import missing
from .slimming import slim

_Spec = Mapping[str, Any]
_SCALE: Final = 2
"""A PNG has twice as many pixels in each direction as the chart is wide, for screens and paper."""


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
    content: bytes = _drawer().vegalite_to_png(_on_white(spec), scale=_SCALE, allowed_base_urls=[])
    return content


def as_pdf(spec: _Spec) -> bytes:
    """Return the chart as PDF, on white."""
    content: bytes = _drawer().vegalite_to_pdf(_on_white(spec), allowed_base_urls=[])
    return content


def script_bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script, which defines `vegaEmbed`."""
    bundle: str = _drawer().javascript_bundle()
    return bundle


def _on_white(spec: _Spec) -> dict[str, Any]:
    return {**spec, "config": {**spec["config"], "background": "#ffffff", "padding": 10}}


def require() -> None:
    """`MissingExtraError` if the extra that draws charts is not installed."""
    if not can_draw():
        raise missing("report", "drawing charts")


def _drawer() -> Any:
    require()
    return import_module("vl_convert")
