"""What each file is by itself: by its columns, by the words in its name, and by the shape of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from . import name_words
from .column_roles import Recognised
from .records import Column, File, Glance, Shape

_EVEN: Final = 0.8
"""The least share of users with the same number of rows where rows look like lists."""
_SHORTEST: Final = 3
_MANY: Final = 20
"""More distinct values than ratings have."""
_TRUTH: Final = ("test", "validation", "train")


def file(glance: Glance, recognised: Recognised, shape: Shape | None) -> File:
    """What a file is taken to be; `shape` is that of its rows if it has columns of users and items."""
    columns: Mapping[str, Column] = recognised.columns
    found = File(glance, columns, shape, None, "", recognised.doubts)
    said = name_words.of_file(glance.label)
    if glance.table is not None:
        return _of_its_form(found, glance.table)
    if "first" in columns:
        return _by_first_column(found, said)
    if "item" in columns and "distance" in columns and "other" in columns:
        return replace(found, table="distances", why="two columns of items and a distance")
    several = _several_items(found)
    if several:
        return replace(found, why=f"column {several!r} holds neither items nor readable lists of them: write one row per user and item")
    if shape is None:
        return _of_one_id(found, said)
    return (None if columns["item"].listed else _of_one_row_each(found, said)) or _of_pairs(found, shape, said)


def _of_its_form(found: File, table: str) -> File:
    if table == "lists":
        return replace(found, table=table, why="a TREC run")
    return replace(_with_rating(found), table=table, why="TREC judgements (qrels)")


def _several_items(found: File) -> str:
    """The column that holds the whole list of a user in a form that cannot be read; nothing if there is none."""
    item = found.columns.get("item")
    if item is not None and not item.listed and item.values and all(value.startswith("[") for value in item.values):
        return item.name
    return found.glance.nested[0] if found.glance.nested and "user" in found.columns and item is None else ""


def _by_first_column(found: File, said: tuple[str, ...]) -> File:
    """A file without a header whose second column is prose, or that has one column only."""
    first = found.columns["first"]
    if len(found.glance.columns) < 2:
        return replace(found, columns={}, why="it has one column only")
    table, role = ("people", "user") if "people" in said else ("catalogue", "item")
    return replace(
        found, columns={role: first}, table=table, why=f"no header, and text after the first column, which is taken for the {role}"
    )


def _of_one_row_each(found: File, said: tuple[str, ...]) -> File | None:
    """A file with one row per user, or per item, whose other ids only describe it, such as a favourite film; nothing otherwise."""
    for table, role, other in (("people", "user", "item"), ("catalogue", "item", "user")):
        unique = found.columns[role].distinct == found.columns[role].filled == found.glance.n_seen
        described = not name_words.names_ids(found.columns[other]) and not any(word in said for word in _TRUTH)
        if unique and (table in said or described):
            columns = {name: column for name, column in found.columns.items() if name != other}
            return replace(
                found, columns=columns, table=table, shape=None, why=f"{'by its name and ' if table in said else ''}one row per {role}"
            )
    return None


def _of_one_id(found: File, said: tuple[str, ...]) -> File:
    columns, names = found.columns, [column.name for column in found.glance.columns]
    if any("@" in name for name in names) or {"metric", "value"} <= set(names):
        return replace(found, why="it holds values of metrics")
    if "item" in columns and "policy" in said and "score" in columns:
        return replace(found, table="policy", why="by its name and a score of each item")
    if "item" in columns:
        return replace(found, table="catalogue", why=f"items in column {columns['item'].name!r}, and no users")
    if "user" in columns:
        return replace(found, table="people", why=f"users in column {columns['user'].name!r}, and no items")
    shown = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
    return replace(found, why=f"no column of users or items is told by its name; the columns are {shown}")


def _of_pairs(found: File, shape: Shape, said: tuple[str, ...]) -> File:
    columns = found.columns
    several = _models(found.glance)
    if several is not None:
        why = f"column {several.name!r} names {several.distinct} models, and receval reads one model per file: split it"
        return replace(found, why=why)
    if "policy" in said and "score" in columns:
        return replace(found, table="policy", why="by its name and a score of each pair")
    if any(word in said for word in _TRUTH) and not _lists_for(found, said):
        return replace(_with_rating(found), table="interactions", why="by its name")
    for reason in (_says_lists(found, shape, said), _looks_like_lists(found, shape)):
        if reason:
            return replace(_with_score(found, shape), table="lists", why=reason)
    if columns["item"].listed and "rating" not in columns:
        return replace(found, table="lists", why="a list of items per user")
    if _even(shape) and not {"rating", "timestamp"} & columns.keys():
        return replace(found, table="lists", why=f"nearly every user has {shape.median} rows, and there is no rating", bare=True)
    return replace(found, table="interactions", why="users and items, and neither a score nor a rank")


def _lists_for(found: File, said: tuple[str, ...]) -> bool:
    """Whether a file named after a test or train set holds lists for it, as `als_test` may: `test` itself does not, whatever it has."""
    if "position" in found.columns or "lists" in said:
        return True
    alone = all(name_words.of_file(word) for word in name_words.of_name(name_words.stem(found.glance.label)))
    rating = found.columns.get("rating")
    return not alone and ("score" in found.columns or (rating is not None and _has_many_decimals(rating)))


def _has_many_decimals(rating: Column) -> bool:
    return rating.kind == "decimal" and not rating.stepped and rating.distinct > _MANY


def _models(glance: Glance) -> Column | None:
    """The column that tells models apart, where one file holds several."""
    for column in glance.columns:
        if "model" in name_words.of_column(column.name) and column.kind == "text" and 1 < column.distinct <= _MANY:
            return column
    return None


def _says_lists(found: File, shape: Shape, said: tuple[str, ...]) -> str:
    """Why names say that a file holds lists, or nothing."""
    for role, called in (("position", "rank"), ("score", "score")):
        if role in found.columns:
            column = found.columns[role]
            return f"the {called} in column {column.name!r}" if found.glance.header else f"numbers like a {called} in column {column.place}"
    return "by its name" if "lists" in said else ""


def _looks_like_lists(found: File, shape: Shape) -> str:
    """Why rows look like lists, or nothing: many decimals, or the same number of rows for nearly every user, in an order."""
    rating = found.columns.get("rating")
    if rating is not None and _has_many_decimals(rating):
        return f"column {rating.name!r} has many decimals, as a score has"
    if rating is not None and _even(shape) and rating.name in shape.falling:
        return f"column {rating.name!r} falls, and nearly every user has {shape.median} rows"
    if _even(shape) and shape.counting:
        return f"column {min(shape.counting)!r} counts the rows of each user"
    return ""


def _even(shape: Shape) -> bool:
    """Whether nearly every user has the same number of rows."""
    return shape.even >= _EVEN and shape.median >= _SHORTEST and len(shape.users) > 1


def _with_rating(found: File) -> File:
    """The file with its score, if it has no rating, taken for one: a file of truth has no scores."""
    columns = dict(found.columns)
    if "score" in columns and "rating" not in columns:
        columns["rating"] = columns["score"]
    return replace(found, columns={role: column for role, column in columns.items() if role != "score"})


def _with_score(found: File, shape: Shape) -> File:
    """The file with what orders its lists: a rank, a score, or else a rating that is one."""
    columns: Mapping[str, Column] = found.columns
    ordered = bool({"position", "score"} & columns.keys())
    rating = columns.get("rating")
    counting = [column for column in found.glance.columns if column.name in shape.counting and column not in columns.values()]
    if rating is not None and not found.glance.header and rating.name in shape.counting:
        columns = {**columns, "position": rating}
    elif rating is not None and not ordered:
        columns = {**columns, "score": rating}
    elif counting and not ordered:
        columns = {**columns, "position": counting[0]}
    return replace(found, columns={role: column for role, column in columns.items() if role != "rating"})
