"""Files with types of their own (Parquet, Arrow IPC) → how to scan them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from ..engine.base import Format, Kind, Scan
from ..engine.files import FAILURES
from ..errors import DataError
from . import lists
from .columns import IDS, named
from .folders import kinds_held
from .how import How
from .remote import Remote

_FLAT: Final = "write one value per row, or one text in which the values are separated"


def typed_scan(role: str, table: str, paths: Sequence[Path | Remote], format: Format, how: How) -> Scan:
    """How to scan Parquet or IPC files; `DataError` if one is none, or cannot be read as `how` says."""
    kinds: dict[str, Kind] = {}
    names: dict[str, str] = {}
    further: dict[str, str] = {}
    holding: frozenset[str] = frozenset()
    schemas = {path: _schema(role, path, format, how) for path in paths}
    stored = {name for schema in schemas.values() for name in schema}
    for path, schema in schemas.items():
        schema |= {name: pl.String() for name in how.in_paths(stored)}
        found, further = named(f"{role}: {path}", table, list(schema), how.columns, how.labels, True)
        names = names or found
        if found != names:
            has, others = (", ".join(sorted(columns.values())) for columns in (found, names))
            raise DataError(f"{role}: of {path} the columns {has} would be read, but of {paths[0]} {others}", "name them in the config")
        for name in how.labels:
            if schema[name].is_nested() or schema[name] in (pl.Binary, pl.Object):
                raise DataError(f"{role}: {path}: column {name!r} is of type {schema[name]}, where text was expected", _FLAT)
        having = _holding(f"{role}: {path}", table, names, schema)
        if path != paths[0] and having != holding:
            raise DataError(f"{role}: {path} holds lists in other columns than {paths[0]}", "write all parts in the same way")
        holding = having
        for column, name in names.items():
            if name in how.in_paths(stored):
                continue
            dtype = _inner(schema[name]) if column in having else schema[name]
            one = pl.col(name).explode() if column in having else pl.col(name)

            def largest(path: Path | Remote = path, one: pl.Expr = one) -> int:
                return int(_scan(path, format, how).select(one.max()).collect().item() or 0)

            kind = _kind(f"{role}: {path}", column, name, dtype, largest)
            kinds[column] = "text" if "text" in (kind, kinds.get(column)) else kind
    if format == "delta" and table == "lists" and not holding and not {"position", "score"} & names.keys():
        raise DataError(
            f"{role}: {paths[0]}: the rows of a Delta table have no order, and there is no rank and no score", "add one of them"
        )
    held = how.used(names | further, stored)
    kinds |= kinds_held(f"{role}: {paths[0]}", names, held) | dict.fromkeys(further, "text")
    files = tuple(str(path) for path in paths)
    return Scan(files, format, names | further, kinds, lists=holding, nulls=how.nulls, partitions=held, storage=how.storage)


def _schema(role: str, path: Path | Remote, format: Format, how: How) -> dict[str, pl.DataType]:
    try:
        if isinstance(path, Path) and format != "delta":
            return dict((pl.read_parquet_schema if format == "parquet" else pl.read_ipc_schema)(path))
        return dict(_scan(path, format, how).collect_schema())
    except FAILURES as error:
        said = str(error).splitlines()[0]
        raise DataError(f"{role}: {path}: not a readable {format} file ({said})", "is it complete?") from None


def _scan(path: Path | Remote, format: Format, how: How) -> pl.LazyFrame:
    if format == "delta":
        return pl.scan_delta(str(path), storage_options=dict(how.storage) or None)
    scan = pl.scan_parquet if format == "parquet" else pl.scan_ipc
    return scan(str(path), glob=False, storage_options=dict(how.storage) or None)


def _holding(where: str, table: str, names: dict[str, str], schema: dict[str, pl.DataType]) -> frozenset[str]:
    """The canonical columns that hold lists, in a table of which a row may; elsewhere they are refused by their type."""
    having = [column for column, name in names.items() if isinstance(schema[name], pl.List | pl.Array)]
    return lists.listed(where, table, having) if lists.may_hold_lists(table) and "item" in having else frozenset()


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
    if not dtype.is_numeric():
        raise DataError(f"{where}: column {name!r} is of type {dtype}, where {column} must be a number")
    return "number"
