"""Paths, folders and addresses → the files of a source, fetched, unpacked or converted where they cannot be read as they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import Final

from msgspec import Struct

from ..errors import DataError, NoRowsError
from . import sniff
from .arrow_streams import as_file, is_stream
from .delta import files_of_table, is_table, log_of
from .documents import as_objects, is_document
from .folders import Partition, columns_of_path, parts_of, reason
from .memory_maps import plainly_named
from .read_options import FormatName
from .recode import recoded
from .remote import Remote, fetched, parts_elsewhere
from .scan import Format
from .unchanged import FileState

File = Path | Remote
_FORMATS: Final[dict[FormatName, Format]] = {
    "csv": "csv", "tsv": "csv", "trec": "csv", "json": "ndjson", "ndjson": "ndjson", "parquet": "parquet", "ipc": "ipc", "delta": "delta"
}  # fmt: skip
"""The format that a format of the config is a kind of."""
_TEXT: Final = ("csv", "ndjson")


class ResolvedFile(Struct, frozen=True):
    """A file of a source.

    `original` is the file that the config names, in the folder `root` if it names a folder; `local` has the same bytes on this machine
    (or in a store that engines read); `readable` is `local`, or its text converted to UTF-8, or the objects of a JSON document, or the rows
    of an Arrow stream.
    """

    original: File
    root: PurePath | None
    local: File
    readable: File
    is_document: bool = False

    def path_columns(self, named: set[str | int]) -> Partition:
        """The columns in the path, such as `day` in `day=1/`: all below `root`, and above it those that are `named`."""
        return columns_of_path(self.original if isinstance(self.original, Path) else self.original.path, self.root, named)


def expanded(role: str, paths: Sequence[File], format: FormatName | None) -> list[tuple[File, PurePath | None]]:
    """The files of a source: those that are named, and every file of a folder, each with that folder."""
    return [pair for path in paths for pair in _expanded(role, path, format)]


def states_of(role: str, files: Sequence[File], format: FormatName | None) -> list[FileState]:
    """What files are like before anything of them is read; of a Delta table its log. Files that are fetched are read once only."""
    states = []
    for file in files:
        if isinstance(file, Path):
            states.append(FileState.of(f"{role}: {file}", log_of(file) if is_table(file) else file))
        elif format != "delta" and not file.is_fetched_whole:
            states.append(FileState.of(f"{role}: {file}", file))
    return states


def resolve(
    role: str,
    table: str,
    files: Sequence[tuple[File, PurePath | None]],
    format: FormatName | None,
    encoding: str | None,
    storage: Mapping[str, str],
    scratch: ExitStack,
) -> tuple[Format, list[ResolvedFile]]:
    """The format of a source and its `expanded` files; copies that are fetched or converted live as long as `scratch`.

    Raises `DataError` if a file is not there, empty, or not in its encoding.
    """
    local = [_local_copy(role, file, format, scratch) for file, _ in files]
    try:
        form = _FORMATS[format] if format else _format_of(local[0], encoding is not None)
        for path in local:
            _refuse_unreadable(role, path, form, storage)
        text = [recoded(path, encoding, form == "ndjson", scratch) if form in _TEXT and isinstance(path, Path) else path for path in local]
        documents = [form == "ndjson" and isinstance(path, Path) and is_document(path) for path in text]
        readable = [
            _as_rows(role, table, file, path, form, whole, scratch) if form != "delta" and isinstance(path, Path) else path
            for (file, _), path, whole in zip(files, text, documents, strict=True)
        ]
    except DataError as error:
        raise error.saying({str(path): str(file) for (file, _), path in zip(files, local, strict=True)}) from None
    named = zip(files, local, readable, documents, strict=True)
    return form, [ResolvedFile(file, root, path, read, is_document=whole) for (file, root), path, read, whole in named]


def _as_rows(role: str, table: str, file: File, path: Path, form: Format, is_document: bool, scratch: ExitStack) -> Path:
    """The rows of a file, which is called `file` in messages, as engines read them and under a name that they take."""
    rows = as_objects(role, str(file), table, path, scratch) if is_document else path
    rows = as_file(f"{role}: {file}", path, scratch) if form == "ipc" and is_stream(path) else rows
    return plainly_named(rows, form == "ndjson", scratch)


def source_files(role: str, form: Format, files: Sequence[ResolvedFile], storage: Mapping[str, str]) -> list[tuple[File, str]]:
    """The files of a source, each with its name in messages; a Delta table has many."""
    if form == "delta":
        return [(file, str(file)) for table in files for file in files_of_table(role, table.local, storage)]
    return [(file.local, str(file.original)) for file in files]


def _expanded(role: str, path: File, format: FormatName | None) -> list[tuple[File, PurePath | None]]:
    """The file, or every file of a folder, each with that folder; a Delta table counts as a file."""
    if isinstance(path, Remote):
        folder = path.is_folder and format != "delta"
        return [(file, path.path) for file in parts_elsewhere(role, path)] if folder else [(path, None)]
    folder = os.path.isdir(path) and format != "delta" and not is_table(path)
    return [(file, path) for file in parts_of(role, path)] if folder else [(path, None)]


def _local_copy(role: str, file: File, format: FormatName | None, scratch: ExitStack) -> File:
    """A copy of a remote file; the file itself if it is local, or Parquet, IPC or Delta in a store, which engines read there."""
    if isinstance(file, Path):
        return file
    form = _FORMATS[format] if format else sniff.known_format(file.path)
    return file if form in ("parquet", "ipc", "delta") and not file.is_fetched_whole else fetched(role, file, scratch)


def _format_of(path: File, encoded: bool) -> Format:
    if isinstance(path, Path):
        return "delta" if is_table(path) else sniff.format_of(path, encoded)
    return sniff.known_format(path.path) or "parquet"


def _refuse_unreadable(role: str, path: File, form: Format, storage: Mapping[str, str]) -> None:
    if form == "delta":
        files_of_table(role, path, storage)
        return
    if isinstance(path, Path):
        _refuse_closed(role, path)
    if (path.stat().st_size if isinstance(path, Path) else path.size) == 0:
        raise NoRowsError(f"{role}: {path}: the file is empty")


def _refuse_closed(role: str, path: Path) -> None:
    """`DataError` for a file that may not be opened: trying is the only way to know."""
    try:
        open(path, "rb").close()
    except OSError as error:
        raise DataError(f"{role}: {path} may not be read ({reason(error)})") from None
