"""`receval compare`."""

from __future__ import annotations

from typing import Any

import click
import receval
from receval.outputs import of_form

from .options import Command, ConfigReader, format_option, outputs_option, reading_options
from .output import show, tell


@click.command(cls=Command)
@click.argument("inputs", nargs=-1, required=True, metavar="CONFIG|[NAME=]DIR...")
@click.option("--baseline", metavar="NAME|DIR", help="The model, result or folder that the others are compared with. Default: the first.")
@click.option("--all-pairs", is_flag=True, help="Compare every pair of models; models that share a letter are not clearly different.")
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to test; the others are only shown. May be repeated.")
@click.option("--margin", "margins", multiple=True, metavar="[M=]SIZE", help="The largest difference that does not matter: 0.005, or 1%.")
@click.option(
    "--by", "by", multiple=True, metavar="GROUPS", help="Also compare within groups of users: users.plan, cold, train_count:5,20."
)
@click.option("--losers", type=click.IntRange(min=0), default=0, metavar="N", help="List the N users with the largest losses.")
@click.option(
    "--test",
    type=click.Choice(("t", "permutation", "bootstrap", "bootstrap-t", "wilcoxon")),
    help="The test of paired differences. Default: t.",
)
@click.option(
    "--correction", type=click.Choice(("holm", "bh", "by", "none")), help="The correction for multiple comparisons. Default: holm."
)
@click.option("--alpha", type=float, help="Significance level. Default: 0.05.")
@click.option(
    "--users",
    type=click.Choice(("same", "common")),
    help="same: refuse models that count different users; common: compare on the users in common.",
)
@click.option("--unpaired", is_flag=True, help="Compare means of different users or different test data (Welch's test).")
@click.option(
    "--cluster", metavar="COLUMN", help="A column of data.users; its users with the same value are not independent: users.household."
)
@reading_options("set", "recs", "replace")
@format_option("comparison", help="The output format. Default: a table.")
@outputs_option("Also write to a file: .json, .csv, .md, .tex, .html, or a folder.", metavar="FILE|DIR/")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
def compare(inputs: tuple[str, ...], read: ConfigReader, form: str | None, outputs: tuple[str, ...], quiet: bool, **asked: Any) -> None:
    """Compare models: differences, intervals and p values.

    Give a config, whose models are compared, folders that 'receval run -o DIR/' wrote, or both: main=results/main today=results/today.
    Users are paired by id. Exits with 0 whatever the verdict.
    """
    from receval.session.compare import compare_inputs, overrides_of

    def read_with_groups(path: str) -> receval.Loaded:
        return read(path, overrides_of(asked["by"], asked["cluster"]), quiet=quiet)

    compared = compare_inputs(inputs, asked, read=read_with_groups, tell=tell, outputs=outputs)
    if form is not None or not quiet:
        show(of_form(form or "table", "comparison"), compared.comparison, **compared.options)
