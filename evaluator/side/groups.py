"""A column of names → codes, and who is in which group."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from ..frames import Frame
from ..metrics import Group


def labelled(frame: Frame, key: str, column: str) -> Frame:
    """`key`, `name`: the group that `column` names for each user or item, once.

    Rows without a name are left out; of one who stands there under several names the first in text order counts.
    """
    named = frame.select(key, nw.col(column).alias("name")).filter(~nw.col("name").is_null() & (nw.col("name") != ""))
    return named.group_by(key).agg(nw.col("name").min())


def codes(named: Frame) -> Frame:
    """`name`, `n`, `code`: every name, how often it stands there, and a number from 1 in text order."""
    sizes = named.group_by("name").agg(n=nw.len().cast(nw.Int64)).with_columns(one=nw.lit(1))
    return sizes.with_columns(code=nw.col("one").cum_sum().over("one", order_by="name").cast(nw.Int64)).select("name", "n", "code")


def groups(codes: nw.DataFrame[Any]) -> tuple[Group, ...]:
    """The groups that `codes` counts, in the order of their names: as numbers if all are."""
    found = [Group(str(row["name"]), int(row["code"]), int(row["n"])) for row in codes.rows(named=True)]
    numbers = all(one.name.removeprefix("-").isdecimal() for one in found)
    return tuple(sorted(found, key=lambda one: (int(one.name) if numbers else 0, one.name)))
