"""`Result` → bytes: one pure function per format, one row each in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from ..results.result import Result
from .data import as_csv, as_json, as_jsonl, as_manifest, as_parquet, as_wide_csv, outputs_of_manifest, per_user
from .text import as_markdown

__all__ = ["FILES", "FOLDER_FILES", "FORMATS", "MANIFEST", "PER_USER", "as_manifest", "outputs_of_manifest", "per_user"]

Renderer = Callable[[Result], bytes]

FORMATS: Final[Mapping[str, Renderer]] = MappingProxyType(
    {"csv": as_csv, "json": as_json, "jsonl": as_jsonl, "md": as_markdown, "parquet": as_parquet}
)
"""Format name (and file ending) → renderer."""

FILES: Final[Mapping[str, Renderer]] = MappingProxyType(
    {
        "results.csv": as_csv,
        "results_wide.csv": as_wide_csv,
        "results.json": as_json,
        "results.parquet": as_parquet,
        "results.md": as_markdown,
    }
)
"""The files of an output folder → renderer; beside them there are the values of users, where they are wanted, and the manifest."""

PER_USER: Final = "per_user.parquet"
MANIFEST: Final = "manifest.json"
FOLDER_FILES: Final = frozenset({*FILES, PER_USER, MANIFEST})
"""Every name that a run may give to a file of an output folder."""
