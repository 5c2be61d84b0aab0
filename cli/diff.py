"""The lists of two models side by side: `receval diff`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
import receval
from receval.support.outputs import file_form, output_form

from . import options
from .output import say, show

_WITH_USERS = {"json", "csv", "parquet"}


def _relevant(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int | None]:
    """Return the least and the largest number of `5`, `2-4` or `5+`."""
    if value is None:
        return 0, None
    least, dash, most = value.removesuffix("+").partition("-")
    if not least.isdecimal() or (dash and (not most.isdecimal() or value.endswith("+") or int(most) < int(least))):
        raise click.BadParameter(f"write a number of relevant items, such as 1, 2-4 or 5+, not {value!r}", context, parameter)
    return int(least), None if value.endswith("+") else int(most) if dash else int(least)


@click.command(cls=options.Command)
@click.argument("inputs", nargs=-1, metavar="[CONFIG] A B", shell_complete=options.models_of_configs)
@click.option("--models", multiple=True, metavar="A,B", help="The two models, instead of A and B after the config.")
@click.option("--measure", metavar="M", help="The measure that decides what a loss is. Default: the first.")
@click.option("--show", "n_shown", type=click.IntRange(min=0), default=3, metavar="N", help="Show N users of each order. Default: 3.")
@click.option(
    "--order",
    "orders",
    type=click.Choice(("loss", "gain", "relevant", "random")),
    multiple=True,
    help="Show the users with the largest losses or gains, with most relevant items, or at random. May be repeated. Default: loss, gain.",
)
@click.option("--group", metavar="GROUP", help="Only users of a group: cold=warm, users.plan=free or train_count:5,20=0-4.")
@click.option("--relevant", metavar="N", callback=_relevant, help="Only users with so many relevant items: 1, 2-4 or 5+.")
@click.option("--seed", type=click.IntRange(min=0), default=0, help="The seed of users at random. Default: 0.")
@click.option(
    "--persistence",
    "p",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    metavar="P",
    help="p of rank-biased overlap; higher counts deeper ranks more. Default: 0.9.",
)
@click.option("--show-users", "shows_users", is_flag=True, help="Show ids of users. Default: a hash of the id.")
@click.option("--pictures", metavar="COLUMN", help="In -o FILE.html: pictures of items, by the web addresses in a column of data.items.")
@options.plugin_option
@options.reading_options("overrides", "recommendations", "where", "target", "replace", without=("models",))
@options.format_option("diff", help="The output format. Default: a table.")
@options.outputs_option("Also write a file: every user as .parquet, .csv or .json; .md; a page to explore as .html.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
def diff(
    inputs: tuple[str, ...],
    models: tuple[str, ...],
    read: options.ConfigReader,
    form: str | None,
    outputs: tuple[str, ...],
    quiet: bool,
    **arguments: Any,
) -> None:
    """Show where the lists of two models part: which users lose, which items make the difference, and why items were missed.

    Give a config and two of its models, only the models if the folder has one config, two files of lists with --test, or two folders
    of results with stored lists. A is the base. Values are those of 'receval run'.
    """
    from receval.actions.diff import DiffOptions, diff_inputs

    inputs = (*inputs, *(name for text in models for name in text.split(",")))
    arguments["orders"] = tuple(dict.fromkeys(arguments["orders"])) or ("loss", "gain")
    forms = {form, *(row.form for path in outputs if (row := file_form(path, "diff")))}
    wanted = DiffOptions(keeps=bool(forms & _WITH_USERS), has_page="html" in forms, **arguments)

    def read_config(path: str | Mapping[str, Any] | None, lists: Sequence[str]) -> receval.Loaded:
        return read.with_lists(lists)(options.COMMAND_LINE if path is None else path, quiet=quiet, judges_gates=False)

    made, of_forms = diff_inputs(inputs, wanted, read=read_config, has_test="test" in read.question, outputs=outputs)
    if form is not None or not quiet:
        show(output_form(form or "table", "diff"), made, **of_forms)
    if outputs and not quiet:
        say(f"wrote {', '.join(outputs)}")
