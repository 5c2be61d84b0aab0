"""The group of commands: their names, their help, and the file from which each is imported when it is called."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Final

import click

_COMMANDS = {
    "run": ("run", "Evaluate the recommendation lists of a config."),
    "compare": ("report", "Compare models: differences, intervals and p values."),
    "diff": ("diff", "Show the lists of two models side by side: who loses, and why."),
    "slices": ("slices", "Find groups of users for whom a model is worse, or better, than for all others."),
    "history": ("series", "Show models over many runs, and the first run in which a loss is shown."),
    "leaderboard": ("series", "Rank all models of many results, with groups that are not clearly different."),
    "gate": ("gate", "Check models against release rules; the exit code tells if they pass."),
    "baseline": ("gate", "Store results as the baseline of later comparisons and gates."),
    "report": ("report", "Write a report: a page, tables for a paper, or files for CI."),
    "card": ("card", "Write a card: an evaluation on one page, with what was not checked."),
    "plot": ("report", "Draw one chart of a report."),
    "track": ("run", "Log results to experiment trackers."),
    "check": ("studies", "Run the health checks on the files of a config."),
    "describe": ("studies", "Describe the files of a config: rows, users, items, ratings."),
    "init": ("init", "Write a config: for your files, from another program's config, or with sample data."),
    "validate": ("studies", "Check a config without reading data."),
    "audit": ("studies", "Compute the metrics of a config under every convention."),
    "explain": ("studies", "Show step by step how the value of one user is computed."),
    "user": ("user", "Show everything about one user: history, lists, values, and what was done with odd data."),
    "metrics": ("about", "List the metrics, or explain one."),
    "schema": ("about", "Print the JSON Schema of a config."),
    "doctor": ("about", "Show versions, memory and optional packages, for problem reports."),
    "completion": ("about", "Print the completion script of a shell."),
}
"""Command → its file, and its help. Commands are imported when they are called, so that --help is quick."""


_SECTIONS: Final = {
    "Evaluate and compare": ("run", "compare", "diff", "slices", "history", "leaderboard"),
    "Release rules": ("gate", "baseline"),
    "Reports": ("report", "card", "plot", "track"),
    "Data and configs": ("init", "check", "describe", "validate", "schema"),
    "Understand a number": ("audit", "explain", "user", "metrics"),
    "This installation": ("doctor", "completion"),
}
"""The sections of commands in `receval --help`."""
_MEANT = {
    "eval": "run",
    "evaluate": "run",
    "checks": "check",
    "health": "check",
    "healthcheck": "check",
    "help": "receval --help",
    "info": "describe",
    "lint": "validate",
    "score": "run",
    "stats": "describe",
    "test": "compare",
    "version": "receval --version",
}
"""Name of a command that people try → command that they mean."""
_SPLIT: Final = (
    "A split is configured: filters of rows are data.test.where and data.train.where, or --where; --target last takes the last row of each "
    "user. receval init FILE writes an example"
)
_TOLD: Final = dict.fromkeys(("split", "splits", "train_test_split", "holdout"), _SPLIT)
"""Name of a command that people try → sentence on how it is done instead."""


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f".{_COMMANDS[name][0]}", __package__), name)
        return command

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            context.fail(f"No such option '{error.option_name}'. Options follow their command: receval run CONFIG --format json")

    def resolve_command(self, context: click.Context, arguments: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = arguments[0]
        if name not in _COMMANDS and not name.startswith("-"):
            from receval.support.synonyms import did_you_mean, question

            if name.lower().replace("-", "_") in _TOLD:
                context.fail(f"No such command {name!r}. {_TOLD[name.lower().replace('-', '_')]}.")
            meant = f"receval run {name}" if name.endswith((".yaml", ".yml")) else _MEANT.get(name.lower())
            hint = question(meant) if meant else did_you_mean(name, _COMMANDS)
            context.fail(f"No such command {name!r}. {hint[:1].upper()}{hint[1:]}".rstrip())
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, _COMMANDS))
        for title, names in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), _COMMANDS[name][1]) for name in names])


def _print_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"receval {version('receval')}")
        context.exit()


def _debug(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        os.environ["RECEVAL_DEBUG"] = "1"
        os.environ["RUST_BACKTRACE"] = "1"


_HELP = """Evaluate recommendation lists with named metric definitions.

Exit codes: 0 fine, 1 a gate or an error-level check failed, 2 command line or config wrong, 3 data unreadable or wrong, 4 an engine or an
optional extra is missing, 70 an internal error, 130 interrupted.
"""


@click.group(cls=_Commands, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version.")
@click.option(
    "--debug", is_flag=True, is_eager=True, expose_value=False, callback=_debug, help="Show the traceback of an error, for a bug report."
)
def cli() -> None:
    """Call a command."""
