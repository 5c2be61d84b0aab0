"""Specs → pictures, by vl-convert, which needs no browser and no network."""

from __future__ import annotations

import json
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from ...extras import missing
from .slimming import slim
from .style import Spec

_SCALE: Final = 2
"""A PNG has twice as many pixels in each direction as the chart is wide, for screens and paper."""


def can_draw() -> bool:
    """Whether the extra that draws charts is installed."""
    return find_spec("vl_convert") is not None


def as_svg(spec: Spec) -> str:
    """The chart as SVG with presentation attributes only: no style, no script."""
    return slim(_drawer().vegalite_to_svg(spec, allowed_base_urls=[]))


def as_svg_file(spec: Spec) -> str:
    """The chart as SVG, on white."""
    return as_svg(_on_white(spec))


def as_json(spec: Spec) -> str:
    """The specification of the chart."""
    return json.dumps(spec, indent=1, ensure_ascii=False) + "\n"


def as_png(spec: Spec) -> bytes:
    """The chart as PNG, on white."""
    content: bytes = _drawer().vegalite_to_png(_on_white(spec), scale=_SCALE, allowed_base_urls=[])
    return content


def as_pdf(spec: Spec) -> bytes:
    """The chart as PDF, on white."""
    content: bytes = _drawer().vegalite_to_pdf(_on_white(spec), allowed_base_urls=[])
    return content


def script_bundle() -> str:
    """Vega, Vega-Lite and vega-embed as one script, which defines `vegaEmbed`."""
    bundle: str = _drawer().javascript_bundle()
    return bundle


def _on_white(spec: Spec) -> Spec:
    return {**spec, "config": {**spec["config"], "background": "#ffffff", "padding": 10}}


def require() -> None:
    """`MissingExtraError` if the extra that draws charts is not installed."""
    if not can_draw():
        raise missing("report", "drawing charts")


def _drawer() -> Any:
    require()
    return import_module("vl_convert")
