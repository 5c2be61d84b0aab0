"""The catalogue and the machine: `receval metrics`, `schema`, `doctor` and `completion`."""

from __future__ import annotations

import click
from receval.support.outputs import output_form

from . import options
from .output import say, show


@click.command(cls=options.Command)
@click.argument("name", required=False, shell_complete=options.metric_names)
@options.plugin_option
@click.option(
    "--convention",
    metavar="NAME",
    shell_complete=options.convention_names,
    help="Explain a convention (a name or a .yaml file), or NAME under this convention.",
)
@click.option("--axes", is_flag=True, help="Explain every setting of the metrics.")
@click.option("--conventions", is_flag=True, help="List the conventions.")
@click.option("--all", "everything", is_flag=True, help="Print all metrics, settings and conventions.")
@options.format_option("catalogue", default="table", help="Text with tables, Markdown or JSON.")
def metrics(name: str | None, convention: str | None, axes: bool, conventions: bool, everything: bool, form: str) -> None:
    """List the metrics, or explain one.

    NAME is a metric, one of its aliases, or with --convention the name it has in that library. Words such as 'genre diversity' list the
    metrics that they describe.
    """
    from receval.actions.catalogue import look_up

    if sum((name is not None or convention is not None, axes, conventions, everything)) > 1:
        raise click.UsageError("NAME or --convention, --axes, --conventions and --all exclude each other")
    show(output_form(form, "catalogue"), look_up(name, convention, axes=axes, conventions=conventions, everything=everything))


@click.command(cls=options.Command)
@click.argument(
    "of", default="config", type=click.Choice(("config", "results", "comparison", "gates", "plan", "history", "leaderboard", "manifest"))
)
@click.option("-o", "--output", metavar="OUT", type=click.Path(), help="The file to write. Default: standard output.")
def schema(of: str, output: str | None) -> None:
    """Print the JSON Schema of a config, or of a JSON file that receval writes; or write it.

    Editors with a YAML language server complete and check a config if the schema is beside it, as with -o receval.schema.json, and the
    config begins with: # yaml-language-server: $schema=receval.schema.json
    """
    from receval.actions.start import save_text
    from receval.render.schemas import json_schema_of

    if output is None:
        click.echo(json_schema_of(of), nl=False)
    else:
        save_text(json_schema_of(of), output)
        say(f"wrote {output}")


@click.command(cls=options.Command)
@options.format_option("machine", default="table", help="Text or JSON.")
def doctor(form: str) -> None:
    """Show versions, extras, Java, memory, threads and temporary space, with advice.

    Nothing is changed. Attach the output to a bug report.
    """
    from receval.actions.machine import facts

    show(output_form(form, "machine"), facts())


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, metrics, conventions and models in a shell.

    Save it where the shell looks for such scripts: docs/completion.md says where.
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    if script is not None:
        click.echo(script(context.find_root().command, {}, "receval", "_RECEVAL_COMPLETE").source())
