"""`receval explain`."""

from __future__ import annotations

import click

from .completing import metric_names, model_names
from .options import config_argument, input_format_option, plugin_option, recs_option, replace_option, set_option
from .output import emit, warn, warn_of_settings_of_runs


@click.command()
@click.argument("measure", shell_complete=metric_names)
@config_argument
@plugin_option
@click.option("--user", required=True, help="The id of the user.")
@click.option("--model", shell_complete=model_names, help="The name of the model; not needed where there is one.")
@set_option
@recs_option
@replace_option
@input_format_option
@click.option("--format", "form", type=click.Choice(("table", "json", "md")), default="table", help="What to print.")
def explain(
    measure: str,
    config: str,
    user: str,
    model: str | None,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    input_format: str | None,
    form: str,
) -> None:
    """Show how the value of one user comes about, row by row.

    MEASURE is a metric with its cut-off, such as 'nDCG@10' or 'MAP(convention=elliot)@5'; CONFIG the config with the files.
    """
    from receval.config import load_config
    from receval.content.explanation import document
    from receval.evaluation.explaining import explain as explained
    from receval.render.audit_data import explanation_json

    from .pages import emit_document

    loaded = load_config(config, overrides, recommendations, input_format=input_format, replace=replace)
    warn(loaded)
    warn_of_settings_of_runs(loaded)
    explanation = explained(loaded, measure, user, model)
    if form == "json":
        emit(explanation_json(explanation))
    else:
        emit_document(document(explanation), form)
