"""Groups of users for whom a model is worse, or better, than for all others: `receval slices`."""

from __future__ import annotations

from typing import Any

import click
import receval
from receval.support.outputs import output_form

from . import options
from .output import show, tell
from .report import baseline_model_option, baseline_option, users_option


@click.command(cls=options.Command)
@options.config_or_folder_argument("inputs", "[CONFIG|[NAME=]DIR]...", nargs=-1)
@baseline_option
@baseline_model_option
@click.option("--measure", "measures", multiple=True, metavar="M", help="The measure to search. May be repeated. Default: the first.")
@options.by_option("Search only these groups of users")
@click.option("--depth", type=click.IntRange(1, 2), default=2, help="1: single groups; 2: also pairs of groups. Default: 2.")
@click.option("--alpha", type=float, help="The error rate over all tested slices. Default: 0.05.")
@users_option
@options.plugin_option
@options.reading_options("overrides", "recommendations", "where", "target", "replace")
@options.format_option("slices", default="table", help="The output format.")
@options.outputs_option("Also write to a file: .json, .csv, .parquet or .md.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
def slices(
    inputs: tuple[str, ...],
    read: options.ConfigReader,
    by: tuple[str, ...],
    depth: int,
    form: str,
    outputs: tuple[str, ...],
    quiet: bool,
    **arguments: Any,
) -> None:
    """Find groups of users for whom a model is worse, or better, than for all other users.

    Give a config (its models are compared; a single model is compared with its own mean), or folders that 'receval run -o DIR/' wrote.
    Slices are found on one half of the users and tested on the other, corrected for all tested ones. Searched are the columns of
    data.users and groups by the train rows of users; folders have the groups that were stored (receval run --by). Exits with 0 whatever
    is found.
    """
    from receval.actions.slices import slices_of_inputs

    def read_quietly(path: str) -> receval.Loaded:
        return read(path, quiet=quiet, metrics=arguments["measures"], judges_gates=False)

    arguments["models"] = read.models
    found = slices_of_inputs(read.sources(inputs), arguments, read=read_quietly, tell=tell, by=by, depth=depth, outputs=outputs)
    show(output_form(form, "slices"), found)
