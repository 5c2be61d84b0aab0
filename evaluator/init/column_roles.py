"""Which column is which: by its usual name, by the words in its name, or by its place in a file without a header."""

from __future__ import annotations

from typing import NamedTuple

from . import id_lists, name_words
from .records import Column, Glance

_LISTED = ("item", "position", "score", "rating")
"""The roles of which a row may hold a list."""
_TIME = 100_000_000
"""Numbers above this are points in time, in seconds or finer."""


class Recognised(NamedTuple):
    """The columns by what they hold, and sentences on what might be otherwise."""

    columns: dict[str, Column]
    doubts: tuple[str, ...] = ()


def recognise(glance: Glance) -> Recognised:
    """The columns of a file that have a name or place by which they can be told."""
    return _by_name(glance.columns) if glance.header else _by_place(glance.columns)


def _by_name(columns: tuple[Column, ...]) -> Recognised:
    found: dict[str, Column] = {}
    doubts = []
    for role in ("user", "item", "other", "distance", "position", "score", "rating", "timestamp"):
        free = [column for column in columns if column not in found.values() and (not column.listed or role in _LISTED)]
        fitting = sorted((fit, column.place, column) for column in free if (fit := _fit(column, role)) is not None)
        if fitting:
            found[role] = fitting[0][-1]
            others = [repr(column.name) for fit, _, column in fitting[1:] if fit == fitting[0][0]]
            if others and role in ("user", "item", "score"):
                doubts.append(f"column {found[role].name!r} is taken for the {role}; {' or '.join(others)} could be it too")
    found, doubt = _by_the_other(columns, found)
    return Recognised(found, (*doubts, *doubt))


def _fit(column: Column, role: str) -> int | None:
    """How well a column's name fits a role, the least being the best; `None` if it does not."""
    said = name_words.of_name(column.name)
    if column.name == ("rank" if role == "position" else role):
        return 0
    if role in column.usual:
        return 1 if any(word in name_words.IDENTIFYING for word in said) else 2
    if role not in name_words.of_column(column.name) or (role not in ("user", "item", "timestamp") and column.kind == "text"):
        return None
    if role in ("user", "item"):
        described = any(word in name_words.DESCRIBING for word in said) or (column.kind == "decimal" and not column.stepped)
        return None if described else 3 if any(word in name_words.IDENTIFYING for word in said) else 4
    return 3


def _by_the_other(columns: tuple[Column, ...], found: dict[str, Column]) -> tuple[dict[str, Column], tuple[str, ...]]:
    """Where the user or the item was told by its name, the only other column of ids, if its values repeat, is the other one.

    Where the user was, the only column of lists is the item.
    """
    lists = [column for column in columns if column.listed and column not in found.values() and column.kind != "decimal"]
    if "user" in found and "item" not in found and len(lists) == 1:
        return {**found, "item": lists[0]}, (f"column {lists[0].name!r} is taken for the item: it alone holds lists",)
    for role, other in (("user", "item"), ("item", "user")):
        left = [column for column in columns if column not in found.values() and not column.listed and _is_id(column)]
        if role not in found and other in found and len(left) == 1 and all(_repeats(column) for column in (left[0], found[other])):
            doubt = f"column {left[0].name!r} is taken for the {role}: beside {found[other].name!r} it alone looks like ids"
            return {**found, role: left[0]}, (doubt,)
    return found, ()


def _repeats(column: Column) -> bool:
    return column.distinct < column.filled


def _is_id(column: Column) -> bool:
    said = name_words.of_name(column.name)
    return any(word in name_words.IDENTIFYING for word in said) and not any(word in name_words.DESCRIBING for word in said)


def _by_place(columns: tuple[Column, ...]) -> Recognised:
    """Users and items stand first; of the numbers after them a large one is a time, and one with many decimals a score."""
    if len(columns) < 2 or _holds_prose(columns[1]):
        return Recognised({"first": columns[0]} if columns else {})
    found = {"user": columns[0], "item": columns[1]}
    for column in columns[2:]:
        role = _of_number(column) if column.kind != "text" else "timestamp"
        found.setdefault(role, column)
    return Recognised(found, ("no header, so the first column is taken for the user, the second for the item",))


def _of_number(column: Column) -> str:
    if column.most is not None and column.most > _TIME:
        return "timestamp"
    return "rating" if column.stepped else "score"


def _holds_prose(column: Column) -> bool:
    """Whether a column holds titles and the like: texts of several words, not all of them ids."""
    several = column.kind == "text" and 2 * sum(" " in value.strip() for value in column.values) > len(column.values)
    return several and not column.listed and not id_lists.separator(column)
