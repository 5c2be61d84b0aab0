"""`receval audit`."""

from __future__ import annotations

import shlex

import click
from receval.outputs import of_form

from .options import (
    Command,
    ConfigReader,
    config_argument,
    convention_names,
    format_option,
    plugin_option,
    reading_options,
)
from .output import show, warn_of_unused


@click.command(cls=Command)
@config_argument
@plugin_option
@reading_options()
@click.option(
    "--convention",
    "conventions",
    multiple=True,
    metavar="NAME",
    shell_complete=convention_names,
    help="A convention to compare with that of the config. Default: all.",
)
@click.option(
    "--why",
    nargs=2,
    metavar="A B",
    shell_complete=convention_names,
    help="Explain the difference between two conventions, setting by setting.",
)
@click.option(
    "--find", "number", metavar="NUMBER", help="Find the conventions, measures and models that give a printed number, such as 0.1894."
)
@format_option("audit", default="table", help="The output format.")
def audit(
    config: str,
    read: ConfigReader,
    conventions: tuple[str, ...],
    why: tuple[str, str] | None,
    number: str | None,
    form: str,
) -> None:
    """Compute the metrics of a config under every convention.

    Prints what each convention says of each model, how far they are apart, and whether the order of the models depends on the
    convention. The files are read once, however many conventions there are.
    """
    from receval.session.studies import audit_question

    if why and (conventions or number is not None):
        raise click.UsageError(f"--why names the two conventions that it compares: leave out {'--convention' if conventions else '--find'}")
    if why and why[0] == why[1]:
        raise click.UsageError(f"--why names two conventions, not {why[0]} twice")
    loaded = read(config)
    warn_of_unused(loaded)
    subject, found = audit_question(loaded, conventions, why, number)
    is_plain = not (read.overrides or read.recommendations or conventions)
    command = f"receval audit {shlex.quote(config)}" if is_plain else "the same with"
    show(of_form(form, subject), found, command=command, spreadsheet_safe=loaded.config.output.spreadsheet_safe)
