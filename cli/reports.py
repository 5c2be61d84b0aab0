"""The files of reports and charts. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import receval
from receval.content.charts import figures
from receval.content.report import ReportContent
from receval.errors import ConfigError
from receval.evaluation.gathering import Gathered, gather
from receval.evaluation.report_content import latex_of_gathered, report_of_gathered, report_of_run
from receval.output.disk import destination
from receval.render import drawing
from receval.render.report import as_html
from receval.render.report_forms import REPORTS
from receval.render.user_templates import rendered

from .comparisons import warn_of_findings
from .questions import changed_by


def of_run(loaded: receval.Loaded, result: receval.Result) -> ReportContent:
    """What the report of a config that was just evaluated is made of."""
    return report_of_run(loaded, result)


def content(
    inputs: Sequence[str],
    read_config: Callable[[str], receval.Loaded],
    asked: Mapping[str, Any],
    title: str | None,
    charts: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[ReportContent, Gathered]:
    """What a report of some results is made of, and the results; `asked` has the options of the command line by their names."""
    gathered = gather(inputs, read_config, lambda loaded: receval.run(loaded, tolerant=True))
    warn_of_findings(gathered)
    source = _path(inputs[0])
    report = report_of_gathered(gathered, lambda questions: changed_by(questions, asked), source=source, title=title, charts=charts)
    return report, gathered


def of_result(result: receval.Result, source: str) -> ReportContent:
    """What the report of one result is made of, as its own config asks for it."""
    return report_of_gathered(Gathered({Path(source).stem: result}), lambda questions: questions, source=source, title=None)


def contents(
    content: ReportContent, files: Mapping[Path, str], *, interactive: bool = False, template: tuple[str, str] | None = None
) -> dict[Path, bytes | Path]:
    """The bytes of each file; a `template` is its name and its text."""
    made: dict[Path, bytes | Path] = {}
    for path, form in files.items():
        if template is not None and form == "template":
            made[destination(path)] = rendered(template[1], content, template[0], path)
        elif not form.startswith("latex"):
            made[destination(path)] = as_html(content, interactive=interactive) if form == "html" else REPORTS[form](content)
    return made


def in_latex(gathered: Gathered, files: Mapping[Path, str]) -> dict[Path, bytes | Path]:
    """The bytes of the files in LaTeX, which are of one result."""
    forms = {path: form for path, form in files.items() if form.startswith("latex")}
    if forms and len(gathered.results) > 1:
        raise ConfigError(f"-o {next(iter(forms))}: a report in LaTeX is of one result", "receval compare -o FILE.tex writes a comparison")
    return {destination(path): latex_of_gathered(gathered, is_document=form == "latex-document") for path, form in forms.items()}


def refuse_without_extra(files: Mapping[Path, str]) -> None:
    """`MissingExtraError` for pictures that cannot be drawn here, before anything is evaluated."""
    if set(files.values()) - {"json"}:
        drawing.require()


def picture(content: ReportContent, kind: str, form: str) -> bytes:
    """A chart in a format; `ConfigError` if there is nothing to show."""
    chart = figures.FIGURES[kind](content)
    if chart is None:
        raise ConfigError(f"there is no chart {kind} of these results: {figures.NEEDS[kind]}")
    return drawing.as_bytes(chart.spec, form)


def _path(given: str) -> str:
    name, equals, path = given.partition("=")
    return path if equals and "/" not in name else given
