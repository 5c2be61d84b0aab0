"""`receval metrics`."""

from __future__ import annotations

import click
from receval.outputs import of_form

from .options import Command, convention_names, format_option, metric_names, plugin_option
from .output import show


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=metric_names)
@plugin_option
@click.option(
    "--convention",
    metavar="NAME",
    shell_complete=convention_names,
    help="Explain a convention (a name, or a .yaml file), or NAME as it has it.",
)
@click.option("--axes", is_flag=True, help="Explain what every metric takes.")
@click.option("--conventions", is_flag=True, help="List the conventions.")
@click.option("--all", "everything", is_flag=True, help="Print the whole catalogue.")
@format_option("catalogue", default="table", help="Text with tables, Markdown or JSON.")
def metrics(name: str | None, convention: str | None, axes: bool, conventions: bool, everything: bool, form: str) -> None:
    """List the metrics, or explain one.

    NAME is a metric, one of its aliases, or with --convention the name it has in that library.
    """
    from receval.session.catalogue import look_up

    if sum((name is not None or convention is not None, axes, conventions, everything)) > 1:
        raise click.UsageError("NAME or --convention, --axes, --conventions and --all exclude each other")
    show(of_form(form, "catalogue"), look_up(name, convention, axes=axes, conventions=conventions, everything=everything))
