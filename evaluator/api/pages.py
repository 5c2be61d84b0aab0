"""Reports and charts, from Python: what `receval report` and `receval plot` make."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from ..config.run_sections import ChartName, ReportConfig
from ..content.report import CHARTS, ReportContent
from ..disk.stage import Stage, destination
from ..errors import ConfigError
from ..outputs import of_form
from ..render import drawing
from ..render.forms import rendered
from ..results.gates import Verdicts
from ..results.result import Result
from ..session.compare import Compared
from ..session.gather import Gathered
from ..session.report import chart_of, report_of, report_of_gathered, stored_sections
from ..session.targets import target_of

_OWN: Final = "result"
_BASELINE: Final = "baseline"


class DrawnChart:
    """A chart: shown in a notebook it is a picture; `svg`, the Vega-Lite `spec` and its `caption`; `save` writes it."""

    def __init__(self, kind: str, spec: Mapping[str, Any], caption: str) -> None:
        self.kind = kind
        self.spec = dict(spec)
        self.caption = caption

    @property
    def svg(self) -> str:
        """The picture; `MissingExtraError` without the extra `report`."""
        return drawing.as_svg(self.spec)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture, in the form that its ending says: .svg, .png, .pdf, or .json, which is the specification."""
        target, row = target_of(path, "chart", noun="chart")
        _write(target, rendered(row, self.spec))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<chart {self.kind}: {self.caption}>"


def write_report(
    result: Result, path: str | os.PathLike[str], asked: Mapping[str, Any], *, title: str | None, gates: Verdicts | None, interactive: bool
) -> None:
    """Write the report of a result, in the form that its ending says; see `EvaluationResult.report` and `session.compare.changed_by`."""
    target, row = target_of(path, "report", "latex", noun="report")
    judged = result if gates is None else replace(result, gates=gates.gates)
    _write(target, rendered(row, judged if row.of == "latex" else _content(judged, asked, title=title), interactive=interactive))


def write_comparison(compared: Compared, path: str | os.PathLike[str], *, title: str | None, interactive: bool) -> None:
    """Write the report of a comparison of results, in the form that its ending says; see `ComparisonResult.report`."""
    target, row = target_of(path, "report", "latex", noun="report")
    if row.of == "latex":
        row = of_form("latex", "comparison") or row
        _write(target, rendered(row, compared.comparison))
        return
    _write(target, rendered(row, _content_of_several(compared, title=title), interactive=interactive))


def draw(result: Result, kind: ChartName, of: str | Sequence[str], asked: Mapping[str, Any]) -> DrawnChart:
    """A chart of a result; `ConfigError` if there is nothing to show."""
    return _drawn(kind, of, lambda charts: _content(result, asked, charts=charts))


def draw_comparison(compared: Compared, kind: ChartName, of: str | Sequence[str]) -> DrawnChart:
    """A chart of a comparison of results; `ConfigError` if there is nothing to show."""
    return _drawn(kind, of, lambda charts: _content_of_several(compared, charts=charts))


def _drawn(kind: ChartName, of: str | Sequence[str], content: Callable[[Mapping[str, tuple[str, ...]]], ReportContent]) -> DrawnChart:
    if kind not in CHARTS:
        raise ConfigError(f"a chart must be one of {', '.join(CHARTS)}, not {kind!r}")
    chart = chart_of(content({kind: (of,) if isinstance(of, str) else tuple(of)}), kind, "this result")
    return DrawnChart(kind, chart.spec, chart.caption)


def _content_of_several(
    compared: Compared, *, title: str | None = None, charts: Mapping[str, tuple[str, ...]] | None = None
) -> ReportContent:
    """What the page of a comparison is made of: what the config of a single result says of reports holds."""
    results = compared.results
    wanted = stored_sections(next(iter(results.values())))[1] if len(results) == 1 else ReportConfig()
    changes = {"title": title or wanted.title, **({} if charts is None else {"charts": dict(charts)})}
    return report_of(results, compared.questions, wanted.model_copy(update=changes))


def _content(
    result: Result, asked: Mapping[str, Any], *, title: str | None = None, charts: Mapping[str, tuple[str, ...]] | None = None
) -> ReportContent:
    """What a page is made of: what is not asked here is as the config of the result says."""
    results = {_OWN: result}
    baseline, measures = asked["baseline"], asked["measures"]
    if isinstance(baseline, Result):
        results = {_BASELINE: baseline, **results}
        baseline = _BASELINE
    named = (measures,) if isinstance(measures, str) else tuple(measures)
    given = {**asked, "baseline": baseline and os.fspath(baseline), "measures": named}
    return report_of_gathered(Gathered(results), given, title=title, charts=charts)


def _write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    target = destination(path)
    with Stage([target.parent]) as stage:
        stage.commit({target: content})
