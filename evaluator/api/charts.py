"""`DrawnChart`: a chart in a notebook and in files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..actions.targets import target_of
from ..render import drawing
from ..render.forms import rendered
from ..results.result import Result
from ..storage.overwriting import InputPath, Target, destination, shown
from ..storage.own_inputs import inputs_of, inputs_of_result
from ..storage.stage import Stage
from ..support.synonyms import path_of


class DrawnChart(Struct, frozen=True, eq=False):
    """A chart: `svg`, the Vega-Lite `spec` and its `caption`; a notebook shows the picture, and `save` writes it."""

    kind: str
    spec: dict[str, Any]
    caption: str
    read: tuple[InputPath, ...]
    """The files behind the chart, which `save` does not replace."""

    @property
    def svg(self) -> str:
        """The picture as SVG; raises `MissingExtraError` without the extra `report`."""
        return drawing.as_svg(self.spec)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture in the form of the ending: .svg, .png, .pdf, or .json, which is the specification."""
        target, row = target_of(path_of("path", path), "chart", noun="chart")
        write_whole(target, rendered(row, self.spec), self.read)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<chart {self.kind}: {self.caption}>"


def read_by(results: Iterable[Result]) -> tuple[InputPath, ...]:
    """Return the files that results were computed from, and the configs that name them."""
    found: list[InputPath] = []
    for result in results:
        loaded = getattr(result, "loaded", None)
        found += [*inputs_of_result(result), *(inputs_of(loaded) if loaded is not None else ())]
    return tuple(dict.fromkeys(found))


def write_whole(path: Path, content: bytes, inputs: Iterable[InputPath]) -> None:
    """Write a file, whole or not at all; raise `OutputError` if it would replace one of the `inputs`."""
    with Stage([Target(shown(path), path)], inputs) as stage:
        stage.commit({destination(path): content})
