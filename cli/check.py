"""`receval check`."""

from __future__ import annotations

import click
from receval.outputs import of_form

from .options import (
    Command,
    ConfigReader,
    config_argument,
    format_option,
    plugin_option,
    reading_options,
    store_option,
    strict_option,
)
from .output import show


@click.command(cls=Command)
@config_argument
@plugin_option
@reading_options()
@format_option("findings", default="table", help="Text, or JSON.")
@strict_option
@store_option
@click.pass_context
def check(context: click.Context, config: str, read: ConfigReader, form: str, strict: bool, store: str | None) -> None:
    """Say what is wrong or suspicious in the files of a config.

    Every check is made, also on files that `receval run` refuses because its policy says so. Exits with 1 if a check of level error
    failed.
    """
    from receval.session.save import check_config

    result = check_config(read(config), store)
    show(of_form(form, "findings"), result)
    context.exit(1 if result.failed(strict) else 0)
