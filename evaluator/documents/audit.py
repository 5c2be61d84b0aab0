"""The origin of values: an audit of conventions, the conventions that print a number, why two differ, and one user's value explained."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ..conventions import script_names
from ..results.audit import Audit, AuditedMeasure, ChoiceEffect, ConventionDifference, FoundValues, MeasureDifference
from ..results.explanation import CellValue, ExplainedTable, Explanation
from ..results.notes import BY_FILE_ORDER
from ..results.row import FEW_USERS, listed
from .document import Block, Code, Column, Document, Heading, Paragraph, Points, Table, Terms
from .numbers import decimals, number

_ALIKE: Final = 6
"""Values that agree to this number of digits share a row."""
_REDUCED: Final = {"sum": "sum of {}", "max": "largest {}", "count": "number of rows", "tally": "rows that are {}"}
_RULE: Final = (
    "Each line switches one more setting to that of {second}, in the order of evaluation: the value so far and, in parentheses, the "
    "change by this line. Another order changes the steps, not the total."
)
_BETTER: Final = {True: "higher is better", False: "lower is better", None: "neither direction is better"}
_BY_FILE_ORDER: Final = (
    f"The spread of {{models}} leaves out {{conventions}}: {{read}} {BY_FILE_ORDER}, "
    "and here the rows are not in the order of scores or ranks."
)


def audit_document(audit: Audit, command: str = "") -> Document:
    """Return a table per measure: conventions × models, the spread below, and whether the order of the models changes.

    Measures with values under one of several conventions have no table: a sentence at the end names them.

    With a `command`, a sentence shows how it explains the widest spread.
    """
    blocks: list[Block] = []
    start = f"To explain the widest gap{',' if command == 'add' else ':'} {command} --why"
    alone: dict[tuple[str, str], list[str]] = {}
    for measure in audit.measures:
        valued = dict.fromkeys(name for model in audit.models for name in measure.values(model))
        if len(valued) == 1 < len(audit.conventions):
            alone.setdefault((next(iter(valued)), _without_value(_reasons(audit, measure))), []).append(measure.measure)
            continue
        widest = _widest(audit, measure) if command and measure.by is None else None
        why = (f"{start} {' '.join(map(shlex.quote, widest))}",) if widest else ()
        said = (*_directions(audit, measure), *audit.changes(measure), *why)
        blocks += [Heading(measure.measure, 2), *_grid(audit, measure), *_points(said)]
    of_groups = [cell for measure in audit.measures if measure.by is not None for cell in measure.cells.values()]
    if any(cell.value is not None and cell.n_users < FEW_USERS for cell in of_groups):
        blocks.append(Paragraph(f"few: fewer than {FEW_USERS} users, whose values are very uncertain."))
    only = (f"{', '.join(names)}: only {convention} has a value. No value: {others}." for (convention, others), names in alone.items())
    return (*blocks, *_points((*only, *audit.remarks)))


def found_document(found: FoundValues) -> Document:
    """Return the conventions, measures and models that print a number, or the nearest values."""
    wanted = found.wanted.strip()
    if not found.values:
        return (Paragraph("No convention has a value."),)
    by_value: dict[tuple[float, str, str], list[str]] = {}
    for value in found.values:
        by_value.setdefault((value.value, value.measure, value.model), []).append(value.convention)
    places = max(len(wanted.rstrip(" %").partition(".")[2]) + 2 * found.percent, decimals(value.value for value in found.values))
    percent = " as a percentage" if found.percent and "%" not in wanted else ""
    without = f"without {found.without}" if found.without else ""
    printed = f"{wanted} is printed{percent}{f' {without}' if without else ''} by"
    title = printed if found.exact else f"No convention prints {wanted}{f', with or {without}' if without else ''}; the closest values are"
    columns = (Column("value", "value"), Column("measure"), Column("model", "name"), Column("conventions", wraps=True))
    rows = ((number(value, places), measure, model, ", ".join(names)) for (value, measure, model), names in by_value.items())
    return (
        Paragraph(f"{title}:"),
        Table.from_texts(columns, rows),
        *_points(tuple(about_scripts(value.convention for value in found.values))),
    )


def about_scripts(names: Iterable[str]) -> Iterator[str]:
    """Yield a sentence on the conventions that are those of scripts, if there are any."""
    scripts = [name for name in dict.fromkeys(names) if name in script_names()]
    if scripts:
        are = "is the evaluation code of a paper" if len(scripts) == 1 else "are the evaluation code of papers"
        yield f"{listed(scripts)} {are}, which others copy: receval metrics --convention {scripts[0]} shows what it computes."


def difference_document(difference: ConventionDifference) -> Document:
    """Return for each measure the steps between two conventions, the meanings of the settings, and the settings without effect."""
    blocks: list[Block] = [Heading(f"From {difference.first} to {difference.second}"), Paragraph(_RULE.format(second=difference.second))]
    for measure in difference.measures:
        blocks += [Heading(measure.measure, 2), *_steps(difference, measure)]
    return (*blocks, *_points(difference.remarks))


def explanation_document(explanation: Explanation, level: int = 1) -> Document:
    """Return the formula of one user's value, the explanations of combined metrics, the tables, the value and the settings."""
    title = f"{explanation.measure} of user {explanation.user}, model {explanation.model}"
    blocks: list[Block] = [Heading(title, level), *([Code(explanation.formula)] if explanation.formula else [])]
    for part in explanation.components:
        blocks += explanation_document(part, level + 1)
    for table in explanation.steps:
        blocks += [Heading(table.title, level + 1)]
        if table.rows:
            blocks.append(Table.from_texts(map(Column, table.headers), (map(_shown, row) for row in table.rows)))
        totals = tuple((_REDUCED[total.reduction].format(total.label), _shown(total.value)) for total in table.totals)
        blocks.append(Terms(totals, code=False))
    blocks += map(Paragraph, _missed(explanation))
    blocks += _rows(explanation.test_rows, level + 1) if explanation.test_rows is not None else ()
    values = [*explanation.facts, *((part.measure, part.value) for part in explanation.components if part.value is not None)]
    if explanation.numerator is not None and explanation.denominator is not None:
        values += [("numerator", explanation.numerator), ("denominator", explanation.denominator)]
    reason = f" ({explanation.reason})" if explanation.reason else ""
    value = f"{explanation.value!r}{reason}" if explanation.value is not None else f"none: {explanation.reason}"
    terms = (*((name, _shown(cell)) for name, cell in values), (explanation.measure, value))
    blocks += [Heading("The value", level + 1), Terms(terms, code=False)]
    if explanation.choices:
        columns = (Column("setting"), Column(f"under {explanation.convention}"), Column("meaning", wraps=True))
        blocks.append(Table.from_texts(columns, ((choice.name, choice.value, choice.meaning) for choice in explanation.choices)))
    for of_group in explanation.by_group:
        blocks += _rows(of_group, level + 1)
    return tuple(blocks)


def _rows(table: ExplainedTable, level: int) -> tuple[Block, ...]:
    return Heading(table.title, level), Table.from_texts(map(Column, table.headers), (map(_shown, row) for row in table.rows))


def _missed(explanation: Explanation) -> Iterator[str]:
    """Yield a sentence on the relevant items below the cut-off, with their ranks, and one on those that are not in the list."""
    below = [f"{item} at rank {rank:,}" for item, rank in explanation.missed if rank is not None]
    absent = [item for item, rank in explanation.missed if rank is None]
    if below:
        yield f"Relevant below the cut-off: {listed(below)}."
    if absent:
        yield f"Relevant, but not in the list: {listed(absent)}."


def _points(sentences: Sequence[str]) -> list[Points]:
    return [Points(tuple(sentences))] if sentences else []


def _grid(audit: Audit, measure: AuditedMeasure) -> Iterator[Block]:
    """Yield the values (equal ones in one row) with the spread below, and the conventions without a value, by reason."""
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
        counted += " (few)" if measure.by is not None and users[0] < FEW_USERS else ""
        rows.append((str(index), *_numbers([cell.value for cell in cells], places), counted, ", ".join(names)))
    spreads = _numbers([measure.spread(model) for model in audit.models], places)
    rows.append(("spread", *spreads, "", "largest minus smallest"))
    models = (Column(model, "value") for model in audit.models)
    yield Table.from_texts((Column("", "key"), *models, Column("users"), Column("conventions", wraps=True)), rows)
    reasons = _reasons(audit, measure)
    if reasons:
        yield Paragraph(f"No value: {_without_value(reasons)}.")
    yield from _left_out(audit, measure)


def _reasons(audit: Audit, measure: AuditedMeasure) -> dict[str, list[str]]:
    """Return the conventions without a value of a measure, by reason."""
    reasons: dict[str, list[str]] = {}
    for convention in audit.conventions:
        cells = [measure.cells[convention, model] for model in audit.models]
        if all(cell.value is None for cell in cells):
            reasons.setdefault(cells[0].reason, []).append(convention)
    return reasons


def _without_value(reasons: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())


def _numbers(values: Sequence[float | None], places: int) -> list[str]:
    """Return the numbers of a row with the decimals of its measure, or with its own if a much larger value leaves the measure fewer."""
    own = _own_places(values, places)
    return [number(value, own) for value in values]


def _own_places(values: Iterable[float | None], places: int) -> int:
    usual = decimals(())
    return places if places >= usual else max(places, min(decimals(values), usual))


def _directions(audit: Audit, measure: AuditedMeasure) -> Iterator[str]:
    """Yield a sentence if the better direction depends on the convention."""
    valued = {name for name, model in measure.cells if measure.cells[name, model].value is not None}
    by_direction: dict[bool | None, list[str]] = {better: [] for better in (True, False, None)}
    for name in audit.conventions:
        if name in valued:
            by_direction[measure.better(name)].append(name)
    parts = [f"{_BETTER[better]} under {listed(names)}" for better, names in by_direction.items() if names]
    if len(parts) > 1:
        text = "; ".join(parts)
        yield f"{text[0].upper()}{text[1:]}."


def _left_out(audit: Audit, measure: AuditedMeasure) -> Iterator[Paragraph]:
    """Yield a paragraph on the conventions that the spread leaves out, and why, for each model or several together."""
    models: dict[tuple[str, ...], list[str]] = {}
    for model in audit.models:
        if measure.left_out(model):
            models.setdefault(measure.left_out(model), []).append(model)
    for names, some in models.items():
        read = "they use" if len(names) > 1 else "it uses"
        yield Paragraph(_BY_FILE_ORDER.format(models=", ".join(some), conventions=", ".join(names), read=read))


def _widest(audit: Audit, measure: AuditedMeasure) -> tuple[str, str] | None:
    """Return the two conventions whose values of one model differ most, that of the config first if it is one of them."""
    spreads = {model: measure.spread(model) or 0.0 for model in audit.models}
    model = max(spreads, key=spreads.__getitem__)
    if not spreads[model]:
        return None
    values = measure.comparable(model)
    lowest, highest = (end(values, key=values.__getitem__) for end in (min, max))
    if f"{values[lowest]:.{_ALIKE}g}" == f"{values[highest]:.{_ALIKE}g}":
        return None
    return (highest, lowest) if highest == audit.own_convention else (lowest, highest)


def _steps(difference: ConventionDifference, measure: MeasureDifference) -> Iterator[Block]:
    if measure.reason:
        yield Paragraph(f"Nothing to compare: {measure.reason}.")
        return
    places = decimals([*measure.first.values(), *measure.second.values()])
    effective = {index: step for index, step in enumerate(measure.steps) if measure.has_effect(index)}
    values = tuple(Column(model, "value") for model in difference.models)
    yield Table.from_texts((Column("setting", "key"), Column("from → to"), *values), _step_rows(difference, measure, effective, places))
    alone = [
        (step.choice, *(_signed(measure.effect_alone(index, model), places) for model in difference.models))
        for index, step in effective.items()
        if measure.depends_on_order(index)
    ]
    if alone:
        yield Paragraph(f"Changed alone, with all other settings of {difference.first}, these settings have a different effect:")
        yield Table.from_texts((Column("setting", "key"), *values), alone)
    meanings = []
    for step in effective.values():
        before, after = (meaning or value for meaning, value in zip(step.meanings, (step.before, step.after), strict=True))
        meanings.append((step.choice, f"{step.decides}. {difference.first}: {before}. {difference.second}: {after}."))
    if meanings:
        yield Terms(tuple(meanings), code=False)
    silent = [step.choice for index, step in enumerate(measure.steps) if index not in effective]
    if silent:
        yield Paragraph(f"Different settings without effect on these files: {', '.join(silent)}.")


def _step_rows(
    difference: ConventionDifference, measure: MeasureDifference, effective: Mapping[int, ChoiceEffect], places: int
) -> Iterator[tuple[str, ...]]:
    """Yield the values of the first convention, of each step that changes them, of the rest, and of the second convention."""
    models = difference.models
    yield "", f"as {difference.first}", *_numbers([measure.first[model] for model in models], places)
    for index, step in effective.items():
        own = _own_places(step.so_far.values(), places)
        values = (_with_change(step.so_far[model], measure.effect(index, model), own) for model in models)
        yield step.choice, f"{step.before} → {step.after}", *values
    if any(abs(measure.rest(model) or 0.0) > 10**-places for model in models):
        rests = (_with_change(measure.second[model], measure.rest(model), places) for model in models)
        yield "", "how it interprets the measure", *rests
    yield "", f"as {difference.second}", *_numbers([measure.second[model] for model in models], places)


def _with_change(value: float | None, change: float | None, places: int) -> str:
    return number(value, places) + (f" ({_signed(change, places)})" if value is not None and change is not None else "")


def _signed(change: float | None, places: int) -> str:
    if change is None:
        return ""
    size = number(abs(change), places, rounded=True)
    return f"{'-' if change < 0 else '+'}{size}" if size.strip("0.") else size


def _shown(cell: CellValue) -> str:
    """Return a cell as text: whole numbers without a fraction, others with six digits."""
    if isinstance(cell, float):
        return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"
    return "" if cell is None else str(cell)
