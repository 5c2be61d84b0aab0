"""Lists of structs, `[{item, score}]`: each field as a column of lists."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import polars as pl

Fields = Mapping[str, tuple[str, str]]
"""The name of a column of lists → the column of structs that holds it, and its field there."""


def fields_of(schema: Mapping[str, pl.DataType]) -> Fields:
    """The fields of all lists of structs: by their own names, or as `column.field` where another column has that name."""
    structs = {name: inner for name, dtype in schema.items() if isinstance(inner := _inner(dtype), pl.Struct)}
    found = [(name, field.name) for name, struct in structs.items() for field in struct.fields]
    taken = [*(name for name in schema if name not in structs), *(field for _, field in found)]
    return {field if taken.count(field) == 1 else f"{name}.{field}": (name, field) for name, field in found}


def flattened(schema: Mapping[str, pl.DataType], fields: Fields) -> dict[str, pl.DataType]:
    """The types of all columns with `fields` in the place of the lists of structs that hold them."""
    flat: dict[str, pl.DataType] = {}
    for name, dtype in schema.items():
        struct = _inner(dtype)
        if isinstance(struct, pl.Struct):
            types = {field.name: field.dtype for field in struct.fields}
            flat |= {made: pl.List(types[field]) for made, (column, field) in fields.items() if column == name}
        else:
            flat[name] = dtype
    return flat


def with_fields(frame: pl.LazyFrame, fields: Fields, names: Collection[str]) -> pl.LazyFrame:
    """A frame with those of `fields` as columns that `names` has; the structs go."""
    wanted = {name: place for name, place in fields.items() if name in names}
    if not wanted:
        return frame
    structs = {column for column, _ in wanted.values()}
    lists = {
        column: pl.col(column).arr.to_list() if isinstance(frame.collect_schema()[column], pl.Array) else pl.col(column)
        for column in structs
    }
    made = [lists[column].list.eval(pl.element().struct.field(field)).alias(name) for name, (column, field) in wanted.items()]
    return frame.with_columns(made).drop(structs - wanted.keys())


def value_of(record: Mapping[str, Any], name: str, fields: Fields) -> Any:
    """The value of a column in a JSON object, or the list of the values of a field."""
    column, field = fields.get(name, (name, ""))
    held = record.get(column)
    if name not in fields or not isinstance(held, list):
        return held
    return [element.get(field) if isinstance(element, dict) else element for element in held]


def _inner(dtype: pl.DataType) -> Any:
    return dtype.inner if isinstance(dtype, pl.List | pl.Array) else None
