"""Find columns that hold a list of ids in each field of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .records import Column

_SEPARATORS: Final = (", ", ",", "|", ";", " ")
_NEARLY_ALL: Final = 0.95
"""The least share of parts that look like ids."""


def find_lists(columns: Mapping[str, Column]) -> tuple[str, tuple[int, ...]] | None:
    """Return the separator of the items and the numbers of the columns that hold lists; `None` if a row holds one item.

    Lists have one row per user, and ids with digits, which tells them from names of several words.
    """
    user, item = columns.get("user"), columns.get("item")
    if user is None or item is None or user.n_distinct < user.n_filled:
        return None
    sign = separator(item)
    if not sign:
        return None
    parallel = [columns[role] for role in ("position", "score", "rating") if role in columns]
    return sign, (item.number, *(column.number for column in parallel if any(sign in value for value in column.examples)))


def separator(column: Column) -> str:
    """Return the separator of the ids in the fields of a column; empty if a field holds one id."""
    if column.is_list or column.kind != "text":
        return ""
    return next((sign for sign in _SEPARATORS if _fits(column, sign)), "")


def _fits(column: Column, sign: str) -> bool:
    """Whether most values contain a sign, and nearly all parts between the signs look like ids with digits."""
    n_values = sum(sign in value.strip() for value in column.examples)
    parts = [part for value in column.examples for part in value.strip().split(sign) if part]
    like_ids = sum(any(letter.isdigit() for letter in part) and not any(letter.isspace() for letter in part.strip()) for part in parts)
    return 2 * n_values > len(column.examples) and like_ids >= _NEARLY_ALL * len(parts)
