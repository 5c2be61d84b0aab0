"""The lists of a part: rows as stored, the order in which they are ranked, and removed rows. Long: each table follows from another."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from ..conventions.axis import Lists
from ..support.errors import DataError
from ..support.lazy import np, pl
from .array import Array, in_single_precision
from .graph import TableNotes, table
from .ids import Pairs, gather, has_duplicates
from .prepared import Prepared
from .rows import LISTS, PartData, Rows, SourceRows, number_rows, starts_of, within_users
from .sorting import sorted_within_users, take_keys

_LARGEST_RANK = 1 << 31
OTHER_ORDER = "lists_in_other_order"
"""The note on lists that are read in the order of the file although their rows are not in the order of ranks, or of scores."""


_TIE_KEYS = {
    **dict.fromkeys(("item_asc", "worst", "best"), ("item", False)),  # hits are put last or first afterwards
    "item_desc": ("item", True),
    "text_asc": ("item_text", False),
    "text_desc": ("item_text", True),
}
Order = tuple[tuple[str, bool], ...]
"""Columns that order a list, each with whether it descends."""


class ListRows:
    """The rows of the lists as stored, before they are ranked."""

    def __init__(self, rows: SourceRows, pairs: Pairs, prepared: Prepared) -> None:
        self.rows, self.pairs, self._prepared = rows, pairs, prepared
        self._orders: dict[Order, Array | None] = {}
        self._seen: Array | None = None

    @property
    def user(self) -> Array:
        """Index of each row's user."""
        return self.rows.user

    @cached_property
    def repeats(self) -> bool:
        """Return whether a list contains an item more than once."""
        return has_duplicates(self.pairs, self.rows.starts)

    @cached_property
    def item_index(self) -> Array:
        """Index of each row's item among the known items, -1 for unknown ones."""
        return self._prepared.items.index_of(self.rows.item)

    def seen(self, part: PartData) -> Array:
        """Return for every row whether train has the pair."""
        if self._seen is None:
            self._seen = np.zeros(len(self.user), dtype=np.bool_)
            self._seen[part.lookup_of_train.find(self.pairs)[0]] = True
        return self._seen

    def unknown(self, rule: str) -> Array | None:
        """Return for every row whether a rule of `unknown_items` removes its item; `None` if no item is known."""
        prepared = self._prepared
        known = prepared.in_train if rule == "drop_and_refill_untrained" else prepared.in_train | prepared.in_catalogue
        return ~np.append(known, False)[self.item_index] if known.any() else None

    def key(self, name: str) -> Array | pl.Series:
        """Return a column by which lists are ordered."""
        if name == "item_text":
            return self.rows.item.cast(pl.String)
        if name == "score32":
            return in_single_precision(self.rows.column("score"))
        return self.rows.item if name == "item" else self.rows.column(name)

    def order_by(self, choice: Lists) -> Array | None:
        """Return the rows in the order of the lists, or `None` if they are stored in this order."""
        order = order_of(self.rows, choice)
        if order not in self._orders:
            self._orders[order] = self._sort(order)
        return self._orders[order]

    def count_in_other_order(self, choice: Lists) -> int:
        """Return the number of lists whose rows, in the order of a choice, are not in the order of their ranks, or else of their scores."""
        rows, by = self.order_by(choice), order_of(self.rows, replace(choice, order="rank"))[0]
        if by[0] == "row":
            return 0
        wrong = self._out_of_order((by,), rows)
        return len(np.unique(self.user[1:][wrong]))

    def _sort(self, order: Order) -> Array | None:
        user = self.user
        wrong = self._out_of_order(order)
        if not wrong.any():
            return None
        unordered = np.zeros(self.rows.n_users, dtype=np.bool_)
        unordered[user[1:][wrong]] = True
        keys = [(self.key(name), falls) for name, falls in order]
        if 4 * np.count_nonzero(unordered) >= self.rows.n_users:
            return sorted_within_users(user, keys)
        rows = np.flatnonzero(unordered[user])
        order_of_rows = np.arange(len(user))
        order_of_rows[rows] = rows[sorted_within_users(user[rows], [(take_keys(key, rows), falls) for key, falls in keys])]
        return order_of_rows

    def _out_of_order(self, order: Order, rows: Array | None = None) -> Array:
        """Return for each row but the first whether it belongs above the row before; `rows` are the rows in another order of the lists."""
        (first, falls), *rest = order
        key = np.asarray(self.key(first))
        key = key if rows is None else key[rows]
        later, earlier = key[1:], key[:-1]
        wrong: Array = within_users((later > earlier) if falls else (later < earlier), self.rows.starts)
        if rest:
            ties = np.flatnonzero(within_users(later == earlier, self.rows.starts))
            if len(ties):
                (second, second_falls), *_ = rest
                key = take_keys(self.key(second), np.concatenate([ties, ties + 1]))
                before, after = key[: len(ties)], key[len(ties) :]
                wrong[ties] = np.asarray((after > before) if second_falls else (after < before))
        return wrong


def order_of(rows: SourceRows, choice: Lists) -> Order:
    """Return the columns that order a list.

    A page of several rows is read row by row from the top, each from the left; its cells have no ties. Of other lists the first available
    is used, by `choice.order`: `rank`: the column `position`, the score, the order of the file; `score`: the score, the
    position, the order of the file; `file`: the order of the file. Ties are broken by `choice.ties`, by default by item id, so that the
    order of rows in the file cannot change a number.
    """
    if "shelf" in rows and choice.order != "file":
        return (("shelf", False), ("position", False))
    score = ("score32" if choice.score_type == "float32" and rows.frame.schema.get("score") != pl.Float32 else "score", True)
    by = {"position": ("position", False), "score": score}
    for column in {"rank": ("position", "score"), "score": ("score", "position"), "file": ()}[choice.order]:
        if column in rows:
            return (by[column], _TIE_KEYS.get(choice.ties, ("row", False)))
    return (("row", False),)


def tie_key(rows: SourceRows, choice: Lists) -> str:
    """Return the column in which tied items are equal: the one that orders the list; empty if no column does."""
    (name, _), *_ = order_of(rows, choice)
    return "" if name in ("row", "shelf") else name


def in_run(reading: Reading, name: str) -> Array:
    """Return for each row but the first whether it is equal to the row above in a column of the lists, and of the same user."""
    key = np.asarray(reading.source.key(name))
    key = key if reading.rows is None else key[reading.rows]
    return within_users(key[1:] == key[:-1], reading.starts)


@table("rows_as_stored", uses=("part", "prepared"))
def rows_as_stored(part: PartData, prepared: Prepared) -> ListRows:
    """Return the rows of the lists as stored, the same for every choice."""
    rows = part.rows(LISTS)
    if "shelf" in rows:
        _refuse_wrong_cells(part, rows)
    return ListRows(rows, part.pairs[LISTS], prepared)


def _refuse_wrong_cells(part: PartData, rows: SourceRows) -> None:
    """Raise `DataError` if rows and positions of a page are not whole numbers from 1, or if two items of a page have the same."""
    shelf, position = rows.column("shelf"), rows.column("position")

    def place(row: int) -> str:
        return f"user {part.users[int(rows.user[row])]}, row {shelf[row]:g}, position {position[row]:g}"

    wrong = np.flatnonzero((shelf < 1) | (position < 1) | (shelf != np.floor(shelf)) | (position != np.floor(position)))
    if len(wrong):
        problem = f"the rows and positions of a page must be whole numbers from 1: {place(wrong[0])}"
        raise DataError(f"data.recommendations: {problem}", "count both from 1: the top row is 1, and so is its first item from the left")
    order = np.lexsort((position, shelf, rows.user))
    ordered = [key[order] for key in (rows.user, shelf, position)]
    twice = np.flatnonzero(np.all([key[1:] == key[:-1] for key in ordered], axis=0))
    if len(twice):
        problem = f"several items are in the same place of a page: {place(order[twice[0]])}"
        raise DataError(f"data.recommendations: {problem}", "give each item of a user its own row and position, or remove repeated lines")


@table("list_rows", uses=("part", "prepared", "rows_as_stored"), varies=("lists",))
def list_rows(part: PartData, prepared: Prepared, rows_as_stored: ListRows, lists: Lists) -> ListRows:
    """Return the rows of the lists; if duplicates are combined into one row, each item of a list once.

    With `sum_scores` this row has the sum of the scores and the best position, with `keep_last_row` the score and position of the last row.
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
    """Return the expressions that combine several rows of an item into one; empty if rows stay as stored."""
    if "shelf" in rows:  # an item of a page counts where it is first
        return []
    row = pl.col("row").first()  # a tied item keeps the position of its first row
    if duplicates == "sum_scores" and "score" in rows:
        return [pl.col("score").cast(pl.Float64).sum(), *([pl.col("position").min()] if "position" in rows else []), row]
    if duplicates == "keep_last_row":
        last = [pl.col(name).last() for name in ("score", "position") if name in rows]
        return [*last, row] if last else [pl.col("row").last()]  # where the order of the file is the rank
    return []


class Reading(Struct, frozen=True, eq=False, dict=True):
    """The ranked lists of a part, under one choice of the order and of the treatment of duplicates, seen and unknown items.

    `rows` are the indexes of the remaining rows of `source`, in the order of the lists; `None`: all, as stored. If rows are removed after
    the cut-off, `cut` is the rank before, which cut-offs use, and `dropped` has these rows. `starts` has the first row of each user,
    `lengths` the length of each user's list before such rows are removed. `file_rank` is the rank of every row as written in the file, if
    these ranks count.
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
    file_rank: Array | None = None

    @property
    def repeats(self) -> bool:
        """Return whether a list may contain an item more than once."""
        return self.source.repeats

    @cached_property
    def still_repeats(self) -> bool:
        """Return whether a list contains an item more than once after rows were removed."""
        return self.repeats and has_duplicates(self.pairs, self.starts)

    def __len__(self) -> int:
        return len(self.user)

    @cached_property
    def rank(self) -> Array:
        """Rank of every row."""
        if self.file_rank is not None:
            return self.file_rank
        return number_rows(self.user, self.n_users, self.starts)

    @cached_property
    def last_rank(self) -> Array:
        """Last rank of each user's list: its length, unless ranks have gaps or ties."""
        if self.file_rank is None:
            return self.lengths
        last = np.zeros(self.n_users, dtype=np.int64)
        np.maximum.at(last, self.user, self.file_rank)
        return last

    @cached_property
    def item(self) -> pl.Series:
        """Item of every row."""
        return self.source.rows.item if self.rows is None else gather(self.source.rows.item, self.rows)

    @cached_property
    def pairs(self) -> Pairs:
        """Pair of user and item of every row."""
        pairs = self.source.pairs
        return pairs if self.rows is None else Pairs(self.user, self.item, pairs.key[self.rows], pairs.item_bits)

    @cached_property
    def item_index(self) -> Array:
        """Index of each row's item among the known items, -1 for unknown ones."""
        return self.source.item_index if self.rows is None else self.source.item_index[self.rows]

    @cached_property
    def score(self) -> Array:
        """Score of every row; an error of Polars if the lists have none."""
        scores = self.source.rows.column("score").astype(np.float64)
        return scores if self.rows is None else scores[self.rows]

    def table(self, index: Array | None = None) -> Rows:
        """Return the rows at `index`, or all, with `rank`, and with `cut` if cut-offs use another rank.

        If ranks are those of the file, `real_rank` is the position in the list.
        """
        if self.file_rank is not None:
            index = np.arange(len(self)) if index is None else index
            user = self.user[index]
            columns = {"rank": self.file_rank[index], "real_rank": index - self.starts[user] + 1}
            return Rows(self.n_users, user, columns, gather(self.item, index))
        if index is None:
            columns = {"rank": self.rank} | ({} if self.cut is None else {"cut": self.cut})
            return Rows(self.n_users, self.user, columns, self.item, "rank" if self.cut is None else "cut")
        user = self.user[index]
        rank = index - self.starts[user] + 1
        columns = {"rank": rank} | ({} if self.cut is None else {"cut": self.cut[index]})
        return Rows(self.n_users, user, columns, gather(self.item, index), "rank" if self.cut is None else "cut")


@table("reading", uses=("part", "prepared", "rows_as_stored", "list_rows", "notes"), varies=("lists",))
def reading(part: PartData, prepared: Prepared, rows_as_stored: ListRows, list_rows: ListRows, notes: TableNotes, lists: Lists) -> Reading:
    """Return the ranked lists without the rows that the choice removes, before or after the cut-off.

    Lists that the choice reads in the order of the file, against their ranks or scores, are noted.
    """
    if lists.order == "file":
        notes.count(OTHER_ORDER, rows_as_stored.count_in_other_order(lists), part.n_users)
    rows, user, starts = list_rows.order_by(lists), list_rows.user, list_rows.rows.starts
    whole = Reading(list_rows, rows, user, part.n_users, starts, np.diff(starts))
    before, after = _masks_to_remove(whole, part, prepared, lists)
    file_rank = ranks_of_file(list_rows, rows, user, part.n_users) if ranks_are_of_file(list_rows, lists) else None
    if file_rank is not None and after is not None:  # no item moves up, so it makes no difference when rows are removed
        before, after = after if before is None else before | after, None
    if before is not None:
        left = np.flatnonzero(~before)
        rows, user = left if rows is None else rows[left], user[left]
        file_rank = None if file_rank is None else file_rank[left]
        after = None if after is None else after[left]
        starts = starts_of(user, part.n_users)
    if lists.tied_rank and (column := tie_key(list_rows.rows, lists)):
        file_rank = tied_ranks(Reading(list_rows, rows, user, part.n_users, starts, np.diff(starts)), column, lists.tied_rank)
    if lists.tied_rank and file_rank is not None and after is not None:  # a removed row still counts for the ranks of the others
        left, after = np.flatnonzero(~after), None
        rows, user, file_rank = left if rows is None else rows[left], user[left], file_rank[left]
        starts = starts_of(user, part.n_users)
    lengths = np.diff(starts)
    one_hit = lists.duplicates == "unique_hits" and list_rows.repeats
    if after is None or not after.any():
        return Reading(list_rows, rows, user, part.n_users, starts, lengths, one_hit_per_item=one_hit, file_rank=file_rank)
    left, gone = np.flatnonzero(~after), np.flatnonzero(after)
    cut = number_rows(user, part.n_users, starts)
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


def tied_ranks(reading: Reading, column: str, which: str) -> Array:
    """Return the `first` or the `last` position of the rows that are equal to each row in a column that orders the list."""
    n = len(reading)
    new = np.concatenate([[True], ~in_run(reading, column)])[:n]
    run = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    row = first[run] if which == "first" else np.append(first[1:], n)[run] - 1
    ranks: Array = row - reading.starts[reading.user] + 1
    return ranks


def ranks_are_of_file(rows: ListRows, choice: Lists) -> bool:
    """Return whether a list has the ranks of the file: the choice asks for them, and they order the list."""
    return choice.keeps_ranks and order_of(rows.rows, choice)[0][0] == "position"


def ranks_of_file(source: ListRows, rows: Array | None, user: Array, n_users: int) -> Array:
    """Return the ranks of the `rows` of the lists as written; positions in lists with a rank that is not a whole number from 1."""
    written = source.rows.column("position")
    ranks: Array = np.asarray(written if rows is None else written[rows], dtype=np.float64)
    odd = ~((ranks >= 1) & (ranks == np.floor(ranks)) & (ranks <= _LARGEST_RANK))
    if not odd.any():
        return ranks.astype(np.int64)
    has_odd = np.bincount(user[odd], minlength=n_users) > 0
    return np.where(has_odd[user], number_rows(user, n_users), np.where(odd, 1, ranks).astype(np.int64))


def _masks_to_remove(reading: Reading, part: PartData, prepared: Prepared, lists: Lists) -> tuple[Array | None, Array | None]:
    """Return the masks of rows to remove before and after the cut-off; `None` if there are none."""
    before: Array | None = None
    after: Array | None = None
    gone: list[tuple[Array, bool]] = []
    if lists.seen != "keep" and "train" in part:
        gone.append((seen_in_train(reading, part), lists.seen == "drop"))
    if lists.drops_identical:
        gone.append((has_id_of_user(reading.user, reading.item, part), False))
    if lists.unknown != "keep" and len(prepared.items) and (unknown := reading.source.unknown(lists.unknown)) is not None:
        gone.append((unknown if reading.rows is None else unknown[reading.rows], lists.unknown == "drop"))
    if lists.duplicates in ("keep_best_rank", "keep_best_rank_after_cut", "keep_last_row", "sum_scores") and reading.repeats:
        gone.append((duplicate_mask(reading), lists.duplicates == "keep_best_rank_after_cut"))
    for mask, is_after in gone:
        if is_after:
            after = mask if after is None else after | mask
        else:
            before = mask if before is None else before | mask
    return (before if before is not None and before.any() else None), after


def has_id_of_user(user: Array, item: pl.Series, part: PartData) -> Array:
    """Return for every row of the lists whether the item has the id of the user, as text."""
    if part.users.dtype.is_integer() and item.dtype.is_integer():  # two integers are equal where their texts are
        return (item == gather(part.users, user)).fill_null(False).to_numpy()
    users = gather(part.users.cast(pl.String), user)
    return (item.cast(pl.String) == users).fill_null(False).to_numpy()


def seen_in_train(reading: Reading, part: PartData) -> Array:
    """Return for every row of the lists whether train has the pair."""
    seen = reading.source.seen(part)
    return seen if reading.rows is None else seen[reading.rows]


def duplicate_mask(reading: Reading) -> Array:
    """Return for every row of the lists whether its item is already listed above."""
    mask = np.ones(len(reading), dtype=np.bool_)
    mask[first_of_each(reading.pairs)] = False
    return mask


def first_of_each(pairs: Pairs) -> Array:
    """Return the first row of every pair."""
    if pairs.exact:
        return np.unique(pairs.key, return_index=True)[1]
    frame = pl.DataFrame({"user": pairs.user, "item": pairs.item}).with_row_index("row")
    return frame.group_by("user", "item").agg(pl.col("row").min())["row"].to_numpy().astype(np.int64)


@table("listed", uses=("reading",), columns=("rank", "item"), title="The items of the list")
def listed(reading: Reading) -> Rows:
    """Return every recommended item: `rank`."""
    return reading.table()


@table("scored", uses=("reading",), columns=("rank", "item", "score"), title="The items of the list", reads_scores=True)
def scored(reading: Reading) -> Rows:
    """Return every recommended item with its `score`."""
    return reading.table().with_columns(score=reading.score)


@table("repeats", uses=("reading",), columns=("rank", "item"), title="Ranks of items that are listed above")
def repeats(reading: Reading) -> Rows:
    """Return the rows whose item is already listed above: `rank`."""
    return reading.table(np.flatnonzero(duplicate_mask(reading)) if reading.repeats else np.empty(0, dtype=np.int64))


@table("seen", uses=("reading", "part"), columns=("rank", "item"), title="Listed items of the user's train rows")
def seen(reading: Reading, part: PartData) -> Rows:
    """Return the recommended items that the user has in train, each once, at its best rank: `rank`."""
    rows = np.flatnonzero(seen_in_train(reading, part))
    return reading.table(rows[np.sort(first_of_each(reading.pairs.take(rows)))])


@table("dropped", uses=("reading",), columns=("rank",), title="Rows that were removed after the list was cut")
def dropped(reading: Reading) -> Rows | None:
    """Return the rows that are removed after the cut-off: `rank`; `None` if there are none."""
    return reading.dropped
