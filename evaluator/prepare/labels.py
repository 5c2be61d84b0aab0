"""Columns of data.items and data.users that hold names → codes: the categories of items, and groups of items and of users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from ..tables.groups import Group

_NONE: Final = ("", "0", "0.0", "-", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "None", "null", "NULL", "NA", "nan", "NaN")
"""What a column of one category says of an item that does not have it."""


def category_names(items: pl.DataFrame, columns: Sequence[tuple[str, str]], split: str | None) -> pl.DataFrame:
    """`item`, `name`, each pair once, from the `columns` (the name in the file, and in the frame) of the items file.

    Several columns are one category each, which an item has unless its value there is null, empty, 0, or a word for no. A single
    column holds one category, or several with `split` between them. Spaces around a category are no part of it.
    """
    if len(columns) > 1:
        having = [
            items.filter(pl.col(column).is_not_null() & ~pl.col(column).is_in(_NONE)).select("item", name=pl.lit(name))
            for name, column in columns
        ]
        return pl.concat(having).unique()
    ((_, column),) = columns
    named = items.select("item", name=column).drop_nulls("name")
    if split is not None:
        named = named.with_columns(pl.col("name").str.split(split)).explode("name")
    named = named.with_columns(pl.col("name").str.strip_chars(" "))
    return named.filter(pl.col("name") != "").unique()


def group_names(frame: pl.DataFrame, key: str, column: str) -> pl.DataFrame:
    """`key`, `name`: the group that `column` names for each user or item, once.

    Rows without a name are left out; of one who stands there under several names the first in text order counts.
    """
    named = frame.select(key, name=column).filter(pl.col("name").is_not_null() & (pl.col("name") != ""))
    return named.group_by(key).agg(pl.col("name").min())


def coded(named: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Group, ...]]:
    """`named` with a `code` from 1 for each `name`, in text order, and the groups with their sizes.

    Groups stand in the order of their names, as numbers if all are numbers.
    """
    sizes = named.group_by("name").agg(size=pl.len()).sort("name").with_row_index("code", offset=1)
    sizes = sizes.with_columns(pl.col("code").cast(pl.Int64))
    groups = [Group(str(name), code, size) for code, name, size in sizes.select("code", "name", "size").iter_rows()]
    numbers = all(group.name.removeprefix("-").isdecimal() for group in groups)
    groups.sort(key=lambda group: (int(group.name) if numbers else 0, group.name))
    return named.join(sizes.select("name", "code"), on="name", how="left"), tuple(groups)


def remarks_on_groups(table: str, column: str, groups: Sequence[Group]) -> list[str]:
    """What is odd about the groups of a column: fewer than two of them, or groups of one member."""
    remarks = []
    if len(groups) < 2:
        remarks.append(f"data.{table}: {column} has {len(groups)} group{'s' * (len(groups) != 1)}: there is nothing to compare.")
    alone = [group.name for group in groups if group.size == 1]
    if alone:
        remarks.append(f"data.{table}: the {column} {', '.join(alone[:5])} ha{'s' if len(alone) == 1 else 've'} one member.")
    return remarks
