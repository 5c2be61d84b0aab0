"""Write the entry of a file in the data section of a config."""

from __future__ import annotations

from typing import Final

from . import settings
from .records import ClassifiedFile, ColumnSummary, SourceEntry

_KEYS: Final = {"position": "rank"}
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "interactions": ("user", "item", "rating"),
    "lists": ("user", "item", "position", "score"),
    "catalogue": ("item",),
    "people": ("user",),
    "policy": ("user", "item", "score"),
    "predictions": ("user", "item", "prediction"),
    "distances": ("item", "other", "distance"),
}
"""Kind of table → the roles of columns that a config can name."""


def source_entry(file: ClassifiedFile, comment: str) -> SourceEntry:
    """Return the keys that a config needs for a file, with a comment."""
    assert file.table is not None
    keys = {**file.summary.read_keys, "columns": columns_of(file)}
    if any(column.decimal_comma for column in numeric_columns(file)):
        keys["decimal_comma"] = True
    if file.table == "catalogue":
        keys |= settings.categories(file.summary)
    return SourceEntry(file, keys, comment)


def predictions_entry(file: ClassifiedFile) -> SourceEntry:
    """Return the entry of predicted ratings, which are classified as lists until their pairs are compared with the test set."""
    columns = {"user": file.columns["user"], "item": file.columns["item"], "prediction": file.columns["score"]}
    table = ClassifiedFile(file.summary, columns, file.pair_summary, "predictions", "predicted ratings")
    return source_entry(table, "predictions for pairs of the test set")


def columns_of(file: ClassifiedFile) -> dict[str, str | int]:
    """Return the columns as a config names them: by name, or by number in a file without a header."""
    roles = COLUMNS[file.table or ""]
    return {_KEYS.get(role, role): _name(file, file.columns[role]) for role in roles if role in file.columns}


def numeric_columns(file: ClassifiedFile) -> list[ColumnSummary]:
    """Return the columns that a config can name and that must hold numbers."""
    return [file.columns[role] for role in COLUMNS[file.table or ""] if role in file.columns and role not in ("user", "item", "other")]


def _name(file: ClassifiedFile, column: ColumnSummary) -> str | int:
    same = [other for other in file.summary.columns if other.name == column.name]
    return column.name if file.summary.has_header and len(same) == 1 else column.number


def lists_entry(file: ClassifiedFile) -> SourceEntry:
    """Return the entry of the lists of a model, with their length in the comment if whole users were read."""
    longest = file.by_user.longest
    length = f"; up to {longest} item{'' if longest == 1 else 's'} per user" if file.by_user.has_whole_users else ""
    return source_entry(file, f"{file.reason}{length}")
