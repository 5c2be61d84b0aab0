"""Values of the keys of a source in the config: names of columns, encodings, separators, filters and addresses."""

from __future__ import annotations

import codecs
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, WithJsonSchema

from ..names.row_filter import parse_filter


def read_column_name(value: Any) -> Any:
    """Return the name or the position of a column; `ValueError` for any other value."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "" or (isinstance(value, int) and value < 1):
        raise ValueError(f"a column must be a name or a position from 1, not {value!r}")
    return value


_NAME_SCHEMA: Final = [{"type": "string"}, {"type": "integer", "minimum": 1}]
ColumnName = Annotated[str | int, BeforeValidator(read_column_name), WithJsonSchema({"anyOf": _NAME_SCHEMA})]


def read_key(value: Any) -> Any:
    """Return the column of the users; of a list of columns, which name a user together, a tuple."""
    if not isinstance(value, list | tuple):
        return read_column_name(value)
    names = tuple(read_column_name(name) for name in value)
    if len(set(names)) < max(len(names), 2):
        raise ValueError(f"the columns that name a user together must be two or more different ones, not {list(value)!r}")
    return names


KeyColumns = Annotated[
    str | int | tuple[str | int, ...],
    BeforeValidator(read_key),
    WithJsonSchema({"anyOf": [*_NAME_SCHEMA, {"type": "array", "items": {"anyOf": _NAME_SCHEMA}, "minItems": 2}]}),
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
    if "://" not in text or text.lower().startswith(("http://", "https://")):
        raise ValueError("a uri must name a database, such as sqlite:///shop.db; use path for files")
    return text


def read_option(value: Any) -> Any:
    """Return an option of an object store as text."""
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float) else value


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
