"""Fetch the rows of a query from a database through ADBC into a temporary file, which is then read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec.structs import replace

from ..config.masking import masked_uri
from ..support.errors import DataError, NoRowsError
from ..support.patterns import regex
from ..support.temporary import folder_for_copies
from .arrow_schema import columns_of_stream
from .columns import usual_roles
from .drivers import DATABASES, OTHER, connect, import_manager, scheme_of_uri, without_secrets
from .opening import FAILURES
from .queries import refuse_changes
from .scan import ReadOptions
from .source import OpenedSource, Source, open_source
from .source_file import SourceFile
from .typed import panics_held_back

_TABLES: Final = {
    "sqlite": "select name, type from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name",
    "duckdb": "select table_name, if(table_type = 'VIEW', 'view', 'table') from information_schema.tables order by table_name",
}
"""Queries for the names of all tables, and their kind (table or view)."""
_UUID_BYTES: Final = 16
_TYPES: Final = ("arrow.json", "arrow.opaque", "arrow.uuid")
"""Types of the columns of databases that Arrow knows by name only."""
_ORDERED: Final = regex(r"\border\s+by\b", re.IGNORECASE)


def open_query(role: str, table: str, uri: str, query: str, folder: Path, options: ReadOptions, scratch: ExitStack) -> OpenedSource:
    """Fetch the rows of a query into a file that lives as long as `scratch`.

    The path of a database file is relative to `folder`. Rows that the query does not order are sorted by all columns, so that the same
    rows give the same bytes.

    Raises `DataError` if the query may do more than read or fails, or its rows cannot be read, `MissingExtraError` if there is no driver
    for the database.
    """
    name = masked_uri(uri)
    named = frozenset(map(str, (*options.names, *options.labels, *options.filter_columns)))
    path, left_out = fetch_rows(f"{role}: {name}", uri, query, folder, scratch, named)
    opened = open_source(role, table, [name], [SourceFile(path, name)], replace(options, format="ipc"), scratch)
    return replace(opened, remarks=tuple(f"{role}: {remark}" for remark in left_out))


def refuse_unordered(source: Source, query: str) -> None:
    """Raise `DataError` for lists from a query in which neither a column nor the query gives the order."""
    if source.table == "lists" and not _ORDERED.search(query) and not source.scan.lists and not {"position", "score"} & source.columns:
        raise DataError(
            f"{source.role}: {source.name}: the rows have no order, and there is neither a rank nor a score column",
            "add a rank or score column, or ORDER BY to the query",
        )


def fetch_rows(
    where: str, uri: str, query: str, folder: Path, scratch: ExitStack, needed: frozenset[str] = frozenset()
) -> tuple[Path, list[str]]:
    """Return a file of the rows of a query that lives as long as `scratch`, and remarks on columns that are left out.

    See `open_query`; `where` names the database in messages. A column of a type that cannot be read is refused if it is `needed`.
    """
    frame, left_out = _rows(where, uri, query, folder, needed)
    if not frame.height:
        raise NoRowsError(f"{where}: the query has no rows")
    if not _ORDERED.search(query) and not any(dtype.is_nested() for dtype in frame.dtypes):
        frame = frame.sort(frame.columns)
    path = scratch.enter_context(folder_for_copies()) / "query.arrow"
    frame.write_ipc(path)
    return path, left_out


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
    found, _ = _rows(f"{path}", f"{scheme}:///{path}", _TABLES[scheme], Path())
    quoted = [(name, '"{}"'.format(name.replace('"', '""')), kind == "table") for name, kind in found.iter_rows()]
    return [(name, f"select * from {table}{' order by rowid' if has_rows else ''}") for name, table, has_rows in quoted]


def _rows(where: str, uri: str, query: str, folder: Path, needed: frozenset[str] = frozenset()) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows of a query in types that all tables may have: fractions as floating-point numbers, UUIDs and JSON as text.

    Columns of types that Polars does not have are left out, with a remark; see `_readable`.
    """
    scheme = scheme_of_uri(uri)
    refuse_changes(where, scheme, query)
    connection = connect(where, uri, folder)
    try:
        with connection, connection.cursor() as cursor:
            if read_only := DATABASES.get(scheme, OTHER).read_only:
                cursor.execute(read_only)
            rows, left_out = _readable(where, cursor, query, scheme, needed)
            with _types_of_databases(), panics_held_back():
                frame = _fetched(cursor, rows)
            return pl.DataFrame(map(_usual_type, frame.get_columns())), left_out
    except (import_manager(scheme).Error, *FAILURES) as error:
        raise DataError(
            f"{where}: the query failed: {without_secrets(error, uri)}", "check the address, the query and the user's permissions"
        ) from None


def _readable(where: str, cursor: Any, query: str, scheme: str, needed: frozenset[str]) -> tuple[Any, list[str]]:
    """Run a query and return its rows as an Arrow stream without columns of types that Polars does not have, with a remark on these.

    Raises `DataError` if one of them is `needed`, or if this database is not known to take a query around another.
    """
    cursor.execute(query)
    rows = cursor.fetch_arrow()
    columns = columns_of_stream(rows)
    odd = {name: kind for name, kind in columns.items() if kind}
    kept = ['"{}"'.format(name.replace('"', '""')) for name in columns if name not in odd]
    if not odd:
        return rows, []
    used = next((name for name in odd if name in needed or usual_roles(name) - {"timestamp"}), None)
    if used is not None or not kept or not DATABASES.get(scheme, OTHER).nests:
        name = used or next(iter(odd))
        raise DataError(
            f"{where}: the column {name!r} is {odd[name]}, a type that cannot be read",
            "name only the columns to read in the query, and convert this one there if it is one of them, such as CAST(… AS text)",
        )
    del rows
    inner = query.rstrip().rstrip(";")
    cursor.execute(f"select {', '.join(kept)} from (\n{inner}\n) as receval_rows")
    because = ((name, f"because it is {kind}, a type that cannot be read") for name, kind in odd.items())
    return cursor.fetch_arrow(), [f"the column {name!r} is left out, {reason}." for name, reason in because]


def _fetched(cursor: Any, rows: Any) -> pl.DataFrame:
    """Return the rows of an Arrow stream; an interruption cancels the query, also while a driver waits for the database."""
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(pl.DataFrame, rows)
        try:
            return reading.result()
        except KeyboardInterrupt:
            cursor.adbc_cancel()
            raise


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
    dtype = column.dtype
    if isinstance(dtype, pl.Decimal):  # a whole number of many digits may be an id, as every number of Snowflake is
        return column.cast(pl.Float64) if dtype.scale else column
    if isinstance(dtype, pl.BaseExtension):
        is_number = '"numeric"' in str(dtype)
        column = column.ext.storage()
        return _number(column) if is_number and column.dtype == pl.String else column
    if dtype == pl.Binary and (column.bin.size().drop_nulls() == _UUID_BYTES).all():
        digits = column.bin.encode("hex").str
        parts = [digits.slice(start, length) for start, length in ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))]
        return parts[0] + "-" + parts[1] + "-" + parts[2] + "-" + parts[3] + "-" + parts[4]
    return column


def _number(texts: pl.Series) -> pl.Series:
    """Return numbers in text as integers if all of them are, which may be ids, otherwise as floating-point numbers."""
    whole = texts.cast(pl.Int64, strict=False)
    return whole if whole.null_count() == texts.null_count() else texts.cast(pl.Float64)
