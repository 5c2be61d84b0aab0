"""`receval gate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import receval

from .options import ci_option, outputs_option, recs_option, replace_option, set_option
from .output import emit, on_screen, warn

_ENDINGS = {".json": "json", ".md": "md"}
_REPORTS = {".html": "html", ".htm": "html", ".xml": "junit", ".svg": "badge"}


@click.command()
@click.argument("source", metavar="DIR|CONFIG")
@click.option("--baseline", metavar="[LABEL=]DIR|MODEL", help="What models are compared with, in the place of gates.baseline.")
@click.option("--baseline-model", metavar="NAME", help="The model of that folder to compare with; that of the same name if not given.")
@click.option("--anchor", metavar="[LABEL=]DIR", help="A baseline that is not renewed: margins must hold against it too.")
@click.option(
    "--if-missing",
    type=click.Choice(("warn", "error", "pass")),
    help="What to do if the baseline or the anchor is missing: error (exit 3), warn, or pass (skip).",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="A rule, in the place of those of the config: 'Recall@20 >= 0.25', 'nDCG@10 max_loss 2%'. May be repeated.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(("warn", "fail")),
    help="What a rule does that is neither shown to hold nor to be violated; warn.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if a gate is inconclusive or warns too, and if not one could be judged.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 if a gate failed; for jobs that only report.")
@set_option
@recs_option
@replace_option
@ci_option
@click.option("--format", "form", type=click.Choice(("table", "json", "md")), default="table", help="What to print; a table if not given.")
@outputs_option("Write the verdicts too: .json or .md, or a report: .html, .xml (JUnit), .svg (a badge).")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors, failures, and what --format json or md asks for.")
@click.pass_context
def gate(
    context: click.Context,
    source: str,
    baseline: str | None,
    baseline_model: str | None,
    anchor: str | None,
    if_missing: str | None,
    rules: tuple[str, ...],
    inconclusive: str | None,
    strict: bool,
    exit_zero: bool,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    ci: str,
    form: str,
    outputs: tuple[str, ...],
    quiet: bool,
) -> None:
    """Say whether models may ship: judge the rules of a config.

    Give a folder that 'receval run -o DIR/' wrote, which is judged without its data, or a config, which is evaluated. Exits with 1 if
    a gate failed, or a health check of level error.
    """
    from receval.config import load_config
    from receval.content import findings
    from receval.evaluation.gating import bases_of_config, judged, judged_again
    from receval.output import disk
    from receval.output.reading_back import load
    from receval.render.screen import show

    from . import ci as machines
    from . import gating

    system = machines.system(ci)
    targets = _targets(outputs) | machines.files(system)
    reported = system != "none" or not set(targets.values()) <= set(_ENDINGS.values())
    options = gating.options_of(rules, baseline, baseline_model, anchor, if_missing, inconclusive)
    with disk.Stage(disk.destination(path).parent for path in targets if disk.is_plain(path)) as stage:
        if os.path.isdir(Path(source).expanduser()):
            if overrides or recommendations:
                raise click.UsageError("--set and --recs change a config; the results of a folder are what they are")
            result = judged_again(load(source), options)
        else:
            loaded = load_config(source, overrides, recommendations, replace=replace, gates=options)
            if not quiet:
                warn(loaded)
            gating.refuse_without_rules(loaded)
            bases = bases_of_config(loaded)
            result = judged(loaded, receval.run(loaded), bases)
        verdicts = {path: form for path, form in targets.items() if form in _ENDINGS.values()}
        pages = {path: form for path, form in targets.items() if path not in verdicts}
        content, made = _reported(result, source, pages) if reported else (None, {})
        stage.commit({disk.destination(path): gating.rendered(result, of_file, strict) for path, of_file in verdicts.items()} | made)
    errors = [finding for finding in result.findings if finding.severity == "error"]
    click.echo(show(findings.alerts(errors), sys.stderr), err=True, nl=False)
    if form != "table" or not quiet:
        is_table = form == "table"
        emit(on_screen(gating.table(result, sys.stdout)) if is_table else gating.rendered(result, form, strict), drawn=is_table)
    if content is not None:
        machines.publish(content, system)
    gating.say_summary(result, quiet=quiet, strict=strict)
    context.exit(0 if exit_zero or not (result.failed() or gating.failed(result, strict)) else 1)


def _targets(outputs: tuple[str, ...]) -> dict[Path, str]:
    """The files to write, with their formats."""
    files: dict[Path, str] = {}
    for output in outputs:
        path = Path(output).expanduser()
        endings = _ENDINGS | _REPORTS
        if path.suffix.lower() not in endings or os.path.isdir(path):
            raise click.UsageError(f"-o {output}: end a file in {', '.join(endings)}")
        files[path] = endings[path.suffix.lower()]
    return files


def _reported(result: receval.Result, source: str, pages: Mapping[Path, str]) -> tuple[Any, dict[Path, bytes | Path]]:
    """What reports of the verdicts are made of, and the bytes of each."""
    from . import reports

    content = reports.of_result(result, source)
    return content, reports.contents(content, pages)
