"""Audits: the values of measures under many conventions, which convention prints a number, and why two of them differ."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ..document import Block, Column, Document, Heading, Paragraph, Points, Table, Terms
from ..results.audit import Audit, AuditedMeasure, ConventionDifference, FoundValues, MeasureDifference
from .numbers import decimals, number

_ALIKE: Final = 6
"""Values that agree to so many digits stand in one row."""
_RULE: Final = (
    "Each line switches one more setting to that of {second}, in the order of evaluation: the value so far and, in parentheses, the "
    "change by this line. Another order changes the steps, not the total."
)


def audit_document(audit: Audit, command: str = "") -> Document:
    """Return a table per measure: conventions × models, the spread below, and whether the order of the models changes.

    With a `command` a sentence says how it explains the widest spread.
    """
    blocks: list[Block] = []
    for measure in audit.measures:
        blocks += [Heading(measure.measure, 2), _grid(audit, measure)]
        silent = _silent(audit, measure)
        blocks += [Paragraph(f"No value: {silent}.")] if silent else []
        widest = _widest(audit, measure) if command else None
        why = (f"To explain the widest gap: {command} --why {' '.join(map(shlex.quote, widest))}",) if widest else ()
        blocks += _points((*audit.changes(measure), *why))
    return (*blocks, *_points(audit.remarks))


def found_document(found: FoundValues) -> Document:
    """Return which convention, measure and model prints a number, or the nearest values."""
    wanted = found.wanted.strip()
    if not found.values:
        return (Paragraph("No convention has a value."),)
    by_value: dict[tuple[float, str, str], list[str]] = {}
    for one in found.values:
        by_value.setdefault((one.value, one.measure, one.model), []).append(one.convention)
    places = max(len(wanted.rstrip(" %").partition(".")[2]) + 2 * found.percent, decimals(one.value for one in found.values))
    percent = " as a percentage" if found.percent and "%" not in wanted else ""
    title = f"{wanted} is printed{percent} by" if found.exact else f"No convention prints {wanted}; the closest values are"
    columns = (Column("value", "value"), Column("measure"), Column("model", "name"), Column("conventions", wraps=True))
    rows = ((number(value, places), measure, model, ", ".join(names)) for (value, measure, model), names in by_value.items())
    return Paragraph(f"{title}:"), Table.of_texts(columns, rows)


def difference_document(difference: ConventionDifference) -> Document:
    """Return for each measure the steps from the one convention to the other, what the choices mean, and which of them change nothing."""
    blocks: list[Block] = [Heading(f"From {difference.first} to {difference.second}"), Paragraph(_RULE.format(second=difference.second))]
    for measure in difference.measures:
        blocks += [Heading(measure.measure, 2), *_steps(difference, measure)]
    return (*blocks, *_points(difference.remarks))


def _points(sentences: Sequence[str]) -> list[Points]:
    return [Points(tuple(sentences))] if sentences else []


def _grid(audit: Audit, measure: AuditedMeasure) -> Table:
    alike: dict[tuple[object, ...], list[str]] = {}
    places = decimals(cell.value for cell in measure.cells.values())
    for convention in audit.conventions:
        cells = [measure.cells[convention, model] for model in audit.models]
        if any(cell.value is not None for cell in cells):
            key = tuple((None if cell.value is None else f"{cell.value:.{_ALIKE}g}", cell.n_users) for cell in cells)
            alike.setdefault(key, []).append(convention)
    rows = []
    for index, names in enumerate(alike.values(), 1):
        cells = [measure.cells[names[0], model] for model in audit.models]
        users = sorted({cell.n_users for cell in cells})
        counted = f"{users[0]:,}" if len(users) == 1 else f"{users[0]:,} to {users[-1]:,}"
        rows.append((str(index), *(number(cell.value, places) for cell in cells), counted, ", ".join(names)))
    spreads = (number(measure.spread(model), places) for model in audit.models)
    rows.append(("spread", *spreads, "", "largest minus smallest"))
    return Table.of_texts((Column("", "key"), *_values(audit.models), Column("users"), Column("conventions", wraps=True)), rows)


def _values(models: Iterable[str]) -> Iterator[Column]:
    return (Column(model, "value") for model in models)


def _widest(audit: Audit, measure: AuditedMeasure) -> tuple[str, str] | None:
    """Return the conventions whose values of one model are furthest apart, that of the config first if it is one of them."""
    spreads = {model: measure.spread(model) or 0.0 for model in audit.models}
    model = max(spreads, key=lambda name: spreads[name])
    if not spreads[model]:
        return None
    values = measure.values(model)
    lowest, highest = min(values, key=lambda name: values[name]), max(values, key=lambda name: values[name])
    return (highest, lowest) if highest == audit.own_convention else (lowest, highest)


def _silent(audit: Audit, measure: AuditedMeasure) -> str:
    """Return the conventions that give no value, by reason."""
    reasons: dict[str, list[str]] = {}
    for convention in audit.conventions:
        cells = [measure.cells[convention, model] for model in audit.models]
        if all(cell.value is None for cell in cells):
            reasons.setdefault(cells[0].reason, []).append(convention)
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())


def _steps(difference: ConventionDifference, measure: MeasureDifference) -> Iterator[Block]:
    if measure.reason:
        yield Paragraph(f"Nothing to compare: {measure.reason}.")
        return
    places = decimals([*measure.first.values(), *measure.second.values()])
    effective = [index for index in range(len(measure.steps)) if measure.has_effect(index)]
    columns = (Column("choice", "key"), Column("is changed"), *_values(difference.models))
    yield Table.of_texts(columns, _step_rows(difference, measure, effective, places))
    dependent = [index for index in effective if measure.depends_on_order(index)]
    if dependent:
        alone = (
            (measure.steps[index].choice, *(_signed(measure.added_alone(index, model), places) for model in difference.models))
            for index in dependent
        )
        yield Paragraph(f"Changed alone, with all other settings of {difference.first}, these settings have a different effect:")
        yield Table.of_texts((Column("choice", "key"), *_values(difference.models)), alone)
    if effective:
        yield Terms(tuple(_meaning(difference, measure, index) for index in effective), code=False)
    silent = [step.choice for index, step in enumerate(measure.steps) if index not in effective]
    if silent:
        yield Paragraph(f"Different settings without effect on these files: {', '.join(silent)}.")


def _step_rows(
    difference: ConventionDifference, measure: MeasureDifference, effective: Sequence[int], places: int
) -> Iterator[tuple[str, ...]]:
    """Yield the values of the first convention, of each step that changes them, of the rest, and of the second convention."""
    models = difference.models
    yield "", f"as {difference.first}", *(number(measure.first[model], places) for model in models)
    for index in effective:
        step = measure.steps[index]
        values = (_with_change(step.so_far[model], measure.added(index, model), places) for model in models)
        yield step.choice, f"{step.before} → {step.after}", *values
    if any(abs(measure.rest(model) or 0.0) > 10**-places for model in models):
        rests = (_with_change(measure.second[model], measure.rest(model), places) for model in models)
        yield "", "how it interprets the measure", *rests
    yield "", f"as {difference.second}", *(number(measure.second[model], places) for model in models)


def _meaning(difference: ConventionDifference, measure: MeasureDifference, index: int) -> tuple[str, str]:
    step = measure.steps[index]
    before, after = (meaning or value for meaning, value in zip(step.meanings, (step.before, step.after), strict=True))
    return step.choice, f"{step.decides}. {difference.first}: {before}. {difference.second}: {after}."


def _with_change(value: float | None, change: float | None, places: int) -> str:
    return number(value, places) + (f" ({_signed(change, places)})" if value is not None and change is not None else "")


def _signed(change: float | None, places: int) -> str:
    if change is None:
        return ""
    size = number(abs(change), places, rounded=True)
    return f"{'-' if change < 0 else '+'}{size}" if size.strip("0.") else size
