"""Selections of a result: measures and models, and the sections of each form for people, in their order."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from ..document import SIGNS, Block, Document, Heading, Paragraph, Sentences, Table, Terms
from ..errors import ConfigError
from ..results.result import Input, Result, Row
from ..results.row import shortened
from . import findings, gates, ledger
from .best_values import best_values
from .points import models_of
from .values import Formats, groups, repeats, shares_table, united_intervals, values_of_result

_FEW_FILES: Final = 3
_CUT: Final = "… replaces the middle of a name; --format csv has full names."
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
    """Return what `receval run` prints: findings, values and what is concluded of them (`closing`), groups, notes and gates.

    Errors and warnings of the health checks come first, a few of them, and the others are counted beside the `command` that shows them.
    With `verbose` there are all findings, who was counted for any measure of the `whole` result, and what was read. Without `digits` and
    `models_as_rows` the numbers and the width of the screen decide.
    """
    found = [finding for finding in result.findings if verbose or finding.severity != "info"]
    united = set(united_intervals(result).values())
    rest = replace(result, rows=tuple(row for row in result.rows if row.label not in united))
    read = tuple((source.role, _files(source)) for source in result.inputs)
    return (
        *findings.alerts(found, "" if verbose else command),
        *_tables(result, digits, models_as_rows),
        *([Sentences(tuple(closing), small=False)] if closing else []),
        *repeats(result, digits),
        *groups(models_of(result), digits),
        Sentences((*rest.notes(), *_checked(result)), if_cut=_CUT, if_many=_MANY),
        *([*ledger.document(whole or result), Heading("Files that were read", 2), Terms(read, code=False)] if verbose else []),
        *gates.document(result.gates, summary=False),
    )


def markdown(result: Result) -> Document:
    """Return what a Markdown file of a result has: title and verdict, gates, values, findings, and who was counted."""
    models = [model for model in result.models if model not in result.yardsticks]
    found = findings.alerts(result.findings)
    return (
        Heading(f"Evaluation of {shortened(models)}"),
        *_verdict(result),
        *gates.document(result.gates),
        *_values(result),
        Sentences(result.notes()),
        *([Heading("Findings of the health checks", 2), *found] if found else []),
        *repeats(result),
        *groups(models_of(result)),
        *ledger.document(result),
    )


def notebook(result: Result) -> Document:
    """Return what a notebook shows: findings, values, and what to know of them."""
    found = findings.alerts([finding for finding in result.findings if finding.severity != "info"])
    return (*found, *_values(result), Sentences((*result.notes(), *_checked(result))))


def _tables(result: Result, digits: int | None, models_as_rows: bool | None) -> Iterator[Table]:
    """Yield the values as a screen shows them: intervals beside their means if they fit, rows that may be columns."""
    formats = Formats.of(result.rows, digits)
    best = best_values(result, formats)
    legend, marks, intervals = best.legend(SIGNS["best"]), best.marks(), united_intervals(result)
    table = values_of_result(result, formats, marks, legend, intervals)
    narrow = values_of_result(result, formats, marks, legend) if intervals else None
    shares = shares_table(models_of(result))
    for one in (replace(table, narrow=narrow), *([shares] if shares else [])):
        yield _turned(one, models_as_rows)


def _turned(table: Table, models_as_rows: bool | None) -> Table:
    if models_as_rows is None:
        return table
    one = table.turned() if models_as_rows else replace(table, turns=False)
    return replace(one, narrow=_turned(table.narrow, models_as_rows) if table.narrow else None)


def _values(result: Result) -> Iterator[Table]:
    """Yield the values as forms without a width show them: every measure in a row of its own, the best in bold."""
    formats = Formats.of(result.rows)
    best = best_values(result, formats)
    yield values_of_result(result, formats, best.marks(), best.legend())
    shares = shares_table(models_of(result))
    if shares:
        yield shares


def _verdict(result: Result) -> Iterator[Block]:
    """Yield how many users were counted, and what the checks say."""
    averaged = sorted({counts.averaged for counts in result.counts.values()})
    n = f"{averaged[0]:,}" if len(averaged) == 1 else f"{averaged[0]:,} to {averaged[-1]:,}"
    failed = sum(finding.severity == "error" for finding in result.findings)
    yield Paragraph(f"{len(result.labels())} measures over {n} users." + (f" **{failed} health checks failed.**" if failed else ""))
    yield from map(Paragraph, _checked(result))


def _checked(result: Result) -> tuple[str, ...]:
    return (findings.summary(result),) if result.examined else ()


def _files(source: Input) -> str:
    names = [file.path for file in source.files]
    more = f" and {len(names) - _FEW_FILES:,} more" if len(names) > _FEW_FILES else ""
    return f"{source.rows:,} row{'s' * (source.rows != 1)}: {', '.join(names[:_FEW_FILES])}{more}"


def measures_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return measures that commas separate, those in parentheses apart: `F1(nDCG,MAP)@10,Recall@5` are two."""
    found: list[str] = []
    for text in texts:
        depth, start = 0, 0
        for position, character in enumerate(f"{text},"):
            depth += (character == "(") - (character == ")")
            if character == "," and depth <= 0:
                found.append(text[start:position].strip())
                start = position + 1
    return tuple(measure for measure in found if measure)


def matching(measure: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels that a measure names, in any case: that label, all aggregates of that measure, or all cut-offs of that metric.

    Raises `ConfigError` if there is none.
    """
    wanted = measure.lower()
    for name_of in (str, _measure, _metric):
        found = tuple(label for label in labels if name_of(label).lower() == wanted)
        if found:
            return found
    names = tuple(dict.fromkeys(name for label in labels for name in (label, _measure(label), _metric(label))))
    close = difflib.get_close_matches(measure, names, n=1, cutoff=0.5)
    hint = f" — did you mean '{close[0]}'?" if close else f"; it has {', '.join(labels)}"
    raise ConfigError(f"the result has no measure '{measure}'{hint}")


def _measure(label: str) -> str:
    return label.partition(" (")[0]


def _metric(label: str) -> str:
    return _measure(label).rpartition("@")[0] or _measure(label)


def selected(result: Result, columns: Sequence[str], sort: str | None) -> Result:
    """Return the result with the measures `columns` (all if there are none), its models sorted by the measure `sort`, the best first.

    Raises `ConfigError` if the result has no such measure.
    """
    chosen = tuple(dict.fromkeys(label for column in columns for label in matching(column, result.labels())))

    def shown(rows: Iterable[Row]) -> tuple[Row, ...]:
        return tuple(sorted((row for row in rows if row.label in chosen), key=lambda row: chosen.index(row.label)))

    result = _sorted(result, sort) if sort else result
    if not chosen:
        return result
    return replace(result, rows=shown(result.rows), by_group=shown(result.by_group), repeated=shown(result.repeated))


def _sorted(result: Result, measure: str) -> Result:
    """Return the models by the value of a measure, the larger first where neither is better; those without one, then yardsticks, last."""
    (label, *_) = matching(measure, result.labels())
    table = result.by_model()
    sign = 1.0 if result.higher_is_better[label] is False else -1.0

    def key(model: str) -> tuple[bool, bool, float]:
        row = table[model].get(label)
        value = None if row is None else row.value
        return model in result.yardsticks, value is None, sign * (value or 0.0)

    models = sorted(result.models, key=key)
    return replace(result, counts={model: result.counts[model] for model in models})
