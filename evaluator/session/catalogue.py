"""The catalogue of metrics, settings and conventions, as it is looked up by name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..content import catalogue as pages
from ..conventions import Convention, builtin_names, load
from ..document import Block
from ..errors import ConfigError
from ..metrics import METRICS, check, find
from ..metrics.catalogue import read
from ..names.measure_strings import MetricSpec, parse


class CatalogueView(Struct, frozen=True, eq=False):
    """What was looked up: the page for people, and the same as plain values."""

    page: list[Block]
    content: Mapping[str, object]


def look_up(
    name: str | None = None, convention: str | None = None, *, axes: bool = False, conventions: bool = False, everything: bool = False
) -> CatalogueView:
    """Look up a metric, or a convention, or a metric as a convention has it; all axes, conventions or metrics; or everything."""
    used = None
    if convention is not None:
        try:
            check(used := load(convention, Path.cwd()))
        except ValueError as error:
            raise ConfigError(str(error)) from None
    named = None if name is None else _named(name, used)  # which may add the metric of a package to those that there are
    overview = read(() if used is None else (used,))
    choices = (*overview.protocol, *overview.formula)
    if everything:
        every = {"axes": choices, "metrics": overview.metrics, "conventions": overview.conventions}
        return CatalogueView(pages.everything(overview), every)
    if axes:
        return CatalogueView(pages.axes(overview.protocol), {"axes": overview.protocol})
    if conventions:
        return CatalogueView(pages.conventions(overview.conventions), {"conventions": overview.conventions})
    if named is not None:
        entry = overview.metric(named)
        return CatalogueView(pages.metric(entry, under=used.name if used else None, axes=overview.protocol), {"metric": entry})
    if used is not None:
        agreed = overview.convention(used.name)
        return CatalogueView(pages.convention(agreed, choices), {"convention": agreed})
    return CatalogueView(pages.listing(overview.metrics), {"metrics": overview.metrics})


def page(found: CatalogueView) -> list[Block]:
    """What was looked up, for people."""
    return found.page


def content(found: CatalogueView) -> Any:
    """What was looked up, as plain values."""
    return pages.plain(found.content)


def metric_names() -> tuple[str, ...]:
    """The names of the metrics that are built in."""
    return tuple(METRICS)


def convention_names() -> tuple[str, ...]:
    """The names of the conventions."""
    return tuple(builtin_names())


def _named(text: str, convention: Convention | None) -> str:
    """The metric that `text` means; where only another convention knows it, the hint says which."""
    try:
        spec = parse(text)
    except ValueError:
        spec = MetricSpec(text)
    try:
        return find((convention or load("receval")).read(spec).name).name
    except ValueError as error:
        problem = error
    meanings: dict[str, list[str]] = {}
    for name in builtin_names():
        with suppress(ValueError):
            meanings.setdefault(find(load(name).read(spec).name).name, []).append(name)
    hint = "; ".join(f"it is {meant} under {', '.join(names)}" for meant, names in meanings.items())
    raise ConfigError(str(problem), f"{hint}: say --convention NAME" if hint else None)
