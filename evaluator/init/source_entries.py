"""A file and its role → what the config says of it."""

from __future__ import annotations

from typing import Final

from . import settings
from .records import Column, Entry, File

_CALLED: Final = {"position": "rank"}
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "interactions": ("user", "item", "rating"),
    "lists": ("user", "item", "position", "score"),
    "catalogue": ("item",),
    "people": ("user",),
    "policy": ("user", "item", "score"),
    "predictions": ("user", "item", "prediction"),
    "distances": ("item", "other", "distance"),
}
"""The columns of each table that a config can name."""


def entry(found: File, why: str) -> Entry:
    """What a config says of a file, and why."""
    assert found.table is not None
    keys = {**found.glance.stated, "columns": columns_of(found)}
    if any(column.comma for column in numbers(found)):
        keys["decimal_comma"] = True
    if found.table == "catalogue":
        keys |= settings.categories(found.glance)
    return Entry(found, keys, why)


def predicted(found: File) -> Entry:
    """Predicted ratings, which look like lists until their pairs are compared with those of the test set."""
    columns = {"user": found.columns["user"], "item": found.columns["item"], "prediction": found.columns["score"]}
    table = File(found.glance, columns, found.shape, "predictions", "predicted ratings")
    return entry(table, "predictions for pairs of the test set")


def columns_of(found: File) -> dict[str, str | int]:
    """The columns as a config names them: by name, or by place in a file without a header."""
    roles = COLUMNS[found.table or ""]
    return {_CALLED.get(role, role): _name(found, found.columns[role]) for role in roles if role in found.columns}


def numbers(found: File) -> list[Column]:
    """The columns that a config can name and that must hold numbers."""
    return [found.columns[role] for role in COLUMNS[found.table or ""] if role in found.columns and role not in ("user", "item", "other")]


def _name(found: File, column: Column) -> str | int:
    same = [other for other in found.glance.columns if other.name == column.name]
    return column.name if found.glance.header and len(same) == 1 else column.place


def of_lists(found: File) -> Entry:
    """What a config says of the lists of a model, with their length if it was seen."""
    assert found.shape is not None
    return entry(found, f"{found.why}; up to {found.shape.longest} items per user" if found.shape.whole else found.why)
