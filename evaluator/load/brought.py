"""Files and folders, here and elsewhere → the files of a source, each where it can be read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from ..errors import DataError
from . import sniff
from .delta import files_of_table, is_table
from .folders import Partition, held_by_path, parts_of
from .how import Said
from .recode import recoded
from .remote import Remote, fetched, parts_elsewhere
from .scan import Format

File = Path | Remote
_FORMATS: Final[dict[Said, Format]] = {
    "csv": "csv", "tsv": "csv", "trec": "csv", "ndjson": "ndjson", "parquet": "parquet", "ipc": "ipc", "delta": "delta"
}  # fmt: skip
"""The format that a format of the config is a kind of."""
_TEXT: Final = ("csv", "ndjson")


@dataclass(frozen=True)
class Brought:
    """A file of a source: as the user knows it, below which folder, with its bytes `here`, and what is `read` in its place."""

    known: File
    root: PurePath | None
    here: File
    read: File

    def holds(self, named: set[str | int]) -> Partition:
        """The columns that the path of the file holds: all below the folder that was named, above it those that are `named`."""
        return held_by_path(self.known if isinstance(self.known, Path) else self.known.path, self.root, named)


def brought(
    role: str, paths: Sequence[File], format: Said | None, encoding: str | None, storage: Mapping[str, str], scratch: ExitStack
) -> tuple[Format, list[Brought]]:
    """The format of a source, and its files; what must be fetched or converted to be read lives as long as `scratch`.

    Raises `DataError` if a file is not there, empty, or not in its encoding.
    """
    located = [(file, root) for path in paths for file, root in _located(role, path, format)]
    here = [_here(role, file, format, scratch) for file, _ in located]
    try:
        form = _FORMATS[format] if format else _format_of(here[0], encoding is not None)
        for path in here:
            _refuse_unreadable(role, path, form, storage)
        read = [recoded(path, encoding, form == "ndjson", scratch) if form in _TEXT and isinstance(path, Path) else path for path in here]
    except DataError as error:
        raise error.saying({str(path): str(file) for (file, _), path in zip(located, here, strict=True)}) from None
    return form, [Brought(file, root, *rest) for (file, root), *rest in zip(located, here, read, strict=True)]


def manifested(role: str, form: Format, files: Sequence[Brought], storage: Mapping[str, str]) -> list[tuple[File, str]]:
    """The files whose bytes are the source, each with what the user calls it; those of a Delta table are many."""
    if form == "delta":
        return [(file, str(file)) for table in files for file in files_of_table(role, table.here, storage)]
    return [(file.here, str(file.known)) for file in files]


def _located(role: str, path: File, format: Said | None) -> list[tuple[File, PurePath | None]]:
    """A file, or the files of a folder, each with the folder that was named; a Delta table is a file."""
    if isinstance(path, Remote):
        folder = path.is_folder and format != "delta"
        return [(file, path.path) for file in parts_elsewhere(role, path)] if folder else [(path, None)]
    folder = path.is_dir() and format != "delta" and not is_table(path)
    return [(file, path) for file in parts_of(role, path)] if folder else [(path, None)]


def _here(role: str, file: File, format: Said | None, scratch: ExitStack) -> File:
    """The file itself where it is here, or in a store and columns, which engines read there; else a copy."""
    if isinstance(file, Path):
        return file
    form = _FORMATS[format] if format else sniff.known_format(file.path)
    return file if form in ("parquet", "ipc", "delta") and not file.on_the_web else fetched(role, file, scratch)


def _format_of(path: File, encoded: bool) -> Format:
    if isinstance(path, Path):
        return "delta" if is_table(path) else sniff.format_of(path, encoded)
    return sniff.known_format(path.path) or "parquet"


def _refuse_unreadable(role: str, path: File, form: Format, storage: Mapping[str, str]) -> None:
    if form == "delta":
        files_of_table(role, path, storage)
        return
    if isinstance(path, Path) and not os.access(path, os.R_OK):
        raise DataError(f"{role}: {path} may not be read (permission denied)")
    if (path.stat().st_size if isinstance(path, Path) else path.size) == 0:
        raise DataError(f"{role}: {path}: the file is empty")
