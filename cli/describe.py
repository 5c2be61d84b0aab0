"""`receval describe`."""

from __future__ import annotations

import click

from .options import config_argument, input_format_option, recs_option, set_option
from .output import emit, warn


@click.command()
@config_argument
@set_option
@recs_option
@input_format_option
@click.option("--format", "form", type=click.Choice(("table", "json", "md")), default="table", help="What to print.")
def describe(config: str, overrides: tuple[str, ...], recommendations: tuple[str, ...], input_format: str | None, form: str) -> None:
    """Say what the files of a config hold, without evaluating anything.

    For the test and train files and the lists of each model: rows, users, items, density, ratings or scores with a histogram, how rows
    are spread over users and items, the time span, and what the files have in common. Rows that lack a value are left out and counted.
    """
    from receval.config import load_config
    from receval.content.description import document, plain
    from receval.evaluation.describing import describe as described
    from receval.render.encoding import as_json

    from .pages import emit_document

    loaded = load_config(config, overrides, recommendations, input_format=input_format)
    warn(loaded)
    description = described(loaded)
    if form == "json":
        emit(as_json(plain(description)))
    else:
        emit_document(document(description), form)
