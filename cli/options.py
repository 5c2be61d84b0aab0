"""Arguments that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _load_plugins(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> None:
    """Run the files of `--plugin` before anything is read that may speak of what they add."""
    if files:
        from receval import plugins

        for file in files:
            plugins.load_file(Path(file))


class FormatChoice(click.Choice[str]):
    """The name of a format: one of those built in, or one that an installed package adds."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        """The name, if there is such a format."""
        if value not in self.choices:
            from receval import plugins

            if plugins.find("formats", str(value)) is not None:
                return str(value)
        return str(super().convert(value, parameter, context))


plugin_option = click.option(
    "--plugin",
    multiple=True,
    metavar="FILE",
    expose_value=False,
    is_eager=True,
    callback=_load_plugins,
    help="Run a file of Python first, which adds metrics or checks.",
)
config_argument = click.argument("config", type=click.Path())
set_option = click.option(
    "--set", "overrides", multiple=True, metavar="PATH=VALUE", help="Override a value of the config: --set evaluation.top_k=[5,10]."
)
recs_option = click.option(
    "--recs", "recommendations", multiple=True, metavar="NAME=FILE", help="Add a model to the config's; NAME=- reads standard input."
)
replace_option = click.option("--replace", is_flag=True, help="Let --recs take the place of a model that the config has already.")
strict_option = click.option("--strict", is_flag=True, help="Exit with 1 for warnings of the health checks too, not for errors only.")
store_option = click.option(
    "--store-failures", "store", metavar="DIR", help="Write the offending rows of failed checks into a folder, as Parquet."
)
ci_option = click.option(
    "--ci",
    type=click.Choice(("auto", "github", "gitlab", "none")),
    default="auto",
    help="github: a summary of the step, and annotations; gitlab: gl-code-quality-report.json and receval-junit.xml. auto sees GitHub.",
)
input_format_option = click.option(
    "--input-format",
    type=click.Choice(("csv", "tsv", "trec", "json", "ndjson", "parquet", "ipc")),
    help="The format of standard input, where a path is -; found out if not given.",
)


def outputs_option(help: str, metavar: str = "FILE") -> Callable[[_Command], _Command]:
    """`-o`, which may be repeated."""
    return click.option("-o", "--output", "outputs", multiple=True, metavar=metavar, help=f"{help} May be repeated.")
