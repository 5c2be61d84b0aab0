"""`DrawnChart`: a chart in a notebook and in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..disk.stage import Stage, destination
from ..render import drawing
from ..render.forms import rendered
from ..session.targets import target_of
from ..synonyms import path_of


class DrawnChart(Struct, frozen=True, eq=False):
    """A chart: `svg`, the Vega-Lite `spec` and its `caption`; a notebook shows the picture, and `save` writes it."""

    kind: str
    spec: dict[str, Any]
    caption: str

    @property
    def svg(self) -> str:
        """The picture as SVG; raises `MissingExtraError` without the extra `report`."""
        return drawing.as_svg(self.spec)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the form of the ending: .svg, .png, .pdf, or .json, which is the specification."""
        target, row = target_of(path_of("path", path), "chart", noun="chart")
        write_whole(target, rendered(row, self.spec))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<chart {self.kind}: {self.caption}>"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    target = destination(path)
    with Stage([target.parent]) as stage:
        stage.commit({target: content})
