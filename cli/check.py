"""`receval check`."""

from __future__ import annotations

import sys

import click

from .options import (
    config_argument,
    input_format_option,
    plugin_option,
    recs_option,
    replace_option,
    set_option,
    store_option,
    strict_option,
)
from .output import emit, on_screen, warn


@click.command()
@config_argument
@plugin_option
@set_option
@recs_option
@replace_option
@input_format_option
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", help="Text, or JSON.")
@strict_option
@store_option
@click.pass_context
def check(
    context: click.Context,
    config: str,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    input_format: str | None,
    form: str,
    strict: bool,
    store: str | None,
) -> None:
    """Say what is wrong or suspicious in the files of a config.

    Every check is made, also on files that `receval run` refuses because its policy says so. Exits with 1 if a check of level error
    failed.
    """
    import receval
    from receval.config import load_config
    from receval.content import findings
    from receval.document import Sentences
    from receval.output.own_inputs import refuse_overwriting
    from receval.render import result_data
    from receval.render.screen import show

    from .failures import keep, target, targets

    loaded = load_config(config, overrides, recommendations, input_format=input_format, replace=replace)
    warn(loaded)
    refuse_overwriting(loaded, targets(store))
    with target(store) as stage:
        result = receval.run(loaded, keep_failures=store is not None, tolerant=True)
        keep(result, store, stage)
    if form == "json":
        emit(result_data.findings_as_json(result))
    else:
        page = (*findings.alerts(result.findings), Sentences((findings.summary(result),), small=False))
        emit(on_screen(show(page, sys.stdout)), drawn=True)
    context.exit(1 if result.failed(strict) else 0)
