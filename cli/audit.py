"""`receval audit`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from .completing import convention_names
from .options import config_argument, input_format_option, plugin_option, recs_option, replace_option, set_option
from .output import emit, warn, warn_of_settings_of_runs


@click.command()
@config_argument
@plugin_option
@set_option
@recs_option
@replace_option
@input_format_option
@click.option(
    "--convention",
    "conventions",
    multiple=True,
    metavar="NAME",
    shell_complete=convention_names,
    help="A convention to compare the config's with; all if not given.",
)
@click.option(
    "--why",
    nargs=2,
    metavar="A B",
    shell_complete=convention_names,
    help="Say which choices make the difference between two conventions, and how much of it.",
)
@click.option(
    "--find", "wanted", metavar="NUMBER", help="Say which convention prints a number, such as 0.1894, for which measure and model."
)
@click.option("--format", "form", type=click.Choice(("table", "csv", "json", "md")), default="table", help="What to print.")
def audit(
    config: str,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    input_format: str | None,
    conventions: tuple[str, ...],
    why: tuple[str, str] | None,
    wanted: str | None,
    form: str,
) -> None:
    """Evaluate the metrics of a config under every convention.

    Prints what each convention says of each model, how far they are apart, and whether the order of the models depends on the
    convention. The files are read once, however many conventions there are.
    """
    from receval.config import load_config
    from receval.content.audit import audit_document, difference_document, found_document
    from receval.evaluation.auditing import audit as audited
    from receval.evaluation.auditing import difference
    from receval.render.audit_data import audit_csv, audit_json, difference_csv, difference_json, found_csv, found_json

    if why and (conventions or wanted is not None):
        raise click.UsageError(f"--why names the two conventions that it compares: leave out {'--convention' if conventions else '--find'}")
    if why and why[0] == why[1]:
        raise click.UsageError(f"--why names two conventions, not {why[0]} twice")
    loaded = load_config(config, overrides, recommendations, input_format=input_format, replace=replace)
    warn(loaded)
    warn_of_settings_of_runs(loaded)
    safe = {"spreadsheet_safe": loaded.config.output.spreadsheet_safe}
    if why:
        steps = difference(loaded, *why)
        _emit(form, partial(difference_csv, steps, **safe), partial(difference_json, steps), partial(difference_document, steps))
        return
    if wanted is not None:
        _check_number(wanted)
    report = audited(loaded, conventions)
    if wanted is not None:
        found = report.find(wanted)
        _emit(form, partial(found_csv, found, **safe), partial(found_json, found), partial(found_document, found))
        return
    plain = not (overrides or recommendations or conventions)
    command = f"receval audit {shlex.quote(config)}" if plain else "the same with"
    _emit(form, partial(audit_csv, report, **safe), partial(audit_json, report), partial(audit_document, report, command))


def _check_number(wanted: str) -> None:
    """Refuse what is no number before files are read."""
    from receval.results.audit import read_number

    try:
        read_number(wanted)
    except ValueError as error:
        raise click.UsageError(f"--find {error}") from None


def _emit(form: str, as_csv: Callable[[], bytes], as_json: Callable[[], bytes], page: Callable[[], Any]) -> None:
    """Write what was found in one of its forms."""
    from .pages import emit_document

    if form in ("csv", "json"):
        emit((as_csv if form == "csv" else as_json)())
    else:
        emit_document(page(), form)
