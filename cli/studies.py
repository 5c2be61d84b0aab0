"""What is asked of a config beside its values: `receval describe`, `check` and `explain`."""

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
    store_option,
    strict_option,
)
from .output import show, warn_of_unused


@click.command(cls=Command)
@config_argument
@reading_options("set", "recs", "input_format")
@format_option("description", default="table", help="The output format.")
def describe(config: str, read: ConfigReader, form: str) -> None:
    """Say what the files of a config hold, without evaluating anything.

    For the test and train files and the lists of each model: rows, users, items, density, ratings or scores with a histogram, how rows
    are spread over users and items, the time span, and what the files have in common. Rows that lack a value are left out and counted.
    """
    from receval.session.studies import describe

    show(of_form(form, "description"), describe(read(config)))


@click.command(cls=Command)
@config_argument
@plugin_option
@reading_options()
@format_option("findings", default="table", help="Text, or JSON.")
@strict_option
@store_option
@click.pass_context
def check(context: click.Context, config: str, read: ConfigReader, form: str, strict: bool, store: str | None) -> None:
    """Run the health checks on the files of a config.

    Every check is made, also on files that `receval run` refuses because its policy says so. Exits with 1 if a check of level error
    failed.
    """
    from receval.session.save import check_config

    result = check_config(read(config), store)
    show(of_form(form, "findings"), result)
    context.exit(1 if result.failed(strict) else 0)


@click.command(cls=Command)
@click.argument("measure", shell_complete=metric_names)
@config_argument
@plugin_option
@click.option("--user", required=True, help="The id of the user.")
@click.option("--model", shell_complete=model_names, help="The name of the model. Not needed if there is only one.")
@reading_options()
@format_option("explanation", default="table", help="The output format.")
def explain(measure: str, config: str, user: str, model: str | None, read: ConfigReader, form: str) -> None:
    """Show how the value of one user comes about, row by row.

    MEASURE is a metric with its cut-off, such as 'nDCG@10' or 'MAP(convention=elliot)@5'; CONFIG the config with the files.
    """
    from receval.session.studies import explain

    loaded = read(config)
    warn_of_unused(loaded)
    show(of_form(form, "explanation"), explain(loaded, measure, user, model))
