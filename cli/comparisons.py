"""What commands print and write of comparisons. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

import click
import receval
from receval.comparison.questions import Questions
from receval.config.reporting import ReportConfig
from receval.content import findings
from receval.content.differences import document
from receval.evaluation.gathering import Gathered
from receval.output.disk import Stage, destination, is_plain
from receval.render.judgement_data import comparison_csv, comparison_json, losers_parquet
from receval.render.markdown import as_markdown
from receval.render.screen import show
from receval.results.comparison import Comparison

from .output import on_screen

_FILES = {"comparison.json": "json", "comparison.csv": "csv", "comparison.md": "md"}
USERS = "comparison_users.parquet"


def targets(outputs: Sequence[str], endings: Mapping[str, str]) -> dict[Path, str]:
    """The files to write, with their formats; a folder has the format `folder`."""
    files: dict[Path, str] = {}
    for output in outputs:
        path = Path(output).expanduser()
        if output.endswith("/") or os.path.isdir(path):
            files[path] = "folder"
        elif path.suffix.lower() in endings:
            files[path] = endings[path.suffix.lower()]
        else:
            raise click.UsageError(f"-o {output}: end a file in {', '.join(endings)}, or a folder in /")
    return files


def folders(files: Mapping[Path, str]) -> list[Path]:
    """The folders that are written to."""
    return [path if form == "folder" else destination(path).parent for path, form in files.items() if form == "folder" or is_plain(path)]


def save(
    comparison: Comparison, files: Mapping[Path, str], stage: Stage, look_at: str, page: Callable[[], bytes], safe: bool = False
) -> None:
    """Write the comparison to files in their formats, and into folders all formats and the users who lose most; all or nothing.

    `page` makes the page of a report, in HTML.
    """
    content: dict[Path, bytes | Path] = {}
    for path, form in files.items():
        if form != "folder":
            content[destination(path)] = page() if form == "html" else rendered(comparison, form, look_at, safe=safe)
            continue
        content |= {path / name: rendered(comparison, of_file, look_at, safe=safe) for name, of_file in _FILES.items()}
        if comparison.losers:
            content[path / USERS] = losers_parquet(comparison)
    stage.commit(content)


def warn_of_findings(gathered: Gathered) -> None:
    """Say on standard error what checks of level error found in the files of a config that was evaluated for a comparison."""
    if gathered.config is not None:
        errors = [one for result in gathered.results.values() for one in result.findings if one.severity == "error"]
        click.echo(show(findings.alerts(errors), sys.stderr), err=True, nl=False)


def as_html(results: Mapping[str, receval.Result], questions: Questions, source: str) -> bytes:
    """The page of a comparison, as `receval report` makes it."""
    from receval.evaluation.report_content import report_of  # only here: most comparisons are no pages
    from receval.render.report import as_html

    return as_html(report_of(results, questions, ReportConfig(), source=source))


def rendered(comparison: Comparison, form: str, look_at: str, screen: TextIO | None = None, safe: bool = False) -> bytes:
    """The comparison in a format; a table is fitted to a screen, CSV is `safe` for spreadsheets."""
    if form == "json":
        return comparison_json(comparison)
    if form == "csv":
        return comparison_csv(comparison, spreadsheet_safe=safe)
    if form == "latex":
        from receval.content.paper import comparison_tables  # only here: few comparisons are tables of a paper
        from receval.render.latex import as_latex

        return as_latex(comparison_tables(comparison)).encode()
    page = document(comparison, look_at)
    return as_markdown(page).encode() if form == "md" or screen is None else on_screen(show(page, screen))
