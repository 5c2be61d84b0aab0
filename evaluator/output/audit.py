"""An audit as a page for people, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json

from ..results.audit import FORMAT_VERSION, Audit, AuditedMeasure
from .blocks import Block, Grid, Heading, Points, Prose

_ALIKE = 6
"""Values that agree to so many digits stand in one row."""


def page(audit: Audit) -> list[Block]:
    """A table per measure: conventions × models, the spread below, and whether the order of the models changes."""
    blocks: list[Block] = []
    for measure in audit.measures:
        blocks += [Heading(measure.measure, 2), _grid(audit, measure)]
        silent = _silent(audit, measure)
        blocks += [Prose(f"No value: {silent}.")] if silent else []
        changes = audit.changes(measure)
        blocks += [Points(changes)] if changes else []
    blocks += [Points(audit.remarks)] if audit.remarks else []
    return blocks


def _grid(audit: Audit, measure: AuditedMeasure) -> Grid:
    alike: dict[tuple[object, ...], list[str]] = {}
    for convention in audit.conventions:
        cells = [measure.cells[convention, model] for model in audit.models]
        if any(cell.value is not None for cell in cells):
            key = tuple((None if cell.value is None else f"{cell.value:.{_ALIKE}g}", cell.n_users) for cell in cells)
            alike.setdefault(key, []).append(convention)
    rows = []
    for number, names in enumerate(alike.values(), 1):
        cells = [measure.cells[names[0], model] for model in audit.models]
        users = sorted({cell.n_users for cell in cells})
        counted = f"{users[0]:,}" if len(users) == 1 else f"{users[0]:,} to {users[-1]:,}"
        rows.append((str(number), *(_shown(cell.value) for cell in cells), counted, ", ".join(names)))
    spreads = [measure.spread(model) for model in audit.models]
    rows.append(("", *(_shown(spread) for spread in spreads), "", "spread (largest less smallest)"))
    return Grid(("", *audit.models, "users", "conventions"), tuple(rows), frozenset({"conventions"}))


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.2e}"


def _silent(audit: Audit, measure: AuditedMeasure) -> str:
    reasons: dict[str, list[str]] = {}
    for convention in audit.conventions:
        cells = [measure.cells[convention, model] for model in audit.models]
        if all(cell.value is None for cell in cells):
            reasons.setdefault(cells[0].reason, []).append(convention)
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in reasons.items())


def as_csv(audit: Audit) -> str:
    """One row per measure, convention and model, values in full precision."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("measure", "convention", "model", "value", "n_users", "reason"))
    for measure in audit.measures:
        for (convention, model), cell in measure.cells.items():
            value = "" if cell.value is None else repr(cell.value)
            writer.writerow((measure.measure, convention, model, value, cell.n_users if cell.value is not None else "", cell.reason))
    return text.getvalue()


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
