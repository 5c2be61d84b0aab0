"""Scores or file order → the order of a list, under one stated tie rule."""

from __future__ import annotations

from collections.abc import Collection

from .conventions import Convention
from .engine.base import Order


def order_of(columns: Collection[str], convention: Convention) -> Order:
    """The sort keys of a list: its `position` column wins over `score`; with neither, the order of the file.

    Ties are broken by item id as the axis `tie_order` says, so that the order of rows in a file cannot change a number.
    """
    item = ("item", convention["tie_order"] == "item_desc")
    if "position" in columns:
        return (("position", False), item)
    if "score" in columns:
        return (("score", True), item)
    return (("row", False),)
