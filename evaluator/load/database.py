"""Fetch the rows of a query from a database through ADBC into a temporary file, which is then read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

import polars as pl
import polars.selectors as cs
from msgspec.structs import replace

from ..config.data_sources import masked_uri
from ..errors import DataError, MissingExtraError, NoRowsError
from ..extras import install_command
from ..temporary import folder_for_copies
from .opening import FAILURES
from .scan import ReadOptions
from .source import Source, look
from .source_file import SourceFile

_FILES: Final = ("sqlite", "duckdb")
"""Databases that are files."""
_TABLES: Final = {
    "sqlite": "select name, type from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name",
    "duckdb": "select table_name, if(table_type = 'VIEW', 'view', 'table') from information_schema.tables order by table_name",
}
"""Queries for the names of all tables, and their kind (table or view)."""
_NO_CODE: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
"""Texts, quoted names and comments in SQL."""
_CHANGES: Final = re.compile(
    r"(?:^|;)\s*(insert|update|delete|merge|replace|truncate|drop|alter|create|grant|revoke|copy|vacuum|attach|set|lock)\b"
    r"|\b(insert\s+into|delete\s+from|merge\s+into|update\s+\S+\s+set)\b",
    re.IGNORECASE,
)
"""Statements that change data or settings, at the start or in a WITH clause."""
_READ_ONLY: Final = {"postgresql": "set transaction read only"}
"""Statement that lets the database itself refuse changes, by scheme; files are opened only for reading."""
_UUID_BYTES: Final = 16
_TYPES: Final = ("arrow.json", "arrow.opaque", "arrow.uuid")
"""Types of the columns of databases that Arrow knows by name only."""
_ORDERED: Final = re.compile(r"\border\s+by\b", re.IGNORECASE)


def look_at_query(role: str, table: str, uri: str, query: str, folder: Path, options: ReadOptions, scratch: ExitStack) -> Source:
    """Fetch the rows of a query into a file that lives as long as `scratch`, and decide how to read them.

    The path of a database file is relative to `folder`. Rows that the query does not order are sorted by all columns, so that the same
    rows give the same bytes.

    Raises `DataError` if the query fails or its rows cannot be read, `MissingExtraError` if there is no driver for the database.
    """
    name = masked_uri(uri)
    if change := _CHANGES.search(_NO_CODE.sub("", query)):
        raise DataError(f"{role}: {name}: the query was not sent, because it has {(change[1] or change[2]).upper()}", "write a SELECT")
    path = fetch_rows(f"{role}: {name}", uri, query, folder, scratch)
    source = look(role, table, [name], [SourceFile(path, name)], replace(options, format="ipc"), scratch)
    if table == "lists" and not _ORDERED.search(query) and not source.scan.lists and not {"position", "score"} & source.columns:
        raise DataError(
            f"{role}: {name}: the rows have no order, and there is neither a rank nor a score column",
            "add a rank or score column, or ORDER BY to the query",
        )
    return source


def fetch_rows(where: str, uri: str, query: str, folder: Path, scratch: ExitStack) -> Path:
    """Return a file of the rows of a query that lives as long as `scratch`; see `look_at_query`. `where` names the database in messages."""
    frame = _rows(where, uri, query, folder)
    if not frame.height:
        raise NoRowsError(f"{where}: the query has no rows")
    if not _ORDERED.search(query) and not any(dtype.is_nested() for dtype in frame.dtypes):
        frame = frame.sort(frame.columns)
    path = scratch.enter_context(folder_for_copies()) / "query.arrow"
    frame.write_ipc(path)
    return path


def file_of(uri: str, folder: Path) -> Path | None:
    """Return the file that an address names, relative to `folder`; `None` if the database is not a file."""
    return folder / re.sub("^[^:]+:/{0,3}", "", uri) if uri.lower().startswith(_FILES) else None


def scheme_of(path: Path) -> str | None:
    """Return the scheme of the address of a database file, by its first bytes; `None` if it is not one, or cannot be read."""
    try:
        with open(path, "rb") as file:
            start = file.read(16)
    except OSError:
        return None
    return "sqlite" if start == b"SQLite format 3\x00" else "duckdb" if start[8:12] == b"DUCK" else None


def tables_of(scheme: str, path: Path) -> list[tuple[str, str]]:
    """Return the tables and views of a database file, by name, each with a query for its rows (of a table, in insertion order)."""
    found = _rows(f"{path}", f"{scheme}:///{path}", _TABLES[scheme], Path())
    quoted = [(name, '"{}"'.format(name.replace('"', '""')), kind == "table") for name, kind in found.iter_rows()]
    return [(name, f"select * from {table}{' order by rowid' if has_rows else ''}") for name, table, has_rows in quoted]


def _rows(where: str, uri: str, query: str, folder: Path) -> pl.DataFrame:
    """Return the rows of a query in types that all tables may have: decimals as floating-point numbers, UUIDs and JSON as text."""
    scheme = {"postgres": "postgresql"}.get(kind := uri.partition(":")[0].partition("+")[0].lower(), kind)
    driver = f"adbc_driver_{scheme}"
    try:
        manager, module = import_module("adbc_driver_manager"), import_module(f"{driver}.dbapi")
    except ImportError:
        install = install_command("sql") if scheme in (*_FILES, "postgresql") else f"try pip install adbc-driver-{scheme}"
        raise MissingExtraError(f"reading {scheme}:// needs {driver}, which is not installed", install) from None
    try:
        with _connection(where, scheme, module, uri, folder) as connection:
            if scheme in _READ_ONLY:
                with connection.cursor() as cursor:
                    cursor.execute(_READ_ONLY[scheme])
            with _types_of_databases():
                frame = pl.read_database(query, connection).cast({cs.decimal(): pl.Float64})
            return frame.with_columns(map(_usual_type, frame.get_columns()))
    except (manager.Error, *FAILURES) as error:
        said, password = " ".join(str(error).split()), urlsplit(uri).password or ""
        for secret in filter(None, (uri, unquote(password), password)):
            said = said.replace(secret, "***")
        raise DataError(f"{where}: the query failed: {said}", "check the address, the query and the user's permissions") from None


@contextmanager
def _types_of_databases() -> Iterator[None]:
    """Let Polars 1 name the types of databases, as Polars 2 does; else a number of any precision would be text, with a warning."""
    names = _TYPES if pl.__version__.startswith("1.") else ()
    for name in names:
        pl.register_extension_type(name, pl.Extension)
    try:
        yield
    finally:
        for name in names:
            pl.unregister_extension_type(name)


def _usual_type(column: pl.Series) -> pl.Series:
    """Return a column of a type of a database in a usual one: a number of any precision, a UUID (16 bytes), or JSON and other text."""
    if isinstance(column.dtype, pl.BaseExtension):
        is_number = '"numeric"' in str(column.dtype)
        column = column.ext.storage()
        if is_number and column.dtype == pl.String:
            return column.cast(pl.Float64)
    if column.dtype == pl.Binary and (column.bin.size().drop_nulls() == _UUID_BYTES).all():
        digits = column.bin.encode("hex").str
        parts = [digits.slice(start, length) for start, length in ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))]
        return parts[0] + "-" + parts[1] + "-" + parts[2] + "-" + parts[3] + "-" + parts[4]
    return column


def _connection(where: str, scheme: str, module: Any, uri: str, folder: Path) -> Any:
    """Return a connection; one to a file only reads it."""
    path = file_of(uri, folder)
    if path is None:
        return module.connect(f"{scheme}:{uri.partition(':')[2]}")
    if not os.path.isfile(path):
        raise DataError(
            f"{where}: there is no file {path}", "three slashes start a path relative to the config file, four an absolute path"
        )
    if scheme == "sqlite":
        return module.connect(f"file:{quote(str(path.absolute()))}?mode=ro")
    duckdb, manager = import_module("adbc_driver_duckdb"), import_module("adbc_driver_manager.dbapi")
    options = {"path": str(path), "access_mode": "READ_ONLY"}
    return manager.connect(driver=duckdb.driver_path(), entrypoint="duckdb_adbc_init", db_kwargs=options)
