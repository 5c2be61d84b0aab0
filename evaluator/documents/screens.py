"""Selections of a result: measures and models, and the sections of each form for people, in their order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from ..results.candidates import groups_of, incomparable_text
from ..results.result import Result, Row
from ..results.row import shortened
from ..results.spellings import UNDEFINED, Definitions, labels_named, with_metric_name
from ..support.errors import ConfigError
from ..support.synonyms import did_you_mean
from . import catalogue_bounds, findings, gates
from .best_values import best_values
from .document import SIGNS, Document, Heading, Paragraph, Points, Sentences, Table, Terms
from .group_tables import groups
from .values import Formats, ledger, models_of, repeated_rows, repeats, shares_table, united_intervals, values_of_result

_FEW_FILES: Final = 3
_SMALL: Final = 20
"""With fewer users, fewer findings are shown."""
_MANY: Final = "{n} tables fit {width} columns; --columns nDCG@10,Recall@10 selects measures, --format csv has all."


def screen(
    result: Result,
    *,
    whole: Result | None = None,
    verbose: bool = False,
    digits: int | None = None,
    models_as_rows: bool | None = None,
    command: str = "",
    closing: Sequence[str] = (),
) -> Document:
    """Return the output of `receval run`: values and conclusions (`closing`), groups, notes, findings and gates.

    A few errors and warnings of the health checks are shown; the others are counted, with the `command` that shows them and the values of
    each fold and run. With `verbose`, there are all of these, the ledgers of users for all measures of the `whole` result, and the inputs.
    Without `digits` and `models_as_rows`, the numbers and the width of the screen decide.
    """
    found = [finding for finding in result.findings if verbose or finding.severity != "info"]
    united = united_intervals(result)
    rest = replace(result, rows=tuple(row for row in result.rows if row.label not in united.values()))
    read = []
    for source in result.inputs:
        paths, left = [file.path for file in source.files[:_FEW_FILES]], len(source.files) - _FEW_FILES
        files = f"{', '.join(paths)}{f' and {left:,} more' if left > 0 else ''}"
        read.append(
            (source.role, f"{source.rows:,} row{'s' * (source.rows != 1)}: {files}{f'; {source.reading}' if source.reading else ''}")
        )
    return (
        *cautions(result),
        *(_turned(table, models_as_rows) for table in _values(result, digits, SIGNS["best"], united, rest.all_relevant())),
        *([Sentences(tuple(closing), small=False)] if closing else []),
        *(repeats(result, digits) if verbose or not command else ()),
        *catalogue_bounds.section(result),
        *groups(models_of(result), digits),
        Sentences(
            (*rest.notes(), *_hidden_repeats(result, "" if verbose else command), *_checked(result, command, verbose)),
            if_cut="… replaces the middle of a name; --format csv has full names.",
            if_many=_MANY,
        ),
        *findings.alerts(
            found,
            "" if verbose else command,
            whole=verbose,
            is_small=max((counts.averaged for counts in result.counts.values()), default=0) < _SMALL,
        ),
        *([*ledger(whole or result), Heading("Files that were read", 2), Terms(tuple(read), code=False)] if verbose else []),
        *gates.document(result.gates, summary=False),
    )


def _hidden_repeats(result: Result, command: str) -> Iterator[str]:
    """Yield the sentence on the `command` that shows the values of each fold and run, if there are any and it is given."""
    rows, kinds = repeated_rows(result)
    if rows and command:
        yield f"{command} shows the values of each {' and '.join(kinds)}."


def markdown(result: Result, closing: Sequence[str] = ()) -> Document:
    """Return the content of a Markdown file: title and verdict, gates, values, conclusions (`closing`), findings, users."""
    models = [model for model in result.models if model not in result.yardsticks]
    found = findings.alerts(result.findings)
    averaged = sorted({counts.averaged for counts in result.counts.values()})
    n = f"{averaged[0]:,}" if len(averaged) == 1 else f"{averaged[0]:,} to {averaged[-1]:,}"
    failed = len({finding.check for finding in result.findings if finding.severity == "error"})
    closing = tuple(closing) or tuple(filter(None, (incomparable_text(groups_of(result)),)))
    return (
        Heading(f"Evaluation of {shortened(models)}"),
        Paragraph(
            f"{len(result.labels())} measure{'s' * (len(result.labels()) != 1)} over {n} users."
            + (f" **{failed} health check{'s' * (failed > 1)} failed.**" if failed else "")
        ),
        *map(Paragraph, result.cautions),
        *gates.document(result.gates),
        *_values(result),
        *([Points(tuple(closing))] if closing else []),
        *catalogue_bounds.section(result),
        Sentences((*result.notes(), *_checked(result))),
        *([Heading("Findings of the health checks", 2), *found] if found else []),
        *repeats(result),
        *groups(models_of(result)),
        *ledger(result),
    )


def notebook(result: Result) -> Document:
    """Return the content for a notebook: values, notes, and findings."""
    found = findings.alerts([finding for finding in result.findings if finding.severity != "info"])
    apart = filter(None, (incomparable_text(groups_of(result)),))
    bounded = catalogue_bounds.section(result)
    return (*cautions(result), *_values(result), *bounded, Sentences((*apart, *result.notes(), *_checked(result))), *found)


def cautions(result: Result) -> Iterator[Sentences]:
    """Yield the cautions on the data, if there are any."""
    if result.cautions:
        yield Sentences(result.cautions, small=False)


def _values(
    result: Result,
    digits: int | None = None,
    best: str = "Bold:",
    intervals: Mapping[str, str] = MappingProxyType({}),
    said: Collection[int] = (),
) -> Iterator[Table]:
    """Yield the values, one row per measure, with a legend for the best values.

    `intervals` are next to their means if they fit; shares of the best possible values follow. `said` are numbers of users that a note
    of the result has already.
    """
    formats = Formats.from_rows(result.rows, digits)
    marked = best_values(result, formats)
    make = partial(values_of_result, result, formats, marked.marks(), marked.legend(best), said=said)
    yield replace(make(intervals), narrow=make()) if intervals else make()
    shares = shares_table(models_of(result))
    yield from [shares] if shares else []


def _turned(table: Table, models_as_rows: bool | None) -> Table:
    """Return a table with models or measures as rows; `None`: the width of the screen decides."""
    if models_as_rows is None:
        return table
    turned = table.transposed() if models_as_rows else replace(table, turns=False)
    return replace(turned, narrow=_turned(table.narrow, models_as_rows) if table.narrow else None)


def _checked(result: Result, command: str = "", verbose: bool = False) -> Iterator[str]:
    """Yield how many health checks ran; if `verbose`, why the others did not, else the `command` that shows this."""
    if result.examined:
        yield findings.summary(result, "" if verbose else command)
        yield from filter(None, (findings.skipped(result) if verbose else "",))


def matching(measure: str, labels: Sequence[str], definitions: Definitions = UNDEFINED) -> tuple[str, ...]:
    """Return the labels that a measure names, ignoring case: the label, all aggregates of the measure, or all cut-offs of the metric.

    The measure may have any spelling, see `labels_named`. Raises `ConfigError` if there is none.
    """
    for spelling in dict.fromkeys((measure, with_metric_name(measure))):
        for name_of in (str, _measure, _metric):
            if chosen := tuple(label for label in labels if name_of(label).lower() == spelling.lower()):
                return chosen
    if chosen := labels_named(measure, labels, definitions):
        return chosen
    names = tuple(dict.fromkeys(name for label in labels for name in (label, _measure(label), _metric(label))))
    hint = did_you_mean(measure, names, f"; it has {', '.join(labels)}", before=" — ")
    raise ConfigError(f"the result has no measure '{measure}'{hint}")


def _measure(label: str) -> str:
    return label.partition(" (")[0]


def _metric(label: str) -> str:
    return _measure(label).rpartition("@")[0] or _measure(label)


def selected(result: Result, columns: Sequence[str], sort: str | None) -> Result:
    """Return the result with the measures `columns` (all if there are none), its models sorted by the measure `sort`, the best first.

    Raises `ConfigError` if the result has no such measure.
    """
    chosen = tuple(dict.fromkeys(label for column in columns for label in matching(column, result.labels(), result.definitions)))
    if sort:
        by_model, label = result.by_model(), matching(sort, result.labels(), result.definitions)[0]
        sign = 1.0 if result.higher_is_better[label] is False else -1.0  # larger values first without a better direction
        values = {model: rows[label].value if label in rows else None for model, rows in by_model.items()}
        # Models without a value, then reference lists, come last.
        models = sorted(values, key=lambda model: (model in result.yardsticks, values[model] is None, sign * (values[model] or 0.0)))
        result = replace(result, counts={model: result.counts[model] for model in models})

    def shown(rows: Iterable[Row]) -> tuple[Row, ...]:
        return tuple(sorted((row for row in rows if row.label in chosen), key=lambda row: chosen.index(row.label)))

    if not chosen:
        return result
    return replace(result, rows=shown(result.rows), by_group=shown(result.by_group), repeated=shown(result.repeated))
