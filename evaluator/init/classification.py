"""Classify one file by its columns, by the words in its name, and by how its rows are spread over users."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from .column_roles import ColumnRoles
from .name_words import column_words, is_id_name, stem, table_words, words_of
from .records import ClassifiedFile, ColumnSummary, FileSummary, PairSummary

_MIN_SHARE_OF_EQUAL_LENGTHS: Final = 0.8
_MIN_LENGTH: Final = 3
"""The least rows per user of lists that are told by their equal lengths."""
_MAX_RATINGS: Final = 20
"""Ratings have at most so many distinct values; more are scores."""
_MAX_MODELS: Final = 20
_INTERACTION_WORDS: Final = ("test", "validation", "train")


def classify(summary: FileSummary, roles: ColumnRoles, pair_summary: PairSummary | None) -> ClassifiedFile:
    """Classify a file; `pair_summary` is that of its rows if it has columns of users and items."""
    columns = roles.columns
    file = ClassifiedFile(summary, columns, pair_summary, None, "", roles.doubts)
    words = table_words(summary.label)
    if summary.table is not None:
        is_run = summary.table == "lists"
        file = file if is_run else _with_rating(file)
        return replace(file, table=summary.table, reason="a TREC run" if is_run else "TREC judgements (qrels)")
    if "first" in columns:
        return _by_first_column(file, words)
    if "item" in columns and "distance" in columns and "other" in columns:
        return replace(file, table="distances", reason="two columns of items and a distance")
    unreadable = _unreadable_lists(file)
    if unreadable:
        reason = f"column {unreadable!r} contains neither items nor readable lists of items: write one row per user and item"
        return replace(file, reason=reason)
    if pair_summary is None:
        return _without_pairs(file, words)
    return (None if columns["item"].is_list else _one_row_each(file, words)) or _with_pairs(file, pair_summary, words)


def _unreadable_lists(file: ClassifiedFile) -> str:
    """Return the column with the whole list of a user in a form that cannot be read; empty if there is none."""
    item, nested = file.columns.get("item"), file.summary.nested_columns
    if item is not None and not item.is_list and item.examples and all(value.startswith("[") for value in item.examples):
        return item.name
    return nested[0] if nested and "user" in file.columns and item is None else ""


def _by_first_column(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile:
    """Classify a file without a header whose second column is prose, or that has only one column."""
    if len(file.summary.columns) < 2:
        return replace(file, columns={}, reason="it has only one column")
    table, role = ("people", "user") if "people" in words else ("catalogue", "item")
    reason = f"no header, and text after the first column, which is used as the {role}"
    return replace(file, columns={role: file.columns["first"]}, table=table, reason=reason)


def _one_row_each(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile | None:
    """Classify a file with one row per user or item whose other ids only describe it, such as a favourite film; `None` otherwise."""
    for table, role, other in (("people", "user", "item"), ("catalogue", "item", "user")):
        is_unique = file.columns[role].n_distinct == file.columns[role].n_filled == file.summary.n_previewed
        is_described = not is_id_name(file.columns[other]) and not any(word in words for word in _INTERACTION_WORDS)
        if is_unique and (table in words or is_described):
            columns = {name: column for name, column in file.columns.items() if name != other}
            reason = f"{'by its name and ' if table in words else ''}one row per {role}"
            return replace(file, columns=columns, table=table, pair_summary=None, reason=reason)
    return None


def _without_pairs(file: ClassifiedFile, words: tuple[str, ...]) -> ClassifiedFile:
    """Classify a file that lacks a column of users or of items."""
    columns, names = file.columns, [column.name for column in file.summary.columns]
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


def _with_pairs(file: ClassifiedFile, pairs: PairSummary, words: tuple[str, ...]) -> ClassifiedFile:
    """Classify a file of users and items: lists, interactions or a policy."""
    columns = file.columns
    for column in file.summary.columns:
        if "model" in column_words(column.name) and column.kind == "text" and 1 < column.n_distinct <= _MAX_MODELS:
            reason = f"column {column.name!r} contains {column.n_distinct} models, but receval reads one model per file: split it"
            return replace(file, reason=reason)
    if "policy" in words and "score" in columns:
        return replace(file, table="policy", reason="by its name and a score of each pair")
    if any(word in words for word in _INTERACTION_WORDS) and not _holds_lists_for_a_set(file, words):
        return replace(_with_rating(file), table="interactions", reason="by its name")
    reason = _lists_by_name(file, words) or _lists_by_values(file, pairs)
    if reason:
        return replace(_with_order(file, pairs), table="lists", reason=reason)
    if _holds_lists(file) and "rating" not in columns:
        return replace(file, table="lists", reason="a list of items per user")
    if _has_equal_lengths(pairs) and not {"rating", "timestamp"} & columns.keys():
        reason = f"nearly every user has {pairs.median_length} rows, and there is no rating"
        return replace(file, table="lists", reason=reason, is_told_by_length=True)
    return replace(file, table="interactions", reason="users and items, but no score or rank")


def _holds_lists(file: ClassifiedFile) -> bool:
    """Whether the items of a user stand together in one row, or one entry of a JSON document."""
    return file.columns["item"].is_list or file.summary.is_by_user


def _holds_lists_for_a_set(file: ClassifiedFile, words: tuple[str, ...]) -> bool:
    """Whether a file named after a test or train set holds lists for it, as `als_test` may; `test` itself never does."""
    if "position" in file.columns or "lists" in words:
        return True
    has_no_other_words = all(table_words(word) for word in words_of(stem(file.summary.label)))
    rating = file.columns.get("rating")
    return not has_no_other_words and ("score" in file.columns or (rating is not None and _has_many_decimals(rating)))


def _has_many_decimals(rating: ColumnSummary) -> bool:
    return rating.kind == "decimal" and not rating.half_steps and rating.n_distinct > _MAX_RATINGS


def _lists_by_name(file: ClassifiedFile, words: tuple[str, ...]) -> str:
    """Return why the name of a column or of the file says that it holds lists; empty if none does."""
    for role, name in (("position", "rank"), ("score", "score")):
        if role in file.columns:
            column = file.columns[role]
            has_header = file.summary.has_header
            return f"the {name} in column {column.name!r}" if has_header else f"numbers like a {name} in column {column.number}"
    return "by its name" if "lists" in words else ""


def _lists_by_values(file: ClassifiedFile, pairs: PairSummary) -> str:
    """Return why rows look like lists: many decimals, or equal lengths in an order; empty if they do not."""
    rating = file.columns.get("rating")
    if rating is not None and _has_many_decimals(rating):
        return f"column {rating.name!r} has many decimals, like scores"
    if rating is not None and _holds_lists(file) and rating.kind == "decimal" and not rating.half_steps:
        return f"a list of items per user, with decimals in column {rating.name!r}, like scores"
    if rating is not None and _has_equal_lengths(pairs) and rating.name in pairs.falling_columns:
        return f"column {rating.name!r} falls, and nearly every user has {pairs.median_length} rows"
    if _has_equal_lengths(pairs) and pairs.counting_columns:
        return f"column {min(pairs.counting_columns)!r} counts the rows of each user"
    falling = _falling(file, pairs)
    return f"column {falling.name!r} falls, and nearly every user has {pairs.median_length} rows" if falling else ""


def _falling(file: ClassifiedFile, pairs: PairSummary) -> ColumnSummary | None:
    """Return the only column of decimals without a role, if lists of equal length are in its order, as in that of a score."""
    taken = [column.number for column in file.columns.values()]
    decimals = [column for column in file.summary.columns if column.kind == "decimal" and column.number not in taken]
    ordered = [column for column in decimals if column.name in pairs.falling_columns]
    return ordered[0] if _has_equal_lengths(pairs) and len(decimals) == len(ordered) == 1 else None


def _has_equal_lengths(pairs: PairSummary) -> bool:
    """Whether nearly every user has the same number of rows."""
    is_common = pairs.share_of_commonest_length >= _MIN_SHARE_OF_EQUAL_LENGTHS
    return is_common and pairs.median_length >= _MIN_LENGTH and len(pairs.users) > 1


def _with_rating(file: ClassifiedFile) -> ClassifiedFile:
    """Take the score for the rating if there is none, since interactions have no scores."""
    columns = dict(file.columns)
    if "score" in columns and "rating" not in columns:
        columns["rating"] = columns["score"]
    return replace(file, columns={role: column for role, column in columns.items() if role != "score"})


def _with_order(file: ClassifiedFile, pairs: PairSummary) -> ClassifiedFile:
    """Find the column that orders the lists: a rank, a score, or else a rating or a counting column."""
    columns = dict(file.columns)
    is_ordered = bool({"position", "score"} & columns.keys())
    rating = columns.get("rating")
    taken = list(columns.values())
    counting = [column for column in file.summary.columns if column.name in pairs.counting_columns and column not in taken]
    if rating is not None and not file.summary.has_header and rating.name in pairs.counting_columns:
        columns["position"] = rating
    elif rating is not None and not is_ordered:
        columns["score"] = rating
    elif counting and not is_ordered:
        columns["position"] = counting[0]
    elif not is_ordered and (falling := _falling(file, pairs)):
        columns["score"] = falling
    return replace(file, columns={role: column for role, column in columns.items() if role != "rating"})
