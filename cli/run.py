"""`receval run`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from glob import glob
from pathlib import Path
from typing import Any

import click
import receval

from .options import (
    FormatChoice,
    ci_option,
    config_argument,
    input_format_option,
    outputs_option,
    plugin_option,
    recs_option,
    replace_option,
    set_option,
    store_option,
    strict_option,
)
from .output import emit, on_screen, warn
from .table_options import TableOptions, table_options

_LARGE = 50 << 20
_ALL_FINDINGS = "receval run -v"
_FORMATS = ("table", "csv", "json", "jsonl", "latex", "md", "parquet")
_ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".md": "md", ".parquet": "parquet", ".tex": "latex"}
_ENDINGS |= {".html": "html", ".htm": "html", ".xml": "junit", ".svg": "badge"}
_NAMES = {"report.tex": "latex-document"}
_PER_USER_ENDINGS = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}


@click.command()
@config_argument
@plugin_option
@set_option
@recs_option
@replace_option
@input_format_option
@click.option("--format", "form", type=FormatChoice(_FORMATS[:-1]), help="What to print; a table if not given.")
@outputs_option("Write the result: to a file in the format its ending names, or all result files into a folder.", metavar="FILE|DIR/")
@click.option(
    "--per-user",
    is_flag=True,
    help="Give the value of every measure for every user in the place of the table: with --format csv (if not given) or jsonl, "
    "and in the files of -o.",
)
@table_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors, and what --format asks for.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Show every finding of the health checks, who was counted for each value, and what was read."
)
@strict_option
@store_option
@ci_option
@click.option("--print-config", is_flag=True, help="Print the config with every default filled in, and stop.")
@click.pass_context
def run(
    context: click.Context,
    config: str,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    input_format: str | None,
    form: str | None,
    outputs: tuple[str, ...],
    per_user: bool,
    columns: tuple[str, ...],
    sort: str | None,
    digits: int | None,
    models_as_rows: bool | None,
    quiet: bool,
    verbose: bool,
    strict: bool,
    store: str | None,
    ci: str,
    print_config: bool,
) -> None:
    """Evaluate recommendation files as a config says.

    The result goes to standard output, everything else to standard error. Exits with 1 if a gate or a health check of level error
    failed; the results are written all the same.
    """
    from receval.config import load_config
    from receval.output import disk
    from receval.output.own_inputs import refuse_overwriting

    from . import ci as machines
    from . import closing, failures, gating, report_files, results, tracking

    if quiet and verbose:
        raise click.UsageError("-q and -v contradict each other: give one")
    if per_user and form not in (None, "csv", "jsonl"):
        raise click.UsageError(f"--per-user prints csv or jsonl, not {form}")
    form = None if form == "table" else form
    looks = TableOptions(columns, sort, digits, models_as_rows)
    looks.refuse_beside(form or ("csv" if per_user else None))
    loaded = load_config(config, overrides, recommendations, input_format=input_format, replace=replace)
    if not quiet:
        warn(loaded)
    if loaded.config.report.charts:
        from receval.evaluation.chart_measures import refuse_unknown_charts

        refuse_unknown_charts(loaded)
    if print_config:
        click.echo(loaded.resolved_yaml(), nl=False)
        return
    looks.refuse_unknown(loaded)
    tracking.refuse_without_extra(loaded)
    system = machines.system(ci)
    files, folders = _targets(loaded, outputs, _PER_USER_ENDINGS if per_user else _ENDINGS)
    files, pages = report_files.divided(files, report_files.configured(loaded))
    pages |= machines.files(system)
    reported = bool(pages) or system != "none"
    tracked = bool(loaded.config.track)
    refuse_overwriting(loaded, [*results.targets(loaded, [*files, *pages], folders), *failures.targets(store)])
    has_gates, bases = bool(loaded.config.gates.rules), gating.bases_for(loaded, folders)
    with ExitStack() as stack:
        stage = stack.enter_context(disk.Stage([*folders, *report_files.folders([*files, *pages])]))
        failures_stage = stack.enter_context(failures.target(store))
        formats = (loaded.config.output.per_user_formats or (("parquet",) if per_user else ())) if folders else ()
        keeps = per_user or bool(formats) or has_gates or reported or tracked
        concludes = not per_user and closing.concludes(loaded, [form, *files.values(), *pages.values()], folders, quiet=quiet)
        result = _evaluate(
            loaded,
            quiet,
            keep_failures=store is not None,
            keep_users=keeps or concludes or results.compares(files, form),
            most_values=None if keeps or results.compares(files, form) else closing.most_values(loaded),
            complete=has_gates or bool(files or folders or reported or tracked or form is not None),
            enriched=_enriched(loaded, folders, stack),
            describes=loaded.config.output.describe or results.describes(loaded, files),
        )
        result = closing.with_conclusions(loaded, result) if concludes else result
        result, refused = gating.judged_or_refused(loaded, result, bases)
        report, made = _reported(loaded, result, pages) if reported else (None, {})
        results.save(loaded, result, formats, files, folders, stage, per_user, made)
        failures.keep(result, store, failures_stage)
    printed = form or ("csv" if per_user else None)
    if printed is None:
        _print_table(result, looks, quiet, verbose, strict, [] if quiet else closing.closing(loaded, result))
    else:
        renderer = results.renderer_of(loaded, printed, per_user)
        _print(looks.applied(result) if printed == "md" else result, renderer, quiet, verbose, strict)
    if report is not None:
        machines.publish(report, system)
    if refused:
        raise refused
    gating.say_summary(result, quiet=quiet, strict=strict)
    tracking.after_a_run(loaded, result, quiet=quiet)
    context.exit(1 if result.failed(strict) or gating.failed(result, strict) else 0)


def _targets(loaded: receval.Loaded, outputs: tuple[str, ...], formats: dict[str, str]) -> tuple[dict[Path, str], list[Path]]:
    """The files to write with their formats, and the folders."""
    from receval.output import renderer

    files: dict[Path, str] = {}
    folders = [loaded.folder / Path(loaded.config.output.dir).expanduser()] if loaded.config.output.dir else []
    for output in outputs:
        path = Path(output).expanduser()
        if not output.strip():
            raise click.UsageError("-o names no file: is a variable empty?")
        if output.endswith("/") or os.path.isdir(path):
            folders.append(path)
        elif path.suffix.lower() in formats:
            files[path] = _NAMES.get(path.name.lower(), formats[path.suffix.lower()])
        elif formats is _ENDINGS and path.suffix and renderer(path.suffix[1:]) is not None:
            files[path] = path.suffix[1:]
        else:
            endings = ", ".join(formats)
            raise click.UsageError(f"-o {output}: end a file in {endings}, or a folder in /")
    return files, folders


def _reported(loaded: receval.Loaded, result: receval.Result, pages: Mapping[Path, str]) -> tuple[Any, dict[Path, bytes | Path]]:
    """What reports of the run are made of, and the bytes of each."""
    from . import reports

    content = reports.of_run(loaded, result)
    return content, reports.contents(content, pages)


def _enriched(loaded: receval.Loaded, folders: list[Path], stack: ExitStack) -> Path | None:
    """A temporary folder for the lists with their hits, where the config wants them."""
    from receval.parts import Scratch

    wanted = loaded.config.output
    if not folders and (wanted.enriched or wanted.describe):
        key = "enriched" if wanted.enriched else "describe"
        raise click.UsageError(f"output.{key} needs a folder to write to: give output.dir in the config, or -o DIR/")
    if not wanted.enriched:
        return None
    return stack.enter_context(Scratch()).folder


def _evaluate(loaded: receval.Loaded, quiet: bool, **options: Any) -> receval.Result:
    if quiet or not sys.stderr.isatty() or not _takes_a_while(loaded):
        return receval.run(loaded, **options)
    from .progress import bar

    with bar() as report:
        return receval.run(loaded, report, **options)


def _takes_a_while(loaded: receval.Loaded) -> bool:
    """Whether there are several models, or large files."""
    given = loaded.config.data.recommendations
    files = [file for _, source in loaded.config.data.sources() for path in source.path for file in glob(str(loaded.folder / path))]
    several = len(given) > 1 or not isinstance(given, dict) or bool(loaded.folds)
    return several or sum(Path(file).stat().st_size for file in files if os.path.exists(file)) > _LARGE


def _print_table(
    result: receval.Result,
    looks: TableOptions,
    quiet: bool,
    verbose: bool,
    strict: bool,
    sentences: list[str],
) -> None:
    """Print the table and what the checks found; if `quiet` the findings that fail the run alone, to standard error."""
    from receval.content import selections
    from receval.render.screen import show

    if quiet:
        _print_findings(result, quiet, verbose, strict)
        return
    display = selections.Display(looks.models_as_rows, looks.digits)
    page = selections.screen(looks.applied(result), verbose=verbose, display=display, command=_ALL_FINDINGS, closing=sentences)
    emit(on_screen(show(page, sys.stdout)), drawn=True)


def _print(result: receval.Result, renderer: Callable[[receval.Result], bytes], quiet: bool, verbose: bool, strict: bool) -> None:
    """Print the result in a format; what the checks found goes to standard error."""
    from . import gating

    _print_findings(result, quiet, verbose, strict)
    click.echo("" if quiet else gating.table(result, sys.stderr), err=True, nl=False)
    emit(renderer(result))


def _print_findings(result: receval.Result, quiet: bool, verbose: bool, strict: bool) -> None:
    """Print findings to standard error: if `quiet` those that fail the run alone, if `verbose` every one."""
    from receval.content import findings
    from receval.render.screen import show

    failing = ("error", "warn") if strict else ("error",)
    levels = failing if quiet else ("error", "warn", "info") if verbose else ("error", "warn")
    found = [finding for finding in result.findings if finding.severity in levels]
    click.echo(show(findings.alerts(found, "" if verbose else _ALL_FINDINGS), sys.stderr), err=True, nl=False)
