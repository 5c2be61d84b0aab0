"""What a folder of results holds: models and values, on which test data, and whether its gates and checks passed."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Cell, Column, Document, Heading, Table, Terms
from ..results.gates import Verdicts
from ..results.result import Result
from ..stats.digits import users_text
from .values import Formats


def document(result: Result, name: str) -> Document:
    """Return what is known of the folder of that name."""
    table, formats = result.by_model(), Formats.of(result.rows)
    columns = (Column("measure", "name"), *(Column(model, "value") for model in result.models))
    rows = tuple((Cell(label), *(formats.cell(table[model].get(label)) for model in result.models)) for label in result.labels())
    return (Heading(name), Terms(tuple(_terms(result)), code=False), Table(columns, rows))


def _terms(result: Result) -> Iterator[tuple[str, str]]:
    for fold, truth in result.truths.items():
        yield f"test data{f' of fold {fold}' if fold else ''}", f"{users_text(truth.users)}, {truth.rows:,} rows, {truth.hash[:12]}"
    yield "values of users", "kept, so that users are paired" if result.per_user else "not kept: users cannot be paired"
    yield "gates", Verdicts(result.gates).summary() if result.gates else "none were judged"
    yield "health checks", ("an error-level check failed" if result.failed() else "passed") if result.examined else "none were made"
    yield "receval", result.versions.get("receval", "")
