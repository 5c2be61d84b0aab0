"""The class of commands: its help, with the usual options or all, and its errors, in terms of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click
from receval.support.errors import ArgumentError

from .threads import refuse_wrong_threads

_ALL_OPTIONS: Final = "receval.all_options"
"""The key in the memory of a context that is true after `--help-all`."""


def _show_all_options(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print the help with all options and exit."""
    if wanted and not context.resilient_parsing:
        context.meta[_ALL_OPTIONS] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class Command(click.Command):
    """A command that reports wrong arguments in terms of the command line, with a suggestion for an unknown option.

    With `usual` options, `--help` shows only these, and `--help-all` shows all.
    """

    def __init__(self, *arguments: Any, usual: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._usual = frozenset(usual)
        if usual:
            about = "Show all options and exit."
            self.params.append(
                click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all_options, help=about)
            )

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: the usual ones, or all after `--help-all`."""
        if not self._usual or context.meta.get(_ALL_OPTIONS):
            super().format_options(context, formatter)
            return
        parameters = [
            parameter for parameter in self.get_params(context) if isinstance(parameter, click.Option) and parameter.name != "help_all"
        ]
        shown = [parameter for parameter in parameters if "--help" in parameter.opts or not self._usual.isdisjoint(parameter.opts)]
        with formatter.section("Options"):
            formatter.write_dl([record for option in shown if (record := option.get_help_record(context)) is not None])
        formatter.write(f"\n{len(parameters) - len(shown)} more: --help-all\n")

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Read the arguments."""
        given = tuple(arguments)
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            from .guesses import suggestion

            hint = suggestion(error.option_name, self, context, given)
            raise click.UsageError(f"No such option '{error.option_name}'.{f' {hint}' if hint else ''}", context) from None

    def invoke(self, context: click.Context) -> Any:
        """Call the command."""
        refuse_wrong_threads()
        try:
            return super().invoke(context)
        except ArgumentError as error:
            raise click.UsageError(error.option, context) from None
