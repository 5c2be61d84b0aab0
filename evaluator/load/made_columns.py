"""Columns that are made of those of a file: a value of nested objects by its path, and a list of columns side by side."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import polars as pl
from msgspec.structs import replace

from ..support.errors import DataError
from .columns import public_name
from .scan import Fields, ReadOptions, SharedName

_SIDE_BY_SIDE: Final = ("item", "score", "rank", "rating")
"""The columns, by their names in the config, that may be several side by side."""
Wide = Mapping[str, tuple[str, ...]]
Nested = Mapping[str, tuple[str, ...]]


class Paths(NamedTuple):
    """Names with dots of nested values → the keys that lead there, and the types; and those of fields of lists of objects."""

    nested: dict[str, tuple[str, ...]]
    types: dict[str, pl.DataType]
    fields: dict[str, tuple[str, str]]


def paths_in(schema: Mapping[str, pl.DataType], options: ReadOptions) -> Paths:
    """Return the places of all names with dots that the config gives and that are no columns of a file with this schema.

    The last key may be a field of a list of objects; its list is then made a column of its own. Names that lead nowhere are left out.
    """
    paths = Paths({}, {}, {})
    wanted = [*options.names, *options.labels, *options.filter_columns]
    for name in (path for path in wanted if isinstance(path, str) and "." in path and path not in schema):
        column = next((root for root in schema if name.startswith(f"{root}.")), None)
        keys, rest = [column or ""], name[len(column or "") + 1 :]
        dtype: Any = schema.get(column or "")
        while rest and isinstance(dtype, pl.Struct):
            fields = {field.name: field.dtype for field in dtype.fields}
            key = next((field for field in fields if rest == field or rest.startswith(f"{field}.")), None)
            if key is None:
                break
            keys, rest, dtype = [*keys, key], rest[len(key) + 1 :], fields[key]
        above = ".".join(keys)
        inner = dtype.inner if rest and isinstance(dtype, pl.List | pl.Array) else None
        if isinstance(inner, pl.Struct) and rest in [field.name for field in inner.fields]:
            paths.fields[name] = (above, rest)
        elif rest or column is None:
            continue
        if len(keys) > 1:
            paths.nested[above], paths.types[above] = tuple(keys), dtype
    return paths


def side_by_side(where: str, columns: Sequence[str], options: ReadOptions) -> tuple[ReadOptions, Wide]:
    """Return options in which each column has one name, and the columns of a file that are side by side, by the name of their list.

    A name with one * is of all columns with a number in its place, in the order of the numbers, unless a column has this very name. Raises
    `DataError` if a column is missing, or if lists side by side differ in their lengths.
    """
    given = {role: name for role, name in options.columns.items() if role in _SIDE_BY_SIDE}
    several = {role: name for role, name in given.items() if isinstance(name, tuple) or (isinstance(name, str) and name.count("*") == 1)}
    wide: dict[str, tuple[str, ...]] = {}
    named = dict(options.columns)
    for role, name in several.items():
        if name in columns:
            continue
        if isinstance(name, tuple) and any(isinstance(part, SharedName) and part not in columns for part in name):
            del named[role]
            continue
        cells = _numbered(str(name), columns) if isinstance(name, str) else _listed(where, role, name, columns)
        if isinstance(name, SharedName) and not cells:
            continue
        if not cells:
            message = f"{where}: no column is named like {name!r}, with a number in place of the *"
            raise DataError(message, f"the columns are {', '.join(map(repr, columns[:10]))}")
        made = str(name) if isinstance(name, str) else " … ".join(dict.fromkeys((cells[0], cells[-1], "")))
        wide[made], named[role] = cells, made
    (first, cells), *others = wide.items() or [("", ())]
    for other in (name for name, held in others if len(held) != len(cells)):
        message = f"{where}: {len(cells)} columns {first!r}, but {len(wide[other])} columns {other!r}"
        raise DataError(message, "columns side by side are lists of one length: one value per item")
    return (replace(options, columns=named) if several else options), wide


def is_named_in(name: str | int, columns: Collection[str]) -> bool:
    """Return whether columns have a name of the config, or one of those that a name with a * means."""
    return name in columns or (isinstance(name, str) and name.count("*") == 1 and bool(_numbered(name, columns)))


def _numbered(name: str, columns: Collection[str]) -> tuple[str, ...]:
    before, _, after = name.partition("*")
    pattern = re.compile(f"{re.escape(before)}([0-9]+){re.escape(after)}")
    found = [(int(match[1]), column) for column in columns if (match := pattern.fullmatch(column))]
    return tuple(column for _, column in sorted(found))


def _listed(where: str, role: str, names: Any, columns: Sequence[str]) -> tuple[str, ...]:
    cells = []
    for name in names:
        if isinstance(name, int) and not 1 <= name <= len(columns):
            raise DataError(f"{where}: there is no column {name}, only {len(columns)}", f"columns.{public_name(role)} counts from 1")
        cell = columns[name - 1] if isinstance(name, int) else name
        if cell not in columns:
            message = f"{where}: no column {cell!r}; the columns are {', '.join(map(repr, columns[:10]))}"
            raise DataError(message, f"correct columns.{public_name(role)} in the config")
        cells.append(cell)
    return tuple(cells)


def with_nested(frame: pl.LazyFrame, nested: Nested) -> pl.LazyFrame:
    """Return a frame with the values of nested objects as columns."""
    made = []
    for name, (column, *keys) in nested.items():
        value = pl.col(column)
        for key in keys:
            value = value.struct.field(key)
        made.append(value.alias(name))
    return frame.with_columns(made) if made else frame


def with_wide(frame: pl.LazyFrame, wide: Wide, as_text: Collection[str] = ()) -> pl.LazyFrame:
    """Return a frame with the lists of columns side by side, `as_text` or as stored; text and numbers together are text."""
    if not wide:
        return frame
    types, made = frame.collect_schema(), []
    for name, cells in wide.items():
        held = {types[cell] for cell in cells} - {pl.Null()}
        is_text = name in as_text or (pl.String in held and len(held) > 1)
        made.append(pl.concat_list([pl.col(cell).cast(pl.String) if is_text else pl.col(cell) for cell in cells]).alias(name))
    return frame.with_columns(made)


def with_made_values(record: Mapping[str, Any], nested: Nested, wide: Wide) -> Mapping[str, Any]:
    """Return a JSON object with the values inside of others, and the lists of values side by side."""
    if not nested and not wide:
        return record
    made = dict(record)
    for name, keys in nested.items():
        held: Any = record
        for key in keys:
            held = held.get(key) if isinstance(held, dict) else None
        made[name] = held
    return made | {name: [made.get(cell) for cell in cells] for name, cells in wide.items()}


def nested_types(types: Mapping[str, Any], nested: Nested) -> dict[str, Any]:
    """Return the types of the keys of JSON objects, given those of columns, some of which are inside of other objects."""
    tree: dict[str, Any] = {}
    for name, dtype in types.items():
        *above, last = nested.get(name, (name,))
        here = tree
        for key in above:
            here = here.setdefault(key, {})
        here[last] = dtype

    def built(branch: Any) -> Any:
        return pl.Struct({key: built(inner) for key, inner in branch.items()}) if isinstance(branch, dict) else branch

    return {key: built(branch) for key, branch in tree.items()}


def with_wide_types(schema: Mapping[str, pl.DataType], wide: Wide, as_text: Collection[str] = ()) -> dict[str, pl.DataType]:
    """Return the types of the columns of a file, and of its lists of columns side by side."""
    cells = {cell: schema[cell] for held in wide.values() for cell in held}
    return {**schema, **with_wide(pl.LazyFrame(schema=cells), wide, as_text).collect_schema()} if wide else dict(schema)


def cells_of(fields: Fields, nested: Nested, wide: Wide, names: Collection[str]) -> list[str]:
    """Return the columns of a file that columns with these names are made of, each once."""
    cells = [cell for name in names for cell in wide.get(name, (name,))]
    structs = [fields[cell][0] if cell in fields else cell for cell in cells]
    return list(dict.fromkeys(nested.get(cell, (cell,))[0] for cell in structs))
