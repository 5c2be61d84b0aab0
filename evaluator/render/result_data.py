"""The formats for machines: full precision, the columns of `result.COLUMNS`, the same bytes for the same result.

Values of users have a row for every user and model, sorted by user within a model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import polars as pl
import polars.selectors as cs
from msgspec import to_builtins

from ..checks import CHECKS
from ..results.result import COLUMNS, FORMAT_VERSION, Result
from ..results.row import PROTOCOL_COLUMNS
from . import encoding
from .judgement_data import gate_cells


def as_csv(result: Result) -> bytes:
    """Return the long table: one line per model, metric, cut-off and aggregate."""
    return _csv([COLUMNS, *(row.cells().values() for row in result.long_rows)], result)


def as_wide_csv(result: Result) -> bytes:
    """Return the wide table: one line per model, one column per measure; one more per group, fold and run, and for standard deviations."""
    labels = result.labels()
    lines: dict[tuple[str | None, ...], dict[str, float | None]] = {}
    for row in result.long_rows:
        place = (row.model, row.by, row.group, row.fold, row.run)
        lines.setdefault((*place, None if row.repeats is None else "mean"), {})[row.label] = row.value
        if row.repeats is not None:
            lines.setdefault((*place, "std"), {})[row.label] = row.repeats_std
    names = ("model", "by", "group", "fold", "run", "over_repeats")
    used = [index for index in range(len(names)) if any(key[index] is not None for key in lines)]
    values = ([*(key[index] for index in used), *(numbers.get(label) for label in labels)] for key, numbers in lines.items())
    return _csv([[*(names[index] for index in used), *labels], *values], result)


def as_json(result: Result) -> bytes:
    """Return everything but the per-user values, as one versioned object."""
    content = {
        "format_version": FORMAT_VERSION,
        "results": [row.cells() for row in result.long_rows],
        "models": [{"model": model, "users": to_builtins(counts)} for model, counts in result.counts.items()],
        "yardsticks": list(result.yardsticks),
        "definitions": {name: to_builtins(definition) for name, definition in result.definitions.items()},
        "truth": {fold: to_builtins(truth) for fold, truth in result.truths.items()},
        "user_groups": list(result.user_groups),
        **cells_of_checks(result),
        **gate_cells(result.gates),
        "conclusions": [to_builtins(conclusion) for conclusion in result.conclusions],
        "notes": list(result.notes()),
        "remarks": list(result.remarks),
        "inputs": [to_builtins(source) for source in result.inputs],
        "config": result.config,
        "versions": result.versions,
    }
    return encoding.as_json(content)


def as_jsonl(result: Result) -> bytes:
    """Return the long table, one JSON object per line."""
    return "".join(json.dumps(row.cells(), ensure_ascii=False, allow_nan=False) + "\n" for row in result.long_rows).encode()


def as_parquet(result: Result) -> bytes:
    """Return the long table as Parquet."""
    return encoding.as_parquet(long_table(result))


def long_table(result: Result) -> pl.DataFrame:
    """Return the long table: one row per model, metric, cut-off and aggregate, and per group, fold and run."""
    cells = [row.cells() for row in result.long_rows]
    columns = {name: [cell[name] for cell in cells] for name in COLUMNS}
    texts = ("model", "metric", "aggregate", *PROTOCOL_COLUMNS, "by", "group", "fold", "run")
    numbers = ("value", "std", "covered_value", "warm_value", "achieved", "repeats_std")
    types: dict[str, Any] = dict.fromkeys(COLUMNS, pl.Int64) | dict.fromkeys(texts, pl.String) | dict.fromkeys(numbers, pl.Float64)
    return pl.DataFrame(columns, schema=types | {"few_users": pl.Boolean})


def findings_as_json(result: Result) -> bytes:
    """Return what the health checks found, and in which files."""
    content = {
        "format_version": FORMAT_VERSION,
        **cells_of_checks(result),
        "inputs": [to_builtins(source) for source in result.inputs],
    }
    return encoding.as_json(content)


def cells_of_checks(result: Result) -> dict[str, Any]:
    """Which checks were made, and what they found."""
    made = [check for check in CHECKS if result.examined and check not in result.unmade]
    findings = [finding.cells() for finding in result.findings]
    return {"checks": {"examined": result.examined, "made": made, "not_made": dict(result.unmade)}, "findings": findings}


def _csv(lines: Iterable[Iterable[Any]], result: Result) -> bytes:
    words = {True: "true", False: "false"}
    plain = ([words[cell] if isinstance(cell, bool) else cell for cell in line] for line in lines)
    return encoding.as_csv(plain, spreadsheet_safe=is_spreadsheet_safe(result))


def is_spreadsheet_safe(result: Result) -> bool:
    """Return whether the config of a result wants texts guarded that a spreadsheet would take for formulas."""
    return bool((result.config.get("output") or {}).get("spreadsheet_safe"))


def users_as_parquet(result: Result) -> bytes:
    """Return the per-user values as Parquet; a value that is not defined is NaN, one that a user does not have is null."""
    return encoding.as_parquet(_values(result))


def users_as_csv(result: Result) -> bytes:
    """Return the per-user values as CSV in full precision; empty where a user has none, or it is not defined."""
    values = _without_nan(result)
    if is_spreadsheet_safe(result):
        values = values.with_columns(cs.string().map_elements(encoding.guard, pl.String))
    return values.write_csv().encode()


def users_as_jsonl(result: Result) -> bytes:
    """Return a JSON object per user and model, in full precision; null where a user has no value, or it is not defined."""
    return _without_nan(result).write_ndjson().encode()


def _values(result: Result) -> pl.DataFrame:
    # A yardstick may lack a measure, and then it has no numerator and denominator of it.
    frames = [frame.select(pl.lit(model).alias("model"), pl.all()) for model, frame in result.per_user.items()]
    return pl.concat(frames, how="diagonal")


def _without_nan(result: Result) -> pl.DataFrame:
    return _values(result).with_columns(cs.float().fill_nan(None))
