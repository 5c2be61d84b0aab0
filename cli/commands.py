"""The group of commands: their names, their help, and where each is imported from when it is called."""

from __future__ import annotations

import os
from importlib import import_module

import click

_COMMANDS = {
    "run": ("run", "Evaluate recommendation files as a config says."),
    "compare": ("report", "Say how much models differ, and how sure that is."),
    "gate": ("gate", "Say whether models may ship: judge the rules of a config."),
    "baseline": ("gate", "Keep a folder of results to compare later ones with."),
    "report": ("report", "Make a page of results for people, or files for machines."),
    "plot": ("report", "Draw one chart of a report."),
    "track": ("run", "Log results to experiment trackers."),
    "check": ("studies", "Say what is wrong or suspicious in the files of a config."),
    "describe": ("studies", "Say what the files of a config hold."),
    "init": ("init", "Write a config for files, from another program's, or with sample data."),
    "validate": ("studies", "Check a config without opening any data."),
    "audit": ("studies", "Evaluate the metrics of a config under every convention."),
    "explain": ("studies", "Show how the value of one user comes about."),
    "metrics": ("about", "List the metrics, or explain one."),
    "schema": ("about", "Print the JSON Schema of a config."),
    "doctor": ("about", "Say what receval runs on, and what to do."),
    "completion": ("about", "Print the script for completion in a shell."),
}
"""Command → the file that has it, and its help. The commands themselves are imported when they are called, so that --help is quick."""


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f".{_COMMANDS[name][0]}", __package__), name)
        return command

    def resolve_command(self, context: click.Context, arguments: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        if name not in _COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            close = [f"receval run {name}"] if name.endswith((".yaml", ".yml")) else get_close_matches(name, _COMMANDS, n=1, cutoff=0.5)
            context.fail(f"No such command {name!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in _COMMANDS.items()])


def _print_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"receval {version('receval')}")
        context.exit()


def _debug(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        os.environ["RECEVAL_DEBUG"] = "1"
        os.environ["RUST_BACKTRACE"] = "1"


_HELP = """Say how good recommendations are, by definitions you can name.

\b
Exit codes: 0 fine, 1 a gate or an error-level check failed, 2 command line or config wrong, 3 data unreadable
or wrong, 4 an engine or an optional extra is missing, 70 a bug of receval, 130 interrupted.
"""


@click.group(cls=_Commands, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version.")
@click.option(
    "--debug", is_flag=True, is_eager=True, expose_value=False, callback=_debug, help="Show where a failure comes from, for a report of it."
)
def cli() -> None:
    """Call a command."""
