"""Sources → Spark frames of canonical columns, read on the workers by Spark's own readers if it has one.

A frame has the columns of its source, `odd_user` and the like as in `load.opening`, and `row`: an integer that ascends in the order of the
source. If a record has a list, `ELEMENT` ascends in the order of the list.
"""

from __future__ import annotations

import os
import re
from functools import reduce
from typing import Any, Final

import polars as pl

from ...load.opening import FAILURES, RECORD, open_rows
from ...load.scan import ReadError, Scan
from .record_reader import ELEMENT, RecordReader
from .spark_errors import translate_error

_TYPES: Final = {"integer": "bigint", "text": "string", "time": "string"}
_NUMBERS: Final = ("double", "float", "bigint", "int", "smallint", "tinyint")
"""Number types that are kept as stored."""
_INTEGER: Final = "^(0|-?[1-9][0-9]{0,18})$"
_NUMBER: Final = r"^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:nan|inf|infinity))$"
_ROWS_PER_FILE: Final = 1 << 44
_ROWS_PER_SPLIT: Final = 1 << 33
"""`monotonically_increasing_id` counts the rows of a split in its lower 33 bits."""


def canonical_rows(session: Any, scan: Scan) -> Any:
    """Open a source without reading its rows; `ReadError` if it cannot be opened."""
    try:
        if _is_read_here(scan):
            return _handed_over(session, scan)
        parts = [_records(session, scan, index, path) for index, path in enumerate(scan.paths)]
        if scan.format == "delta" and any(part is None for part in parts):  # Spark has no reader for Delta tables
            return _handed_over(session, scan)
        frame = reduce(lambda first, second: first.unionByName(second), parts)
        if scan.skip_blank:
            frame = frame.filter(~_is_blank(scan))
        is_converted = scan.lists or scan.loose or scan.nulls or scan.where or scan.key
        rows = _by_polars(frame, scan) if is_converted else _by_sql(frame, scan)
        return _without_faulty(rows, scan)
    except FAILURES as error:
        raise ReadError(str(error)) from error
    except ReadError:
        raise
    except Exception as error:
        raise translate_error(error) from error


def _is_read_here(scan: Scan) -> bool:
    """Return whether Spark has no reader: unquoted text, Arrow, Iceberg, Zstandard, stores, frames in memory, converted columns."""
    packed = any(path.endswith((".zst", ".zstd")) for path in scan.paths) or scan.is_converted
    return scan.format in ("lines", "ipc", "iceberg", "frame") or packed or any("://" in path for path in scan.paths)


def _handed_over(session: Any, scan: Scan) -> Any:
    """Read a source in this process and send its rows to Spark through Arrow."""
    return to_spark(session, open_rows(scan).collect())


def to_spark(session: Any, rows: pl.DataFrame) -> Any:
    """Return a frame as a DataFrame of a session of Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    table = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    return session.createDataFrame(table, None if table.num_rows else from_arrow_schema(table.schema))  # Connect has no types of no rows


def _records(session: Any, scan: Scan, index: int, path: str) -> Any:
    """Return the numbered records of one file as it has them, text columns as written; `None` if Spark has no reader."""
    from pyspark.sql import functions as f

    frame = _read(session.read, scan, path)
    if frame is None:
        return None
    values = scan.partitions.get(path, {})
    names = list(dict.fromkeys(scan.names.values()))
    columns = [f.lit(values[name]).cast("string").alias(name) if name in values else _column(scan, name) for name in names]
    if not scan.is_text and len(scan.paths) > 1:  # parts may store a column in different types
        types = {name: _stored_type(scan, column) for name, column in scan.stored.items() if scan.kinds[column] != "time"}
        columns = [column.cast(types[name]).alias(name) if name in types else column for column, name in zip(columns, names, strict=True)]
    return frame.select((f.lit(index * _ROWS_PER_FILE) + _number_in_file(scan)).cast("bigint").alias(RECORD), *columns)


def _column(scan: Scan, name: str) -> Any:
    """Return a column of a file, or a field of its lists of structs."""
    from pyspark.sql import functions as f

    return f.col(".".join(f"`{part}`" for part in scan.fields.get(name, (name,)))).alias(name)


def _stored_type(scan: Scan, column: str) -> str:
    single = _number_type(scan, column) if scan.kinds[column] == "number" else _TYPES[scan.kinds[column]]
    if column in scan.lists:
        return "string" if scan.lists_in_text else f"array<{single}>"
    return single


def _number_type(scan: Scan, column: str) -> str:
    return "bigint" if scan.numbers.get(column) == "whole" else "double"


def _number_in_file(scan: Scan) -> Any:
    """Return a number for each record of a file, ascending in file order."""
    from pyspark.sql import functions as f

    if scan.format == "parquet":
        return f.col("_metadata.row_index")
    number = f.monotonically_increasing_id()
    if scan.is_text:
        # A split begins at a byte of the file, and no record is shorter than a byte: numbers of the next split are higher.
        return f.col("_metadata.file_block_start") + number.bitwiseAND(f.lit(_ROWS_PER_SPLIT - 1))
    return number


def _read(reader: Any, scan: Scan, path: str) -> Any:
    if scan.format == "table":
        return reader.table(quoted(path))
    file = _escaped(path)
    if scan.format == "csv":
        schema = ", ".join(f"`{name}` string" for name in scan.header)
        options = {"sep": scan.separator, "header": scan.has_header, "enforceSchema": True, "mode": "FAILFAST"}
        quotes = {"quote": '"', "escape": '"', "multiLine": scan.across_lines} if scan.quotes else {"quote": ""}
        return reader.schema(schema).csv(file, **options, **quotes)
    if scan.format == "ndjson":
        held = scan.partitions.get(path, {})
        array = "string" if scan.lists_in_text else "array<string>"
        types = {
            name: array if column in scan.lists else "string" for name, column in scan.stored.items() if name not in {*held, *scan.fields}
        }
        for struct in dict.fromkeys(struct for struct, _ in scan.fields.values()):
            own = [field for column, field in scan.fields.values() if column == struct]
            types[struct] = f"array<struct<{', '.join(f'`{field}`: string' for field in own)}>>"
        return reader.schema(", ".join(f"`{name}` {kind}" for name, kind in types.items())).json(file, mode="FAILFAST")
    if scan.format == "delta":
        return _delta(reader, path)
    return reader.parquet(file)


def _delta(reader: Any, path: str) -> Any:
    """Return a Delta table; `None` if this Spark has no reader for them."""
    try:
        frame = reader.format("delta").load(f"file:{os.path.abspath(path)}")
        frame.schema  # noqa: B018 - Spark Connect looks for the reader only when it is asked for something
    except Exception as error:
        if "DATA_SOURCE_NOT_FOUND" in str(error):
            return None
        raise
    return frame


def _is_blank(scan: Scan) -> Any:
    """Return whether a record has no value in any column."""
    from pyspark.sql import functions as f

    def is_missing(name: str) -> Any:
        value = f.col(f"`{name}`")
        return value.isNull() | value.cast("string").isin(*scan.nulls) if scan.nulls else value.isNull()

    blank = f.lit(True)
    for column, name in scan.columns.items():
        missing = is_missing(name)
        for part in scan.key[1:] if column == "user" else ():
            missing = missing | is_missing(scan.names[part])
        blank = blank & missing
    return blank


def _by_polars(frame: Any, scan: Scan) -> Any:
    """Read what needs conversion (lists, ids of several columns, filters, …) on the workers, by the code that reads it on one machine."""
    stored = {field.name: field.dataType for field in frame.schema.fields}
    types = {"row": "bigint"} | ({ELEMENT: "bigint"} if scan.lists else {})
    for column, name in scan.columns.items():
        kind, odd = scan.kinds[column], f"odd_{column}"
        if kind == "number" and not scan.is_text:
            inner = getattr(stored[name], "elementType", stored[name]).simpleString()
            types[column] = inner if inner in _NUMBERS and column not in scan.numbers else _number_type(scan, column)
        else:
            types[column] = "double" if kind == "time" else _number_type(scan, column) if kind == "number" else _TYPES[kind]
        if kind == "integer" and scan.is_text:
            types[odd] = "boolean"
    reader = RecordReader.from_scan(scan, types)
    return frame.mapInArrow(reader, ", ".join(f"`{name}` {kind}" for name, kind in types.items()))


def _by_sql(frame: Any, scan: Scan) -> Any:
    """Return the canonical columns as expressions of Spark."""
    from pyspark.sql import functions as f

    stored = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    columns = []
    for column, name in scan.names.items():
        value, kind = f.col(f"`{name}`"), scan.kinds[column]
        if kind == "integer" and stored[name] == "string":
            columns += [value.try_cast("bigint").alias(column), f.coalesce(~value.rlike(_INTEGER), f.lit(False)).alias(f"odd_{column}")]
        elif kind == "number" and stored[name] == "string" and scan.numbers.get(column) == "whole":
            wrong = f.raise_error(f.concat(f.lit("not an integer: "), value)).cast("bigint")
            columns.append(f.coalesce(value.try_cast("bigint"), f.when(value.isNotNull(), wrong)).alias(column))
        elif kind == "number" and stored[name] == "string":
            wrong = f.raise_error(f.concat(f.lit("not a number: "), value)).cast("double")
            number = f.when(value.isNull() | value.rlike(_NUMBER), value.cast("double")).otherwise(wrong)
            columns.append(f.when(~f.isnan(number), number).alias(column))  # the text nan is a missing value
        elif kind == "number":
            is_fine = stored[name] in _NUMBERS and column not in scan.numbers
            columns.append((value if is_fine else value.cast(_number_type(scan, column))).alias(column))
        elif kind == "time":
            columns.append(_seconds(value, stored[name]).alias(column))
        else:
            columns.append(value.cast(_TYPES[kind]).alias(column))
    return frame.select(f.col(f"`{RECORD}`").alias("row"), *columns)


def _seconds(value: Any, stored: str) -> Any:
    """Return a time as seconds since 1970, or a number as it is; null if it is neither."""
    from pyspark.sql import functions as f

    if stored.startswith(("timestamp", "date")):
        return value.cast("timestamp").cast("double")
    if stored != "string":
        return value.cast("double")
    texts = [f.try_to_timestamp(value, f.lit(form)).cast("double") for form in ("yyyy/M/d", "d.M.yyyy")]
    return f.coalesce(value.try_cast("double"), value.try_cast("timestamp").cast("double"), *texts)


def _without_faulty(rows: Any, scan: Scan) -> Any:
    """Return the rows without those that `skip_faulty` drops."""
    from pyspark.sql import functions as f

    fine = f.lit(True)
    for column in scan.skip_faulty:
        value, kind = f.col(column), scan.kinds[column]
        fine = fine & value.isNotNull()
        if kind == "number":
            fine = fine & ~f.isnan(value) & (f.abs(value) != float("inf"))
        elif kind == "text":
            fine = fine & (value != "")
    return rows.filter(fine) if scan.skip_faulty else rows


def quoted(table: str) -> str:
    """Return the name of a table in the form that Spark takes, with each part between backticks: a catalog may be called `my-shop`."""
    return ".".join(f"`{part.strip('`')}`" for part in re.findall(r"`[^`]+`|[^.`]+", table))


def _escaped(path: str) -> str:
    """Return a local path in the form that Spark takes, with the letters of patterns escaped."""
    absolute = os.path.abspath(path)
    return "file:" + "".join(f"\\{letter}" if letter in "*?[]{}\\" else letter for letter in absolute)
