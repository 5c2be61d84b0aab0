"""Comparisons, gates and baselines for machines: plain values, JSON, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import polars as pl
from msgspec import to_builtins

from ..content.differences import footnotes
from ..results.comparison import FORMAT_VERSION, Comparison, conclusions
from ..results.gates import Gate, Verdicts
from ..results.result import Result
from .encoding import as_csv, as_json, as_parquet

GATES_VERSION: Final = 2
"""The version of the JSON form. 1: with `state` and the outcome `warn`. 2: the outcomes of `results.gates`, `consequence` and `anchor`."""


def comparison_cells(comparison: Comparison) -> dict[str, Any]:
    """Return everything as plain values; see `FORMAT_VERSION`."""
    losers = [{"model": model, "measure": measure, "users": frame.to_dicts()} for (model, measure), frame in comparison.losers.items()]
    return {
        "format_version": FORMAT_VERSION,
        "base": comparison.base,
        "models": list(comparison.models),
        "paired": comparison.paired,
        "judged": list(comparison.judged),
        "settings": to_builtins(comparison.settings),
        "conclusions": conclusions(comparison),
        "comparisons": [one.cells() for one in comparison.differences],
        "by_group": [one.cells() for one in comparison.by_group],
        "letters": {measure: dict(letters) for measure, letters in comparison.letters.items()},
        **({"losers": losers} if losers else {}),
        "notes": list(footnotes(comparison)),
    }


def comparison_json(comparison: Comparison) -> bytes:
    """Return the comparison with full precision."""
    return as_json(comparison_cells(comparison))


def comparison_csv(comparison: Comparison, *, spreadsheet_safe: bool = False) -> bytes:
    """Return one line per difference, over all users and within groups, with full precision."""
    rows = [one.cells() for one in (*comparison.differences, *comparison.by_group)]
    lines = ([" ".join(cell) if isinstance(cell, tuple) else cell for cell in row.values()] for row in rows)
    return as_csv([list(rows[0]), *lines], spreadsheet_safe=spreadsheet_safe)


def losers_parquet(comparison: Comparison) -> bytes:
    """Return the users who lose most: model, measure, user (as text), base, model_value, difference."""
    frames = [
        frame.select(
            pl.lit(model).alias("model"),
            pl.lit(measure).alias("measure"),
            pl.col("user").cast(pl.String),
            "base",
            pl.col("model").alias("model_value"),
            "difference",
        )
        for (model, measure), frame in comparison.losers.items()
    ]
    return as_parquet(pl.concat(frames))


def gate_cells(gates: Sequence[Gate]) -> dict[str, Any]:
    """Return the gates as plain values; nothing where none was judged."""
    return {"gates": [to_builtins(gate) for gate in gates]} if gates else {}


def gates_json(gates: Sequence[Gate], *, strict: bool = False) -> bytes:
    """Return the gates with full precision, and whether they failed, as the exit code has it."""
    verdicts = Verdicts(tuple(gates))
    content: dict[str, Any] = {"format_version": GATES_VERSION, "failed": verdicts.failed(strict), "summary": verdicts.summary()}
    return as_json(content | gate_cells(gates))


def baseline_cells(result: Result, name: str) -> dict[str, Any]:
    """Return what a folder of results holds."""
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
