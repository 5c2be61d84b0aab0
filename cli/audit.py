"""`receval audit`."""

from __future__ import annotations

import click

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
    "--convention", "conventions", multiple=True, metavar="NAME", help="A convention to compare the config's with; all if not given."
)
@click.option("--format", "form", type=click.Choice(("table", "csv", "json", "md")), default="table", help="What to print.")
def audit(
    config: str,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    input_format: str | None,
    conventions: tuple[str, ...],
    form: str,
) -> None:
    """Evaluate the metrics of a config under every convention.

    Prints what each convention says of each model, how far they are apart, and whether the order of the models depends on the
    convention. The files are read once, however many conventions there are.
    """
    import receval
    from receval.config import load_config
    from receval.output import audit as pages

    from .pages import emit_page

    loaded = load_config(config, overrides, recommendations, input_format=input_format, replace=replace)
    warn(loaded)
    warn_of_settings_of_runs(loaded)
    report = receval.audit(loaded, conventions)
    if form in ("csv", "json"):
        emit((pages.as_csv if form == "csv" else pages.as_json)(report).encode())
    else:
        emit_page(pages.page(report), form)
