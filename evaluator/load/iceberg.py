"""Tables of Apache Iceberg: find the newest metadata of a folder, list the files of its snapshot, and scan its rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import polars as pl
from msgspec import Struct

from ..support.errors import DataError, NoRowsError
from ..support.extras import missing_extra
from ..support.patterns import regex
from .remote import Remote, is_remote, under

ENDING: Final = ".metadata.json"
_FOLDER: Final = "metadata"
_HINT: Final = "version-hint.text"
"""A file that some catalogs write, with the number of the newest version."""
_VERSION: Final = regex(r"v?(\d+)[.-]")
_S3: Final = {
    "endpoint_url": "s3.endpoint", "endpoint": "s3.endpoint", "region": "s3.region", "access_key_id": "s3.access-key-id",
    "secret_access_key": "s3.secret-access-key", "session_token": "s3.session-token",
}  # fmt: skip
"""Options of a store as Polars names them → as pyiceberg does."""
_FROM_ENVIRONMENT: Final = {"AWS_ENDPOINT_URL": "s3.endpoint", "AWS_REGION": "s3.region"}
"""Variables that Polars and obstore read, but pyiceberg does not."""


class Snapshot(Struct, frozen=True):
    """The newest snapshot in a metadata file: its id and time, and the files of its rows and of deleted rows, in order."""

    id: int
    milliseconds: int
    files: tuple[Path | Remote, ...]

    def __str__(self) -> str:
        return f"snapshot {self.id} of {datetime.fromtimestamp(self.milliseconds // 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def is_iceberg(folder: Path) -> bool:
    """Return whether a folder is an Iceberg table."""
    with suppress(OSError):
        return any(map(is_metadata, os.listdir(folder / _FOLDER)))
    return False


def is_metadata(path: PurePath | str) -> bool:
    """Return whether a name is that of a metadata file of an Iceberg table."""
    return str(path).endswith(ENDING)


def newest_metadata(role: str, table: Path | Remote) -> Path | Remote:
    """Return the metadata file of the newest version in the folder of a table.

    This is the version in `version-hint.text`, or without it the highest number. Raises `DataError` if there is none, or more than one.
    """
    where = f"{role}: {table}"
    if isinstance(table, Path):
        folder = Path(os.path.abspath(table)) / _FOLDER
        found: dict[str, Path | Remote] = {name: folder / name for name in sorted(os.listdir(folder))} if folder.is_dir() else {}
    else:
        found = {file.path.name: file for file in under(Remote(f"{table.url.rstrip('/')}/{_FOLDER}/", table.options))}
    hint = found.get(_HINT)
    if hint is not None:
        text = _text(hint).strip()
        names = [text if is_metadata(text) else f"{text}{ENDING}", f"v{text}{ENDING}", f"v{text}.gz{ENDING}"]
        newest = [name for name in names if name in found]
    else:
        numbers = {name: int(number[1]) for name in found if is_metadata(name) and (number := _VERSION.match(name))}
        newest = [name for name in numbers if numbers[name] == max(numbers.values())]
    if not newest:
        raise DataError(f"{where}: there is no metadata of an Iceberg table", f"check that the folder contains {_FOLDER}/…{ENDING}")
    if hint is None and len(newest) > 1:
        message = f"{where}: {newest[0]} and {newest[1]} have the same version"
        raise DataError(message, "give the path of the one that the catalog names (table.metadata_location in pyiceberg)")
    return found[newest[0]]


def newest_snapshot(role: str, name: str, metadata: Path | Remote, storage: Mapping[str, str]) -> Snapshot:
    """Return the newest snapshot in a metadata file of a table called `name` in messages.

    Raises `MissingExtraError` without the extra, `DataError` if the metadata or the lists of files cannot be read, or there are no rows.
    """
    try:
        from pyiceberg.table import StaticTable
    except ImportError:
        raise missing_extra("iceberg", "reading Iceberg tables", "pyiceberg") from None
    try:
        table = StaticTable.from_metadata(metadata.url if isinstance(metadata, Remote) else str(metadata), _properties(storage))
        newest = table.current_snapshot()
        tasks = list(table.scan().plan_files())
    except Exception as error:  # of the parsers of JSON and Avro, of the store, and of pyiceberg
        said = str(error).strip().partition("\n")[0][:300] or type(error).__name__
        message = f"{role}: {name}: not a readable Iceberg table ({said})"
        raise DataError(message, f"check {metadata}, and that the table was not moved") from None
    if newest is None or not tasks:
        raise NoRowsError(f"{role}: {name}: there are no rows")
    files = {file.file_path for task in tasks for file in (task.file, *task.delete_files)}
    return Snapshot(newest.snapshot_id, newest.timestamp_ms, tuple(_place(file, storage) for file in sorted(files)))


def scan_table(metadata: str, storage: Mapping[str, str]) -> pl.LazyFrame:
    """Return the rows of the newest snapshot in a metadata file, without deleted ones."""
    return pl.scan_iceberg(metadata, storage_options=_properties(storage))


def _text(file: Path | Remote) -> str:
    """Return the text of a small file."""
    if isinstance(file, Remote):
        return b"".join(file.blocks()).decode(errors="replace")
    with open(file, errors="replace") as opened:
        return opened.read()


def _place(location: str, storage: Mapping[str, str]) -> Path | Remote:
    if is_remote(location):
        return Remote(location, storage)
    return Path(unquote(urlsplit(location).path) if location.startswith("file:") else location)


def _properties(storage: Mapping[str, str]) -> dict[str, Any]:
    """Return options of a store as pyiceberg and Polars name them."""
    here = {name: os.environ[variable] for variable, name in _FROM_ENVIRONMENT.items() if variable in os.environ}
    given = {option.lower().removeprefix("aws_"): value for option, value in storage.items()}
    return here | {_S3[option]: value for option, value in given.items() if option in _S3} | dict(storage)
