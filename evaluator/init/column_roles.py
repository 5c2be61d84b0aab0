"""Assign roles to the columns of a file: by usual names, by words in names, or by order in a file without a header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..load import list_text
from .name_words import DESCRIBING, IDENTIFYING, column_words, words_of
from .records import ColumnSummary, FileSummary

_LIST_ROLES = ("item", "position", "score", "rating")
"""The roles whose columns may hold lists."""
_MIN_TIMESTAMP = 100_000_000
"""Larger numbers are points in time, in seconds or finer."""


class ColumnRoles(NamedTuple):
    """The columns by role, and doubts. A file of unknown ids without a header has the role `first` only."""

    columns: dict[str, ColumnSummary]
    doubts: tuple[str, ...] = ()


def assign_roles(summary: FileSummary) -> ColumnRoles:
    """Assign roles to the columns of a file, as far as their names or their order tell them."""
    return _by_name(summary.columns) if summary.has_header else _by_order(summary.columns)


def _by_name(columns: tuple[ColumnSummary, ...]) -> ColumnRoles:
    columns_by_role: dict[str, ColumnSummary] = {}
    doubts = []
    for role in ("user", "item", "other", "distance", "position", "score", "rating", "timestamp"):
        free = [column for column in columns if column not in columns_by_role.values() and (not column.is_list or role in _LIST_ROLES)]
        candidates = sorted((fit, column.number, column) for column in free if (fit := _name_fit(column, role)) is not None)
        if candidates:
            columns_by_role[role] = candidates[0][-1]
            others = [repr(column.name) for fit, _, column in candidates[1:] if fit == candidates[0][0]]
            if others and role in ("user", "item", "score"):
                doubts.append(f"column {columns_by_role[role].name!r} is used as the {role}; {' or '.join(others)} could also be it")
    columns_by_role, more_doubts = _by_elimination(columns, columns_by_role)
    return ColumnRoles(columns_by_role, (*doubts, *more_doubts))


def _name_fit(column: ColumnSummary, role: str) -> int | None:
    """Rank how well the name of a column fits a role, 0 being the best; `None` if it does not."""
    words = words_of(column.name)
    if column.name == ("rank" if role == "position" else role):
        return 0
    if role in column.usual_roles:
        return 1 if any(word in IDENTIFYING for word in words) else 2
    if role not in column_words(column.name) or (role not in ("user", "item", "timestamp") and column.kind == "text"):
        return None
    if role in ("user", "item"):
        is_description = any(word in DESCRIBING for word in words) or (column.kind == "decimal" and not column.half_steps)
        return None if is_description else 3 if any(word in IDENTIFYING for word in words) else 4
    return 3


def _by_elimination(
    columns: tuple[ColumnSummary, ...], assigned: dict[str, ColumnSummary]
) -> tuple[dict[str, ColumnSummary], tuple[str, ...]]:
    """Assign the missing one of user and item to the only column left that could be it.

    With a user, the only column of lists is the item. Otherwise it is the only other column of ids, if the values of both repeat.
    """
    lists = [column for column in columns if column.is_list and column not in assigned.values() and column.kind != "decimal"]
    if "user" in assigned and "item" not in assigned and len(lists) == 1:
        return {**assigned, "item": lists[0]}, (f"column {lists[0].name!r} is used as the item: only this column contains lists",)
    for role, other in (("user", "item"), ("item", "user")):
        free = [(column, words_of(column.name)) for column in columns if column not in assigned.values() and not column.is_list]
        left = [column for column, words in free if set(words) & set(IDENTIFYING) and not set(words) & set(DESCRIBING)]
        both = [*left, assigned[other]] if other in assigned else []
        if role not in assigned and len(both) == 2 and all(column.n_distinct < column.n_filled for column in both):
            doubt = f"column {left[0].name!r} is used as the {role}: beside {assigned[other].name!r} only this column looks like ids"
            return {**assigned, role: left[0]}, (doubt,)
    return assigned, ()


def _by_order(columns: tuple[ColumnSummary, ...]) -> ColumnRoles:
    """Take the first two columns for users and items, later numbers for timestamps if large, for scores if they have many decimals."""
    if len(columns) < 2 or _holds_prose(columns[1]):
        return ColumnRoles({"first": columns[0]} if columns else {})
    columns_by_role = {"user": columns[0], "item": columns[1]}
    for column in columns[2:]:
        is_time = column.kind == "text" or (column.maximum is not None and column.maximum > _MIN_TIMESTAMP)
        columns_by_role.setdefault("timestamp" if is_time else "rating" if column.half_steps else "score", column)
    return ColumnRoles(columns_by_role, ("no header, so the first column is used as the user, the second as the item",))


def _holds_prose(column: ColumnSummary) -> bool:
    """Whether a column holds titles and the like: texts of several words that are no lists of ids."""
    has_several_words = column.kind == "text" and 2 * sum(" " in value.strip() for value in column.examples) > len(column.examples)
    return has_several_words and not column.is_list and not list_separator(column)


def find_lists(columns: Mapping[str, ColumnSummary]) -> tuple[str, tuple[int, ...]] | None:
    """Return the separator of the items and the numbers of the columns that hold lists; `None` if a row holds one item.

    Lists have one row per user, and ids with digits, which tells them from names of several words.
    """
    user, item = columns.get("user"), columns.get("item")
    if user is None or item is None or user.n_distinct < user.n_filled:
        return None
    sign = list_separator(item)
    if not sign:
        return None
    parallel = [columns[role] for role in ("position", "score", "rating") if role in columns]
    return sign, (item.number, *(column.number for column in parallel if any(sign in value for value in column.examples)))


def list_separator(column: ColumnSummary) -> str:
    """Return the separator of the ids in the fields of a column; empty if a field holds one id."""
    return "" if column.is_list or column.kind != "text" else list_text.separator(column.examples)
