"""Look up metrics, settings and conventions by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..checks import CHECKS
from ..conventions import Convention, builtin_names, load
from ..conventions import packaged_names as packaged_names
from ..documents import catalogue as pages
from ..documents.document import Block, Paragraph
from ..metrics import METRICS as METRICS
from ..metrics import check, find
from ..metrics.catalogue import FAMILIES, MetricEntry, read
from ..support.errors import ConfigError
from ..syntax.measure_strings import MetricSpec, parse

_SHORTEST: Final = 4
"""The number of letters from which a word is searched for in descriptions."""


class CatalogueView(Struct, frozen=True, eq=False):
    """A catalogue entry: its page for people, and the same as plain values."""

    page: list[Block]
    content: Mapping[str, object]


def look_up(
    name: str | None = None, convention: str | None = None, *, axes: bool = False, conventions: bool = False, everything: bool = False
) -> CatalogueView:
    """Look up a metric, a convention, or a metric under a convention; all axes, conventions or metrics; or everything.

    If no metric has the name, those whose description has its words are listed. Raises `ConfigError` if there is none either.
    """
    used = None
    if convention is not None:
        try:
            check(used := load(convention, Path.cwd()))
        except ValueError as error:
            raise ConfigError(str(error)) from None
    try:
        named = None if name is None else _named(name, used)  # this may import a package that adds the metric
    except ConfigError as error:
        similar = [] if name is None or used is not None else _about(name, read(()).metrics)
        if not similar:
            raise
        hint = f" {error.hint[0].upper()}{error.hint[1:]}." if error.hint else ""
        head = Paragraph(f"No metric is called {name!r}. The descriptions of these have its words.{hint}")
        return CatalogueView([head, *pages.listing(similar)], {"metrics": similar})
    overview = read(() if used is None else (used,), None if everything else named)
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


def look_up_check(name: str) -> CatalogueView | None:
    """Look up a health check by its id, in any case; `None` if there is none."""
    entry = CHECKS.get(name.upper())
    return None if entry is None else CatalogueView(pages.check(entry), {"check": replace(entry, limits=dict(entry.limits))})


def page(found: CatalogueView) -> list[Block]:
    """Return the page of a catalogue entry."""
    return found.page


def content(found: CatalogueView) -> Any:
    """Return a catalogue entry as plain values."""
    return pages.plain(found.content)


def _about(text: str, metrics: Sequence[MetricEntry]) -> list[MetricEntry]:
    """Return the metrics whose name, aliases, summary, needs or family contain all words of a text, or else some of them."""
    words = [word for word in text.lower().split() if len(word) >= _SHORTEST]

    def met(metric: MetricEntry) -> int:
        described = " ".join((metric.name, *metric.aliases, metric.summary, *metric.needs, FAMILIES.get(metric.family, ""))).lower()
        return sum(word in described for word in words)

    most = max(map(met, metrics))
    return [metric for metric in metrics if met(metric) == most] if most else []


def _named(text: str, convention: Convention | None) -> str:
    """Return the name of the metric that `text` means; raise `ConfigError` with the conventions that know it, if others do."""
    try:
        spec = parse(text)
    except ValueError:
        spec = MetricSpec(text)
    try:
        read = (convention or load("receval")).read(spec)
        return find(read.name, read.params).name
    except ValueError as error:
        problem = error
    meanings: dict[str, list[str]] = {}
    for name in builtin_names():
        with suppress(ValueError):
            meanings.setdefault(find(load(name).read(spec).name).name, []).append(name)
    hint = "; ".join(f"it is {meant} under {', '.join(names)}" for meant, names in meanings.items())
    raise ConfigError(str(problem), f"{hint}: say --convention NAME" if hint else None)
