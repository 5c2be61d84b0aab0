"""Scores or file order → the order of a list, under one stated tie rule."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import narwhals as nw

from .engine.base import Order
from .frames import Frame
from .metrics import Lists

_TIES = {"item_asc": ("item", False), "item_desc": ("item", True), "text_asc": ("item_text", False), "text_desc": ("item_text", True)}


def order_of(columns: Collection[str], choice: Lists) -> Order:
    """The sort keys of a list.

    By `choice.order` the first of: `rank` its `position` column, its score, the order of the file; `score` the score, the
    position, the order of the file; `file` that order. Ties are broken as `choice.ties` says, by default by item id, so that
    the order of rows in a file cannot change a number.
    """
    score = ("score32" if choice.score_type == "float32" else "score", True)
    by = {"position": ("position", False), "score": score}
    wanted = {"rank": ("position", "score"), "score": ("score", "position"), "file": ()}[choice.order]
    for column in wanted:
        if column in columns:
            return (by[column], _TIES.get(choice.ties, ("row", False)))
    return (("row", False),)


def prepared(lists: Frame, orders: Sequence[Order]) -> tuple[Frame, list[Order]]:
    """`lists` with the columns that `orders` sort by (the score in single precision, the item id as text), and the orders.

    Where scores are stored in single precision they are compared as they are, so that fewer orders differ.
    """
    if "score" in (schema := lists.collect_schema()) and schema["score"] == nw.Float32:
        orders = [tuple(("score", falls) if column == "score32" else (column, falls) for column, falls in order) for order in orders]
    keys = {column for order in orders for column, _ in order}
    if "score32" in keys:
        lists = lists.with_columns(score32=nw.col("score").cast(nw.Float32))
    if "item_text" in keys:
        lists = lists.with_columns(item_text=nw.col("item").cast(nw.String))
    return lists, list(orders)
