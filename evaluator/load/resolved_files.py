"""Paths, folders and addresses → the files of a source, fetched, unpacked or converted where they cannot be read as they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import Final

import polars as pl
from msgspec.structs import replace

from ..errors import DataError, NoRowsError
from ..temporary import folder_for_copies, new_copy
from . import sniff
from .documents import as_objects, is_document
from .folders import columns_of_path, files_of_table, is_table, log_of, parts_of, reason
from .opening import plainly_named
from .recode import recoded
from .remote import Remote, fetched, parts_elsewhere
from .scan import Format, FormatName, ReadOptions
from .source_file import SourceFile
from .typed import refusing_unreadable
from .unchanged import FileState

_FORMATS: Final[dict[FormatName, Format]] = {
    "csv": "csv", "tsv": "csv", "trec": "csv", "json": "ndjson", "ndjson": "ndjson", "parquet": "parquet", "ipc": "ipc", "delta": "delta"
}  # fmt: skip
"""The format that a format of the config is a kind of."""
_TEXT: Final = ("csv", "ndjson")


def expanded(role: str, files: Sequence[SourceFile], options: ReadOptions) -> list[SourceFile]:
    """The files of a source: those that are named, and every file of a folder; each with the columns that its path holds.

    These are all columns in the path below a folder that is named, such as `day` in `day=1/`, and those above it that the config names.
    """
    named = {*options.columns.values(), *options.labels}
    found = []
    for file in files:
        for part, root in _parts(role, file, options.format):
            assert isinstance(part.path, Path | Remote)
            path = part.path if isinstance(part.path, Path) else part.path.path
            found.append(replace(part, path_columns=columns_of_path(path, root, named)))
    return found


def states_of(role: str, files: Sequence[SourceFile], format: FormatName | None) -> list[FileState]:
    """What files are like before anything of them is read; of a Delta table its log. Files that are fetched are read once only."""
    states = []
    for file in files:
        if isinstance(file.path, Path):
            states.append(FileState.of(f"{role}: {file}", log_of(file.path) if is_table(file.path) else file.path))
        elif isinstance(file.path, Remote) and format != "delta" and not file.path.is_fetched_whole:
            states.append(FileState.of(f"{role}: {file}", file.path))
    return states


def resolve(
    role: str, table: str, files: Sequence[SourceFile], options: ReadOptions, scratch: ExitStack
) -> tuple[Format, list[SourceFile], list[SourceFile]]:
    """The format of a source, its `expanded` files on this machine (or in a store that engines read), and these as they can be read.

    The latter may be converted: text to UTF-8, a JSON document to objects, an Arrow stream to a file. Copies live as long as `scratch`.

    Raises `DataError` if a file is not there, empty, or not in its encoding.
    """
    local = [replace(file, path=_local_copy(role, file, options.format, scratch)) for file in files]
    form = _FORMATS[options.format] if options.format else _format_of(local[0], options.encoding is not None)
    for file in local:
        _refuse_unreadable(role, file, form, options.storage)
    text = [
        recoded(file, options.encoding, form == "ndjson", scratch) if form in _TEXT and isinstance(file.path, Path) else file
        for file in local
    ]
    return form, local, [_as_rows(role, table, file, form, scratch) for file in text]


def files_of(role: str, form: Format, files: Sequence[SourceFile], storage: Mapping[str, str]) -> list[SourceFile]:
    """The files of a source; a Delta table has many."""
    if form != "delta":
        return list(files)
    tables = [file.path for file in files if isinstance(file.path, Path | Remote)]
    return [SourceFile.of(path) for table in tables for path in files_of_table(role, table, storage)]


def as_arrow_file(where: str, file: SourceFile, scratch: ExitStack) -> Path:
    """Write the rows of an Arrow stream, which must fit into memory, to a file that lives as long as `scratch`: Polars scans only these.

    `DataError` if it is broken, or has a type that Polars does not know.
    """
    target = scratch.enter_context(folder_for_copies()) / f"{file.local.stem}.arrow"
    with refusing_unreadable(where, file, "Arrow stream"):
        rows = pl.read_ipc_stream(file.local)
    with new_copy(target) as written:
        rows.write_ipc(written)
    return target


def _as_rows(role: str, table: str, file: SourceFile, form: Format, scratch: ExitStack) -> SourceFile:
    """The rows of a file as engines read them and under a name that they take."""
    if form == "delta" or not isinstance(file.path, Path):
        return file
    if form == "ndjson" and is_document(file):
        file = as_objects(role, table, file, scratch)
    elif form == "ipc" and sniff.starts(file.local, sniff.STREAM):
        file = replace(file, path=as_arrow_file(f"{role}: {file}", file, scratch))
    return replace(file, path=plainly_named(file.local, form == "ndjson", scratch))


def _parts(role: str, file: SourceFile, format: FormatName | None) -> list[tuple[SourceFile, PurePath | None]]:
    """The file, or every file of a folder, each with that folder; a Delta table counts as a file."""
    path = file.path
    if isinstance(path, Remote) and path.is_folder and format != "delta":
        return [(SourceFile.of(part), path.path) for part in parts_elsewhere(role, path)]
    if isinstance(path, Path) and os.path.isdir(path) and format != "delta" and not is_table(path):
        return [(SourceFile.of(part), path) for part in parts_of(role, path)]
    return [(file, None)]


def _local_copy(role: str, file: SourceFile, format: FormatName | None, scratch: ExitStack) -> Path | Remote:
    """A copy of a remote file; the file itself if it is local, or Parquet, IPC or Delta in a store, which engines read there."""
    assert isinstance(file.path, Path | Remote)
    if isinstance(file.path, Path):
        return file.path
    form = _FORMATS[format] if format else sniff.known_format(file.path.path)
    is_read_there = form in ("parquet", "ipc", "delta") and not file.path.is_fetched_whole
    return file.path if is_read_there else fetched(role, file.path, scratch)


def _format_of(file: SourceFile, encoded: bool) -> Format:
    if isinstance(file.path, Path):
        return "delta" if is_table(file.path) else sniff.format_of(file, encoded)
    assert isinstance(file.path, Remote)
    return sniff.known_format(file.path.path) or "parquet"


def _refuse_unreadable(role: str, file: SourceFile, form: Format, storage: Mapping[str, str]) -> None:
    assert isinstance(file.path, Path | Remote)
    if form == "delta":
        files_of_table(role, file.path, storage)
        return
    if isinstance(file.path, Path):
        try:  # the only way to know whether it may be opened
            open(file.path, "rb").close()
        except OSError as error:
            raise DataError(f"{role}: {file} may not be read ({reason(error)})") from None
    if file.size == 0:
        raise NoRowsError(f"{role}: {file}: the file is empty")
