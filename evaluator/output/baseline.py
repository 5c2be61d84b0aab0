"""What a folder of results holds, as a page: models and values, on which test data, and whether its gates and checks passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from ..results.gates import Verdicts
from ..results.result import Result
from ..stats.digits import users_text
from .blocks import Block, Heading, Terms
from .cells import Formats
from .figures import Figures


def page(result: Result, name: str) -> list[Block]:
    """The folder for people."""
    table, formats = result.by_model(), Formats.of(result.rows)
    lines = tuple((label, *(formats.shown(table[model].get(label)) for model in result.models)) for label in result.labels())
    terms = Terms(tuple(_terms(result)), code=False)
    return [Heading(name), terms, Figures(("measure", *result.models), lines)]


def cells(result: Result, name: str) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "baseline": name,
        "models": list(result.models),
        "truth": {fold: to_builtins(truth) for fold, truth in result.truths.items()},
        "values": [{"model": row.model, "measure": row.label, "value": row.value, "n_users": row.n_users} for row in result.rows],
        "values_of_users": bool(result.per_user),
        "gates_failed": Verdicts(result.gates).failed() if result.gates else None,
        "checks_failed": result.failed() if result.examined else None,
        "versions": dict(result.versions),
    }


def _terms(result: Result) -> Iterator[tuple[str, str]]:
    for fold, truth in result.truths.items():
        yield f"test data{f' of fold {fold}' if fold else ''}", f"{users_text(truth.users)}, {truth.rows:,} rows, {truth.hash[:12]}"
    yield "values of users", "kept, so that users are paired" if result.per_user else "not kept: users cannot be paired"
    yield "gates", Verdicts(result.gates).summary() if result.gates else "none were judged"
    yield "health checks", ("an error-level check failed" if result.failed() else "passed") if result.examined else "none were made"
    yield "receval", result.versions.get("receval", "")
