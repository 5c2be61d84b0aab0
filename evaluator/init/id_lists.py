"""Find columns that hold a list of ids in each field of text."""

from __future__ import annotations

from collections.abc import Mapping

from ..load import list_text
from .records import Column


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
    return "" if column.is_list or column.kind != "text" else list_text.separator(column.examples)
