"""Arguments that several commands take, and what they are read into."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import receval
from click.shell_completion import CompletionItem
from receval import outputs
from receval.errors import ArgumentError

_Callback = TypeVar("_Callback", bound=Callable[..., Any])


class Command(click.Command):
    """A command whose wrong arguments are told as those of the command line."""

    def invoke(self, context: click.Context) -> Any:
        """Call the command."""
        try:
            return super().invoke(context)
        except ArgumentError as error:
            raise click.UsageError(error.option, context) from None


class FormatChoice(click.Choice[str]):
    """The name of a form of some subjects: one of `outputs`, or one that an installed package adds."""

    def __init__(self, *subjects: outputs.Subject) -> None:
        self._subjects = subjects
        super().__init__([row.form for row in outputs.rows(*subjects) if not row.binary])

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> str:
        """Return the name, if there is such a form and it can be printed."""
        row = outputs.of_form(str(value), *self._subjects)
        return str(value) if row is not None and not row.binary else self._complete().convert(value, parameter, context)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Return every name."""
        return self._complete().get_metavar(param, ctx)

    def shell_complete(self, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin so."""
        return self._complete().shell_complete(context, parameter, incomplete)

    def _complete(self) -> click.Choice[str]:
        """Look for the forms of packages too, which takes longer than to declare an option may."""
        return click.Choice(outputs.forms(*self._subjects))


def format_option(*subjects: outputs.Subject, help: str, default: str | None = None) -> Callable[[_Callback], _Callback]:
    """`--format`, with the forms of some subjects."""
    return click.option("--format", "form", type=FormatChoice(*subjects), default=default, help=help)


class ConfigReader:
    """Loads configs, changed as the options of a command say, and warns of what has no meaning in them."""

    def __init__(self, overrides: Sequence[str] = (), recommendations: Sequence[str] = (), **options: Any) -> None:
        self.overrides, self.recommendations, self._options = overrides, recommendations, options

    @property
    def changes_config(self) -> bool:
        """Whether options change what a config says."""
        return bool(self.overrides or self.recommendations or self._options.get("where") is not None)

    def __call__(self, path: str, more: Sequence[str] = (), *, quiet: bool = False, **sections: Any) -> receval.Loaded:
        """Load a config, with `more` overrides and whole `sections`."""
        from receval.config import load_config

        from .output import warn

        loaded = load_config(path, (*self.overrides, *more), self.recommendations, **self._options, **sections)
        if not quiet:
            warn(loaded)
        return loaded


def _load_plugins(context: click.Context, parameter: click.Parameter, files: tuple[str, ...]) -> None:
    """Run the files of `--plugin` before anything is read that may speak of what they add."""
    if files:
        from receval import plugins

        for file in files:
            plugins.load_file(Path(file))


plugin_option = click.option(
    "--plugin",
    multiple=True,
    metavar="FILE",
    expose_value=False,
    is_eager=True,
    callback=_load_plugins,
    help="Run a Python file first that adds metrics or checks.",
)
config_argument = click.argument("config", type=click.Path())
_READING = {
    "overrides": click.option(
        "--set", "overrides", multiple=True, metavar="PATH=VALUE", help="Override a config value: --set evaluation.top_k=[5,10]."
    ),
    "recommendations": click.option(
        "--recs",
        "recommendations",
        multiple=True,
        metavar="NAME=FILE",
        help="Add a model to those of the config; NAME=- reads standard input.",
    ),
    "where": click.option(
        "--where", metavar="FILTER", help="Read only these rows of the test file: --where \"event == 'purchase' and rating >= 3\"."
    ),
    "replace": click.option("--replace", is_flag=True, help="Let --recs replace a model of the config."),
    "input_format": click.option(
        "--input-format",
        type=click.Choice(("csv", "tsv", "trec", "json", "ndjson", "parquet", "ipc")),
        help="The format of standard input, if a path is -. Default: detected.",
    ),
}
"""The options that change a config: they come to a command as a `ConfigReader`, called `read`."""


def reading_options(*names: str) -> Callable[[_Callback], _Callback]:
    """Add options that change a config, all of them if none is named."""

    def decorated(callback: _Callback) -> Any:
        @wraps(callback)
        def command(*arguments: Any, **given: Any) -> Any:
            read = ConfigReader(**{name: given.pop(name) for name in _READING if name in given})
            return callback(*arguments, read=read, **given)

        wrapped: Callable[..., Any] = command
        for name in reversed(names or tuple(_READING)):
            wrapped = _READING[name](wrapped)
        return wrapped

    return decorated


strict_option = click.option("--strict", is_flag=True, help="Exit with 1 for warnings of the health checks, not only for errors.")
store_option = click.option(
    "--store-failures", "store", metavar="DIR", help="Write the affected rows of failed checks into a folder, as Parquet."
)


def _ci_system(context: click.Context, parameter: click.Parameter, asked: str) -> str:
    """Return `github`, `gitlab` or `none`. GitHub is known by its variable; GitLab has to be asked for, since its job names the files."""
    return asked if asked != "auto" else "github" if os.environ.get("GITHUB_ACTIONS") == "true" else "none"


ci_option = click.option(
    "--ci",
    "system",
    type=click.Choice(("auto", "github", "gitlab", "none")),
    default="auto",
    callback=_ci_system,
    help="github: a step summary and annotations; gitlab: gl-code-quality-report.json and receval-junit.xml. auto detects GitHub.",
)


def outputs_option(help: str, metavar: str = "FILE") -> Callable[[_Callback], _Callback]:
    """`-o`, which may be repeated."""
    return click.option("-o", "--output", "outputs", multiple=True, metavar=metavar, help=f"{help} May be repeated.")


def metric_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The metrics that begin so, in any case."""
    from receval.session.catalogue import metric_names

    return [name for name in metric_names() if name.lower().startswith(begun.lower())]


def convention_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The conventions that begin so."""
    from receval.session.catalogue import convention_names

    return [name for name in convention_names() if name.startswith(begun)]


def model_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The models of the config on the line that begin so; none if it cannot be read."""
    config = context.params.get("config")
    with suppress(Exception):  # whatever is wrong with the config is told when the command runs, not while it is typed
        from receval.config import load_config

        models = load_config(config).config.data.recommendations if config else ()
        return [name for name in map(str, models) if name.startswith(begun)]
    return []
