"""`receval report`, and `plot` for one of its charts."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from .options import Command, ConfigReader, ci_option, format_option, outputs_option, plugin_option, reading_options
from .output import ci_files, ci_system, emit, publish, say, tell


@click.command(cls=Command)
@click.argument("inputs", nargs=-1, required=True, metavar="CONFIG|[NAME=]DIR...")
@outputs_option("Write the report: .html, .md, .tex, .xml (JUnit), .svg (a badge).")
@format_option("report", "latex", help="Print the report in this format.")
@click.option("--interactive", is_flag=True, help="Include Vega in the page (0.9 MB), which shows numbers under the pointer.")
@click.option("--template", metavar="FILE.j2", help="Render your own Jinja template into the files of -o.")
@click.option("--title", help="The title. Default: the names of the models.")
@click.option("--baseline", metavar="NAME|DIR", help="The model, result or folder that the others are compared with. Default: the first.")
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to test; the others are only shown. May be repeated.")
@click.option("--margin", "margins", multiple=True, metavar="[M=]SIZE", help="The largest difference that does not matter: 0.005, or 1%.")
@click.option("--losers", type=click.IntRange(min=0), default=0, metavar="N", help="List the N users with the largest losses.")
@plugin_option
@reading_options("set", "recs", "replace")
@ci_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def report(
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    form: str | None,
    interactive: bool,
    template: str | None,
    title: str | None,
    read: ConfigReader,
    ci: str,
    quiet: bool,
    **asked: Any,
) -> None:
    """Make a page of results that people look at, or a file that machines read.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated; two or more folders give the page of their
    comparison. Ids of users appear only with --losers. Exits with 0 whatever the report says.
    """
    from receval.session.report import report_inputs

    system = ci_system(ci)
    if not outputs and form is None and system == "none":
        raise click.UsageError("give an output file or a format: -o report.html, or --format md")
    made = report_inputs(
        inputs,
        asked,
        read=partial(read, quiet=quiet),
        tell=tell,
        files=outputs,
        more_files=ci_files(system),
        form=form,
        title=title,
        interactive=interactive,
        template=template,
    )
    if made.printed is not None:
        emit(made.printed)
    publish(made.content, system)
    if made.files and not quiet:
        say(f"wrote {', '.join(map(str, made.files))}")


_CHARTS = ("over_k", "differences", "trade_off", "distribution")


@click.command(cls=Command)
@click.argument("chart", type=click.Choice(_CHARTS))
@click.argument("inputs", nargs=-1, required=True, metavar="CONFIG|[NAME=]DIR...")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Write the chart: .svg, .png, .pdf, or .json (its Vega-Lite specification).",
)
@click.option(
    "--of", multiple=True, metavar="M", help="What the chart shows: metrics for over_k, two measures for trade_off. May be repeated."
)
@click.option("--baseline", metavar="NAME|DIR", help="The model, result or folder that the others are compared with. Default: the first.")
@click.option("--margin", "margins", multiple=True, metavar="[M=]SIZE", help="The largest difference that does not matter: 0.005, or 1%.")
@plugin_option
@reading_options("set", "recs", "replace")
def plot(chart: str, inputs: tuple[str, ...], output: str, of: tuple[str, ...], read: ConfigReader, **asked: Any) -> None:
    """Draw one chart of a report: measures over k, differences from the base, two measures, or how users are spread.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated; of several folders the models of the same name are
    compared. Needs the extra report for all but .json.
    """
    from receval.session.report import plot_inputs

    plot_inputs(inputs, chart, of, asked, read=read, tell=tell, output=output)
