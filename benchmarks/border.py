"""The items at the border between head and tail that a library put into the head, among equally popular ones.

WarpRec sorts items by popularity without a stated order of equal ones, so its sort decides which of them are in the head; receval takes
the smallest ids. The library's choice can be found from its own ACLT. To compare its other values under the same choice, the items
exchange their ids, which changes nothing else.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import polars as pl
from libraries import Group, Row, file_of, read

_MOST = 200_000


def find_exchange(source: Path, ratio: float, rows: list[Row]) -> dict[object, object] | None:
    """Return item → the item whose id it gets; `None` if `rows`, those of the library on these files, do not show its choice."""
    counts = read(source / "train").group_by("item_id").len().sort("len", "item_id", descending=[True, False])
    counts = counts.with_columns(before=pl.col("len").cum_sum() - pl.col("len"))
    head = counts.filter(pl.col("before") <= ratio * float(counts["len"].sum()))
    border = head["len"].min()
    tied = counts.filter(pl.col("len") == border)["item_id"].to_list()
    more = counts.filter(pl.col("len") > border)["item_id"]
    inside = head.height - len(more)
    if inside == len(tied):
        return {}
    known = [
        row for row in rows if row["relevance"] == "all" and row["metric"].startswith("ACLT") and Group.from_row(row, 0).border == ratio
    ]
    if not known or math.comb(len(tied), inside) > _MOST:
        return None
    equations = [_equation(source, row, tied, more) for row in known]
    for chosen in itertools.combinations(tied, inside):
        if all(abs(sum(found.get(item, 0) for item in chosen) - wanted) < 0.01 for found, wanted in equations):
            rest = [item for item in tied if item not in chosen]
            return dict(zip([*chosen, *rest], sorted(tied), strict=True))
    return None


def _equation(source: Path, row: Row, tied: list[object], more: pl.Series) -> tuple[dict[object, int], float]:
    """Return how often the lists have each tied item, and how often they must have those in the head for the value of `row`."""
    users = read(source / "test").select("user_id").unique()
    lists = read(source / file_of(row["model"])).join(users, on="user_id", how="semi")
    top = lists.filter(pl.col("score").rank("ordinal", descending=True).over("user_id") <= row["k"])
    found = dict(top.filter(pl.col("item_id").is_in(pl.Series(tied).implode())).group_by("item_id").len().iter_rows())
    below = top.filter(~pl.col("item_id").is_in(more.implode())).height
    return found, below - row["value"] * row["n_users_averaged"]


def exchange(frame: pl.DataFrame, items: dict[object, object]) -> pl.DataFrame:
    """Return `frame` with the items' new ids."""
    if "item_id" not in frame.columns or not items:
        return frame
    return frame.with_columns(pl.col("item_id").replace(list(items), list(items.values())))
