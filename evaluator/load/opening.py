"""Files → lazy Polars frames of canonical columns. Long: a way to open each format.

Local files are read, never mapped into memory: a mapped file that is cut while it is read kills the process.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Final

import polars as pl

from ..support.patterns import regex
from ..support.temporary import folder_for_copies
from ..syntax.row_filter import columns_of, parse_filter
from .columns import IDS
from .iceberg import scan_table
from .list_columns import listed, with_fields
from .made_columns import nested_types, with_nested, with_wide
from .row_filters import kept_rows
from .scan import BOOLEANS, FILTER_COLUMN, NO_VALUE, TREC_COMMENT, Scan

FAILURES: Final = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""Exceptions of Polars for a file that it cannot read; some broken files make it panic."""
RECORD: Final = "receval row"
"""The number of a record of the files, from 0; a record with a list becomes several rows."""
_TYPES: Final = {"integer": pl.Int64, "text": pl.String, "time": pl.Float64}
_TIMES: Final = (
    "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y",
    "%+", "%Y-%m-%d %H:%M:%S%.f%#z",
)  # fmt: skip
"""The time zone of texts without one: UTC."""
_YEAR: Final = r"^\d{4}\D|\.\d{4}$"
"""A year of four digits, first or last: 03/01/24 is not the year 3."""
_CONTROL: Final = regex(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters, and bytes that are not UTF-8."""
WHOLE: Final = r"^[+-]?[0-9]+(\.0*)?$"
"""A whole number, as libraries write it that store integers as floating-point numbers."""
_LINE: Final = "receval line"
_REST: Final = "receval rest"
_ROW: Final = "receval exploded"
"""The number of a row after lists are expanded, or rows filtered."""


def open_rows(source: Scan, *, records: bool = False) -> pl.LazyFrame:
    """Return the canonical columns of a source, and `row`, the number of each row in the order of the files. With `records`, `RECORD` too.

    If text is read as integers, other text is null, and `odd_user` or `odd_item` is true where the text may not be the plain spelling of
    an integer.
    """
    return rows_of(source, raw(source), records=records)


def rows_of(source: Scan, frame: pl.LazyFrame, *, records: bool = False) -> pl.LazyFrame:
    """Return the canonical rows of `raw` rows: lists become several rows, and faulty rows are skipped."""
    columns = _canonical(source, frame)
    frame = single_values(source, frame)
    if source.padding or source.skips_gaps:
        frame = frame.filter(~is_padding(source))
    row = _ROW if source.lists or source.where or source.padding else RECORD
    if row == _ROW:
        frame = frame.with_row_index(row)
    if source.skip_blank:
        frame = frame.filter(~is_blank(source)).drop(row).with_row_index(row)
    kept = [RECORD] if records else []
    rows = frame.select(pl.col(row).cast(pl.Int64).alias("row"), *columns, *kept)
    if source.skip_faulty:
        fine = pl.all_horizontal(is_there(column, source.kinds[column]) for column in source.skip_faulty)
        if source.only_faulty:
            return rows.filter(~fine)
        rows = rows.filter(fine).drop("row").with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    return rows


def single_values(source: Scan, frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return the `raw` rows that the filter keeps, with a row for each value of a list."""
    if source.where:
        frame, texts = with_filter_texts(source, frame)
        frame = frame.filter(kept_rows(parse_filter(source.where), texts, decimal_comma=source.decimal_comma)).drop(texts.values())
    if source.lists:
        frame = frame.explode([source.names[column] for column in sorted(source.lists)], empty_as_null=False)
    return frame


def is_padding(source: Scan) -> pl.Expr:
    """Return an expression that is true for single values of items that only fill lists up."""
    written, item = pl.col(source.names["item"]).cast(pl.String), value_of_column(source, "item").cast(pl.String)
    is_filler = written.is_in(source.padding) | item.is_in(source.padding)
    if source.skips_gaps or "" in source.padding:
        is_filler = is_filler.fill_null(True) | (item == "")
    return is_filler.fill_null(False)


def whole_number(value: pl.Expr) -> pl.Expr:
    """Return ids as integers, which may be written as 318 or 318.0; null for others."""
    text = value.cast(pl.String).str.strip_chars()
    return pl.when(text.str.contains(WHOLE)).then(text.str.replace(r"\.0*$", "")).cast(pl.Int64, strict=False)


def is_blank(source: Scan) -> pl.Expr:
    """Return an expression that is true for `raw` rows without any value."""
    return pl.all_horizontal(value_of_column(source, column).is_null() for column in source.columns)


def with_filter_texts(source: Scan, frame: pl.LazyFrame) -> tuple[pl.LazyFrame, dict[str, str]]:
    """Return `raw` rows with the columns of the filter as text; and name in the filter → column.

    Dates and times are written in ISO 8601, with a space between the two, and without a fraction of seconds if it is 0. Existing texts
    stay, and missing columns are skipped: columns in the path of a file are added later.
    """
    texts: dict[str, str] = {}
    types, columns = frame.collect_schema(), []
    for index, name in enumerate(columns_of(parse_filter(source.where))):
        column, text = f"{FILTER_COLUMN}{index}", f"receval {FILTER_COLUMN}{index}"
        if text not in types and source.names[column] in types:
            value = value_of_column(source, column)
            is_time = types[source.names[column]] == pl.Datetime
            columns.append((value.dt.strftime("%Y-%m-%d %H:%M:%S%.f") if is_time else value.cast(pl.String)).alias(text))
        if text in types or source.names[column] in types:
            texts[name] = text
    return frame.with_columns(columns), texts


def _canonical(source: Scan, frame: pl.LazyFrame) -> list[pl.Expr]:
    """Return the canonical columns of `raw` rows.

    An integer in text is odd if it may not be the plain spelling: padded (`001`) or signed. Comparing bytes is the cheapest test: a text
    that sorts before "1" is "0", or starts with a zero or a sign.
    """
    columns: list[pl.Expr] = []
    types = frame.collect_schema() if "time" in source.kinds.values() else {}
    for column in source.columns:
        value, kind = value_of_column(source, column), source.kinds[column]
        if kind == "integer" and source.is_text and column not in source.integers:
            written = value.cast(pl.Binary)
            is_odd = (written < b"1") & (written != b"0")
            columns += [value.cast(pl.Int64, strict=False).alias(column), is_odd.alias(f"odd_{column}")]
        elif kind in ("integer", "text"):
            columns.append(value.cast(_TYPES[kind]).alias(column))
        elif kind == "time":
            columns.append(_seconds(value, types[source.names[column]]).alias(column))
        else:
            number_type, in_text = _type_of_number(source, column), _is_text_of_number(source, column)
            if in_text:  # words for missing values are missing, and other text that is not a number fails
                written = value.str.replace(",", ".", literal=True) if source.decimal_comma else value
                if source.booleans and column == "rating":
                    written = written.str.to_lowercase().replace(BOOLEANS)
                value = pl.when(~value.str.to_lowercase().is_in(NO_VALUE)).then(written)
            number = value.cast(number_type) if in_text or column in source.numbers else value
            no_nan = (in_text or source.is_text) and number_type == pl.Float64
            number = -number if column in source.ascending else number
            columns.append((number.fill_nan(None) if no_nan else number).alias(column))
    return columns


def raw(source: Scan) -> pl.LazyFrame:
    """Return the rows of a source as in the files, with `RECORD`; a list is one field."""
    if source.partitions or (source.format == "lines" and source.has_header):
        parts = [_raw_part(source, path).drop(RECORD) for path in source.paths]
        return with_lists(source, pl.concat(parts).with_row_index(RECORD))
    return with_lists(source, _files(source, source.paths))


def with_lists(source: Scan, frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return the rows of a source with texts parsed into lists."""
    if source.lists_in_text:
        names = {source.names[column]: column in IDS and column not in source.integers for column in sorted(source.lists)}
        frame = frame.with_columns(listed(pl.col(name), source.split, source.list_syntax, ids).alias(name) for name, ids in names.items())
    return frame


def _raw_part(source: Scan, path: str) -> pl.LazyFrame:
    """Return the rows of one file, with the columns in its path."""
    values = source.partitions.get(path, {})
    held = {column: name for name, column in source.stored.items() if name in values}
    frame = _files(source, (path,), frozenset(held.values()))
    as_text = {column: source.is_text and (source.kinds[column] != "number" or _is_text_of_number(source, column)) for column in held}
    return frame.with_columns(
        pl.lit(values[name], dtype=pl.String).cast(pl.String if as_text[column] else _type(source, column)).alias(name)
        for column, name in held.items()
    )


def _files(source: Scan, given: tuple[str, ...], held: frozenset[str] = frozenset()) -> pl.LazyFrame:
    if source.frame is not None:
        return _flat(source, source.frame).with_row_index(RECORD)
    paths = list(given)
    names = [name for name in dict.fromkeys(source.names.values()) if name not in held]
    if source.format == "csv":
        numbers = {
            source.names[column]: _type_of_number(source, column)
            for column, kind in source.kinds.items()
            if kind == "number" and not _is_text_of_number(source, column)
        }
        header = list(source.header)
        rows = pl.scan_csv(
            paths,
            separator=source.separator,
            quote_char='"' if source.quotes else None,
            has_header=source.has_header,
            infer_schema=False,
            schema_overrides=numbers,
            with_column_names=lambda _: header,
            row_index_name=RECORD,
            glob=False,
        )
        return with_wide(rows, source.wide)
    if source.format == "lines":
        return with_wide(_fields(pl.scan_lines(paths, name=_LINE, row_index_name=RECORD, glob=False), source), source.wide)
    if source.format in ("ndjson", "ipc"):
        paths = [unmapped(path) for path in paths]
    if source.format == "ndjson":
        objects = pl.scan_ndjson(paths, schema=_json_types(source, held), row_index_name=RECORD)
        return _flat(source, objects)
    scan = pl.scan_ipc if source.format == "ipc" else pl.scan_parquet
    options = dict(source.storage) or None
    if source.format in ("delta", "iceberg"):
        is_delta = source.format == "delta"
        tables = [pl.scan_delta(path, storage_options=options) if is_delta else scan_table(path, source.storage) for path in paths]
        return pl.concat([_flat(source, table).select(names) for table in tables]).with_row_index(RECORD)
    if len(paths) == 1 and not held:
        return _flat(source, scan(paths, row_index_name=RECORD, glob=False, storage_options=options))
    # Parts may store a column in different types.
    types = {name: _type(source, column) for name, column in source.stored.items() if source.kinds[column] != "time"}
    parts = []
    for path in paths:
        part = _flat(source, scan(path, glob=False, storage_options=options))
        texts: dict[str, str] = {}
        if source.where:  # as stored
            part, texts = with_filter_texts(source, part)
        stored = part.collect_schema() if len(types) < len(source.stored) else {}
        columns = (pl.col(name).cast(types[name]) if name in types else _seconds(pl.col(name), stored[name]) for name in names)
        parts.append(part.select(*columns, *texts.values()))
    return pl.concat(parts).with_row_index(RECORD)


def _flat(source: Scan, frame: pl.LazyFrame) -> pl.LazyFrame:
    frame = with_fields(with_nested(frame, source.nested), source.fields, list(source.stored))
    return with_wide(frame, source.wide, {source.names[column] for column in source.integers})


def _fields(lines: pl.LazyFrame, source: Scan) -> pl.LazyFrame:
    """Split lines into named fields, as text; a line with more fields than names fails, an empty line has no values.

    If white space separates, as in TREC files, a line with fewer fields fails too, a comment has no values, and text behind the tag of a
    run is ignored.
    """
    line, separator, width = pl.col(_LINE).str.strip_prefix("\ufeff"), source.separator, len(source.header)
    if not separator:
        line, separator = line.str.strip_chars(" \t\r").str.replace_all("[ \t]+", " "), " "
        line = pl.when(line.str.starts_with(TREC_COMMENT)).then(pl.lit("")).otherwise(line)
    if source.ragged:
        split = line.str.strip_chars(" ").str.splitn(separator, width).struct.rename_fields(list(source.header))
        return _ragged(lines.with_columns(split.alias(_LINE)).unnest(_LINE), source)
    split = line.str.splitn(separator, width + 1).struct.rename_fields([*source.header, _REST])
    fields = lines.with_columns(split.alias(_LINE)).unnest(_LINE)
    if source.has_header:
        fields = fields.filter(pl.col(RECORD) > 0).with_columns(pl.col(RECORD) - 1)
    first, is_wrong = source.header[0], pl.lit(False) if source.ignores_rest else pl.col(_REST).is_not_null()
    if not source.separator:
        is_wrong |= pl.col(source.header[-1]).is_null() & (pl.col(first) != "")
    # Polars can only be made to fail by an impossible conversion: a word to a number.
    failed = pl.when(is_wrong).then(pl.lit("other fields")).cast(pl.Float64).cast(pl.String)
    named = [pl.when(pl.col(name) != "").then(pl.col(name)).alias(name) for name in source.header[1:]]
    return fields.select(RECORD, pl.when(is_wrong).then(failed).when(pl.col(first) != "").then(pl.col(first)).alias(first), *named)


def _ragged(fields: pl.LazyFrame, source: Scan) -> pl.LazyFrame:
    """Return the user and the rest of every line; of a blank line neither, and of a user without items an empty rest."""
    user, rest = source.header
    if source.has_header:
        fields = fields.filter(pl.col(RECORD) > 0).with_columns(pl.col(RECORD) - 1)
    user_id = pl.col(user).str.strip_chars(" \r")
    return fields.select(
        RECORD, pl.when(user_id != "").then(user_id).alias(user), pl.col(rest).str.strip_chars("\r").fill_null("").alias(rest)
    )


def value_of_column(source: Scan, column: str) -> pl.Expr:
    """Return a column of single `raw` rows, with missing values; several columns that name a user together are joined."""
    return joined([_single(source, part) for part in source.key]) if column == "user" and source.key else _single(source, column)


def joined(parts: Sequence[pl.Expr]) -> pl.Expr:
    r"""Return the texts of several columns with `|` between them; null if one of them is missing.

    In the texts `|` and `\` are written `\|` and `\\`, so that different values never give the same text.
    """
    texts = [part.cast(pl.String) for part in parts]
    escaped = [text.str.replace_many(["\\", "|"], ["\\\\", "\\|"]) for text in texts]
    return pl.concat_str([pl.when(text != "").then(text) for text in escaped], separator="|")


def _single(source: Scan, column: str) -> pl.Expr:
    value = pl.col(source.names[column])
    if column in source.vectors:
        value = value.cast(pl.List(pl.Float64)).cast(pl.List(pl.String)).list.join(" ")
    if column in IDS and source.is_text and source.separator == ":":  # in `user: a, b` the spaces are no part of the ids
        value = value.str.strip_chars(" ")
    if source.nulls and (source.kinds[column] != "number" or _is_text_of_number(source, column)):
        value = pl.when(~value.cast(pl.String).is_in(source.nulls)).then(value)
    if source.label_separator and column in ("item", "rating"):
        pattern = f"(?s)^(.*){re.escape(source.label_separator)}(.*)$"
        value = value.str.extract(pattern, 1 if column == "item" else 2)
    return whole_number(value) if column in source.integers else value


def _is_text_of_number(source: Scan, column: str) -> bool:
    in_text = (source.lists_in_text and column in source.lists) or source.format == "lines"
    in_text |= (source.is_text and source.names[column] in source.wide) or (column == "rating" and bool(source.label_separator))
    return source.kinds[column] == "number" and (in_text or (source.loose and source.format in ("csv", "ndjson")))


def _type_of_number(source: Scan, column: str) -> type[pl.DataType]:
    return pl.Int64 if source.numbers.get(column) == "whole" else pl.Float64


def _json_types(source: Scan, held: frozenset[str]) -> dict[str, pl.DataType | type[pl.DataType]]:
    """Return the types of the keys of JSON objects, without columns in paths."""
    types: dict[str, pl.DataType | type[pl.DataType]] = {}
    structs: dict[str, dict[str, type[pl.DataType]]] = {}
    for name, column in source.stored.items():
        is_number = source.kinds[column] == "number" and not source.loose and name not in source.wide
        single = _type_of_number(source, column) if is_number else pl.String
        if name in source.fields:
            struct, field = source.fields[name]
            structs.setdefault(struct, {})[field] = single
        elif name in source.wide:
            types |= dict.fromkeys(source.wide[name], single)
        elif name not in held:
            types[name] = _type(source, column, single)
    return nested_types(types | {name: pl.List(pl.Struct(fields)) for name, fields in structs.items()}, source.nested)


def _type(source: Scan, column: str, single: type[pl.DataType] | None = None) -> pl.DataType | type[pl.DataType]:
    """Return the type of a column in the files: that of its values, by default that of their kind, or of lists of these."""
    kind = "text" if column in source.integers else source.kinds[column]  # the cast of a fraction would lose it
    single = single or (_type_of_number(source, column) if kind == "number" else _TYPES[kind])
    if column not in source.lists:
        return single
    return pl.String if source.lists_in_text else pl.List(single)


def is_there(column: str, kind: str) -> pl.Expr:
    """Return an expression that is true for rows with a value of this kind in a column: a finite number, a text that is not empty."""
    value = pl.col(column)
    if kind == "number":
        return value.is_not_null() & value.is_finite()
    return value.is_not_null() & (value != "") if kind == "text" else value.is_not_null()


def _seconds(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Return a time as seconds since 1970, or a number unchanged; null if it is neither."""
    if kind in (pl.Categorical, pl.Enum):
        return _seconds(value.cast(pl.String), pl.String())
    if kind.is_temporal():
        return value.cast(pl.Datetime("us")).dt.epoch("us") / 1e6
    if kind != pl.String:
        return value.cast(pl.Float64, strict=False)
    dated = pl.when(value.str.contains(_YEAR)).then(value)
    parsed = [dated.str.to_datetime(form, strict=False, time_unit="us").dt.epoch("us") / 1e6 for form in _TIMES]
    return pl.coalesce(value.cast(pl.Float64, strict=False), *parsed)


def unmapped(path: str) -> str:
    """Return a name with which Polars reads a local NDJSON or Arrow file like a remote one, so that a truncated file is an error.

    It is hardly slower. `POLARS_FORCE_ASYNC` would do the same to every file of the process, including those of receval's caller.
    """
    return path if "://" in path and not os.path.exists(path) else f"file://{os.path.abspath(path)}"


def plainly_named(path: Path, patterns: bool, scratch: ExitStack) -> Path:
    """Return a path to the same file that Polars accepts when it reads it like a remote file: without `..` and control characters.

    With `patterns` it also has no characters of patterns: for NDJSON, Polars has no option to read `[` as a letter.
    """

    def is_odd(name: str) -> bool:
        return bool(_CONTROL.search(os.path.abspath(name))) or (patterns and glob.has_magic(name))

    if ".." in path.parts:
        path = Path(os.path.realpath(path))
    if not is_odd(str(path)):
        return path
    link = scratch.enter_context(folder_for_copies()) / f"file{''.join(path.suffixes[-2:])}"
    if is_odd(link.name):
        link = link.with_name("file")
    try:
        link.symlink_to(os.path.abspath(path))
    except OSError:  # a system without links
        shutil.copyfile(path, link)
    return link


def batches(frame: pl.LazyFrame, rows_per_batch: int) -> Generator[pl.DataFrame]:
    """Yield the rows in their order, about `rows_per_batch` at a time; closing the generator ends the reading.

    Exceptions of Polars are raised here, after the batches before them. `LazyFrame.collect_batches` would end without an error if a thread
    of Polars panics (Polars 2.1), as some broken files cause.
    """
    read: Queue[pl.DataFrame | BaseException | None] = Queue(1)
    unwanted = Event()

    def give(batch: pl.DataFrame) -> bool:
        """Pass a batch on after the one before it was taken; return whether Polars may stop."""
        if not unwanted.is_set():
            read.put(batch)
        return unwanted.is_set()

    def read_all() -> None:
        try:
            frame.sink_batches(give, chunk_size=rows_per_batch, maintain_order=True, engine="streaming")
        except BaseException as error:  # a panic is not an `Exception`
            read.put(error)
        else:
            read.put(None)

    reader = Thread(target=read_all, daemon=True)
    reader.start()
    batch: pl.DataFrame | BaseException | None = pl.DataFrame()
    try:
        while isinstance(batch := read.get(), pl.DataFrame):
            yield batch
    finally:
        unwanted.set()
        while isinstance(batch, pl.DataFrame):  # a thread that still reads when Python ends would end it with a crash
            batch = read.get()
        reader.join()
    if batch is not None:
        raise batch
