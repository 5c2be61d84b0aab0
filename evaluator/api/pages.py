"""Write reports and charts from Python, as `receval report` and `receval plot` do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from ..actions.card import with_statements
from ..actions.compare import GatheredResults
from ..actions.report import chart_of, report_of, report_of_gathered, stored_sections
from ..actions.targets import target_of
from ..comparison.comparison_options import ComparisonOptions
from ..config.run_sections import ChartName, ReportConfig
from ..documents.report import CHARTS, ReportContent
from ..render.forms import rendered
from ..results.comparison import Comparison
from ..results.result import Result
from ..support.errors import ConfigError
from ..support.outputs import output_form
from ..support.synonyms import path_of
from .charts import DrawnChart, read_by, write_whole

_OWN, _BASELINE = "result", "baseline"
Shown = TypeVar("Shown", bound=Result)
_Charts = Mapping[str, tuple[str, ...]]
"""The charts of a page, each with its measures."""


def write(
    path: str | os.PathLike[str],
    subject: Result | Comparison,
    results: Iterable[Result],
    content: Callable[[], ReportContent],
    *,
    interactive: bool,
) -> None:
    """Write the report of a result or a comparison in the form of the ending; in LaTeX it has only the tables of the `subject`.

    Files from which the `results` were computed are not replaced.
    """
    target, row = target_of(path_of("path", path), "report", "latex", noun="report")
    if row.of == "latex" and isinstance(subject, Comparison):
        row = output_form("latex", "comparison") or row
    write_whole(target, rendered(row, content() if row.of == "report" else subject, interactive=interactive), read_by(results))


def write_card(path: str | os.PathLike[str], result: Result, statements: Mapping[str, Any]) -> None:
    """Write the card of a result in the form of the ending, with more `statements` than its config has."""
    target, row = target_of(path_of("path", path), "card", noun="card")
    write_whole(target, rendered(row, with_statements(result, statements)), read_by([result]))


def as_text(form: str, result: Result) -> str:
    """Return a result in a form of text."""
    row = output_form(form, "result", "latex")
    assert row is not None, form
    return rendered(row, result).decode()


def with_names(result: Shown, names: Mapping[str, str] | None) -> Shown:
    """Return a result with other names of models and measures in its config; as it is if there are none to change."""
    if names is None:
        return result
    if not isinstance(names, Mapping) or not all(isinstance(text, str) and text for pair in names.items() for text in pair):
        raise ConfigError("names must map models, metrics or measures to other names, such as {'als': 'ALS', 'nDCG': 'NDCG'}")
    return replace(result, config={**result.config, "report": {**result.config.get("report", {}), "names": dict(names)}})


def draw(kind: ChartName, of: str | Sequence[str], content: Callable[..., ReportContent]) -> DrawnChart:
    """Draw a chart; `content` makes the content of a report with this chart. Raises `ConfigError` if there is nothing to show."""
    if kind not in CHARTS:
        raise ConfigError(f"a chart must be one of {', '.join(CHARTS)}, not {kind!r}")
    shown = content(charts={kind: (of,) if isinstance(of, str) else tuple(of)})
    chart = chart_of(shown, kind, "this result")
    return DrawnChart(kind, dict(chart.spec), chart.caption, read_by(shown.results.values()))


def comparison_content(
    results: Mapping[str, Result], options: ComparisonOptions, *, title: str | None = None, charts: _Charts | None = None
) -> ReportContent:
    """Make the content of the page of a comparison, with the report settings of the config if there is a single result."""
    wanted = stored_sections(next(iter(results.values())))[1] if len(results) == 1 else ReportConfig.model_construct()
    changes = {"title": title or wanted.title, **({} if charts is None else {"charts": dict(charts)})}
    return report_of(results, options, wanted.model_copy(update=changes))


def result_content(
    result: Result, arguments: Mapping[str, Any], *, title: str | None = None, charts: _Charts | None = None
) -> ReportContent:
    """Make the content of the page of a result; options that `arguments` do not give are those of its config."""
    results = {_OWN: result}
    baseline, measures = arguments["baseline"], arguments["measures"]
    if isinstance(baseline, Result):
        results = {_BASELINE: baseline, **results}
        baseline = _BASELINE
    named = (measures,) if isinstance(measures, str) else tuple(measures)
    given = {**arguments, "baseline": baseline and os.fspath(baseline), "measures": named}
    return report_of_gathered(GatheredResults(results), given, title=title, charts=charts)
