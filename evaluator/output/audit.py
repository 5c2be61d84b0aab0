"""An audit as a page for people, as CSV and as JSON."""

from __future__ import annotations

import json
import shlex

from msgspec import to_builtins

from ..content.numbers import decimals, number
from ..results.audit import FORMAT_VERSION, Audit, AuditedMeasure, FoundValues
from . import csv_text
from .blocks import Block, Grid, Heading, Points, Prose

_ALIKE = 6
"""Values that agree to so many digits stand in one row."""


def page(audit: Audit, command: str = "") -> list[Block]:
    """A table per measure: conventions × models, the spread below, and whether the order of the models changes.

    The last sentence says how `command` explains the widest spread.
    """
    blocks: list[Block] = []
    for measure in audit.measures:
        blocks += [Heading(measure.measure, 2), _grid(audit, measure)]
        silent = _silent(audit, measure)
        blocks += [Prose(f"No value: {silent}.")] if silent else []
        changes = audit.changes(measure)
        widest = _widest(audit, measure) if command else None
        why = (f"The widest spread, choice by choice: {command} --why {' '.join(map(shlex.quote, widest))}",) if widest else ()
        blocks += [Points((*changes, *why))] if changes or why else []
    blocks += [Points(audit.remarks)] if audit.remarks else []
    return blocks


def _grid(audit: Audit, measure: AuditedMeasure) -> Grid:
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
    spreads = [measure.spread(model) for model in audit.models]
    rows.append(("spread", *(number(spread, places) for spread in spreads), "", "the largest less the smallest"))
    headers = ("", *audit.models, "users", "conventions")
    return Grid(headers, tuple(rows), frozenset({"conventions"}), numbers=frozenset(audit.models))


def _widest(audit: Audit, measure: AuditedMeasure) -> tuple[str, str] | None:
    """The conventions whose values of one model are furthest apart, that of the config first if it is one of them."""
    spreads = {model: measure.spread(model) or 0.0 for model in audit.models}
    model = max(spreads, key=lambda name: spreads[name])
    if not spreads[model]:
        return None
    values = measure.values(model)
    lowest, highest = min(values, key=lambda name: values[name]), max(values, key=lambda name: values[name])
    return (highest, lowest) if highest == audit.own_convention else (lowest, highest)


def found_page(found: FoundValues) -> list[Block]:
    """Which convention, measure and model prints a number, or what comes nearest."""
    wanted = found.wanted.strip()
    if not found.values:
        return [Prose("No convention gives any value.")]
    by_value: dict[tuple[float, str, str], list[str]] = {}
    for one in found.values:
        by_value.setdefault((one.value, one.measure, one.model), []).append(one.convention)
    places = max(len(wanted.rstrip(" %").partition(".")[2]) + 2 * found.percent, decimals(one.value for one in found.values))
    percent = " as a percentage" if found.percent and "%" not in wanted else ""
    title = f"{wanted} is printed{percent} by" if found.exact else f"No convention prints {wanted}; the nearest values are"
    rows = tuple((number(value, places), measure, model, ", ".join(names)) for (value, measure, model), names in by_value.items())
    return [
        Prose(f"{title}:"),
        Grid(("value", "measure", "model", "conventions"), rows, frozenset({"conventions"}), numbers=frozenset({"value"})),
    ]


def found_as_csv(found: FoundValues, *, spreadsheet_safe: bool = False) -> str:
    """One row per value."""
    values = ((repr(one.value), one.measure, one.convention, one.model, str(found.exact).lower()) for one in found.values)
    return csv_text.as_csv([("value", "measure", "convention", "model", "exact"), *values], spreadsheet_safe=spreadsheet_safe)


def found_as_json(found: FoundValues) -> str:
    """The values in full precision; see `FORMAT_VERSION`."""
    return json.dumps({"format_version": FORMAT_VERSION, **to_builtins(found)}, indent=2, ensure_ascii=False) + "\n"


def _silent(audit: Audit, measure: AuditedMeasure) -> str:
    reasons: dict[str, list[str]] = {}
    for convention in audit.conventions:
        cells = [measure.cells[convention, model] for model in audit.models]
        if all(cell.value is None for cell in cells):
            reasons.setdefault(cells[0].reason, []).append(convention)
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())


def as_csv(audit: Audit, *, spreadsheet_safe: bool = False) -> str:
    """One row per measure, convention and model, values in full precision."""
    rows: list[tuple[object, ...]] = [("measure", "convention", "model", "value", "n_users", "reason")]
    for measure in audit.measures:
        for (convention, model), cell in measure.cells.items():
            value = "" if cell.value is None else repr(cell.value)
            rows.append((measure.measure, convention, model, value, cell.n_users if cell.value is not None else "", cell.reason))
    return csv_text.as_csv(rows, spreadsheet_safe=spreadsheet_safe)


def as_json(audit: Audit) -> str:
    """The whole audit; see `FORMAT_VERSION`."""
    measures = [
        {
            "measure": measure.measure,
            "higher_is_better": measure.higher_is_better,
            "values": [
                {"convention": convention, "model": model, "value": cell.value, "n_users": cell.n_users, "reason": cell.reason or None}
                for (convention, model), cell in measure.cells.items()
            ],
            "spread": {model: measure.spread(model) for model in audit.models},
            "order": list(audit.changes(measure)),
        }
        for measure in audit.measures
    ]
    head = {"format_version": FORMAT_VERSION, "convention": audit.own_convention, "conventions": audit.conventions, "models": audit.models}
    body = {**head, "measures": measures, "remarks": audit.remarks, "versions": dict(audit.versions)}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
