"""`receval validate`."""

from __future__ import annotations

import click
import receval
from receval.quoting import sentence

from .options import Command, ConfigReader, plugin_option, reading_options
from .output import say


@click.command(cls=Command)
@click.argument("configs", nargs=-1, required=True, type=click.Path(), metavar="CONFIG...")
@plugin_option
@reading_options()
@click.option("--files", is_flag=True, help="Also check that the files exist; exit with 3 and list all that do not.")
def validate(configs: tuple[str, ...], read: ConfigReader, files: bool) -> None:
    """Check configs without opening any data.

    Prints every problem with its line and exits with 2, or says that the config is valid. Of several configs all are checked, and the
    exit code is that of the last that is wrong.
    """
    from receval.errors import RecevalError

    failure: RecevalError | None = None
    for config in configs:
        try:
            _validate(read(config), files)
        except RecevalError as error:
            if failure is not None:
                say(failure.shown())
            failure = error
    if failure is not None:
        raise failure


def _validate(loaded: receval.Loaded, files: bool) -> None:
    """Say what a valid config has."""
    if files:
        from receval.session.studies import refuse_missing_files

        refuse_missing_files(loaded)
    evaluation = loaded.config.evaluation
    counts = {"measure": len(evaluation.definitions) + len(evaluation.composites), "model": len(loaded.config.data.recommendations)}
    if loaded.config.gates.rules:
        counts["gate"] = len(loaded.config.gates.rules)
    told = ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
    click.echo(f"{sentence(loaded.name)} is valid: {told}")
