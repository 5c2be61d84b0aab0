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
@click.option("--baseline", metavar="NAME|DIR", help="The model, the result or the folder that the others are compared with; the first.")
@click.option("--all-pairs", is_flag=True, help="Compare every two models; letters say which are not clearly different.")
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to judge; the others are shown. May be repeated.")
@click.option("--margin", "margins", multiple=True, metavar="[M=]SIZE", help="How small a difference does not matter: 0.005, or 1%.")
@click.option("--by", "by", multiple=True, metavar="GROUPS", help="Compare within groups of users too: users.plan, cold, train_count:5,20.")
@click.option("--losers", type=click.IntRange(min=0), default=0, metavar="N", help="List the N users with the largest losses.")
@click.option("--test", type=click.Choice(("t", "permutation", "bootstrap", "bootstrap-t", "wilcoxon")), help="The test; paired t.")
@click.option("--correction", type=click.Choice(("holm", "bh", "by", "none")), help="How p values are corrected together; Holm.")
@click.option("--alpha", type=float, help="How often a difference is found where there is none; 0.05.")
@click.option("--users", type=click.Choice(("same", "common")), help="Refuse models that count other users, or compare those in common.")
@click.option("--unpaired", is_flag=True, help="Compare means of different users, or of other test data (Welch).")
@click.option("--cluster", metavar="COLUMN", help="The column of users that belong together: users.household.")
@reading_options("set", "recs", "replace")
@format_option("comparison", help="What to print; a table if not given.")
@outputs_option("Write it too: .json, .csv, .md, .tex, .html, or a folder.", metavar="FILE|DIR/")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors, and what --format asks for.")
def compare(inputs: tuple[str, ...], read: ConfigReader, form: str | None, outputs: tuple[str, ...], quiet: bool, **asked: Any) -> None:
    """Say how much models differ, and how sure that is.

    Give a config, whose models are compared, folders that 'receval run -o DIR/' wrote, or both: main=results/main today=results/today.
    Users are paired by id. Exits with 0 whatever the verdict.
    """
    from receval.session.compare import compare_inputs, overrides_of

    def read_with_groups(path: str) -> receval.Loaded:
        return read(path, overrides_of(asked["by"], asked["cluster"]), quiet=quiet)

    compared = compare_inputs(inputs, asked, read=read_with_groups, tell=tell, outputs=outputs)
    if form is not None or not quiet:
        show(of_form(form or "table", "comparison"), compared.comparison, **compared.options)
