"""Files whose role nobody has said → how to read them, every column as text."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from ..engine import files
from ..engine.base import Format, ReadError, Scan
from ..errors import DataError
from ..load import Source, explain, lists, look, sniff, trec
from ..load.columns import usual_roles

_ROLE: Final = "init"
_FIRST: Final = 1_000
_TREC_ENDINGS: Final[dict[str, str]] = {".run": "lists", ".trec": "lists", ".qrels": "interactions", ".qrel": "interactions"}
_TABBED: Final = (".tsv", ".tab", ".inter", ".item", ".user")
_SIGNS: Final = (" ", "|", ",")
"""What separates the items of a list in text, and could be taken for the separator of fields."""


@dataclass(frozen=True)
class Written:
    """How to read a file, and what a config must say for that (`stated`).

    `table` is what its form alone says that it is, as that of a TREC run does. `nested` are columns of which a row holds neither a value
    nor a list of values, and which are not read.
    """

    source: Source
    header: bool
    stated: Mapping[str, Any]
    table: str | None = None
    nested: tuple[str, ...] = ()

    def split_at(self, split: str, places: Iterable[int]) -> Written:
        """The same file, the columns at `places`, which count from 1, holding lists in text."""
        listed = frozenset(f"column_{place}" for place in places)
        return replace(self, source=_listing(self.source, listed, split), stated={**self.stated, "split": split})

    def without_lists(self) -> Written:
        """The same file with its lists read as the text that they are."""
        return replace(self, source=_listing(self.source, frozenset(), None))


def as_written(paths: Sequence[Path]) -> Written:
    """How to read files of unknown role; `DataError` if they are no table."""
    format, stated = _format(paths[0])
    if format in ("parquet", "ipc"):
        return _typed(paths, format)
    if format == "ndjson":
        return _objects(paths, stated)
    return _trec(paths, stated) or _text(paths, stated)


def rows(source: Source, most: int) -> pl.DataFrame:
    """The first rows, `column_1` and so on, as text or lists of text; `DataError` with the place of what cannot be read."""
    try:
        return every_row(source).head(most).collect()
    except (*files.FAILURES, ReadError) as error:
        raise explain(source, ReadError(str(error))) from None


def every_row(source: Source) -> pl.LazyFrame:
    """All rows, as `rows` has the first."""
    scan = source.scan
    types = {column: pl.List(pl.String) if column in scan.lists else pl.String for column in scan.names}
    return files.raw(scan).select(pl.col(name).cast(types[column]).alias(column) for column, name in scan.names.items())


def _format(path: Path) -> tuple[Format, dict[str, Any]]:
    """The format of a file, which a config must say where neither its ending nor its first bytes do."""
    try:
        return sniff.format_of(path), {}
    except DataError:
        first = sniff.head(path)[0]  # refuses what is no text
    if _ending(path) != ".json" and not first.lstrip().startswith("{"):
        return "csv", {"format": "csv"}
    if not _is_object(first):
        raise DataError(f"{path}: it is no table of one JSON object per line (NDJSON)")
    return "ndjson", {"format": "ndjson"}


def _ending(path: Path) -> str:
    return next((ending.lower() for ending in reversed(path.suffixes) if ending.lower() not in sniff.PACKED), "")


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _trec(paths: Sequence[Path], stated: Mapping[str, Any]) -> Written | None:
    """How to read a TREC file, if it is one: by its content, or by its ending and as many fields."""
    lines = [line for line in sniff.head(paths[0]) if line.strip()]
    told = next((table for table in ("lists", "interactions") if trec.recognised(table, lines)), None)
    table = told or _TREC_ENDINGS.get(_ending(paths[0]))
    if table is None or (told is None and not all(_has_layout(line.split(), table) for line in lines)):
        return None
    source = look(_ROLE, table, [str(path) for path in paths], paths, format="trec")
    said = {} if told and not stated else {"format": "trec"}
    return Written(_all_columns(source, source.scan.header), True, said, table)


def _has_layout(row: list[str], table: str) -> bool:
    """Whether a line has the fields of a TREC file, those of them that are numbers being some."""
    names = trec.layout(_ROLE, table)
    numbers = [value for name, value in zip(names, row, strict=False) if name in ("rank", "score", "rel")]
    return len(row) == len(names) and all(map(sniff.is_number, numbers))


def _text(paths: Sequence[Path], stated: dict[str, Any]) -> Written:
    apart = _split_lines(paths[0], sniff.head(paths[0]))
    source = _separated(paths, None, apart.separator if apart else None)
    if source.scan.has_header and _is_data(source):
        source = _separated(paths, False)
    stated |= _unusual(paths[0], source.scan, "format" in stated)
    source = _all_columns(source, source.scan.header)
    if apart:
        return Written(source, False, stated).split_at(apart.split, [2])
    listed = frozenset(column.name for column in rows(source, _FIRST) if _holds_arrays(column))
    return Written(_listing(source, listed, None), source.scan.has_header, stated)


class _Apart(NamedTuple):
    separator: str
    split: str


def _split_lines(path: Path, lines: list[str]) -> _Apart | None:
    """How a user and a list in text are told apart in a file without a header, all lists being of the same length.

    Then what separates the items seems to separate the fields.
    """
    sign = sniff.separator_of(path, lines)
    separator = sniff.separator_of(path, lines, sign) if sign in _SIGNS else sign
    fields = [sniff.split(line, separator) for line in lines if line.strip()]
    if separator == sign or any(len(row) != 2 for row in fields):
        return None
    items = [row[1].split(sign) for row in fields]
    fits = all(len(row) > 1 and all(map(sniff.is_integer, row)) for row in items)
    return _Apart(separator, sign) if fits else None


def _separated(paths: Sequence[Path], header: bool | None, separator: str | None = None) -> Source:
    given = [str(path) for path in paths]
    return look(_ROLE, "catalogue", given, paths, format="csv", header=header, separator=separator, columns={"item": 1})


def _unusual(path: Path, scan: Scan, unknown: bool) -> dict[str, Any]:
    """What the ending of the name does not say of a file with separators."""
    usual = "\t" if _ending(path) in _TABBED else ","
    stated: dict[str, Any] = {} if scan.separator == usual and not unknown else {"separator": scan.separator}
    return stated | ({} if scan.has_header else {"header": False})


def _is_data(source: Source) -> bool:
    """Whether the first line, taken for a header since it has no number, holds values that stand in the same columns further down."""
    names = source.scan.header
    if any(usual_roles(name) for name in names):
        return False
    first = rows(_all_columns(source, names), _FIRST)
    return any((first.to_series(place) == name).any() for place, name in enumerate(names))


def _holds_arrays(column: pl.Series) -> bool:
    """Whether every field of a column of text is a JSON array."""
    texts = [value.strip() for value in column if value and value.strip()]
    return bool(texts) and all(lists.is_array(text) and (text[1:-1].strip() == "" or lists.elements(text, None)) for text in texts)


def _objects(paths: Sequence[Path], stated: Mapping[str, Any]) -> Written:
    """How to read one JSON object per line; `look` wants a column of users, for which any key with a value will do."""
    found = [json.loads(line) for line in sniff.head(paths[0]) if _is_object(line)]
    keys = list(dict.fromkeys(key for record in found for key in record))
    if not keys:
        raise DataError(f"{paths[0]}: it is no table of one JSON object per line (NDJSON)")
    flat = next((place for place, key in enumerate(keys, 1) if not isinstance(found[0].get(key), list | dict)), 1)
    source = look(_ROLE, "people", [str(path) for path in paths], paths, format="ndjson", columns={"user": flat})
    try:
        schema = pl.scan_ndjson([glob.escape(path) for path in source.scan.paths], infer_schema_length=_FIRST).collect_schema()
    except files.FAILURES as error:
        raise explain(source, ReadError(str(error))) from None
    return _by_types(source, schema, stated)


def _typed(paths: Sequence[Path], format: Format) -> Written:
    schema: dict[str, pl.DataType] = {}
    for path in reversed(paths):
        try:
            schema = dict((pl.read_parquet_schema if format == "parquet" else pl.read_ipc_schema)(path))
        except files.FAILURES as error:
            raise DataError(f"{path}: not a readable {format} file ({str(error).splitlines()[0]})", "is it complete?") from None
    given = tuple(str(path) for path in paths)
    return _by_types(Source(_ROLE, "catalogue", given, Scan(given, format, {}, {}), {}), schema, {})


def _by_types(source: Source, schema: Mapping[str, pl.DataType], stated: Mapping[str, Any]) -> Written:
    """How to read a file whose columns have types: values and lists of values as text, all else not."""
    inner = {name: dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype for name, dtype in schema.items()}
    flat = [name for name, dtype in inner.items() if not dtype.is_nested() and dtype not in (pl.Binary, pl.Object)]
    if not flat:
        raise DataError(f"{source.given[0]}: it has no column of values")
    listed = frozenset(f"column_{place}" for place, name in enumerate(flat, 1) if schema[name].is_nested())
    nested = tuple(name for name in schema if name not in flat)
    return Written(_listing(_all_columns(source, flat), listed, None), True, stated, nested=nested)


def _all_columns(source: Source, names: Iterable[str]) -> Source:
    """The source with every column read as text."""
    every = {f"column_{place}": name for place, name in enumerate(names, 1)}
    return replace(source, scan=replace(source.scan, names=every, kinds=dict.fromkeys(every, "text"), lists=frozenset()))


def _listing(source: Source, columns: frozenset[str], split: str | None) -> Source:
    return replace(source, scan=replace(source.scan, lists=columns, split=split))
