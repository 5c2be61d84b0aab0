"""`receval validate`."""

from __future__ import annotations

import click

from .options import config_argument, input_format_option, plugin_option, recs_option, replace_option, set_option
from .output import warn


@click.command()
@config_argument
@plugin_option
@set_option
@recs_option
@replace_option
@input_format_option
@click.option("--files", is_flag=True, help="Look also whether the files are there; exits with 3 and names all that are not.")
def validate(
    config: str, overrides: tuple[str, ...], recommendations: tuple[str, ...], replace: bool, input_format: str | None, files: bool
) -> None:
    """Check a config without opening any data.

    Prints every problem with its line and exits with 2, or says that the config is valid.
    """
    from receval.config import load_config

    loaded = load_config(config, overrides, recommendations, input_format=input_format, replace=replace)
    warn(loaded)
    if loaded.doubt:
        click.echo(f"receval: {loaded.doubt}", err=True)
    if files:
        from receval.evaluation.missing_files import refuse_missing_files

        refuse_missing_files(loaded)
    evaluation = loaded.config.evaluation
    n_measures = len(evaluation.definitions) + len(evaluation.composites)
    n_rules = len(loaded.config.gates.rules)
    gates = f", {n_rules} gate{'' if n_rules == 1 else 's'}" if n_rules else ""
    click.echo(f"{loaded.name} is valid: {n_measures} measures, {len(loaded.config.data.recommendations)} models{gates}")
