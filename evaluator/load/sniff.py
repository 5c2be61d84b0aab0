"""Detect the format of a file by name or content, and the first lines, separator and kinds of columns of text."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, Final

import polars as pl

from ..support.errors import DataError, NoRowsError
from ..support.patterns import regex
from .columns import FLAT, IDS, LARGEST_EXACT, ORDERING
from .iceberg import is_metadata
from .opening import FAILURES
from .scan import BOOLEANS, FILTER_COLUMN, KEY_COLUMN, Format, Kind, ReadOptions, Scan
from .source_file import SourceFile, in_words, partitions_of

_ENDINGS: Final[dict[str, Format]] = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".tab": "csv", ".data": "csv", ".dat": "csv",
    ".inter": "csv", ".item": "csv", ".user": "csv", ".trec": "csv", ".run": "csv", ".qrels": "csv", ".qrel": "csv",
    ".ndjson": "ndjson", ".jsonl": "ndjson", ".json": "ndjson",
    ".parquet": "parquet", ".pq": "parquet",
    ".arrow": "ipc", ".arrows": "ipc", ".ipc": "ipc", ".feather": "ipc",
}  # fmt: skip
_OTHERS: Final = (
    ".inter", ".item", ".items", ".user", ".users", ".base", ".test", ".train", ".rating", ".ratings", ".run", ".trec", ".qrels"
)  # fmt: skip
"""Endings that name the content of a table, not its format."""
_OBJECTS: Final = {
    ".pkl": "pickle", ".pickle": "pickle", ".joblib": "joblib", ".pt": "PyTorch", ".pth": "PyTorch",
    ".libsvm": "libsvm", ".svmlight": "libsvm",
    ".npy": "NumPy", ".npz": "NumPy",
    ".h5": "HDF5", ".hdf5": "HDF5", ".mat": "MATLAB", ".xlsx": "Excel", ".xls": "Excel", ".rds": "R", ".rdata": "R",
}  # fmt: skip
"""Ending of a file that only another program can read → the name of its format."""
PLAIN_INTEGER: Final = "^(0|-?[1-9][0-9]{0,18})$"
_PLAIN_INTEGER: Final = regex(PLAIN_INTEGER)
GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
ARRAYS: Final = (".npy", ".npz")
"""Endings of NumPy files, which are not tables."""
_LIBSVM: Final = regex(r"-?\d+(\.\d+)?( qid:\S+)?( \d+:\S+)+( #.*)?")
STREAM: Final = b"\xff\xff\xff\xff"
"""The start of an Arrow stream, the format between programs; an Arrow file begins with ARROW1."""
PACKED: Final = (".gz", ".zst", ".zstd")
HEAD: Final = 1 << 20
"""The number of bytes of text that are looked at."""
_START: Final = 1 << 12
"""The number of bytes that tell text, which has no zero byte, from other files."""
_LINES: Final = 1_000
_FEW: Final = 20
"""Number of lines that are few."""
_LONGEST_FIELD: Final = 1 << 30
"""Replaces the limit of Python's `csv` (131,072 characters), because a list may be longer."""
_SEPARATORS: Final = (",", "\t", ";", "::", "|", " ")
_ARRAY: Final = regex(r'"\[[^\]]*\]"|"\([^)]*\)"|(?<!")\[[^\]]*\](?!")')
"""A list in brackets, quoted whole or not at all."""


def is_a_table(path: Path) -> bool:
    """Return whether the name of a file has the ending of a table."""
    return ending_of(path) in {*_ENDINGS, *_OTHERS}


def ending_of(path: PurePath) -> str:
    """Return the last ending of a name that is not one of compression, in lower case; empty if there is none."""
    return next((ending.lower() for ending in reversed(path.suffixes) if ending.lower() not in PACKED), "")


def format_of(file: SourceFile, encoded: bool = False) -> Format:
    """Return the format of a file, by its ending or else by its first bytes; raise `DataError` if receval does not read it.

    A file of an unknown ending, such as `part-00000-of-00001` or `batch.json.out`, is read if it is text.

    A file that is `encoded` (not UTF-8) is separated text unless its ending names another format.
    """
    path = file.local
    if known := known_format(path):
        return known
    if starts(path, b"PAR1"):
        return "parquet"
    if starts(path, b"ARROW1") or starts(path, STREAM):
        return "ipc"
    refuse_objects(file)
    if (
        path.suffix
        and path.suffix.lower() not in PACKED
        and ending_of(path) not in _OTHERS
        and not encoded
        and b"\0" in first_bytes(file, _START)
    ):
        raise DataError(
            f"{file}: cannot tell the format from the ending {path.suffix!r}",
            "set it in the config: format: csv, tsv, trec, ragged, json, ndjson, parquet or ipc",
        )
    # UTF-8 text that begins with an object, or an array of objects, is JSON.
    text = b"" if encoded else first_bytes(file).removeprefix(codecs.BOM_UTF8).lstrip()
    return "ndjson" if text.startswith(b"{") or (text.startswith(b"[") and text[1:].lstrip().startswith(b"{")) else "csv"


def refuse_objects(file: SourceFile) -> None:
    """Raise `DataError` for a file that only another program can read, by its ending."""
    if known := _OBJECTS.get(ending_of(file.local)):
        raise DataError(
            f"{file}: receval does not read {known} files",
            "load it in Python and pass its content to receval.evaluate, or save it as CSV, JSON or Parquet",
        )


def without_endings(name: str) -> str:
    """Return the name of a file without the endings of its format: `bpr_lr0.05` from `bpr_lr0.05.csv.gz`."""
    path = PurePath(name)
    while path.stem and path.suffix.lower() in {*_ENDINGS, *_OTHERS, *PACKED, ".json"}:
        path = PurePath(path.stem)
    return path.name


def known_format(path: PurePath) -> Format | None:
    """Return the format of the ending of a file's name; `None` if it is unknown."""
    return "iceberg" if is_metadata(path) else _ENDINGS.get(ending_of(path))


def head(file: SourceFile) -> list[str]:
    """Return the first lines of a text file, unpacked, without line ends; raise `DataError` if it is empty or not text."""
    return first_lines(file)[0]


def is_of_features(lines: Sequence[str]) -> bool:
    """Return whether lines are features of libsvm: `1 qid:3 1:0.5 2:0.1`."""
    return all(map(_LIBSVM.fullmatch, lines[:_FEW]))


def refuse_features(file: SourceFile, lines: Sequence[str]) -> None:
    """Raise `DataError` for the first lines of a file of features, which have neither users nor items."""
    if is_of_features([line for line in lines if line.strip()]):
        raise DataError(
            f"{file}: the lines look like features of libsvm (label 1:0.5 2:0.1 …), which have no users and items",
            "write a row per user and item, with the columns user, item, and rating or score",
        )


def first_lines(file: SourceFile, most: int = _LINES, size: int = HEAD) -> tuple[list[str], bool]:
    """Return lines as `head`: `most` of the first `size` bytes, or of 1 MiB if few are in these; and whether these are all."""
    start = first_bytes(file, size)
    if len(start) >= size < HEAD and start.count(b"\n") < _FEW:
        start, size = first_bytes(file), HEAD
    if not start.strip():
        raise NoRowsError(f"{file}: the file is empty")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{file}: the text is UTF-16", "set encoding: utf-16 in the config, or save the file as UTF-8")
    complete = start.rpartition(b"\n")[0]
    if len(start) >= size and b"\n" not in complete:
        raise DataError(
            f"{file.line(2 if complete else 1)}: the line is longer than 1 MiB", "check that this is a table with one row per line"
        )
    if len(start) < size:
        complete = start.removesuffix(b"\n")
    try:
        text = complete.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(file.line(complete[: error.start].count(b"\n") + 1), error) from None
    if "\n" not in text and "\r" in text.rstrip("\r"):
        raise DataError(f"{file}: lines end with a carriage return only", "convert the line ends, for example with tr '\\r' '\\n'")
    if "\x00" in text:
        raise holds_nul(file.line(text[: text.index("\x00")].count("\n") + 1))
    texts = text.split("\n", most)
    lines = [line.removesuffix("\r") for line in texts[:most]]
    if not any(line.strip() for line in lines):
        raise NoRowsError(f"{file}: the file is empty, or begins with {most:,} blank lines")
    return lines, len(texts) <= most and len(start) < size


def holds_nul(line: object) -> DataError:
    """Return the error for a line with a NUL byte, which is not text."""
    return DataError(f"{line}: not a text file (it contains NUL bytes)", "set its format in the config, or save it as UTF-8")


def not_utf8(line: object, error: UnicodeDecodeError) -> DataError:
    """Return the error for a line that is not UTF-8."""
    byte = error.object[error.start]
    return DataError(
        f"{line}: not UTF-8 text (byte 0x{byte:02X})", "set encoding: latin-1 in the config if it is, or convert the file with iconv"
    )


def starts(path: Path, magic: bytes) -> bool:
    """Return whether a file begins with these bytes (of `GZIP`, `ZSTD` or an Arrow `STREAM`), regardless of its name."""
    with open(path, "rb") as file:
        return file.read(len(magic)) == magic


def separator_of(path: Path, lines: list[str], split_at: str | None = None) -> str:
    """Return the separator with which all first lines have the same number of fields, more than one.

    The separator of lists within a field, `split_at`, is chosen only if there is no other; separators within a JSON array do not count.
    """
    if ".tsv" in (ending.lower() for ending in path.suffixes) or ":token\t" in lines[0]:
        return "\t"
    sample = [_ARRAY.sub("[]", line) for line in [line for line in lines if line.strip()][:50]]
    best, fields = ",", 1
    there = [separator for separator in _SEPARATORS if any(separator in line for line in sample)]
    for separator in sorted(there, key=lambda separator: separator == split_at):
        widths = {len(split(line, separator)) for line in sample}
        if len(widths) == 1 and max(widths) > fields and (separator != split_at or fields == 1):
            best, fields = separator, max(widths)
    if fields == 1:  # no separator fits every line: take that of the first line, so that the odd line is reported
        best = max(_SEPARATORS, key=lambda separator: sample[0].count(separator))
    return best


def separator_of_ragged(lines: Sequence[str]) -> str:
    """Return the separator of lines with different numbers of fields: the one that is in the most lines."""
    return max(_SEPARATORS, key=lambda separator: sum(separator in line.strip() for line in lines))


def split(line: str, separator: str) -> list[str]:
    """Return the fields of one line; with a separator of several characters no field is quoted."""
    if len(separator) > 1:
        return line.split(separator)
    try:
        return next(csv_rows(io.StringIO(line), separator), [])
    except csv.Error:
        return line.split(separator)


def csv_rows(lines: Iterable[str], separator: str, *, strict: bool = False) -> Iterator[list[str]]:
    """Yield the fields of each record; raise `csv.Error` for a broken one. The limit of the process is restored between rows."""
    reader = csv.reader(lines, delimiter=separator, strict=strict)
    while True:
        before = csv.field_size_limit(_LONGEST_FIELD)
        try:
            row = next(reader, None)
        finally:
            csv.field_size_limit(before)
        if row is None:
            return
        yield row


def rows(lines: Sequence[str], separator: str, quotes: bool) -> list[list[str]]:
    """Return the fields of the first lines, without blank ones and without a last row that continues behind them.

    With `quotes` a quotation mark at the start of a field quotes it, if the separator is a single byte.
    """
    texts = [line for line in lines if line.strip()]
    if not quotes or len(separator.encode()) > 1:
        return [line.split(separator) for line in texts]
    fields: list[list[str]] = []
    with suppress(csv.Error):  # the last row may continue behind the last line; a broken one is reported when all rows are read
        fields.extend(csv_rows((f"{line}\n" for line in texts), separator, strict=True))
    return fields or [split(texts[0], separator)]


def is_integer(text: str) -> bool:
    """Return whether a text is the plain spelling of an integer of 64 bits."""
    return _PLAIN_INTEGER.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63


def booleans_in(sample: Sequence[str]) -> bool:
    """Return whether values of a column of numbers are words for true and false."""
    return any(value.lower() in BOOLEANS for value in sample)


def kind_of(column: str, sample: Sequence[str], nulls: Sequence[str]) -> Kind:
    """Return the kind of a canonical text column: ids are integers if all of the sample are, `nulls` (missing values) aside."""
    if column not in IDS:
        return "time" if column == "timestamp" else "number"
    return "integer" if all(map(is_integer, {*sample} - {"", *nulls})) else "text"


def scan_of(
    where: str,
    files: Sequence[SourceFile],
    options: ReadOptions,
    names: Mapping[str, str],
    stored: Iterable[str],
    values: Mapping[str, Sequence[str]],
    **more: Any,
) -> Scan:
    """Return the scan of files with these columns and labels, which are `stored` in the files or else are in their paths.

    `values` are texts of columns, single values; `more` are further fields of the scan, with the kinds of stored columns and the fields of
    all lists of structs. Raises `DataError` if a column in a path must be a number and is not.
    """
    names, more = _with_conversions(where, options, names, values, more)
    partitions = partitions_of(files, names, stored)
    kinds: dict[str, Kind] = dict(more.pop("kinds"))
    for column, name in names.items():
        texts = [values[name] or "" for values in partitions.values() if name in values]
        if column.startswith(("label_", FILTER_COLUMN, KEY_COLUMN)):
            kinds[column] = "text"
        elif texts:
            kinds[column] = kind_of(column, texts, ())
            for wrong in (text for text in texts if text and kinds[column] == "number" and not is_number(text)):
                raise DataError(f"{where}: the folder {name}={wrong} is not a number, but {column} must be one")
    if any(column.startswith(KEY_COLUMN) for column in names):
        kinds["user"] = "text"
    in_lists = {names[column] for column in more.get("lists", ())}
    in_filter = {name for column, name in names.items() if column.startswith(FILTER_COLUMN)}
    for name in sorted(in_lists & in_filter):
        raise DataError(f"{where}: column {name!r} holds lists, but the filter compares single values", FLAT)
    if any(kinds[column] == "number" for column, name in names.items() if name in in_filter):
        more["loose"] = True  # the filter reads numbers as written
    large = {column: [text for text in values.get(column, ()) if len(text) > 15 and is_integer(text)] for column in ORDERING}
    whole = [column for column, texts in large.items() if any(abs(int(text)) > LARGEST_EXACT for text in texts)]
    more["numbers"] = {**dict.fromkeys(whole, "whole"), **more.get("numbers", {})}
    wide = {name: cells for name, cells in more.get("wide", {}).items() if name in names.values()}
    for name in (cell for cells in wide.values() for cell in cells):
        if name in names.values() or sum(name in cells for cells in wide.values()) > 1:
            raise DataError(f"{where}: column {name!r} is mapped to two roles", "each column side by side has one role: correct columns")
    used = {cell for name in names.values() for cell in wide.get(name, (name,))}
    more["fields"] = {name: field for name, field in more.get("fields", {}).items() if name in used}
    structs = {struct for struct, _ in more["fields"].values()}
    more |= {"wide": wide, "nested": {name: keys for name, keys in more.get("nested", {}).items() if name in used | structs}}
    paths = tuple(file.address for file in files)
    more |= {"where": options.where or "", "partitions": partitions}
    return Scan(paths, names=names, kinds=kinds, nulls=options.nulls, **{"split": options.list_separator, **more})


def _with_conversions(
    where: str, options: ReadOptions, names: Mapping[str, str], values: Mapping[str, Sequence[str]], more: Mapping[str, Any]
) -> tuple[Mapping[str, str], dict[str, Any]]:
    """Return the columns and further fields of a scan whose values the config reads in another way than stored."""
    integers, ascending = options.integers & names.keys(), options.ascending & names.keys()
    kinds = {**more["kinds"], **dict.fromkeys(integers, "integer")}
    doubts = [
        f"{where.partition(': ')[0]}: lower is better in column {names[column]!r} (order: ascending), so its numbers are read with the "
        "other sign."
        for column in sorted(ascending)
    ]
    items, separator = values.get("item", ()), (options.label_separator or "") if "item" in names else ""
    if separator:
        items = [text.rpartition(separator)[0] for text in items]
        names, kinds["rating"] = {**names, "rating": names["item"]}, "number"
    if items and "item" not in integers and (separator or options.padding):
        fillers = {*options.padding, *map(json.dumps, options.padding)}
        kinds["item"] = kind_of("item", [text for text in items if text not in fillers], options.nulls)
    padding = options.padding if "item" in names else ()
    converted = {"integers": integers, "ascending": ascending, "padding": padding, "label_separator": separator}
    return names, {**more, **converted, "kinds": kinds, "doubts": (*more.get("doubts", ()), *doubts)}


def is_number(text: str) -> bool:
    """Return whether a text is the spelling of a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def first_bytes(file: SourceFile, size: int = HEAD) -> bytes:
    """Return the first `size` bytes of a text file, unpacked; fewer of a zstd file with short lines."""
    path = file.local
    if starts(path, ZSTD):
        try:
            scan = pl.scan_csv(path, has_header=False, separator="\x01", quote_char=None, infer_schema=False, glob=False)
            lines = scan.head(_LINES).collect().to_series(0)
        except FAILURES as error:
            raise DataError(f"{file}: not a readable zstd file ({in_words(error, file)})", "check that it is complete") from None
        return "\n".join(line or "" for line in lines).encode()[:size]
    if not starts(path, GZIP):
        with open(path, "rb") as plain:
            return plain.read(size)
    try:
        with gzip.open(path) as packed:
            return packed.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: not a readable gzip file ({in_words(error, file)})") from None
