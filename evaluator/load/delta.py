"""Delta tables: folders in which a log says which files count."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

from ..errors import DataError, NoRowsError
from ..extras import missing
from .opening import FAILURES
from .remote import Remote, is_remote

_LOG = "_delta_log"


def is_table(path: Path) -> bool:
    """Whether a folder holds a Delta table."""
    return os.path.isdir(log_of(path))  # also false where nobody may look


def log_of(table: Path) -> Path:
    """The folder in which every change of a table leaves a file."""
    return table / _LOG


def files_of_table(role: str, table: Path | Remote, storage: Mapping[str, str]) -> list[Path | Remote]:
    """The files that count in the newest version of a table; `MissingExtraError` if nothing can read its log."""
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ImportError:
        raise missing("delta", "reading Delta tables", "deltalake") from None
    try:
        found = sorted(DeltaTable(_address(table), storage_options=dict(storage) or None).file_uris())
    except (DeltaError, *FAILURES) as error:
        said = str(error).strip().partition("\n")[0]
        raise DataError(f"{role}: {table}: not a readable Delta table ({said})", f"does the folder hold {_LOG}?") from None
    if not found:
        raise NoRowsError(f"{role}: {table}: there are no rows")
    escaped = [file for file in found if not is_remote(file) and not os.path.exists(file) and os.path.exists(Path(unquote(file)))]
    if escaped:
        raise DataError(
            f"{role}: {table}: Polars reads no Delta table in a folder whose path has spaces or other letters that addresses escape",
            "move the table, or name its Parquet files",
        )
    return [Remote(file, storage) if is_remote(file) else Path(file) for file in found]


def _address(table: Path | Remote) -> str:
    return table.url if isinstance(table, Remote) else str(table)
