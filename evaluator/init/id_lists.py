"""Lists of ids in a field of text: what separates them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .records import Column

_SIGNS: Final = (", ", ",", "|", ";", " ")
_NEARLY_ALL: Final = 0.95


def separated(columns: Mapping[str, Column]) -> tuple[str, tuple[int, ...]] | None:
    """What separates the items in a row, and which columns hold lists; `None` if a row holds one item.

    A list has a row of its own for each user, and its ids have digits, which tells it from a name of several words.
    """
    user, item = columns.get("user"), columns.get("item")
    if user is None or item is None or user.distinct < user.filled:
        return None
    sign = separator(item)
    beside = [columns[role] for role in ("position", "score", "rating") if role in columns]
    return (sign, (item.place, *(column.place for column in beside if any(sign in value for value in column.values)))) if sign else None


def separator(column: Column) -> str:
    """What separates the ids that the fields of a column hold; nothing if they hold one each."""
    if column.listed or column.kind != "text":
        return ""
    return next((sign for sign in _SIGNS if _fits(column, sign)), "")


def _fits(column: Column, sign: str) -> bool:
    """Whether a sign stands in most values, and parts them into words with digits in nearly all."""
    having = sum(sign in value.strip() for value in column.values)
    parts = [part for value in column.values for part in value.strip().split(sign) if part]
    like_ids = sum(any(letter.isdigit() for letter in part) and not any(letter.isspace() for letter in part.strip()) for part in parts)
    return 2 * having > len(column.values) and like_ids >= _NEARLY_ALL * len(parts)
