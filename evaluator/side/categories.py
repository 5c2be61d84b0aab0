"""The items file → which item has which category, in any of its three forms."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw

from ..frames import Frame

_NONE = ("", "0", "0.0", "-", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "None", "null", "NULL", "NA", "nan", "NaN")
"""What a column of one category says of an item that does not have it."""
_SEPARATOR = "\x1f"
"""Stands for what separates categories, which Spark would take for a regular expression."""


def category_pairs(items: Frame, columns: Sequence[tuple[str, str]], split: str | None) -> Frame:
    """`item`, `category`, each pair once, from the `columns` (the name in the file, and in the frame) of the items file.

    Several columns are one category each, which an item has unless its value there is null, empty, 0, or a word for no. A single
    column holds one category, or several with `split` between them. Spaces around a category are no part of it.
    """
    if len(columns) > 1:
        has = [
            items.filter(~nw.col(column).is_null() & ~nw.col(column).is_in(_NONE)).select("item", category=nw.lit(name))
            for name, column in columns
        ]
        return nw.concat(has).unique(["item", "category"])
    ((_, column),) = columns
    named = items.select("item", nw.col(column).alias("category")).filter(~nw.col("category").is_null())
    if split is not None:
        named = named.with_columns(
            category=nw.col("category").str.replace_all(split, _SEPARATOR, literal=True).str.split(_SEPARATOR)
        ).explode("category")
    named = named.with_columns(category=nw.col("category").str.strip_chars(" "))
    return named.filter(nw.col("category") != "").unique(["item", "category"])


def with_masks(coded: Frame) -> Frame:
    """`item`, `value`: the set of an item's categories as bits, from `item`, `code` (1 to 62), each pair once."""
    return coded.group_by("item").agg(value=(nw.lit(2) ** (nw.col("code") - 1)).cast(nw.Int64).sum())
