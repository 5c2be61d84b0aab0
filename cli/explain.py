"""`receval explain`."""

from __future__ import annotations

import click
from receval.outputs import of_form

from .options import (
    Command,
    ConfigReader,
    config_argument,
    format_option,
    metric_names,
    model_names,
    plugin_option,
    reading_options,
)
from .output import show, warn_of_unused


@click.command(cls=Command)
@click.argument("measure", shell_complete=metric_names)
@config_argument
@plugin_option
@click.option("--user", required=True, help="The id of the user.")
@click.option("--model", shell_complete=model_names, help="The name of the model; not needed where there is one.")
@reading_options()
@format_option("explanation", default="table", help="What to print.")
def explain(measure: str, config: str, user: str, model: str | None, read: ConfigReader, form: str) -> None:
    """Show how the value of one user comes about, row by row.

    MEASURE is a metric with its cut-off, such as 'nDCG@10' or 'MAP(convention=elliot)@5'; CONFIG the config with the files.
    """
    from receval.session.studies import explain

    loaded = read(config)
    warn_of_unused(loaded)
    show(of_form(form, "explanation"), explain(loaded, measure, user, model))
