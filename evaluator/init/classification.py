"""Classify one file: assign roles to its columns by names or order, then decide its kind by columns, name, and rows per user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..load import list_columns
from ..load.column_words import DESCRIBING, IDENTIFYING, column_words, words_of
from ..names.row_filter import in_filter
from .name_words import is_id_name, stem, table_words
from .preview import MIN_TIMESTAMP, ColumnSummary, PairSummary, TablePreview

_LIST_ROLES: Final = ("item", "position", "score", "rating")
"""The roles whose columns may contain lists."""
_MAX_RATINGS: Final = 20
"""Largest number of distinct values of ratings; with more they are scores."""
_MAX_MODELS: Final = 20
_INTERACTION_WORDS: Final = ("test", "validation", "train")
_Columns = dict[str, ColumnSummary]
"""The columns of a file by role. A file of unknown ids without a header has the role `first` only."""


class ClassifiedFile(Struct, frozen=True):
    """A file, its columns by role, and the kind of table it is classified as (none if unknown), with the reason.

    `path` and `label` are those of its table. `doubts` are sentences on possible mistakes. `is_told_by_length`: it was classified as lists
    only by the equal number of rows per user.
    """

    preview: TablePreview
    path: str
    label: str
    columns: Mapping[str, ColumnSummary]
    pair_summary: PairSummary | None
    table: str | None = None
    reason: str = ""
    doubts: tuple[str, ...] = ()
    is_told_by_length: bool = False

    @property
    def by_user(self) -> PairSummary:
        """The rows by user, for a file with columns of users and items."""
        assert self.pair_summary is not None
        return self.pair_summary


def classify(preview: TablePreview, known_items: frozenset[str] = frozenset()) -> ClassifiedFile:
    """Classify a file by itself. Items are lists in text if there is one row per user, and ids with digits, not names of several words.

    A column of any name has lists of items if most of their parts are among the `known_items`.
    """
    columns, doubts = _roles(preview)
    user, item = columns.get("user"), columns.get("item")
    if user is not None and user.n_distinct >= user.n_filled:
        free = [item] if item is not None else [one for one in preview.columns if one not in columns.values()] if known_items else []
        signs = {one: _list_separator(one) if one is item else _separator_of_known(one, known_items) for one in free}
        item, sign = next(((one, sign) for one, sign in signs.items() if sign), (item, ""))
        if item is not None and sign:
            parallel = [columns[role] for role in ("position", "score", "rating") if role in columns]
            numbers = [column.number for column in parallel if any(sign in value for value in column.examples)]
            preview = preview.with_lists(sign, (item.number, *numbers))
            columns, doubts = _roles(preview)
    place = preview.place
    pair_summary = preview.pair_summary(columns["user"], columns["item"]) if {"user", "item"} <= columns.keys() else None
    return _with_table(ClassifiedFile(preview, place.path, place.label, columns, pair_summary, doubts=doubts), table_words(place.label))


def _roles(preview: TablePreview) -> tuple[_Columns, tuple[str, ...]]:
    """Assign roles to the columns of a file by their names, or without a header by their order; return them with doubts.

    The first two columns are users and items, later ones timestamps if numbers are large, and scores if they have many decimals. A second
    column of titles (texts of several words that are not lists of ids) is not the item.
    """
    columns = preview.columns
    if preview.raw.has_header:
        return _by_name(columns)
    if len(columns) < 2:
        return ({"first": columns[0]} if columns else {}), ()
    examples = columns[1].examples
    has_several_words = columns[1].kind == "text" and 2 * sum(" " in value.strip() for value in examples) > len(examples)
    if has_several_words and not columns[1].is_list and not _list_separator(columns[1]):
        return {"first": columns[0]}, ()
    columns_by_role = {"user": columns[0], "item": columns[1]}
    for column in columns[2:]:
        is_time = column.kind == "text" or (column.maximum is not None and column.maximum > MIN_TIMESTAMP)
        columns_by_role.setdefault("timestamp" if is_time else "rating" if column.half_steps else "score", column)
    return columns_by_role, ("no header, so the first column is used as the user, the second as the item",)


def _by_name(columns: tuple[ColumnSummary, ...]) -> tuple[_Columns, tuple[str, ...]]:
    columns_by_role: _Columns = {}
    doubts = []
    for role in ("user", "item", "other", "distance", "position", "score", "rating", "timestamp"):
        free = [column for column in columns if column not in columns_by_role.values() and (not column.is_list or role in _LIST_ROLES)]
        candidates = sorted((fit, column.number, column) for column in free if (fit := _name_fit(column, role)) is not None)
        if candidates:
            columns_by_role[role] = candidates[0][-1]
            others = [repr(column.name) for fit, _, column in candidates[1:] if fit == candidates[0][0]]
            if others and role in ("user", "item", "score"):
                doubts.append(
                    f"column {columns_by_role[role].name!r} is used as the {role}; {' or '.join(others)} could also be the {role}"
                )
    columns_by_role, more_doubts = _by_elimination(columns, columns_by_role)
    return columns_by_role, (*doubts, *more_doubts)


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


def _by_elimination(columns: tuple[ColumnSummary, ...], assigned: _Columns) -> tuple[_Columns, tuple[str, ...]]:
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
            doubt = f"column {left[0].name!r} is used as the {role}: besides {assigned[other].name!r} only this column looks like ids"
            return {**assigned, role: left[0]}, (doubt,)
    return assigned, ()


def _list_separator(column: ColumnSummary) -> str:
    """Return the separator of the ids in the fields of a column; empty if a field has one id."""
    return "" if column.is_list or column.kind != "text" else list_columns.separator(column.examples)


def _separator_of_known(column: ColumnSummary, items: frozenset[str]) -> str:
    """Return the separator of lists in the fields of a column, if most of their parts are among `items`; else an empty text."""
    return "" if column.is_list or column.kind != "text" else list_columns.separator_of_known(column.examples, items)


def reclassify(files: Sequence[ClassifiedFile]) -> list[ClassifiedFile]:
    """Classify files again that others explain.

    Files of users, unless their names say users, are lists if a column has lists of items of the interactions. The user of interactions
    without a user of the lists is the column with the name that all lists give to theirs: `session_id`, although there is a `customer_id`.
    """
    items = frozenset[str]().union(*(file.by_user.items for file in files if file.table == "interactions"))
    doubtful = [file.path for file in files if items and file.table == "people" and "people" not in table_words(file.label)]
    again = [classify(file.preview, items) if file.path in doubtful else file for file in files]
    lists = [file for file in again if file.table == "lists" and file.preview.raw.has_header]
    names, users = {file.columns["user"].name for file in lists}, frozenset[str]().union(*(file.by_user.users for file in lists))
    strange = [file.path for file in again if file.table == "interactions" and len(names) == 1 and users.isdisjoint(file.by_user.users)]
    return [_with_user(file, *names) if file.path in strange else file for file in again]


def _with_user(file: ClassifiedFile, name: str) -> ClassifiedFile:
    """Return interactions whose users are in the column `name`, if there is one."""
    if not file.preview.raw.has_header or file.columns["user"].name == name or file.columns["item"].name == name:
        return file
    for column in file.preview.columns:
        if column.name == name and not column.is_list:
            summary = file.preview.pair_summary(column, file.columns["item"])
            doubts = tuple(doubt for doubt in file.doubts if "is used as the user" not in doubt)
            return replace(file, columns={**file.columns, "user": column}, pair_summary=summary, doubts=doubts)
    return file


def _with_table(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile:
    """Decide the kind of table, if the format does not; `words` are those in the name of the file that suggest one."""
    columns, raw = file.columns, file.preview.raw
    if raw.table is not None:
        judged = replace(_with_rating(file), table=raw.table, reason="TREC judgements (qrels)")
        return replace(file, table="lists", reason="a TREC run") if raw.table == "lists" else judged
    if "first" in columns:  # there is no header, and the second column is text or missing
        if len(file.preview.columns) < 2:
            return replace(file, columns={}, reason="it has only one column")
        table, role = ("people", "user") if "people" in words else ("catalogue", "item")
        reason = f"no header, and text after the first column, which is used as the {role}"
        return replace(file, columns={role: columns["first"]}, table=table, reason=reason)
    if {"item", "distance", "other"} <= columns.keys():
        return replace(file, table="distances", reason="two columns of items and a distance")
    item = columns.get("item")
    unreadable = ""  # a column with the whole list of a user in an unreadable form
    if item is not None and not item.is_list and item.examples and all(value.startswith("[") for value in item.examples):
        unreadable = item.name
    elif raw.nested_columns and "user" in columns and item is None:
        unreadable = raw.nested_columns[0]
    if unreadable:
        reason = f"column {unreadable!r} contains neither items nor readable lists of items: write one row per user and item"
        return replace(file, reason=reason)
    if file.pair_summary is None:
        return _without_pairs(file, words)
    return (None if columns["item"].is_list else _one_row_each(file, words)) or _with_pairs(file, words)


def _one_row_each(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile | None:
    """Classify a file with one row per user or item whose other ids only describe it, such as a favourite film; `None` otherwise."""
    for table, role, other in (("people", "user", "item"), ("catalogue", "item", "user")):
        is_unique = file.columns[role].n_distinct == file.columns[role].n_filled == file.preview.n_previewed
        is_described = not is_id_name(file.columns[other]) and not any(word in words for word in _INTERACTION_WORDS)
        if is_unique and (table in words or is_described):
            columns = {name: column for name, column in file.columns.items() if name != other}
            reason = f"{'by its name and ' if table in words else ''}one row per {role}"
            return replace(file, columns=columns, table=table, pair_summary=None, reason=reason)
    return None


def _without_pairs(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile:
    """Classify a file that lacks a column of users or of items."""
    columns, names = file.columns, [column.name for column in file.preview.columns]
    if any("@" in name for name in names) or {"metric", "value"} <= set(names):
        return replace(file, reason="it contains metric values")
    if "item" in columns and "policy" in words and "score" in columns:
        return replace(file, table="policy", reason="by its name and a score of each item")
    if "item" in columns:
        return replace(file, table="catalogue", reason=f"items in column {columns['item'].name!r}, and no users")
    if "user" in columns:
        return replace(file, table="people", reason=f"users in column {columns['user'].name!r}, and no items")
    shown = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
    return replace(file, reason=f"no user or item column was recognised; the columns are {shown}")


def _with_pairs(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile:
    """Classify a file of users and items: lists, interactions or a policy."""
    columns, pairs = file.columns, file.by_user
    for column in file.preview.columns:
        if "model" in column_words(column.name) and column.kind == "text" and 1 < column.n_distinct <= _MAX_MODELS:
            name = column.examples[0].replace("'", "''") if column.examples else "NAME"
            example = f", such as where: \"{in_filter(column.name)} == '{name}'\""
            reason = f"column {column.name!r} contains {column.n_distinct} models; give each model the file with a filter{example}"
            return replace(file, reason=reason)
    if "policy" in words and "score" in columns:
        return replace(file, table="policy", reason="by its name and a score of each pair")
    if any(word in words for word in _INTERACTION_WORDS) and not _holds_lists_for_a_set(file, words):
        return replace(_with_rating(file), table="interactions", reason="by its name")
    reason = _why_lists(file, words)
    if reason:
        return replace(_with_order(file), table="lists", reason=reason)
    if _holds_lists(file) and "rating" not in columns:
        return replace(file, table="lists", reason="a list of items per user")
    if pairs.has_equal_lengths and not {"rating", "timestamp"} & columns.keys():
        reason = f"nearly every user has {pairs.median_length} rows, and there is no rating"
        return replace(file, table="lists", reason=reason, is_told_by_length=True)
    return replace(file, table="interactions", reason="users and items, but no score or rank")


def _holds_lists(file: ClassifiedFile) -> bool:
    """Return whether the items of a user are in one row, or in one entry of a JSON document."""
    return file.columns["item"].is_list or file.preview.raw.is_by_user


def _holds_lists_for_a_set(file: ClassifiedFile, words: tuple[str, ...]) -> bool:
    """Return whether a file named after a test or train set has lists for it, as `als_test` may; `test` itself never does."""
    if "position" in file.columns or "lists" in words:
        return True
    has_no_other_words = all(table_words(word) for word in words_of(stem(file.label)))
    rating = file.columns.get("rating")
    return not has_no_other_words and ("score" in file.columns or (rating is not None and _has_many_decimals(rating)))


def _has_many_decimals(rating: ColumnSummary) -> bool:
    return rating.kind == "decimal" and not rating.half_steps and rating.n_distinct > _MAX_RATINGS


def _why_lists(file: ClassifiedFile, words: tuple[str, ...]) -> str:
    """Return why a file has lists: by its names, by many decimals, or by equal lengths in an order; empty if it has none."""
    for role, name in (("position", "rank"), ("score", "score")):
        if role in file.columns:
            column, has_header = file.columns[role], file.preview.raw.has_header
            return f"the {name} in column {column.name!r}" if has_header else f"numbers like a {name} in column {column.number}"
    if "lists" in words:
        return "by its name"
    pairs, rating = file.by_user, file.columns.get("rating")
    if rating is not None and _has_many_decimals(rating):
        return f"column {rating.name!r} has many decimals, like scores"
    if rating is not None and _holds_lists(file) and rating.kind == "decimal" and not rating.half_steps:
        return f"a list of items per user, with decimals in column {rating.name!r}, like scores"
    is_in_order = rating is not None and pairs.has_equal_lengths and rating.name in pairs.falling_columns
    if pairs.has_equal_lengths and pairs.counting_columns and not is_in_order:
        return f"column {min(pairs.counting_columns)!r} counts the rows of each user"
    falling = rating if is_in_order else _falling(file)
    return f"column {falling.name!r} falls, and nearly every user has {pairs.median_length} rows" if falling else ""


def _falling(file: ClassifiedFile) -> ColumnSummary | None:
    """Return the only column of decimals without a role, if it orders lists of equal length, as a score does."""
    taken = [column.number for column in file.columns.values()]
    decimals = [column for column in file.preview.columns if column.kind == "decimal" and column.number not in taken]
    ordered = [column for column in decimals if column.name in file.by_user.falling_columns]
    return ordered[0] if file.by_user.has_equal_lengths and len(decimals) == len(ordered) == 1 else None


def _with_rating(file: ClassifiedFile) -> ClassifiedFile:
    """Use the score as the rating if there is none, because interactions have no scores."""
    columns = dict(file.columns)
    if "score" in columns and "rating" not in columns:
        columns["rating"] = columns["score"]
    return replace(file, columns={role: column for role, column in columns.items() if role != "score"})


def _with_order(file: ClassifiedFile) -> ClassifiedFile:
    """Find the column that orders the lists: a rank, a score, or else a rating or a counting column."""
    columns, pairs = dict(file.columns), file.by_user
    is_ordered = bool({"position", "score"} & columns.keys())
    rating = columns.get("rating")
    taken = list(columns.values())
    counting = [column for column in file.preview.columns if column.name in pairs.counting_columns and column not in taken]
    if rating is not None and not file.preview.raw.has_header and rating.name in pairs.counting_columns:
        columns["position"] = rating
    elif rating is not None and not is_ordered:
        columns["score"] = rating
    elif counting and not is_ordered:
        columns["position"] = counting[0]
    elif not is_ordered and (falling := _falling(file)):
        columns["score"] = falling
    return replace(file, columns={role: column for role, column in columns.items() if role != "rating"})
