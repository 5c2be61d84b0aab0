"""What a folder of results holds, as a page: models and values, on which test data, and whether its gates and checks passed."""

from __future__ import annotations

from collections.abc import Iterator

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


def _terms(result: Result) -> Iterator[tuple[str, str]]:
    for fold, truth in result.truths.items():
        yield f"test data{f' of fold {fold}' if fold else ''}", f"{users_text(truth.users)}, {truth.rows:,} rows, {truth.hash[:12]}"
    yield "values of users", "kept, so that users are paired" if result.per_user else "not kept: users cannot be paired"
    yield "gates", Verdicts(result.gates).summary() if result.gates else "none were judged"
    yield "health checks", ("an error-level check failed" if result.failed() else "passed") if result.examined else "none were made"
    yield "receval", result.versions.get("receval", "")
