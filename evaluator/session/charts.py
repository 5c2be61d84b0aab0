"""One chart of a report, as a file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..content.charts import figures
from ..content.report import ReportContent
from ..disk.stage import Stage, destination
from ..document import Figure
from ..errors import ConfigError
from ..render import drawing
from ..render.forms import rendered
from .gather import Read, Tell, gather, path_of
from .report import report_of_gathered
from .targets import PathLike, target_of


def plot_inputs(
    inputs: Sequence[str], kind: str, of: Sequence[str], asked: Mapping[str, Any], *, read: Read, tell: Tell, output: PathLike
) -> Path:
    """Draw a chart of the results of folders and of a config into a file.

    `MissingExtraError` for a picture that cannot be drawn here, before anything is evaluated.
    """
    target, row = target_of(output, "chart", noun="chart")
    if "drawing" in row.needs:
        drawing.require()
    file = destination(target)
    with Stage([file.parent]) as stage:
        gathered = gather(inputs, read, tell)
        content = report_of_gathered(gathered, asked, source=path_of(inputs[0]), charts={kind: tuple(of)})
        stage.commit({file: rendered(row, chart_of(content, kind).spec)})
    return target


def chart_of(content: ReportContent, kind: str, what: str = "these results") -> Figure:
    """A chart of what a report is made of; `ConfigError` if there is nothing to show."""
    chart = figures.FIGURES[kind](content)
    if chart is None:
        raise ConfigError(f"there is no chart {kind} of {what}: {figures.NEEDS[kind]}")
    return chart
