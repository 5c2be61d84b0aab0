"""`receval describe`."""

from __future__ import annotations

import click
from receval.outputs import of_form

from .options import Command, ConfigReader, config_argument, format_option, reading_options
from .output import show


@click.command(cls=Command)
@config_argument
@reading_options("set", "recs", "input_format")
@format_option("description", default="table", help="What to print.")
def describe(config: str, read: ConfigReader, form: str) -> None:
    """Say what the files of a config hold, without evaluating anything.

    For the test and train files and the lists of each model: rows, users, items, density, ratings or scores with a histogram, how rows
    are spread over users and items, the time span, and what the files have in common. Rows that lack a value are left out and counted.
    """
    from receval.session.studies import describe

    show(of_form(form, "description"), describe(read(config)))
