"""`receval baseline`."""

from __future__ import annotations

import click
from receval.outputs import of_form

from .options import Command, format_option
from .output import say, show


@click.group()
def baseline() -> None:
    """Store results as the baseline of later comparisons and gates."""


@baseline.command("set", cls=Command)
@click.argument("folder", metavar="DIR")
@click.option("--to", "target", default="results/main", metavar="DIR", help="The folder of the baseline. Default: results/main.")
@click.option("--force", is_flag=True, help="Also accept results whose gates or error-level checks failed.")
@click.pass_context
def set_baseline(context: click.Context, folder: str, target: str, force: bool) -> None:
    """Make results the baseline: copy a folder that 'receval run -o DIR/' wrote.

    The files take the place of those of the earlier baseline in one step. Exits with 1, and changes nothing, if gates or error-level
    checks of the results failed, or gates of their config were not judged.
    """
    from receval.session.baseline import set_baseline

    reasons = set_baseline(folder, target, force=force)
    if reasons:
        say(f"Baseline not updated: {' and '.join(reasons)}. Use --force to override")
        context.exit(1)
    say(f"{folder} is now the baseline {target}")


@baseline.command("show", cls=Command)
@click.argument("folder", metavar="DIR", default="results/main")
@format_option("baseline", default="table", help="Text, JSON or Markdown.")
def show_baseline(folder: str, form: str) -> None:
    """Say what a baseline holds: models and values, on which test data, and whether its gates and checks passed."""
    from receval.session.baseline import load

    show(of_form(form, "baseline"), load(folder), name=folder)
