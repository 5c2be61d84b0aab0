"""Tables of hits by category: the categories of the items in data.items, or those of the user's own test rows."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from ..conventions.axis import Truth
from ..support.lazy import np, pl
from ..tables.array import Array
from ..tables.graph import table
from ..tables.item_columns import categories_of as categories_of_items
from ..tables.lists import Reading
from ..tables.prepared import Prepared
from ..tables.rows import PartData, Rows, in_order, number_rows, starts_of
from ..tables.truth import TEST, TestPairs, in_groups, relevant_rows, rows_that_pass
from .arrays import begins
from .diversity import first_of_codes, with_codes

OF_TEST: Final = "test"
"""Value of `categories_of`: the categories of a hit are those of the user's test rows of the item."""
TEST_CATEGORIES: Final = "test_categories"
"""The need of a measure that reads them."""


class PairCategories(Struct, frozen=True, eq=False):
    """The categories of test pairs: those of `code` from the pair's entry in `starts` on; without `starts`, those of its item."""

    prepared: Prepared
    starts: Array | None = None
    code: Array | None = None

    def rows_by_category(self, rows: Rows) -> Rows:
        """Return one row for each category of each row, with the columns of the row and `code`; the rows have their test `pair`."""
        if self.starts is None or self.code is None:
            return with_codes(rows, rows.item_index(self.prepared.items), self.prepared)
        begin = self.starts[rows["pair"]]
        counts = self.starts[rows["pair"] + 1] - begin
        position = np.repeat(np.arange(len(rows)), counts)
        entry = np.arange(len(position)) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
        return rows.take(position).with_columns(code=self.code[entry])


@table("pair_categories", uses=("part", "prepared", "test_pairs"), params=("categories_of",), varies=("truth",))
def pair_categories(part: PartData, prepared: Prepared, test_pairs: TestPairs, truth: Truth, categories_of: str) -> PairCategories:
    """Return the categories of test pairs: those of their items (`items`), or of their relevant test rows (`test`)."""
    if categories_of != OF_TEST:
        return PairCategories(prepared)
    names = part.rows(TEST).frame[prepared.test_categories]
    named = (names.is_not_null() & (names != "")).fill_null(False).to_numpy()
    kept = named & relevant_rows(test_pairs, rows_that_pass(part, prepared, test_pairs, truth.filter), truth, part.n_users, prepared)
    if truth.rows:
        kept &= in_groups(test_pairs, prepared, truth.rows, test_pairs.row_pair)
    code = names.filter(kept).rank("dense").to_numpy().astype(np.int64)
    width = int(code.max(initial=0)) + 1
    pair, code = np.divmod(np.unique(test_pairs.row_pair[kept] * width + code), width)
    return PairCategories(prepared, starts_of(pair, len(test_pairs)), code)


@table(
    "covered_hits",
    uses=("hits", "pair_categories"),
    columns=("rank", "code"),
    title="The categories by number, at the rank of the hit that covers them first",
)
def covered_hits(hits: Rows, pair_categories: PairCategories) -> Rows:
    """Return each category of the hits once: `code`, and the `rank` of the first hit that has it."""
    return first_of_codes(pair_categories.rows_by_category(hits))


@table(
    "wanted_categories", uses=("relevant", "pair_categories"), columns=("code",), title="The categories of the relevant items, by number"
)
def wanted_categories(relevant: Rows, pair_categories: PairCategories) -> Rows:
    """Return each category of the user's relevant items once, all with rank 1: `code`."""
    return first_of_codes(pair_categories.rows_by_category(relevant))


@table(
    "aspects",
    uses=("hits", "reading", "prepared", "pair_categories"),
    params=("redundancy", "categories_of"),
    columns=("rank", "item", "code", "seen"),
    title="The categories of the hits, by number",
)
def aspects(hits: Rows, reading: Reading, prepared: Prepared, pair_categories: PairCategories, redundancy: str, categories_of: str) -> Rows:
    """Return each category of each hit: `rank`, `code`, and `seen`, how many hits (or, `listed`, items) above it have the category."""
    rows = hits.take(begins(hits.user, hits.rank))  # a hit that counts several times has several rows with the same rank
    of_hits = pair_categories.rows_by_category(Rows(rows.n_users, rows.user, {"rank": rows.rank, "pair": rows["pair"]}, rows.item))
    higher = of_hits
    if redundancy == "listed" and categories_of != OF_TEST:  # an item that is no hit has no categories of test rows
        having_hits = np.zeros(reading.n_users, dtype=np.bool_)
        having_hits[hits.user] = True
        index = np.flatnonzero(having_hits[reading.user])
        higher = with_codes(reading.table(index), reading.item_index[index], prepared)
    # One number for user, category and rank, ascending; `group` is the number of the user and category at rank 0.
    codes = 1 + max(int(of_hits["code"].max(initial=0)), int(higher["code"].max(initial=0)))
    ranks = 1 + max(int(of_hits.rank.max(initial=0)), int(higher.rank.max(initial=0)))
    above = np.sort((higher.user * codes + higher["code"]) * ranks + higher.rank)
    group = (of_hits.user * codes + of_hits["code"]) * ranks
    seen = np.searchsorted(above, group + of_hits.rank) - np.searchsorted(above, group)
    return of_hits.with_columns(seen=seen)


@table(
    "aspects_and_sizes",
    uses=("aspects", "relevant", "pair_categories"),
    columns=("rank", "item", "code", "seen", "size"),
    title="The categories of the hits, by number",
)
def aspects_and_sizes(aspects: Rows, relevant: Rows, pair_categories: PairCategories) -> Rows:
    """Return the table `aspects` with `size`: the number of the user's relevant items that have the category."""
    wanted = pair_categories.rows_by_category(relevant)
    width = 1 + max(int(wanted["code"].max(initial=0)), int(aspects["code"].max(initial=0)))
    groups, counts = np.unique(wanted.user * width + wanted["code"], return_counts=True)
    # A hit is relevant, so that each of its categories is among them.
    return aspects.with_columns(size=counts[np.searchsorted(groups, aspects.user * width + aspects["code"])])


@table(
    "aspects_and_intents",
    uses=("aspects", "relevant", "profile", "prepared"),
    columns=("rank", "item", "code", "seen"),
    title="The categories of the hits, by number",
)
def aspects_and_intents(aspects: Rows, relevant: Rows, profile: Rows, prepared: Prepared) -> Rows:
    """Return the table `aspects` with `intent`: the share of the category among all categories of the user's train and relevant items."""
    n_items, codes = len(prepared.items), int(prepared.category_code.max(initial=0)) + 1
    pairs = np.concatenate([rows.user * (n_items + 1) + rows.item_index(prepared.items) + 1 for rows in (relevant, profile)])
    user, item_index = np.divmod(np.unique(pairs), n_items + 1)
    position, code = categories_of_items(prepared, item_index - 1)
    groups, counts = np.unique(user[position] * codes + code, return_counts=True)
    every = np.bincount(user[position], minlength=aspects.n_users)
    # A hit is relevant, so that each of its categories is among them.
    intent = counts[np.searchsorted(groups, aspects.user * codes + aspects["code"])] / every[aspects.user]
    return aspects.with_columns(intent=intent)


@table(
    "greedy",
    uses=("relevant", "pair_categories"),
    params=("alpha", "depth", "ties"),
    columns=("rank", "gain"),
    title="The relevant items in greedy order",
)
def greedy(relevant: Rows, pair_categories: PairCategories, alpha: float, depth: int, ties: str) -> Rows:
    """Return the relevant items in greedy order, each time the one whose categories gain most: `rank`, `gain`.

    A category gains 1, and each time it is chosen again `1 - alpha` times as much as before. Of items that gain the same the smallest id
    is first, or the largest as text (`ties` = `text_desc`). Items without categories are left out. The order ends at rank `depth`, unless
    that is 0.
    """
    if ties == "text_desc":
        assert relevant.item is not None
        relevant = relevant.take(in_order(relevant.user, [(relevant.item.cast(pl.String), True)]))
    entries = pair_categories.rows_by_category(relevant.with_columns(number=np.arange(len(relevant))))
    having, candidate = np.unique(entries["number"], return_inverse=True)  # relevant items are in the order of their ids
    user = relevant.user[having]
    codes = int(entries["code"].max(initial=0)) + 1
    aspects, aspect = np.unique(user[candidate] * codes + entries["code"], return_inverse=True)
    worth = np.ones(len(aspects))
    users: list[Array] = []
    gains: list[Array] = []
    while len(user) and (not depth or len(users) < depth):
        gain = np.bincount(candidate, worth[aspect], len(user))
        starts = np.flatnonzero(begins(user))
        best = np.maximum.reduceat(gain, starts)
        near = np.flatnonzero(gain > np.repeat(best, np.diff(np.append(starts, len(user)))) - 1e-12)
        chosen = near[begins(user[near])]
        users.append(user[chosen])
        gains.append(best)
        left = np.ones(len(user), dtype=np.bool_)
        left[chosen] = False
        taken = ~left[candidate]
        worth[aspect[taken]] *= 1.0 - alpha
        user, aspect = user[left], aspect[~taken]
        candidate = (np.cumsum(left) - 1)[candidate[~taken]]
    every = np.concatenate([*users, np.empty(0, dtype=np.int64)])
    order = np.argsort(every, kind="stable")
    return Rows(
        relevant.n_users,
        every[order],
        {"rank": number_rows(every[order], relevant.n_users), "gain": np.concatenate([*gains, np.empty(0)])[order]},
    )
