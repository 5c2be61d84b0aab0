"""Values of the keys of a source in the config: names of columns, encodings, separators, filters and addresses."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

from msgspec import Struct
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from ..syntax.row_filter import parse_filter
from ..syntax.short_names import is_on_web
from .masking import masked_options


def read_column_name(value: Any) -> Any:
    """Return the name or the position of a column; `ValueError` for any other value."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "" or (isinstance(value, int) and value < 1):
        raise ValueError(f"a column must be a name or a position from 1, not {value!r}")
    return value


_NAME_SCHEMA: Final = [{"type": "string"}, {"type": "integer", "minimum": 1}]
_NAMES_SCHEMA: Final = [*_NAME_SCHEMA, {"type": "array", "items": {"anyOf": _NAME_SCHEMA}, "minItems": 1}]
ColumnName = Annotated[str | int, BeforeValidator(read_column_name), WithJsonSchema({"anyOf": _NAME_SCHEMA})]


class ReadColumn(Struct, frozen=True):
    """A column whose values are read in another way: ids as integers, or scores of which less is better."""

    column: str | int | tuple[str | int, ...]
    as_integer: bool = False
    ascending: bool = False

    @property
    def written(self) -> dict[str, Any]:
        """The mapping that the config writes."""
        return {"column": self.column} | ({"as": "integer"} if self.as_integer else {}) | ({"order": "ascending"} if self.ascending else {})


def read_key(value: Any) -> Any:
    """Return the column of the users; of a list of columns, which name a user together, a tuple."""
    if not isinstance(value, list | tuple):
        return read_column_name(value)
    names = tuple(read_column_name(name) for name in value)
    if len(set(names)) < max(len(names), 2):
        raise ValueError(f"the columns that name a user together must be two or more different ones, not {list(value)!r}")
    return names


def read_columns(value: Any) -> Any:
    """Return a column, or of a list of columns side by side a tuple."""
    if not isinstance(value, list | tuple):
        return read_column_name(value)
    names = tuple(read_column_name(name) for name in value)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"the columns side by side must be one or more different ones, not {list(value)!r}")
    return names


def _reader(read: Callable[[Any], Any], key: str, values: Sequence[str]) -> BeforeValidator:
    """Return a validator of a column, or of a mapping of it with a key that says how its values are read."""

    def read_mapping(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value if isinstance(value, ReadColumn) else read(value)
        shown = f"{{column: NAME, {key}: {values[0]}}}"
        if "column" not in value or value.keys() - {"column", key}:
            raise ValueError(f"a column with a way to read it is written {shown}, not {dict(value)!r}")
        if value.get(key, values[-1]) not in values:
            raise ValueError(f"{key} must be {' or '.join(values)}, as in {shown}, not {value[key]!r}")
        is_set, column = value.get(key) == values[0], read(value["column"])
        if is_set and read is read_key and isinstance(column, tuple):
            raise ValueError("several columns that name a user together are read as they are written: remove as")
        made = ReadColumn(column, as_integer=is_set and key == "as", ascending=is_set and key == "order")
        return made if is_set else made.column

    return BeforeValidator(read_mapping)


def _schema(names: list[dict[str, Any]], key: str, values: Sequence[str], single: list[dict[str, Any]]) -> WithJsonSchema:
    way = {"column": {"anyOf": single}, key: {"enum": list(values)}}
    return WithJsonSchema({"anyOf": [*names, {"type": "object", "properties": way, "required": ["column"], "additionalProperties": False}]})


_AS: Final = ("integer",)
_ORDERS: Final = ("ascending", "descending")
_KEY_SCHEMA: Final = [*_NAME_SCHEMA, {"type": "array", "items": {"anyOf": _NAME_SCHEMA}, "minItems": 2}]
UserColumns = Annotated[Any, _reader(read_key, "as", _AS), _schema(_KEY_SCHEMA, "as", _AS, _NAME_SCHEMA)]
ItemColumns = Annotated[Any, _reader(read_columns, "as", _AS), _schema(_NAMES_SCHEMA, "as", _AS, _NAMES_SCHEMA)]
ScoreColumns = Annotated[Any, _reader(read_columns, "order", _ORDERS), _schema(_NAMES_SCHEMA, "order", _ORDERS, _NAMES_SCHEMA)]
NumberColumns = Annotated[Any, BeforeValidator(read_columns), WithJsonSchema({"anyOf": _NAMES_SCHEMA})]


def read_padding(value: Any) -> Any:
    """Return the texts of ids that only fill lists up; nothing is an empty one."""
    values = value if isinstance(value, list | tuple) else [value]
    if not values or any(isinstance(padding, bool) or not isinstance(padding, str | int | float | None) for padding in values):
        raise ValueError(f"padding must be an id that only fills lists up, such as -1, or a list of them, not {value!r}")
    return tuple("" if padding is None else str(padding) for padding in values)


_PADDING: Final = [{"type": "string"}, {"type": "number"}]
Padding = Annotated[
    tuple[str, ...],
    BeforeValidator(read_padding),
    WithJsonSchema({"anyOf": [*_PADDING, {"type": "array", "items": {"anyOf": [*_PADDING, {"type": "null"}]}, "minItems": 1}]}),
]


def read_separator(separator: Any) -> Any:
    r"""Return a tab for the text `\t`, which is what a command line gives."""
    return "\t" if separator == r"\t" else separator


def read_encoding(name: str) -> str:
    """Return the name of an encoding; `ValueError` if Python does not know it."""
    try:
        known = codecs.lookup(name)
        "".encode(name)
    except LookupError:
        raise ValueError(f"unknown text encoding {name!r}; examples: utf-8, latin-1, cp1252, utf-16") from None
    return known.name if known.name in ("utf-8", "utf-8-sig") else name


def read_uri(text: str) -> str:
    """Return the address of a database; `ValueError` for a path or a web address."""
    if "://" not in text or is_on_web(text):
        raise ValueError("a uri must name a database, such as sqlite:///shop.db; use path for files")
    return text


def read_option(value: Any) -> Any:
    """Return an option of an object store as text."""
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float) else value


StorageOptions = Annotated[dict[str, Annotated[str, BeforeValidator(read_option)]], PlainSerializer(masked_options)]
"""Settings to reach a store; secret ones are masked where they are stored or printed."""


def read_filter(text: str) -> str:
    """Return a filter of rows; `ValueError` if it cannot be read."""
    parse_filter(text)
    return text


def read_category_columns(value: Any) -> Any:
    """Return the columns of the categories of items; `ValueError` for values that are no names."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return str(value)
    names = value if isinstance(value, list | tuple) else [value]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"categories must be the column with an item's categories, or a list of one column per category, not {value!r}")
    if len(set(names)) < len(names):
        raise ValueError("categories names a column twice")
    return value


def read_test_categories(value: Any) -> Any:
    """Return the column of the categories of test rows; `ValueError` for several columns."""
    if isinstance(value, list | tuple):
        raise ValueError("categories of the test rows are in one column: repeat the row of an item for each of its categories")
    return read_category_columns(value)


ItemCategories = Annotated[
    str | tuple[str, ...],
    BeforeValidator(read_category_columns),
    WithJsonSchema({"anyOf": [*_NAME_SCHEMA, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]
TestCategories = Annotated[str, BeforeValidator(read_test_categories), Field(min_length=1), WithJsonSchema({"anyOf": _NAME_SCHEMA})]
