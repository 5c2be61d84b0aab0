"""`receval report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import receval

from .options import ci_option, outputs_option, plugin_option, recs_option, replace_option, set_option
from .output import emit, say, warn

_FORMATS = ("html", "md", "latex", "junit", "badge", "code-quality")


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="CONFIG|[NAME=]DIR...")
@outputs_option("Write the report: .html, .md, .tex, .xml (JUnit), .svg (a badge).")
@click.option("--format", "form", type=click.Choice(_FORMATS), help="Print the report in a form.")
@click.option("--interactive", is_flag=True, help="Put Vega into the page (0.9 MB), which shows numbers under the pointer.")
@click.option("--template", metavar="FILE.j2", help="Render a Jinja template of your own into the files of -o.")
@click.option("--title", help="The title; the names of the models if not given.")
@click.option("--baseline", metavar="NAME|DIR", help="The model, the result or the folder that the others are compared with; the first.")
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to judge; the others are shown. May be repeated.")
@click.option("--margin", "margins", multiple=True, metavar="[M=]SIZE", help="How small a difference does not matter: 0.005, or 1%.")
@click.option("--losers", type=click.IntRange(min=0), default=0, metavar="N", help="Name the N users with the largest losses.")
@plugin_option
@set_option
@recs_option
@replace_option
@ci_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def report(
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    form: str | None,
    interactive: bool,
    template: str | None,
    title: str | None,
    overrides: tuple[str, ...],
    recommendations: tuple[str, ...],
    replace: bool,
    ci: str,
    quiet: bool,
    **asked: Any,
) -> None:
    """Make a page of results that people look at, or a file that machines read.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated; two or more folders give the page of their
    comparison. Ids of users appear only with --losers. Exits with 0 whatever the report says.
    """
    from receval.config import load_config
    from receval.output import disk
    from receval.render.user_templates import read_template

    from . import ci as machines
    from . import report_files, reports

    def read_config(path: str) -> receval.Loaded:
        loaded = load_config(path, overrides, recommendations, replace=replace)
        if not quiet:
            warn(loaded)
        return loaded

    system = machines.system(ci)
    own = (template, read_template(Path(template).expanduser())) if template is not None else None
    files = report_files.targets(outputs, templated=own is not None) | machines.files(system)
    if not files and form is None and system == "none":
        raise click.UsageError("say where the report goes: -o report.html, or --format md")
    printed = {} if form is None else {Path("-"): form}
    with disk.Stage(report_files.folders(files)) as stage:
        content, gathered = reports.content(inputs, read_config, asked, title)
        made = reports.contents(content, files | printed, interactive=interactive, template=own) | reports.in_latex(
            gathered, files | printed
        )
        said = made.pop(Path("-"), None)
        stage.commit(made)
    if isinstance(said, bytes):
        emit(said)
    machines.publish(content, system)
    if files and not quiet:
        say(f"wrote {', '.join(map(str, files))}")
