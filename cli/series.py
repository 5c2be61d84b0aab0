"""Many results: over time, `receval history`, and side by side, `receval leaderboard`."""

from __future__ import annotations

from typing import Any

import click
from receval.support.outputs import output_form

from . import options
from .output import say, say_without_charts, show

_folders = click.argument("folders", nargs=-1, required=True, metavar="[LABEL=]DIR...")
_measure = click.option("--measure", "measures", multiple=True, metavar="M", help="Only this measure. May be repeated. Default: all.")
_alpha = click.option("--alpha", type=float, help="The error rate over everything that is tested. Default: 0.05.")
_quiet = click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
_written = options.outputs_option("Also write a file: .html (one page), .md or .json.")


@click.command(cls=options.Command)
@_folders
@options.models_option
@_measure
@click.option(
    "--accept", "accepted", multiple=True, metavar="RUN", help="Compare later runs with this one, whatever it lost. May be repeated."
)
@click.option("--order", type=click.Choice(("date", "name")), help="Order runs by report.date or by name. Default: date if all have one.")
@_alpha
@options.format_option("history", help="The output format. Default: a table.")
@_written
@_quiet
def history(folders: tuple[str, ...], form: str | None, outputs: tuple[str, ...], quiet: bool, **arguments: Any) -> None:
    """Show the values of models over many runs, and the first run in which a loss is shown.

    Give folders that 'receval run -o DIR/' wrote, in any order, or a folder of such folders. Each run is compared with the last accepted
    one: the first, and from then on a run that is shown to be better, or that --accept names. So small losses add up until they are shown.
    A new series begins where test data, definitions or candidates changed. Exits with 0 whatever is found: receval gate decides about
    releases.
    """
    from receval.actions.series import history_of_folders

    _show("history", history_of_folders(folders, outputs=outputs, **arguments), form, outputs, quiet=quiet)


@click.command(cls=options.Command)
@_folders
@options.models_option
@_measure
@_alpha
@options.format_option("leaderboard", help="The output format. Default: a table.")
@_written
@_quiet
def leaderboard(folders: tuple[str, ...], form: str | None, outputs: tuple[str, ...], quiet: bool, **arguments: Any) -> None:
    """Rank all models of many results; those that share a letter are not clearly different.

    Give folders that 'receval run -o DIR/' wrote, in any order, or a folder of such folders, with the same test data, definitions and
    candidates; others are refused by name.
    """
    from receval.actions.series import leaderboard_of_folders

    _show("leaderboard", leaderboard_of_folders(folders, outputs=outputs, **arguments), form, outputs, quiet=quiet)


def _show(subject: Any, made: Any, form: str | None, outputs: tuple[str, ...], *, quiet: bool) -> None:
    row = output_form(form or "table", subject)
    if form is not None or not quiet:
        show(row, made)
    say_without_charts(outputs if subject == "history" else (), row, quiet=quiet)
    if outputs and not quiet:
        say(f"wrote {', '.join(outputs)}")
