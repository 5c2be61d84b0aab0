"""One source: its files, and how to read them. Looks at names, schemas and first lines only."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import polars as pl

from ..engine.base import Format, Kind, Scan
from ..errors import DataError
from . import sniff
from .columns import IDS, ids_of, labelled, names_a_column, recognise

_FLAT: Final = "write one value per row, or one text in which the values are separated"


@dataclass(frozen=True)
class Source:
    """A source that was looked at: its role (`data.test`, `data.recommendations.als`), its files and how to scan them.

    `stored` is the kind of each column as the files have it; `scan.kinds` says how it is read. `labels` are the further columns
    that were asked for: the file's name → the canonical name.
    """

    role: str
    table: str
    given: tuple[str, ...]
    scan: Scan
    stored: Mapping[str, Kind]
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of the source, in reading order."""
        return tuple(Path(path) for path in self.scan.paths)

    @property
    def columns(self) -> frozenset[str]:
        """The canonical columns that the source has."""
        return frozenset(self.scan.names)

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Source:
        """The same source with its ids read as `kinds` says."""
        fitting = {column: kinds.get(column, kind) for column, kind in self.scan.kinds.items()}
        return replace(self, scan=replace(self.scan, kinds=fitting))

    def without_blank_lines(self) -> Source:
        """The same source, rows without any value being passed over."""
        return replace(self, scan=replace(self.scan, skip_blank=True))

    def without_faulty_rows(self) -> Source:
        """The same source, rows without a value or with a number that is not finite being passed over."""
        return replace(self, scan=replace(self.scan, skip_faulty=tuple(sorted(self.filled))))

    @property
    def filled(self) -> frozenset[str]:
        """The columns that must have a value in every row: all but the labels and the time."""
        return self.columns - set(self.labels.values()) - {"timestamp"}


def find(role: str, given: Sequence[str], folder: Path) -> list[Path]:
    """The files that paths and globs name, relative to `folder`, those of a glob in the order of their names."""
    found: list[Path] = []
    for text in given:
        path = folder / text
        if path.is_dir():
            raise DataError(f"{role}: {text} is a folder, not a file", f"name its files, for example {text.rstrip('/')}/*.parquet")
        if path.exists():
            found.append(path)
        elif glob.has_magic(text):
            matches = sorted(glob.glob(text, root_dir=folder, recursive=True))
            files = [folder / match for match in matches if (folder / match).is_file()]
            if not files:
                raise DataError(f"{role}: no file matches {text} (looked in {folder})")
            found += files
        else:
            raise DataError(f"{role}: there is no file {text} (looked in {folder})", "paths are relative to the config file")
    return found


def look(
    role: str,
    table: str,
    given: Sequence[str],
    paths: Sequence[Path],
    *,
    format: Format | None = None,
    separator: str | None = None,
    header: bool | None = None,
    columns: Mapping[str, str | int] | None = None,
    labels: Sequence[str] = (),
) -> Source:
    """Look at the files of a source and say how to read them; `DataError` if they cannot be read this way.

    `labels` names further columns to read, as text that may be missing.
    """
    first = paths[0]
    for path in paths:
        if not os.access(path, os.R_OK):
            raise DataError(f"{role}: {path} may not be read (permission denied)")
        if path.stat().st_size == 0:
            raise DataError(f"{role}: {path}: the file is empty")
    format = format or sniff.format_of(first)
    mapping = columns or {}
    if format in ("csv", "ndjson"):
        scan = _text(role, table, paths, format, separator, header, mapping, labels)
    else:
        scan = _typed(role, table, paths, format, mapping, labels)
    return Source(role, table, tuple(given), scan, scan.kinds, {label: f"label_{place}" for place, label in enumerate(labels)})


def _text(
    role: str,
    table: str,
    paths: Sequence[Path],
    format: Format,
    separator: str | None,
    header: bool | None,
    given: Mapping[str, str | int],
    labels: Sequence[str],
) -> Scan:
    names: tuple[str, ...] = ()
    rows: list[dict[str, str]] = []
    has_header = False
    for path in paths:
        lines = sniff.head(path)
        if format == "ndjson":
            fields, found = _json_rows(path, lines, ids_of(table), labels)
            names = tuple(dict.fromkeys((*names, *fields)))
        else:
            separator = separator or sniff.separator_of(path, lines)
            fields, found, has_header = _csv_rows(path, lines, separator, header)
        if names and fields != names and format == "csv":
            raise DataError(f"{role}: {path} has the columns {', '.join(fields)}, but {paths[0]} has {', '.join(names)}")
        names = names or fields
        rows += [dict(zip(fields, row, strict=False)) for row in found]
    where = f"{role}: {paths[0]}"
    if format == "ndjson":
        names = _all_keys(paths, names)
    columns, further = _columns(where, table, names, given, labels, has_header or format == "ndjson")
    kinds = {column: _kind_of_text(column, [row.get(name, "") for row in rows]) for column, name in columns.items()}
    files = tuple(str(path) for path in paths)
    return Scan(files, format, columns | further, kinds | _kinds_of(further), separator or ",", names, has_header)


def _columns(
    where: str, table: str, names: Sequence[str], given: Mapping[str, str | int], labels: Sequence[str], has_header: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """The file's names of the columns that have a role, and of the labels."""
    if not has_header:  # said before any guess at the columns, of which it is the cause
        labelled(where, names, labels, {}, has_header)
    found = recognise(where, table, names, given, has_header)
    return found, labelled(where, names, labels, found, has_header)


def _kinds_of(labels: Mapping[str, str]) -> dict[str, Kind]:
    return dict.fromkeys(labels, "text")


def _csv_rows(path: Path, lines: list[str], separator: str, header: bool | None) -> tuple[tuple[str, ...], list[list[str]], bool]:
    kept = [line for line in lines if line.strip()]
    first = sniff.split(kept[0], separator)
    if sniff.has_header(first, header):
        if len(kept) == 1:
            raise DataError(f"{path}: the file has a header and no rows")
        return _distinct(first), [sniff.split(line, separator) for line in kept[1:]], True
    return tuple(f"column_{index}" for index in range(1, len(first) + 1)), [sniff.split(line, separator) for line in kept], False


def _distinct(header: list[str]) -> tuple[str, ...]:
    """The names of a header; of names that stand twice, those of columns that nobody can mean are made distinct."""
    names = [name.strip() for name in header]
    unknown = {name for name in names if names.count(name) > 1 and not names_a_column(name)}
    return tuple(f"{name} ({place})" if name in unknown else name for place, name in enumerate(names, 1))


def _all_keys(paths: Sequence[Path], names: tuple[str, ...]) -> tuple[str, ...]:
    """`names`, and the keys that occur only further on, such as a score that the first objects lack."""
    try:
        schema = pl.scan_ndjson(list(paths), infer_schema_length=None).collect_schema()
    except (pl.exceptions.PolarsError, OSError):
        return names  # the broken line is found, and named, when the rows are read
    return tuple(dict.fromkeys((*names, *schema)))


def _json_rows(path: Path, lines: list[str], ids: Sequence[str], labels: Sequence[str]) -> tuple[tuple[str, ...], list[list[str]]]:
    names: dict[str, None] = {}
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise DataError(f"{path}, line {number}: not JSON ({error})") from None
        if not isinstance(record, dict):
            raise DataError(f'{path}, line {number}: a JSON object was expected, such as {{"user": 1, "item": 2}}')
        nested = [name for name, value in record.items() if isinstance(value, dict | list | float) and names_a_column(name, *ids)]
        if nested:
            raise DataError(f"{path}, line {number}: {record[nested[0]]!r} cannot be an id", "ids are integers or text")
        for name in labels:
            if isinstance(record.get(name), dict | list):
                raise DataError(f"{path}, line {number}: {name!r} is {record[name]!r}, where text was expected", _FLAT)
        names.update(dict.fromkeys(record))
        records.append(record)
    texts = [[json.dumps(record[name]) if record.get(name) is not None else "" for name in names] for record in records]
    return tuple(names), texts


def _typed(role: str, table: str, paths: Sequence[Path], format: Format, given: Mapping[str, str | int], labels: Sequence[str]) -> Scan:
    kinds: dict[str, Kind] = {}
    names: dict[str, str] = {}
    further: dict[str, str] = {}
    for path in paths:
        try:
            schema = (pl.read_parquet_schema if format == "parquet" else pl.read_ipc_schema)(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            said = str(error).splitlines()[0]
            raise DataError(f"{role}: {path}: not a readable {format} file ({said})", "is it complete?") from None
        found, further = _columns(f"{role}: {path}", table, list(schema), given, labels, has_header=True)
        names = names or found
        if found != names:
            has, others = (", ".join(sorted(columns.values())) for columns in (found, names))
            raise DataError(f"{role}: of {path} the columns {has} would be read, but of {paths[0]} {others}", "name them in the config")
        for name in labels:
            if schema[name].is_nested() or schema[name] in (pl.Binary, pl.Object):
                raise DataError(f"{role}: {path}: column {name!r} is of type {schema[name]}, where text was expected", _FLAT)
        for column, name in names.items():

            def largest(path: Path = path, name: str = name) -> int:
                scan = pl.scan_parquet if format == "parquet" else pl.scan_ipc
                return int(scan(path, glob=False).select(pl.col(name).max()).collect().item() or 0)

            kind = _kind_of_type(f"{role}: {path}", column, name, schema[name], largest)
            kinds[column] = "text" if "text" in (kind, kinds.get(column)) else kind
    return Scan(tuple(str(path) for path in paths), format, names | further, kinds | _kinds_of(further))


def _kind_of_text(column: str, sample: Sequence[str]) -> Kind:
    if column not in IDS:
        return "time" if column == "timestamp" else "number"
    return "integer" if all(sniff.is_integer(value) for value in sample if value) else "text"


def _kind_of_type(where: str, column: str, name: str, dtype: pl.DataType, largest: Callable[[], int]) -> Kind:
    if column in IDS:
        if dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
            return "integer"
        if dtype == pl.UInt64:
            return "integer" if largest() < 2**63 else "text"
        if dtype.is_nested() or dtype.is_float() or dtype in (pl.Binary, pl.Object, pl.Null):
            raise DataError(f"{where}: column {name!r} is of type {dtype} and cannot be an id", "ids are integers or text")
        return "text"
    if column == "timestamp":
        return "time"
    if not dtype.is_numeric():
        raise DataError(f"{where}: column {name!r} is of type {dtype}, where {column} must be a number")
    return "number"
