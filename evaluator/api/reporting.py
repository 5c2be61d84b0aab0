"""Reports and charts of a result, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..comparison.questions import Questions
from ..config.reporting import ENDINGS, ReportConfig
from ..errors import ConfigError
from ..evaluation.gathering import Gathered
from ..evaluation.report_content import report_of, report_of_gathered
from ..output.charts import drawing
from ..output.charts.style import Spec
from ..output.disk import Stage, destination
from ..output.report import figures
from ..output.report.formats import REPORTS
from ..output.report.page import as_html
from ..results.result import Result


class ResultChart:
    """A chart of a result: its Vega-Lite specification, and pictures of it where the extra `report` is installed."""

    def __init__(self, spec: Spec, caption: str) -> None:
        self.spec, self.caption = spec, caption

    def save(self, path: str | Path) -> None:
        """Write the chart as `.svg`, `.png`, `.pdf`, or `.json`."""
        place = Path(path).expanduser()
        form = place.suffix.lower()[1:]
        if form not in (*drawing.PICTURES, "json"):
            raise ConfigError(f"{path}: end a chart in .svg, .png, .pdf or .json")
        _write(place, figures.as_bytes(self.spec, form))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """The picture in a notebook, or its specification where it cannot be drawn."""
        drawn = {"image/svg+xml": drawing.as_svg(self.spec)} if drawing.can_draw() else {"application/vnd.vegalite.v6+json": self.spec}
        return {"text/plain": self.caption, **drawn}


def write_report(result: Result, path: Path, title: str | None, interactive: bool) -> None:
    """Write the report of a result in the form that the ending of its file says."""
    form = ENDINGS.get(path.suffix.lower())
    if form is None or form == "latex":
        known = ", ".join(ending for ending, of_file in ENDINGS.items() if of_file != "latex")
        raise ConfigError(f"{path}: end a report in {known}")
    content = report_of_gathered(Gathered({"result": result}), lambda questions: questions, source="", title=title)
    _write(path, as_html(content, interactive=interactive) if form == "html" else REPORTS[form](content))


def chart(result: Result, name: str, of: Sequence[str], baseline: str | None) -> ResultChart:
    """A chart of a result; `ConfigError` if there is nothing to show."""
    if name not in figures.SPECS:
        raise ConfigError(f"charts are {', '.join(figures.SPECS)}, not {name!r}")
    wanted = ReportConfig.model_validate({"charts": {name: list(of)}})
    made = figures.SPECS[name](report_of({"result": result}, Questions(baseline=baseline), wanted))
    if made is None:
        raise ConfigError(f"there is no chart {name} of these results: {figures.NEEDS[name]}")
    return ResultChart(made.spec, made.caption)


def _write(path: Path, content: bytes) -> None:
    with Stage([destination(path).parent]) as stage:
        stage.commit({destination(path): content})
