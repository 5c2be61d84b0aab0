"""Names of columns of values: `items.price`, a column of data.items, or `rows.price`, a column of the test rows."""

from __future__ import annotations

from typing import Final

from ..support.synonyms import did_you_mean

_ROLES: Final = {"items": "items", "rows": "test"}
"""Prefix of a column → its source."""


def source_and_column(text: str) -> tuple[str, str]:
    """Return the source (`items` or `test`) and the column that `items.price` or `rows.price` names; `ValueError` for any other text."""
    prefix, dot, column = text.partition(".")
    if prefix in _ROLES and dot and column:
        return _ROLES[prefix], column
    if prefix == "test" and column:
        raise ValueError(f"a column of the test rows is written rows.{column}, not {text!r}")
    if dot and column and (hint := did_you_mean(prefix, _ROLES, before=" — ", shown=lambda role: f"{role}.{column}")):
        raise ValueError(f"the column must be items.{column} or rows.{column}, not {text!r}{hint}")
    name = text if text and not dot else "COLUMN"
    raise ValueError(f"the column must be items.{name} (of data.items) or rows.{name} (of the test rows), not {text!r}")
