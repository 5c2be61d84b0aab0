"""`receval compare`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
import receval

from .options import outputs_option, recs_option, replace_option, set_option
from .output import emit, warn

_FORMATS = ("table", "json", "csv", "md", "latex")
_ENDINGS = {".json": "json", ".csv": "csv", ".md": "md", ".tex": "latex", ".html": "html", ".htm": "html"}


@click.command()
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
@set_option
@recs_option
@replace_option
@click.option("--format", "form", type=click.Choice(_FORMATS), help="What to print; a table if not given.")
@outputs_option("Write it too: .json, .csv, .md, .tex, .html, or a folder.", metavar="FILE|DIR/")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors, and what --format asks for.")
def compare(
    inputs: tuple[str, ...],
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    by: tuple[str, ...],
    cluster: str | None,
    form: str | None,
    outputs: tuple[str, ...],
    quiet: bool,
    **asked: Any,
) -> None:
    """Say how much models differ, and how sure that is.

    Give a config, whose models are compared, folders that 'receval run -o DIR/' wrote, or both: main=results/main today=results/today.
    Users are paired by id. Exits with 0 whatever the verdict.
    """
    from receval.comparison.comparing import compare as compare_results
    from receval.comparison.questions import Questions
    from receval.config import load_config
    from receval.config.comparing import Compare
    from receval.evaluation.gathering import gather, with_baseline_folder
    from receval.output import disk
    from receval.render.result_data import is_spreadsheet_safe

    from . import comparisons
    from .questions import changed_by

    targets = comparisons.targets(outputs, _ENDINGS)

    def read_config(path: str) -> receval.Loaded:
        loaded = load_config(path, (*overrides, *_of_config(by, cluster)), recommendations, replace=replace)
        if not quiet:
            warn(loaded)
        return loaded

    with disk.Stage(comparisons.folders(targets)) as stage:
        gathered = gather(inputs, read_config, lambda loaded: receval.run(loaded, tolerant=True))
        comparisons.warn_of_findings(gathered)
        configured = Questions.of(gathered.config.config.compare if gathered.config is not None else Compare())
        questions = changed_by(configured, {**asked, "by": by, "cluster": cluster})
        results, questions = with_baseline_folder(gathered, questions)
        comparison = compare_results(results, questions)
        look_at = next((text for text in inputs if not os.path.isdir(Path(text.partition("=")[2] or text))), "CONFIG")
        safe = any(map(is_spreadsheet_safe, results.values()))
        comparisons.save(comparison, targets, stage, look_at, lambda: comparisons.as_html(results, questions, inputs[0]), safe)
    if form is not None or not quiet:
        emit(comparisons.rendered(comparison, form or "table", look_at, sys.stdout, safe), drawn=form in (None, "table"))


def _of_config(by: tuple[str, ...], cluster: str | None) -> list[str]:
    """Overrides of a config for groups and clusters, which have to be known when it is evaluated."""
    groups = ", ".join(_group(one) for one in by)
    return [*([f"compare.by=[{groups}]"] if by else []), *([f"compare.cluster={cluster}"] if cluster else [])]


def _group(text: str) -> str:
    name, colon, borders = text.partition(":")
    return f"{{{name}: [{borders}]}}" if colon else text
