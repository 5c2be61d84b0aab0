"""`receval plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import receval

from .options import plugin_option, recs_option, replace_option, set_option
from .output import warn

_CHARTS = ("over_k", "differences", "trade_off", "distribution")
_ENDINGS = (".svg", ".png", ".pdf", ".json")


@click.command()
@click.argument("chart", type=click.Choice(_CHARTS))
@click.argument("inputs", nargs=-1, required=True, metavar="CONFIG|[NAME=]DIR...")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Write the chart: .svg, .png, .pdf, or .json, which is its Vega-Lite specification.",
)
@click.option(
    "--of", multiple=True, metavar="M", help="What the chart is of: metrics for over_k, two measures for trade_off. May be repeated."
)
@click.option("--baseline", metavar="NAME|DIR", help="The model, the result or the folder that the others are compared with; the first.")
@click.option("--margin", "margins", multiple=True, metavar="[M=]SIZE", help="How small a difference does not matter: 0.005, or 1%.")
@plugin_option
@set_option
@recs_option
@replace_option
def plot(
    chart: str,
    inputs: tuple[str, ...],
    output: str,
    of: tuple[str, ...],
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    **asked: Any,
) -> None:
    """Draw one chart of a report: measures over k, differences from the base, two measures, or how users are spread.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated; of several folders the models of the same name are
    compared. Needs the extra report for all but .json.
    """
    from receval.config import load_config
    from receval.output import disk

    from . import report_files, reports

    path = Path(output).expanduser()
    if path.suffix.lower() not in _ENDINGS:
        raise click.UsageError(f"-o {output}: end a chart in {', '.join(_ENDINGS)}")

    def read_config(name: str) -> receval.Loaded:
        loaded = load_config(name, overrides, recommendations, replace=replace)
        warn(loaded)
        return loaded

    files = {path: path.suffix.lower()[1:]}
    reports.refuse_without_extra(files)
    with disk.Stage(report_files.folders(files)) as stage:
        content, _ = reports.content(inputs, read_config, asked, None, charts={chart: of})
        stage.commit({disk.destination(path): reports.picture(content, chart, files[path])})
