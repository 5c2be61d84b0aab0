"""What a folder of results holds beside its values: the manifest, and lists with their hits."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl
from msgspec import to_builtins

from ..render import encoding
from ..render.judgement_data import gate_cells
from ..render.result_data import cells_of_checks
from ..results.result import FORMAT_VERSION, Result
from . import manifest


def as_manifest(result: Result, files: Mapping[str, bytes | Path]) -> bytes:
    """What went in (paths as given, sizes, hashes, rows), what was done (config, versions), what came out (hashes), and its checksum."""
    outputs = [{"path": name, **to_builtins(manifest.fingerprint(content))} for name, content in files.items()]
    inputs = [to_builtins(source) for source in result.inputs]
    content = {
        "format_version": FORMAT_VERSION,
        "inputs": inputs,
        **({} if result.description is None else {"description": to_builtins(result.description)}),
        "config": result.config,
        "versions": result.versions,
        **cells_of_checks(result),
        **gate_cells(result.gates),
        "outputs": outputs,
    }
    return encoding.as_json({**content, manifest.CHECKSUM: manifest.checksum(json.loads(encoding.as_json(content)))})


def enriched_files(result: Result) -> dict[str, Path]:
    """Return the names of the files with the lists of each model and their hits, and where they are; no two models share a name."""
    named = {model: re.sub(r'[%/\\:*?"<>|\x00-\x1f]', lambda found: f"%{ord(found[0]):02X}", model) for model in result.enriched}
    return {f"enriched.{named[model]}.parquet": path for model, path in result.enriched.items()}


def enriched_frames(result: Result) -> dict[str, pl.DataFrame]:
    """Return the lists of each model with their hits, as the files hold them."""
    return {model: pl.read_parquet(path) for model, path in result.enriched.items()}


def outputs_of_manifest(path: Path) -> set[str]:
    """Return the names of the files that a manifest proves; none if it is not there, or no manifest."""
    try:
        with open(path, encoding="utf-8") as file:
            return {output["path"] for output in json.load(file)["outputs"] if os.path.isfile(path.parent / output["path"])}
    except (OSError, ValueError, LookupError, TypeError):
        return set()
