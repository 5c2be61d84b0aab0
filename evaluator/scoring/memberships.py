"""Columns of data.users and data.items that results are split by → the groups of each user and item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from msgspec import Struct

from ..support.errors import DataError
from ..tables.ids import Ids
from ..tables.prepared import MISSING, Group, GroupBy, Membership

_MOST_GROUPS: Final = 1_000
"""Most groups of a column. A column with more is usually an id, and each of its groups has only a user or two."""

_MANY_NUMBERS: Final = 50
"""Numbers or dates in more groups than this are named: one hardly compares so many."""
_NUMBER: Final = re.compile(r"[+-]?\d[\d.,:TZ e+-]*")


class GroupColumn(Struct, frozen=True):
    """A column that names groups: its name in the frame, and the separator of several groups in one field (of items).

    If results are not split by it (`splits` is false), it may have any number of groups.
    """

    by: GroupBy
    column: str
    split: str | None = None
    splits: bool = True


def memberships(
    columns: Iterable[GroupColumn], sides: Mapping[str, pl.DataFrame | None], items: Ids, test: pl.DataFrame | None
) -> tuple[dict[GroupBy, Membership], list[str]]:
    """Return the members of each group of each of the `columns`, and remarks on users and items without a group.

    `sides` are the frames `users` and `items`, by name; indexes of items follow `items`. If a user has several groups, the first in text
    order counts; an item with several is in each. `DataError` if a column that results are split by has more than 1,000 groups.
    """
    made, remarks = {}, []
    for column in columns:
        frame = sides[column.by.kind]
        assert frame is not None
        if column.by.kind == "users":
            membership = _user_membership(frame, column)
            remarks += _remarks_on_several(frame, column)
        else:
            membership = _item_membership(frame, column, items)
        if column.splits:
            refuse_ids(column.by, len(membership.groups))
            remarks += _remarks_on_numbers(column.by, membership)
        made[column.by] = membership
        if test is not None:
            remarks += _remarks(column.by, membership, test["user" if column.by.kind == "users" else "item"].unique())
    return made, remarks


def _user_membership(users: pl.DataFrame, column: GroupColumn) -> Membership:
    named, groups = assign_codes(_without_missing(group_names(users, "user", column.column)))
    named = named.sort("user")
    return Membership(groups, Ids(named["user"]), np.arange(len(named)), named["code"].to_numpy())


def _item_membership(catalogue: pl.DataFrame, column: GroupColumn, items: Ids) -> Membership:
    named, groups = assign_codes(_without_missing(category_names(catalogue, ((column.by.column, column.column),), column.split)))
    return Membership(groups, items, items.index_of(named["item"]), named["code"].to_numpy())


def _without_missing(named: pl.DataFrame) -> pl.DataFrame:
    """Remove rows that name the group `(missing)`, which a file may contain itself."""
    return named.filter(pl.col("name") != MISSING)


def _remarks_on_several(users: pl.DataFrame, column: GroupColumn) -> list[str]:
    """Return a remark with the number of users that have several groups in the file."""
    names = users.select("user", name=column.column).filter(pl.col("name").is_not_null() & (pl.col("name") != ""))
    several = names.group_by("user").agg(pl.col("name").n_unique()).filter(pl.col("name") > 1).height
    if not several:
        return []
    have = "user has" if several == 1 else "users have"
    return [f"{several:,} {have} several values of {column.by.column} in data.users: the first in text order is used."]


def refuse_ids(by: GroupBy, n: int) -> None:
    """Raise `DataError` if a column has so many groups that it is rather one of ids."""
    if n > _MOST_GROUPS:
        raise DataError(
            f"data.{by.role}: evaluation.by: {by.name} has {n:,} groups, but at most {_MOST_GROUPS:,} are possible",
            "choose a column with fewer different values",
        )


def _remarks_on_numbers(by: GroupBy, membership: Membership) -> list[str]:
    """Return a remark if a column has many groups because each number or date is one."""
    n = len(membership.groups)
    if by.kind != "users" or n <= _MANY_NUMBERS or not all(_NUMBER.fullmatch(group.name) for group in membership.groups):
        return []
    return [f"{by.name} has {n:,} groups, one for each number: a column with ranges in the file, such as 0-4 and 5+, makes fewer."]


def _remarks(by: GroupBy, membership: Membership, tested: pl.Series) -> list[str]:
    """Return a remark with the number of test users or test items without a group."""
    without = int(membership.mask(0)[membership.ids.index_of(tested)].sum())
    if not without:
        return []
    one, several = (f"{by.kind[:-1]} has", f"{by.kind} have")
    they_are = "it is" if without == 1 else "they are"
    return [f"{without:,} test {one if without == 1 else several} no {by.column} in data.{by.kind}: {they_are} in the group {MISSING}."]


_NONE: Final = ("", "0", "0.0", "-", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "None", "null", "NULL", "NA", "nan", "NaN")
"""Values by which a column of one category says that an item does not have it."""


def category_names(items: pl.DataFrame, columns: Sequence[tuple[str, str]], split: str | None) -> pl.DataFrame:
    """Return `item`, `name`, each pair once, from the `columns` of the items file (pairs of the name in the file and in the frame).

    Each of several columns is one category; an item has it unless its value there is null, empty, 0 or a word for no. A single column
    contains one category, or several separated by `split`. Spaces around a category are removed.
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
    """Return `key`, `name`: the group that `column` names for each user or item, each key once.

    Rows without a name are left out; of several names of one key the first in text order is used.
    """
    named = frame.select(key, name=column).filter(pl.col("name").is_not_null() & (pl.col("name") != ""))
    return named.group_by(key).agg(pl.col("name").min())


def assign_codes(named: pl.DataFrame) -> tuple[pl.DataFrame, tuple[Group, ...]]:
    """Return `named` with a `code` for each `name`, from 1 in text order, and the groups with their sizes.

    Groups are sorted by name, or by number if all names are whole numbers.
    """
    sizes = named.group_by("name").agg(size=pl.len()).sort("name").with_row_index("code", offset=1)
    sizes = sizes.with_columns(pl.col("code").cast(pl.Int64))
    groups = [Group(str(name), code, size) for code, name, size in sizes.select("code", "name", "size").iter_rows()]
    numbers = all(group.name.removeprefix("-").isdecimal() for group in groups)
    groups.sort(key=lambda group: (int(group.name) if numbers else 0, group.name))
    return named.join(sizes.select("name", "code"), on="name", how="left"), tuple(groups)


def remarks_on_groups(table: str, column: str, groups: Sequence[Group]) -> list[str]:
    """Return remarks on unusual groups of a column: fewer than two groups, or groups with one member."""
    remarks = []
    if len(groups) < 2:
        remarks.append(f"data.{table}: {column} has {len(groups)} group{'s' * (len(groups) != 1)}: there is nothing to compare.")
    alone = [group.name for group in groups if group.size == 1]
    if alone:
        remarks.append(f"data.{table}: the {column} {', '.join(alone[:5])} ha{'s' if len(alone) == 1 else 've'} one member.")
    return remarks
