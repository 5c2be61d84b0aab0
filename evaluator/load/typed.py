"""Files with types of their own (Parquet, Arrow IPC, Delta) → how to scan them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from ..errors import DataError
from . import lists
from .columns import IDS, named
from .folders import kinds_held
from .how import How
from .opening import FAILURES
from .remote import Remote
from .scan import Format, Kind, Scan


@dataclass(frozen=True, eq=False)
class FrameFile:
    """A frame in memory, in the place of a file."""

    frame: pl.LazyFrame

    def __str__(self) -> str:
        return "a frame"


_Schemas = Mapping[Path | Remote | FrameFile, Mapping[str, pl.DataType]]
_FLAT: Final = "write one value per row, or one text in which the values are separated"


def typed_scan(role: str, table: str, paths: Sequence[Path | Remote | FrameFile], format: Format, how: How) -> Scan:
    """How to scan Parquet or IPC files, or Delta tables; `DataError` if one is none, or cannot be read as `how` says."""
    where = f"{role}: {paths[0]}"
    schemas = {path: _schema(role, path, format, how) for path in paths}
    stored = {name for schema in schemas.values() for name in schema}
    in_paths = how.in_paths(stored)
    names, further = _columns(role, table, schemas, in_paths, how)
    for path, schema in schemas.items():
        _refuse_nested(f"{role}: {path}", schema, [name for name in how.labels if name not in in_paths])
    typed = {column: name for column, name in names.items() if name not in in_paths}
    holding = _holding(role, table, schemas, typed)
    if format == "delta" and table == "lists" and not holding and not {"position", "score"} & names.keys():
        raise DataError(f"{where}: the rows of a Delta table have no order, and there is no rank and no score", "add one of them")
    held = how.used(names | further, stored)
    kinds = {column: _kind_in_all(role, column, name, schemas, column in holding, format, how) for column, name in typed.items()}
    return Scan(
        paths=tuple(str(path) for path in paths),
        format=format,
        names=names | further,
        kinds=kinds | kinds_held(where, names, held) | dict.fromkeys(further, "text"),
        lists=holding,
        nulls=how.nulls,
        partitions=held,
        storage=how.storage,
    )


def _columns(role: str, table: str, schemas: _Schemas, in_paths: Sequence[str], how: How) -> tuple[dict[str, str], dict[str, str]]:
    """The names of the columns that have a role, and of the labels; `DataError` if files differ in them."""
    names: dict[str, str] = {}
    further: dict[str, str] = {}
    first = next(iter(schemas))
    for path, schema in schemas.items():
        found, further = named(f"{role}: {path}", table, [*schema, *in_paths], how.columns, how.labels, True)
        names = names or found
        if found != names:
            has, others = (", ".join(sorted(columns.values())) for columns in (found, names))
            raise DataError(f"{role}: of {path} the columns {has} would be read, but of {first} {others}", "name them in the config")
    return names, further


def _refuse_nested(where: str, schema: Mapping[str, pl.DataType], labels: Sequence[str]) -> None:
    for name in labels:
        if schema[name].is_nested() or schema[name] in (pl.Binary, pl.Object):
            raise DataError(f"{where}: column {name!r} is of type {schema[name]}, where text was expected", _FLAT)


def _holding(role: str, table: str, schemas: _Schemas, names: Mapping[str, str]) -> frozenset[str]:
    """The canonical columns that hold lists, in a table of which a row may; elsewhere they are refused by their type."""
    holding = []
    for path, schema in schemas.items():
        having = [column for column, name in names.items() if isinstance(schema[name], pl.List | pl.Array)]
        may = lists.may_hold_lists(table) and "item" in having
        holding.append(lists.listed(f"{role}: {path}", table, having) if may else frozenset())
        if holding[-1] != holding[0]:
            raise DataError(f"{role}: {path} holds lists in other columns than {next(iter(schemas))}", "write all parts in the same way")
    return holding[0]


def _kind_in_all(role: str, column: str, name: str, schemas: _Schemas, listed: bool, format: Format, how: How) -> Kind:
    """The kind of a column over all files: text as soon as one stores it so."""
    value = pl.col(name).explode() if listed else pl.col(name)
    kinds = []
    for path, schema in schemas.items():

        def largest(path: Path | Remote | FrameFile = path) -> int:
            return int(_scan(path, format, how).select(value.max()).collect().item() or 0)

        kinds.append(_kind(f"{role}: {path}", column, name, _inner(schema[name]) if listed else schema[name], largest))
    return "text" if "text" in kinds else kinds[0]


def _schema(role: str, path: Path | Remote | FrameFile, format: Format, how: How) -> dict[str, pl.DataType]:
    try:
        if isinstance(path, Path) and format != "delta":
            return dict((pl.read_parquet_schema if format == "parquet" else pl.read_ipc_schema)(path))
        return dict(_scan(path, format, how).collect_schema())
    except FAILURES as error:
        said = str(error).splitlines()[0]
        raise DataError(f"{role}: {path}: not a readable {format} file ({said})", "is it complete?") from None


def _scan(path: Path | Remote | FrameFile, format: Format, how: How) -> pl.LazyFrame:
    if isinstance(path, FrameFile):
        return path.frame
    if format == "delta":
        return pl.scan_delta(str(path), storage_options=dict(how.storage) or None)
    scan = pl.scan_parquet if format == "parquet" else pl.scan_ipc
    return scan(str(path), glob=False, storage_options=dict(how.storage) or None)


def _inner(dtype: pl.DataType) -> pl.DataType:
    return pl.Series(dtype=dtype).explode().dtype


def _kind(where: str, column: str, name: str, dtype: pl.DataType, largest: Callable[[], int]) -> Kind:
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
