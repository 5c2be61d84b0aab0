"""The formats for machines: full precision, the columns of `result.COLUMNS`, the same bytes for the same result."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from ..checks import CHECKS
from ..results.result import COLUMNS, FORMAT_VERSION, Result


def as_csv(result: Result) -> bytes:
    """The long table: one line per model, metric, cut-off and aggregate."""
    return _csv([COLUMNS, *(row.cells().values() for row in result.rows)])


def as_wide_csv(result: Result) -> bytes:
    """The wide table: one line per model, one column per measure."""
    labels = result.labels()
    table = result.by_model()
    lines = [[model, *(table[model][label].value if label in table[model] else None for label in labels)] for model in result.models]
    return _csv([["model", *labels], *lines])


def as_json(result: Result) -> bytes:
    """Everything but the per-user values, as one versioned object."""
    content = {
        "format_version": FORMAT_VERSION,
        "results": [row.cells() for row in result.rows],
        "models": [{"model": model, "users": asdict(counts)} for model, counts in result.counts.items()],
        **_checks(result),
        "notes": list(result.notes()),
        "inputs": [asdict(source) for source in result.inputs],
        "config": result.config,
        "versions": result.versions,
    }
    return _json(content)


def as_jsonl(result: Result) -> bytes:
    """The long table, one JSON object per line."""
    return "".join(json.dumps(row.cells(), ensure_ascii=False, allow_nan=False) + "\n" for row in result.rows).encode()


def as_parquet(result: Result) -> bytes:
    """The long table as Parquet."""
    cells = [row.cells() for row in result.rows]
    columns = {name: [cell[name] for cell in cells] for name in COLUMNS}
    texts, numbers = ("model", "metric", "aggregate"), ("value", "covered_value", "warm_value", "achieved")
    types: dict[str, Any] = {name: pl.String if name in texts else pl.Float64 if name in numbers else pl.Int64 for name in COLUMNS}
    return _parquet(pl.DataFrame(columns, schema=types))


def per_user(result: Result) -> bytes:
    """The value of every measure for every user and model, sorted by user within a model, as Parquet."""
    frames = [frame.select(pl.lit(model).alias("model"), pl.all()) for model, frame in result.per_user.items()]
    return _parquet(pl.concat(frames))


def as_manifest(result: Result, files: Mapping[str, bytes]) -> bytes:
    """What went in (paths as given, sizes, hashes, rows), what was done (config, versions) and what came out (hashes)."""
    outputs = [{"path": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} for name, content in files.items()]
    inputs = [asdict(source) for source in result.inputs]
    return _json(
        {
            "format_version": FORMAT_VERSION,
            "inputs": inputs,
            "config": result.config,
            "versions": result.versions,
            **_checks(result),
            "outputs": outputs,
        }
    )


def outputs_of_manifest(path: Path) -> set[str]:
    """The names of the files that a manifest proves; none if it is not there, or no manifest."""
    try:
        with open(path, encoding="utf-8") as file:
            return {output["path"] for output in json.load(file)["outputs"] if (path.parent / output["path"]).is_file()}
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def findings_as_json(result: Result) -> bytes:
    """What the health checks found, and in which files."""
    content = {
        "format_version": FORMAT_VERSION,
        **_checks(result),
        "inputs": [asdict(source) for source in result.inputs],
    }
    return _json(content)


def _checks(result: Result) -> dict[str, Any]:
    made = [check for check in CHECKS if result.examined and check not in result.unmade]
    findings = [finding.cells() for finding in result.findings]
    return {"checks": {"made": made, "not_made": dict(result.unmade)}, "findings": findings}


def as_table(frame: pl.DataFrame) -> bytes:
    """Rows as Parquet."""
    return _parquet(frame)


def _csv(lines: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _parquet(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
