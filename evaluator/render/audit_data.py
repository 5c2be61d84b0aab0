"""Audits and explanations for machines: rows and JSON in full precision."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from ..results.audit import DIFFERENCE_VERSION, FORMAT_VERSION, Audit, ConventionDifference, FoundValues
from ..results.explanation import FORMAT_VERSION as EXPLANATION_VERSION
from ..results.explanation import Explanation
from ..results.found_settings import FORMAT_VERSION as SETTINGS_VERSION
from ..results.found_settings import FoundSettings
from .forms import as_json


def audit_rows(audit: Audit) -> list[tuple[Any, ...]]:
    """Return a head, and one row per measure, convention and model."""
    rows: list[tuple[Any, ...]] = [("measure", "convention", "model", "value", "n_users", "reason")]
    for measure in audit.measures:
        for (convention, model), cell in measure.cells.items():
            n_users = None if cell.value is None else cell.n_users
            rows.append((measure.measure, convention, model, cell.value, n_users, cell.reason))
    return rows


def audit_json(audit: Audit) -> bytes:
    """Return the whole audit; see `FORMAT_VERSION`."""
    measures = [
        {
            "measure": measure.measure,
            **({"by": measure.by, "group": measure.group} if measure.by is not None else {}),
            "higher_is_better": measure.higher_is_better,
            "values": [
                {
                    "convention": convention,
                    "model": model,
                    "value": cell.value,
                    "n_users": cell.n_users,
                    "reason": cell.reason or None,
                    **({"higher_is_better": measure.directions[convention]} if convention in measure.directions else {}),
                }
                for (convention, model), cell in measure.cells.items()
            ],
            "spread": {model: measure.spread(model) for model in audit.models},
            "order": list(audit.changes(measure)),
        }
        for measure in audit.measures
    ]
    head = {"format_version": FORMAT_VERSION, "convention": audit.own_convention, "conventions": audit.conventions, "models": audit.models}
    head |= {"runs": dict(audit.runs)} if audit.runs else {}
    return as_json({**head, "measures": measures, "remarks": audit.remarks, "versions": dict(audit.versions)}, finite=False)


def found_rows(found: FoundValues) -> list[tuple[Any, ...]]:
    """Return a head, and one row per value."""
    values = ((value.value, value.measure, value.convention, value.model, str(found.exact).lower()) for value in found.values)
    if found.without and found.exact:
        return [("value", "measure", "convention", "model", "exact", "without"), *((*row, found.without) for row in values)]
    return [("value", "measure", "convention", "model", "exact"), *values]


def found_json(found: FoundValues) -> bytes:
    """Return the values; see `FORMAT_VERSION`."""
    shown = found if found.exact else replace(found, without="")
    return as_json({"format_version": FORMAT_VERSION, **to_builtins(shown)}, finite=False)


def settings_rows(found: FoundSettings) -> list[tuple[Any, ...]]:
    """Return a head, and one row per match; several values of a setting are separated by spaces."""
    names = list(found.searched)
    rows: list[tuple[Any, ...]] = [("value", "measure", "model", "exact", *names, "written")]
    for match in found.matches:
        settings = (" ".join(match.settings[name]) for name in names)
        rows.append((match.value, match.measure, match.model, str(found.exact).lower(), *settings, match.written))
    return rows


def settings_json(found: FoundSettings) -> bytes:
    """Return everything; see `results.found_settings.FORMAT_VERSION`."""
    return as_json({"format_version": SETTINGS_VERSION, **to_builtins(found)}, finite=False)


def difference_rows(difference: ConventionDifference) -> list[tuple[Any, ...]]:
    """Return a head, and one row per measure, model and step; the first and the last step are the conventions themselves."""
    rows: list[tuple[Any, ...]] = [("measure", "model", "choice", "before", "after", "value", "added", "added_alone")]
    for measure in difference.measures:
        for model in difference.models:
            rows.append((measure.measure, model, "", difference.first, difference.first, measure.first[model], "", ""))
            for index, step in enumerate(measure.steps):
                numbers = (step.so_far[model], measure.effect(index, model), measure.effect_alone(index, model))
                rows.append((measure.measure, model, step.choice, step.before, step.after, *numbers))
            rows.append((measure.measure, model, "", difference.second, difference.second, measure.second[model], "", ""))
    return rows


def difference_json(difference: ConventionDifference) -> bytes:
    """Return the whole difference; see `results.audit_difference.DIFFERENCE_VERSION`."""
    return as_json({"format_version": DIFFERENCE_VERSION, **to_builtins(difference)}, finite=False)


def explanation_json(explanation: Explanation) -> bytes:
    """Return the explanation, without missed items; the metrics that it combines are under `of`. See `explanation.FORMAT_VERSION`.

    The test rows, and the values by group, are there only if there are any.
    """

    def renamed(components: list[dict[str, Any]], missed: Any, test_rows: Any, by_group: Any, **cells: Any) -> dict[str, Any]:
        more = {"test_rows": test_rows, "by_group": by_group}
        return {**cells, **{name: value for name, value in more.items() if value}, "of": [renamed(**component) for component in components]}

    return as_json({"format_version": EXPLANATION_VERSION, **renamed(**to_builtins(explanation))}, finite=False)
