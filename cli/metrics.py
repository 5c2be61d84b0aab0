"""`receval metrics`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .output import emit, emit_page

if TYPE_CHECKING:
    from receval.conventions import Convention
    from receval.output.blocks import Page

_FORMATS = ("table", "md", "json")


@click.command()
@click.argument("name", required=False)
@click.option("--convention", metavar="NAME", help="Explain a convention (a name, or a .yaml file), or NAME as it has it.")
@click.option("--axes", is_flag=True, help="Explain what every metric takes.")
@click.option("--conventions", is_flag=True, help="List the conventions.")
@click.option("--all", "everything", is_flag=True, help="Print the whole catalogue.")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", help="Text with tables, Markdown or JSON.")
def metrics(name: str | None, convention: str | None, axes: bool, conventions: bool, everything: bool, form: str) -> None:
    """List the metrics, or explain one.

    NAME is a metric, one of its aliases, or with --convention the name it has in that library.
    """
    from receval.metrics import catalogue
    from receval.output import catalogue as pages

    if sum((name is not None or convention is not None, axes, conventions, everything)) > 1:
        raise click.UsageError("NAME or --convention, --axes, --conventions and --all exclude each other")
    used = _load(convention)
    found = catalogue.read(() if used is None else (used,))
    if everything:
        _print(
            pages.everything(found),
            {"axes": (*found.protocol, *found.formula), "metrics": found.metrics, "conventions": found.conventions},
            form,
        )
    elif axes:
        _print(pages.axes(found.protocol), {"axes": found.protocol}, form)
    elif conventions:
        _print(pages.conventions(found.conventions), {"conventions": found.conventions}, form)
    elif name is not None:
        entry = found.metric(_named(name, used))
        _print(pages.metric(entry, under=used.name if used else None, axes=found.protocol), {"metric": entry}, form)
    elif used is not None:
        agreed = found.convention(used.name)
        _print(pages.convention(agreed, (*found.protocol, *found.formula)), {"convention": agreed}, form)
    else:
        _print(pages.listing(found.metrics), {"metrics": found.metrics}, form)


def _load(name: str | None) -> Convention | None:
    from receval.conventions import load
    from receval.errors import ConfigError
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
    from receval.conventions import known, load
    from receval.errors import ConfigError
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
    from receval.names.measure_strings import MetricSpec, parse

    try:
        spec = parse(text)
    except ValueError:
        spec = MetricSpec(text)
    return convention.read(spec).name


def _print(page: Page, content: Mapping[str, object], form: str) -> None:
    from receval.output.catalogue import as_json

    if form == "json":
        emit(as_json(content))
    else:
        emit_page(page, form)
