"""Everything about one user on one screen: `receval user`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import click
import receval
from receval.support.outputs import output_form

from . import options
from .output import say, show


class _UserCommand(options.Command):
    """A command whose first argument may be a negative number."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Read the arguments; the error for a negative id says how to write it."""
        negative = next((word for word in arguments if re.fullmatch(r"-[0-9]+", word)), None)
        try:
            return super().parse_args(context, arguments)
        except click.UsageError as error:
            if negative is not None and "No such option" in error.message:
                raise click.UsageError(f"Write -- before a negative id: receval user -- {negative} CONFIG", context) from None
            raise


@click.command(cls=_UserCommand)
@click.argument("user", metavar="ID")
@options.config_or_folder_argument("config", "[CONFIG|DIR]")
@options.plugin_option
@click.option(
    "--models",
    "--model",
    "models",
    multiple=True,
    metavar="A,B",
    shell_complete=options.model_names,
    help="Only these models: names, or patterns such as 'bpr*'. May be repeated. Default: all.",
)
@click.option("--show", "n_shown", type=click.IntRange(min=0), default=5, metavar="N", help="Show N train and N test rows. Default: 5.")
@click.option("--quick", is_flag=True, help="Do not evaluate the other users of a config: no means, no place among them, no findings.")
@options.reading_options("overrides", "recommendations", "where", "target", "replace", without=("models",))
@options.format_option("user", help="The output format. Default: a table.")
@options.outputs_option("Also write to a file: .json or .md.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
def user(
    user: str, config: str | None, read: options.ConfigReader, form: str | None, outputs: tuple[str, ...], quiet: bool, **arguments: Any
) -> None:
    """Show everything about one user: history, test rows, the lists of all models, values beside the means, policies and findings.

    ID is the id as the files have it; several columns that name a user together are joined by '|'. Give a config, or a folder that
    'receval run -o DIR/' wrote, whose files are read again if they are still there. Without CONFIG it is the only config here, or the
    results here.
    """
    from receval.actions.user import user_of_inputs

    if config is not None and not os.path.exists(config) and os.path.exists(user):
        raise click.UsageError(f"The id comes first: receval user {config} {user}")

    def read_config(source: str | Mapping[str, Any] | None) -> receval.Loaded:
        return read(options.COMMAND_LINE if source is None else source, quiet=quiet, judges_gates=False)

    view = user_of_inputs(config, user, read_config, outputs=outputs, has_test="test" in read.question, **arguments)
    if form is not None or not quiet:
        show(output_form(form or "table", "user"), view)
    if outputs and not quiet:
        say(f"wrote {', '.join(outputs)}")
