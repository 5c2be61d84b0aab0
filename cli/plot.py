"""`receval plot`."""

from __future__ import annotations

from typing import Any

import click

from .options import Command, ConfigReader, plugin_option, reading_options
from .output import tell

_CHARTS = ("over_k", "differences", "trade_off", "distribution")


@click.command(cls=Command)
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
@reading_options("set", "recs", "replace")
def plot(chart: str, inputs: tuple[str, ...], output: str, of: tuple[str, ...], read: ConfigReader, **asked: Any) -> None:
    """Draw one chart of a report: measures over k, differences from the base, two measures, or how users are spread.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated; of several folders the models of the same name are
    compared. Needs the extra report for all but .json.
    """
    from receval.session.report import plot_inputs

    plot_inputs(inputs, chart, of, asked, read=read, tell=tell, output=output)
