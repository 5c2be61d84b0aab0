"""`receval baseline`."""

from __future__ import annotations

from pathlib import Path

import click

from .output import say


@click.group()
def baseline() -> None:
    """Keep a folder of results to compare later ones with."""


@baseline.command("set")
@click.argument("folder", metavar="DIR")
@click.option("--to", "target", default="results/main", metavar="DIR", help="Where the baseline is kept; results/main.")
@click.option("--force", is_flag=True, help="Take results whose gates or error-level checks failed, too.")
@click.pass_context
def set_baseline(context: click.Context, folder: str, target: str, force: bool) -> None:
    """Make results the baseline: copy a folder that 'receval run -o DIR/' wrote.

    The files take the place of those of the earlier baseline in one step. Exits with 1, and changes nothing, if gates or error-level
    checks of the results failed, or gates of their config were not judged.
    """
    from receval.output.copying import copy_results
    from receval.output.reading_back import load
    from receval.results.gates import Verdicts

    source, place = Path(folder).expanduser(), Path(target).expanduser()
    result = load(source)
    reasons = [
        *([Verdicts(result.gates).summary()] if Verdicts(result.gates).failed() else []),
        *(["its config has gates that were not judged"] if result.config.get("gates", {}).get("rules") and not result.gates else []),
        *(["a health check of level error failed"] if result.failed() else []),
    ]
    if reasons and not force:
        say(f"Baseline not updated: {' and '.join(reasons)}. Use --force to override")
        context.exit(1)
    copy_results(source, place, force=force)
    say(f"{folder} is now the baseline {target}")


@baseline.command("show")
@click.argument("folder", metavar="DIR", default="results/main")
@click.option("--format", "form", type=click.Choice(("table", "json", "md")), default="table", help="Text, JSON or Markdown.")
def show_baseline(folder: str, form: str) -> None:
    """Say what a baseline holds: models and values, on which test data, and whether its gates and checks passed."""
    from receval.content.gates import baseline_document
    from receval.output.reading_back import load
    from receval.render.judgement_data import baseline_cells

    from .pages import print_page

    result = load(folder)
    print_page(baseline_document(result, folder), baseline_cells(result, folder), form)
