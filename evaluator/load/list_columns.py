"""Sources with a list in a row: which columns hold one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from ..errors import DataError
from .columns import IDS, public_name

_TABLES: Final = ("interactions", "lists", "predictions")
"""The tables of which a row may hold a list of items."""
ODD_ARRAY: Final = r'(?:[^\[\sn]|\[(?:"(?:[^"\\]|\\.)*"|[^"\]])*?(?:\d[.eE]|[\[{tf]|"(?:[^"\\]|\\.)*\\u0000))'
"""The start of JSON that is no array of ids (texts, integers and null), but a single value or an array with a fraction, a truth value, an
array, an object, or a NUL character; what else a text holds does not count."""


def may_hold_lists(table: str) -> bool:
    """Whether a row of `table` may hold a list of items."""
    return table in _TABLES


def as_list_columns(where: str, table: str, nested: Sequence[str]) -> frozenset[str]:
    """The canonical columns that hold lists, `nested`, as a set; `DataError` if rows of `table` cannot hold lists in them."""
    if not nested:
        return frozenset()
    if table not in _TABLES or "item" not in nested or "user" in nested:
        column = "user" if "user" in nested else nested[0]
        raise DataError(
            f"{where}: the {public_name(column)} column holds lists{'' if 'item' in nested else ', but the item column does not'}",
            "a row may hold one user, a list of items and, of the same length, a list of their scores, ranks or ratings",
        )
    return frozenset(nested)


def list_columns_in_text(columns: Mapping[str, str], samples: Mapping[str, Sequence[str]], split: str | None) -> list[str]:
    """The canonical columns whose fields hold lists, judged by samples: JSON arrays, or texts separated by `split`.

    With `split` the items are always lists; another column holds lists if any of its fields has the separator.
    """
    values = {
        column: [value.strip() for value in samples[column] if value.strip()] for column in columns if not column.startswith("label_")
    }
    if split is None:
        return [column for column, texts in values.items() if texts and (all(map(is_array, texts)) or any(map(_is_json_array, texts)))]
    return [column for column, texts in values.items() if column == "item" or (column not in IDS and any(split in text for text in texts))]


def is_array(text: str) -> bool:
    """Whether a text looks like a JSON array."""
    return text.startswith("[") and text.endswith("]")


def _is_json_array(text: str) -> bool:
    if not is_array(text):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def elements(text: str, split: str | None) -> list[str]:
    """The values of a list in text, as text; none if it cannot be read."""
    if split is not None:
        return [value.strip() for value in text.split(split) if value.strip()]
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(values, list):
        return []
    return [value if isinstance(value, str) else json.dumps(value) for value in values if value is not None]
