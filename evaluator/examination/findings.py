"""Findings of all models, in order, and the rows that are stored with them."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ..checks import CHECKS, SEVERITIES
from .context import Symptom


def in_order(symptoms: Iterable[Symptom]) -> list[Symptom]:
    """Findings, the worst first, in the order of the checks; what all models share stands once."""
    order = {name: index for index, name in enumerate(CHECKS)}
    unique: dict[tuple[str, str, str], Symptom] = {}
    for symptom in symptoms:
        finding = symptom.finding
        unique.setdefault((finding.check, finding.model, finding.sentence), symptom)
    return sorted(unique.values(), key=lambda one: (SEVERITIES.index(one.finding.severity), order[one.finding.check]))


def failing_rows(symptoms: Iterable[Symptom]) -> dict[str, pl.DataFrame]:
    """The offending rows of errors and warnings, by the name of their file."""
    kept: dict[str, pl.DataFrame] = {}
    for finding, rows, _ in symptoms:
        if rows is None or finding.severity not in ("error", "warn"):
            continue
        name = ".".join(part for part in (finding.check, finding.model.replace("/", "_")) if part)
        kept[name if name not in kept else f"{name}.{len(kept)}"] = rows
    return kept
