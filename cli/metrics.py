"""`receval metrics`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
from receval.conventions import Convention, known, load
from receval.errors import ConfigError
from receval.names.measure_strings import MetricSpec, parse

from .completing import convention_names, metric_names
from .options import plugin_option

_FORMATS = ("table", "md", "json")


@click.command()
@click.argument("name", required=False, shell_complete=metric_names)
@plugin_option
@click.option(
    "--convention",
    metavar="NAME",
    shell_complete=convention_names,
    help="Explain a convention (a name, or a .yaml file), or NAME as it has it.",
)
@click.option("--axes", is_flag=True, help="Explain what every metric takes.")
@click.option("--conventions", is_flag=True, help="List the conventions.")
@click.option("--all", "everything", is_flag=True, help="Print the whole catalogue.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", help="Text with tables, Markdown or JSON.")
def metrics(name: str | None, convention: str | None, axes: bool, conventions: bool, everything: bool, form: str) -> None:
    """List the metrics, or explain one.

    NAME is a metric, one of its aliases, or with --convention the name it has in that library.
    """
    from receval.content import catalogue as pages
    from receval.metrics import catalogue

    from .pages import print_page

    if sum((name is not None or convention is not None, axes, conventions, everything)) > 1:
        raise click.UsageError("NAME or --convention, --axes, --conventions and --all exclude each other")
    used = _load(convention)
    named = None if name is None else _named(name, used)  # which may add the metric of a package to those that there are
    overview = catalogue.read(() if used is None else (used,))
    if everything:
        print_page(
            pages.everything(overview),
            {"axes": (*overview.protocol, *overview.formula), "metrics": overview.metrics, "conventions": overview.conventions},
            form,
        )
    elif axes:
        print_page(pages.axes(overview.protocol), {"axes": overview.protocol}, form)
    elif conventions:
        print_page(pages.conventions(overview.conventions), {"conventions": overview.conventions}, form)
    elif named is not None:
        entry = overview.metric(named)
        print_page(pages.metric(entry, under=used.name if used else None, axes=overview.protocol), {"metric": entry}, form)
    elif used is not None:
        agreed = overview.convention(used.name)
        print_page(pages.convention(agreed, (*overview.protocol, *overview.formula)), {"convention": agreed}, form)
    else:
        print_page(pages.listing(overview.metrics), {"metrics": overview.metrics}, form)


def _load(name: str | None) -> Convention | None:
    from receval.metrics import check

    if name is None:
        return None
    try:
        convention = load(name, Path.cwd())
        check(convention)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return convention


def _named(text: str, convention: Convention | None) -> str:
    """The metric that `text` means; where only another convention knows it, the hint says which."""
    from receval.metrics import find

    try:
        return find(_read(text, convention or load("receval"))).name
    except ValueError as error:
        problem = error
    meanings: dict[str, list[str]] = {}
    for name in known():
        with suppress(ValueError):
            meanings.setdefault(find(_read(text, load(name))).name, []).append(name)
    hint = "; ".join(f"it is {meant} under {', '.join(names)}" for meant, names in meanings.items())
    raise ConfigError(str(problem), f"{hint}: say --convention NAME" if hint else None)


def _read(text: str, convention: Convention) -> str:
    try:
        spec = parse(text)
    except ValueError:
        spec = MetricSpec(text)
    return convention.read(spec).name
