"""Reports and charts, from Python: what `receval report` and `receval plot` make."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from ..comparison.questions import Questions
from ..config.reporting import ENDINGS, ChartName, ReportConfig, form_of
from ..content.charts import figures
from ..content.paper import comparison_tables
from ..content.report import CHARTS, ReportContent
from ..errors import ConfigError
from ..evaluation.gathering import Gathered
from ..evaluation.report_content import latex_of_gathered, report_of, report_of_gathered, stored_sections
from ..output.disk import Stage, destination
from ..render import drawing
from ..render.latex import as_latex
from ..render.report import as_html
from ..render.report_forms import REPORTS
from ..results.comparison import Comparison
from ..results.gates import Verdicts
from ..results.result import Result
from .margins import MarginLike, margins_of

_OWN: Final = "result"
_BASELINE: Final = "baseline"


class Asked(NamedTuple):
    """What a page says of differences: against which baseline, of which measures, and how small a one does not matter."""

    baseline: Result | str | os.PathLike[str] | None
    measures: str | Sequence[str]
    margin: MarginLike | None
    losers: int = 0


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
        target = Path(path).expanduser()
        form = target.suffix.lower()[1:]
        if form != "json" and form not in drawing.PICTURES:
            raise ConfigError(f"{target}: end a chart in {', '.join(f'.{known}' for known in (*drawing.PICTURES, 'json'))}")
        if form == "json":
            _write(target, (json.dumps(self.spec, indent=1, ensure_ascii=False) + "\n").encode())
        else:
            _write(target, drawing.PICTURES[form](self.spec))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<chart {self.kind}: {self.caption}>"


def write_report(
    result: Result, path: str | os.PathLike[str], asked: Asked, *, title: str | None, gates: Verdicts | None, interactive: bool
) -> None:
    """Write the report of a result, in the form that its ending says; see `EvaluationResult.report`."""
    target, form = _target(path)
    judged = result if gates is None else replace(result, gates=gates.gates)
    if form.startswith("latex"):
        _write(target, latex_of_gathered(Gathered({_OWN: judged}), is_document=form == "latex-document"))
        return
    _write(target, _in_form(form, _content(judged, asked, title=title), interactive))


def write_comparison(
    comparison: Comparison,
    results: Mapping[str, Result],
    questions: Questions,
    path: str | os.PathLike[str],
    *,
    title: str | None,
    interactive: bool,
) -> None:
    """Write the report of a comparison of results, in the form that its ending says; see `ComparisonResult.report`."""
    target, form = _target(path)
    if form.startswith("latex"):
        _write(target, as_latex(comparison_tables(comparison)).encode())
        return
    _write(target, _in_form(form, _content_of_several(results, questions, title=title), interactive))


def draw(result: Result, kind: ChartName, of: str | Sequence[str], asked: Asked) -> DrawnChart:
    """A chart of a result; `ConfigError` if there is nothing to show."""
    return _drawn(kind, of, lambda charts: _content(result, asked, charts=charts))


def draw_comparison(results: Mapping[str, Result], questions: Questions, kind: ChartName, of: str | Sequence[str]) -> DrawnChart:
    """A chart of a comparison of results; `ConfigError` if there is nothing to show."""
    return _drawn(kind, of, lambda charts: _content_of_several(results, questions, charts=charts))


def _drawn(kind: ChartName, of: str | Sequence[str], content: Callable[[Mapping[str, tuple[str, ...]]], ReportContent]) -> DrawnChart:
    if kind not in CHARTS:
        raise ConfigError(f"charts are {', '.join(CHARTS)}, not {kind!r}")
    measures = (of,) if isinstance(of, str) else tuple(of)
    chart = figures.FIGURES[kind](content({kind: measures}))
    if chart is None:
        raise ConfigError(f"there is no chart {kind} of this result: {figures.NEEDS[kind]}")
    return DrawnChart(kind, chart.spec, chart.caption)


def _target(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """The file of a report, and the form that its ending says."""
    target = Path(path).expanduser()
    if target.suffix.lower() not in ENDINGS:
        raise ConfigError(f"{target}: end a report in {', '.join(ENDINGS)}")
    return target, form_of(target)


def _in_form(form: str, content: ReportContent, interactive: bool) -> bytes:
    return as_html(content, interactive=interactive) if form == "html" else REPORTS[form](content)


def _content_of_several(
    results: Mapping[str, Result],
    questions: Questions,
    *,
    title: str | None = None,
    charts: Mapping[str, tuple[str, ...]] | None = None,
) -> ReportContent:
    """What the page of a comparison is made of: what the config of a single result says of reports holds."""
    wanted = stored_sections(next(iter(results.values())))[1] if len(results) == 1 else ReportConfig()
    changes = {"title": title or wanted.title, **({} if charts is None else {"charts": dict(charts)})}
    return report_of(results, questions, wanted.model_copy(update=changes))


def _content(
    result: Result, asked: Asked, *, title: str | None = None, charts: Mapping[str, tuple[str, ...]] | None = None
) -> ReportContent:
    """What a page is made of: what is not asked here is as the config of the result says."""
    results = {_OWN: result}
    baseline = asked.baseline
    if isinstance(baseline, Result):
        results = {_BASELINE: baseline, **results}
        baseline = _BASELINE
    measures = (asked.measures,) if isinstance(asked.measures, str) else tuple(asked.measures)
    given: dict[str, Any] = {"baseline": None if baseline is None else os.fspath(baseline), "measures": measures}
    given |= {"margins": margins_of(asked.margin), "losers": asked.losers}

    def changed(questions: Questions) -> Questions:
        return replace(questions, **{name: value for name, value in given.items() if value})

    return report_of_gathered(Gathered(results), changed, source="", title=title, charts=charts)


def _write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    target = destination(path)
    with Stage([target.parent]) as stage:
        stage.commit({target: content})
