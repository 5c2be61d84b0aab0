"""`receval validate`."""

from __future__ import annotations

import click

from .options import config_argument, input_format_option, recs_option, set_option
from .output import warn


@click.command()
@config_argument
@set_option
@recs_option
@input_format_option
def validate(config: str, overrides: tuple[str, ...], recommendations: tuple[str, ...], input_format: str | None) -> None:
    """Check a config without opening any data.

    Prints every problem with its line and exits with 2, or says that the config is valid.
    """
    from receval.config import load_config

    loaded = load_config(config, overrides, recommendations, input_format=input_format)
    warn(loaded)
    evaluation = loaded.config.evaluation
    n_measures = len(evaluation.definitions) + len(evaluation.composites)
    click.echo(f"{loaded.name} is valid: {n_measures} measures, {len(loaded.config.data.recommendations)} models")
