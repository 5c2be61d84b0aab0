"""The lists of a part as they are ranked: the order of the rows of each user, repeated items, and what is taken out of a list."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl
from msgspec import Struct

from ..conventions.axis import Lists
from .array import Array
from .graph import table
from .ids import gathered
from .list_rows import ListRows
from .pairs import Pairs
from .part import LISTS, PartData, SourceRows
from .prepared import Prepared
from .rows import Rows, numbered, starts_of


@table("rows_as_stored", uses=("part", "prepared"))
def rows_as_stored(part: PartData, prepared: Prepared) -> ListRows:
    """The rows of the lists as the source has them, the same for every choice."""
    return ListRows(part.rows(LISTS), part.pairs[LISTS], prepared)


@table("list_rows", uses=("part", "prepared", "rows_as_stored"), varies=("lists",))
def list_rows(part: PartData, prepared: Prepared, rows_as_stored: ListRows, lists: Lists) -> ListRows:
    """The rows of the lists; where repeated items are one row each item of a list once.

    With `sum_scores` it has the sum of its scores and its best position, with `keep_last_row` the score and the position of its last row.
    """
    how = _one_row_per_item(rows_as_stored.rows, lists.duplicates)
    if not how or not rows_as_stored.repeats:
        return rows_as_stored
    frame = rows_as_stored.rows.frame.with_columns(user=pl.Series(rows_as_stored.user)).with_row_index("index").sort("user", "row")
    single = frame.group_by("user", "item", maintain_order=True).agg(*how, pl.col("index").first())
    user = single["user"].to_numpy()
    rows = SourceRows(user, single.drop("user", "index"), part.n_users, starts_of(user, part.n_users))
    return ListRows(rows, rows_as_stored.pairs.take(single["index"].to_numpy()), prepared)


def _one_row_per_item(rows: SourceRows, duplicates: str) -> list[pl.Expr]:
    """How the columns of several rows of an item become one; empty where rows stay as they are."""
    row = pl.col("row").first()  # among ties the item stands where its first row stood
    if duplicates == "sum_scores" and "score" in rows:
        return [pl.col("score").cast(pl.Float64).sum(), *([pl.col("position").min()] if "position" in rows else []), row]
    if duplicates == "keep_last_row":
        last = [pl.col(name).last() for name in ("score", "position") if name in rows]
        return [*last, row] if last else [pl.col("row").last()]  # where the order of the file is the rank
    return []


class Reading(Struct, frozen=True, eq=False, dict=True):
    """The lists of a part, ranked, under one choice of order, repeated, seen and unknown items.

    `rows` are the indexes of the rows of `source` that are left, in the order of the lists; `None`: all, as they stand. `cut` is the rank
    that a cut-off looks at where rows were taken out after it, and `dropped` are those rows. `starts` says where the rows of
    each user begin, `lengths` is the length of each user's list as a cut-off sees it.
    """

    source: ListRows
    rows: Array | None
    user: Array
    n_users: int
    starts: Array
    lengths: Array
    cut: Array | None = None
    dropped: Rows | None = None
    one_hit_per_item: bool = False

    @property
    def repeats(self) -> bool:
        """Whether a list may hold an item more than once."""
        return self.source.repeats

    def __len__(self) -> int:
        return len(self.user)

    @cached_property
    def rank(self) -> Array:
        """The rank of every row."""
        return numbered(self.user, self.n_users, self.starts)

    @cached_property
    def item(self) -> pl.Series:
        """The item of every row."""
        return self.source.rows.item if self.rows is None else gathered(self.source.rows.item, self.rows)

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of user and item of every row."""
        pairs = self.source.pairs
        return pairs if self.rows is None else Pairs(self.user, self.item, pairs.key[self.rows], pairs.item_bits)

    @cached_property
    def item_index(self) -> Array:
        """The index of each row's item among the items that are known before, -1 for others."""
        return self.source.item_index if self.rows is None else self.source.item_index[self.rows]

    @cached_property
    def score(self) -> Array:
        """The score of every row; `KeyError` if the lists have none."""
        scores = self.source.rows.column("score").astype(np.float64)
        return scores if self.rows is None else scores[self.rows]

    def table(self, index: Array | None = None) -> Rows:
        """The rows at `index`, or all of them, with `rank`, and with `cut` where cut-offs look at another rank."""
        if index is None:
            columns = {"rank": self.rank} | ({} if self.cut is None else {"cut": self.cut})
            return Rows(self.n_users, self.user, columns, self.item, "rank" if self.cut is None else "cut")
        user = self.user[index]
        rank = index - self.starts[user] + 1
        columns = {"rank": rank} | ({} if self.cut is None else {"cut": self.cut[index]})
        return Rows(self.n_users, user, columns, gathered(self.item, index), "rank" if self.cut is None else "cut")


@table("reading", uses=("part", "prepared", "list_rows"), varies=("lists",))
def reading(part: PartData, prepared: Prepared, list_rows: ListRows, lists: Lists) -> Reading:
    """The lists, ranked, without the rows that the choice takes out: those first that go before the list is cut."""
    rows, user, starts = list_rows.ranked(lists), list_rows.user, list_rows.rows.starts
    whole = Reading(list_rows, rows, user, part.n_users, starts, np.diff(starts))
    before, after = _unwanted(whole, part, prepared, lists)
    if before is not None:
        left = np.flatnonzero(~before)
        rows, user = left if rows is None else rows[left], user[left]
        after = None if after is None else after[left]
        starts = starts_of(user, part.n_users)
    lengths = np.diff(starts)
    one_hit = lists.duplicates == "unique_hits" and list_rows.repeats
    if after is None or not after.any():
        return Reading(list_rows, rows, user, part.n_users, starts, lengths, one_hit_per_item=one_hit)
    left, gone = np.flatnonzero(~after), np.flatnonzero(after)
    cut = numbered(user, part.n_users, starts)
    return Reading(
        list_rows,
        left if rows is None else rows[left],
        user[left],
        part.n_users,
        starts_of(user[left], part.n_users),
        lengths,
        cut[left],
        Rows(part.n_users, user[gone], {"rank": cut[gone]}),
        one_hit,
    )


def _unwanted(reading: Reading, part: PartData, prepared: Prepared, lists: Lists) -> tuple[Array | None, Array | None]:
    """Which rows are taken out before the list is cut, and which after; `None` if there are none."""
    before: Array | None = None
    after: Array | None = None
    gone: list[tuple[Array, bool]] = []
    if lists.seen != "keep" and "train" in part:
        gone.append((seen_in_train(reading, part), lists.seen == "drop"))
    if lists.unknown != "keep" and len(prepared.items):
        known = prepared.in_train if lists.unknown == "drop_and_refill_untrained" else prepared.in_train | prepared.in_catalogue
        if known.any():
            gone.append((~np.append(known, False)[reading.item_index], lists.unknown == "drop"))
    if lists.duplicates in ("keep_best_rank", "keep_best_rank_after_cut", "keep_last_row", "sum_scores") and reading.repeats:
        gone.append((repeated(reading), lists.duplicates == "keep_best_rank_after_cut"))
    for mask, is_after in gone:
        if is_after:
            after = mask if after is None else after | mask
        else:
            before = mask if before is None else before | mask
    return (before if before is not None and before.any() else None), after


def seen_in_train(reading: Reading, part: PartData) -> Array:
    """For every row of the lists whether train holds the pair."""
    mask = np.zeros(len(reading), dtype=np.bool_)
    rows, _ = part.lookup_of_train.find(reading.pairs)
    mask[rows] = True
    return mask


def repeated(reading: Reading) -> Array:
    """For every row of the lists whether its item stands further up already."""
    mask = np.ones(len(reading), dtype=np.bool_)
    mask[first_of_each(reading.pairs)] = False
    return mask


def first_of_each(pairs: Pairs) -> Array:
    """The first row of every pair."""
    if pairs.exact:
        return np.unique(pairs.key, return_index=True)[1]
    frame = pl.DataFrame({"user": pairs.user, "item": pairs.item}).with_row_index("row")
    return frame.group_by("user", "item").agg(pl.col("row").min())["row"].to_numpy().astype(np.int64)


@table("listed", uses=("reading",), columns=("rank", "item"), title="The items of the list")
def listed(reading: Reading) -> Rows:
    """Every recommended item: `rank`."""
    return reading.table()


@table("scored", uses=("reading",), columns=("rank", "item", "score"), title="The items of the list", reads_scores=True)
def scored(reading: Reading) -> Rows:
    """Every recommended item with its `score`."""
    return reading.table().with_columns(score=reading.score)


@table("repeats", uses=("reading",), columns=("rank", "item"), title="Places of items that stand further up")
def repeats(reading: Reading) -> Rows:
    """The rows of items that stand further up in the list already: `rank`."""
    return reading.table(np.flatnonzero(repeated(reading)) if reading.repeats else np.empty(0, dtype=np.int64))


@table("seen", uses=("reading", "part"), columns=("rank", "item"), title="Listed items that data.train holds for the user")
def seen(reading: Reading, part: PartData) -> Rows:
    """The recommended items that train holds for the user, each once, at its best rank: `rank`."""
    rows = np.flatnonzero(seen_in_train(reading, part))
    return reading.table(rows[np.sort(first_of_each(reading.pairs.take(rows)))])


@table("dropped", uses=("reading",), columns=("rank",), title="Rows that were taken out of the list after it was cut")
def dropped(reading: Reading) -> Rows | None:
    """The rows that were taken out after the list was cut: `rank`; `None` if there are none."""
    return reading.dropped
