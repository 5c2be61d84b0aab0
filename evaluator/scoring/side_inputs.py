"""Side inputs as frames → `Prepared`, with remarks on them; train rows → popularity, pairs and users. Long: a function for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace

from ..conventions.axis import Lists
from ..exact_sums.exact import ExactSums, round_fraction
from ..support.quoting import short
from ..tables.array import Array
from ..tables.ids import Ids
from ..tables.prepared import Group, GroupBy, Prepared, ProfileGroups
from ..tables.time_units import SECONDS, TimeUnit
from .item_values import ValueColumn, check_values_of_rows, values_of_ids, weights_of_users
from .memberships import GroupColumn, assign_codes, category_names, group_names, memberships, remarks_on_groups
from .profiles import Profiles, profile_memberships
from .vectors import vectors_of_items

_SPARSEST: Final = 8
"""Integer ids are looked up in a plain array if it is at most this many times as long as there are rows."""
_BLOCK: Final = 1_000_000
_LAST: Final = np.iinfo(np.int64).max


class TrainRows(Struct, frozen=True, eq=False, dict=True):
    """The rows of train as indexes of users and items, both in ascending order of the ids.

    `user` and `item` are the indexes of each row, `row` its number in the file; `users` are the ids of users.
    """

    user: Array
    item: Array
    row: Array
    users: Ids
    n_items: int

    @classmethod
    def from_frame(cls, train: pl.DataFrame, items: Ids, indexed_items: tuple[pl.Series, Array]) -> TrainRows:
        """Build from a frame with the columns `user`, `item` and `row`; `items` has all of its items.

        `indexed_items` is the result of `index_ids` for the column `item`: the distinct items of train, and the index of each row's item.
        """
        users, user = index_ids(train["user"])
        distinct, item = indexed_items
        if len(distinct) < len(items):
            item = items.index_of(distinct)[item]
        return cls(user, item, train["row"].to_numpy(), Ids(users), len(items))

    @cached_property
    def rows_of_items(self) -> Array:
        """Number of rows of each item."""
        return np.bincount(self.item, minlength=self.n_items)

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """Index of the user and index of the item of each distinct pair, in no fixed order."""
        distinct = [keys[np.append(True, keys[1:] != keys[:-1])] for keys in self._sorted_blocks()]
        if sum(map(len, distinct)) == len(self.user):
            return self.user, self.item
        user, item = np.divmod(np.concatenate(distinct), self.n_items)
        return user, item

    def _sorted_blocks(self) -> Iterator[Array]:
        """Yield the pairs of all rows as numbers, in sorted blocks; equal pairs are in the same block."""
        borders = np.flatnonzero(self.user[1:] != self.user[:-1]) + 1
        apart = len(borders) >= len(self.users)
        # If the rows of each user are together, duplicates of a pair are among them: blocks of whole users fit into the cache.
        ends = [] if apart else borders[np.searchsorted(borders, np.arange(_BLOCK, len(self.user), _BLOCK))[:-1]].tolist()
        for start, end in pairwise(sorted({0, *ends, len(self.user)})):
            yield pl.Series(self.user[start:end] * self.n_items + self.item[start:end]).sort().to_numpy()

    @cached_property
    def users_of_items(self) -> Array:
        """Number of users of each item."""
        return np.bincount(self.pairs[1], minlength=self.n_items)

    @cached_property
    def first_row_of_items(self) -> Array:
        """First row of each item; the largest integer for items without rows."""
        return first_rows(self.item, self.row, self.n_items)

    @cached_property
    def first_row_of_users(self) -> Array:
        """First row of each user."""
        return first_rows(self.user, self.row, len(self.users))


def first_rows(index: Array, row: Array, n: int) -> Array:
    """Return the smallest `row` of each of `n` indexes; the largest integer for an index without rows."""
    first = np.full(n, _LAST, dtype=np.int64)
    np.minimum.at(first, index, row.astype(np.int64))
    return first


def index_ids(ids: pl.Series) -> tuple[pl.Series, Array]:
    """Return the distinct ids in ascending order, and the index of each of `ids` among them."""
    if ids.dtype.is_integer() and len(ids):
        least, most = int(str(ids.min())), int(str(ids.max()))
        if most - least < _SPARSEST * len(ids):
            offset = (ids - least if least else ids).to_numpy()
            there = np.zeros(most - least + 1, dtype=np.bool_)
            there[offset] = True
            distinct = pl.Series(np.flatnonzero(there) + least, dtype=ids.dtype)
            return distinct, offset if there.all() else (np.cumsum(there) - 1)[offset]
    distinct = ids.unique().sort()
    return distinct, Ids(distinct).index_of(ids)


def policy_scores(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return `item previous`, with `user` if the rows have users, and remarks; of duplicate pairs the highest score counts."""
    keys = [column for column in ("user", "item") if column in rows.columns]
    policy = rows.group_by(keys).agg(previous=pl.col("score").cast(pl.Float64).max())
    remarks = []
    for count, score, weighs in (
        ((policy["previous"] == 0).sum(), "0", "gets the largest possible weight"),
        ((policy["previous"] < 0).sum(), "below 0", "gets the smallest possible weight"),
    ):
        if count:
            scores = f"{count:,} score{'s are' if count > 1 else ' is'} {score}"
            remarks.append(f"data.previous_policy: {scores}; without an activation such a pair {weighs}.")
    return policy, remarks


def distances_both_ways(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return `item other distance` in both directions, and a remark on negative distances.

    A pair that is listed in both directions keeps both distances; of duplicates the smallest counts.
    """
    rows = rows.select("item", "other", pl.col("distance").cast(pl.Float64))
    given = rows.group_by("item", "other").agg(pl.col("distance").min())
    turned = given.select(item="other", other="item", distance="distance").join(given, on=["item", "other"], how="anti")
    distances = pl.concat([given, turned])
    below = int((distances["distance"] < 0).sum())
    are = "distance is below 0 and is used as it is" if below == 1 else "distances are below 0 and are used as they are"
    return distances, [f"data.distances: {below:,} {are}."] if below else []


def profile_groups(prepared: Prepared, train: TrainRows, choice: ProfileGroups) -> tuple[Ids, Array]:
    """Return the train users, and the group number of each, from 1.

    Users are sorted by the share of popular items among their train items, the largest first; ties by id, or by first row (`ties` =
    `first_row`). Group g ends with user round(n · (share_1 + … + share_g)).
    """
    n = len(train.users)
    popular = prepared.item_column("popular", source=choice.source, count=choice.unit, share=choice.share, ties=choice.ties)
    user, item = train.pairs
    share = np.bincount(user, popular[item], n) / np.maximum(np.bincount(user, minlength=n), 1)
    ties = train.first_row_of_users if choice.ties == "first_row" else np.arange(n)
    ends, upto = [], 0.0
    for part in choice.shares.split(";")[:-1]:
        upto += float(part)
        ends.append(round(n * upto))
    codes = np.empty(n, dtype=np.int64)
    # A user whose rank is after the end of g groups is in group g + 1.
    codes[np.lexsort((ties, -share))] = np.searchsorted(np.maximum.accumulate(ends) if ends else np.empty(0), np.arange(n), "right") + 1
    return train.users, codes


_MANY_SETS: Final = 64
_MOST_BITS: Final = 62


class SideFrames(Struct, frozen=True, eq=False):
    """Frames of the sources beside lists that metrics read, with canonical columns; `None` for a source that is not given.

    `train` and `test`: `user item row`, and for test rows maybe `rating`; `items` and `users`: `item` or `user`, and columns of labels;
    `previous_policy`: `item score` and maybe `user`; `distances`: `item other distance`.
    """

    test: pl.DataFrame | None = None
    train: pl.DataFrame | None = None
    items: pl.DataFrame | None = None
    users: pl.DataFrame | None = None
    previous_policy: pl.DataFrame | None = None
    distances: pl.DataFrame | None = None


class SideNeeds(Struct, frozen=True):
    """Values that metrics need from the side inputs.

    - `category_columns`: the columns of categories, each with its name in the items file and in the frame; `split` is the separator of
      categories in a single column
    - `vector_columns`: the columns of vectors in the frame of items
    - `test_categories`: the column of categories in the frame of test rows
    - `item_groups`, `user_groups`: the columns that name groups: name in the file → name in the frame
    - `test_popularity`: count test rows by item, too
    - `profile_groups`: ways to group train users by the popularity of their items
    - `profiles`: groupings of users by what they have in train
    - `train_users`: count the train users of each item, which takes longer than counting rows
    - `train_pairs`: keep all pairs of train, for distances by co-occurrence
    - `by`: the columns that results are split by
    - `mean_rating`: compute the mean of all ratings, for relevance that depends on it
    - `item_values`, `row_values`: the columns of values of data.items and of the test rows
    - `user_weights`: the column of data.users that weights means over users
    - `time_unit`: the unit of the times of test and train
    """

    category_columns: tuple[tuple[str, str], ...] = ()
    split: str | None = None
    vector_columns: tuple[str, ...] = ()
    test_categories: str = ""
    item_groups: Mapping[str, str] = field(default_factory=dict)
    user_groups: Mapping[str, str] = field(default_factory=dict)
    test_popularity: bool = False
    profile_groups: tuple[ProfileGroups, ...] = ()
    profiles: tuple[GroupBy, ...] = ()
    train_users: bool = True
    train_pairs: bool = False
    by: tuple[GroupColumn, ...] = ()
    mean_rating: bool = False
    item_values: tuple[ValueColumn, ...] = ()
    row_values: tuple[ValueColumn, ...] = ()
    user_weights: ValueColumn | None = None
    time_unit: TimeUnit = SECONDS


def prepare_sides(
    frames: SideFrames, needs: SideNeeds, sources: frozenset[str] = frozenset(), baseline_lists: Lists | None = None
) -> tuple[Prepared, tuple[str, ...]]:
    """Return everything that is known before the lists are read, and remarks on it.

    `sources` are the names of the given sources; `baseline_lists` says how the lists of the reference model are ranked.
    """
    train_frame = frames.train if frames.train is not None and "user" in frames.train.columns else None
    tested = frames.test if needs.test_popularity else None
    indexed_items = None if train_frame is None else index_ids(train_frame["item"])
    of_train = [] if indexed_items is None else [indexed_items[0]]
    items = _all_items(of_train + [frame["item"].unique() for frame in (frames.items, tested) if frame is not None], frames.test)
    train = None if train_frame is None or indexed_items is None else TrainRows.from_frame(train_frame, items, indexed_items)
    prepared = _with_catalogue(items, train, frames.items, needs.train_users)
    prepared = replace(
        prepared, sources=sources, baseline_lists=baseline_lists, test_categories=needs.test_categories, time_unit=needs.time_unit
    )
    remarks: list[str] = []
    if frames.items is not None:
        prepared = _with_labels_of_items(prepared, frames.items, needs, remarks)
    if frames.users is not None:
        prepared = _with_groups_of_users(prepared, frames.users, frames.test, needs, remarks)
    if tested is not None:
        prepared = _with_test_popularity(prepared, tested, train)
    if frames.test is not None:
        numbers = {"least_rating": _least_rating(frames.test)}
        numbers |= {"mean_rating": _mean_rating(frames.test, frames.train)} if needs.mean_rating else {}
        prepared = replace(prepared, numbers=dict(prepared.numbers) | numbers)
    if train is not None:
        groups = {choice: profile_groups(prepared, train, choice) for choice in needs.profile_groups}
        prepared = replace(prepared, profile_groups=groups, train_by_item=_pairs_by_item(train, items) if needs.train_pairs else None)
    if frames.previous_policy is not None:
        policy, more = policy_scores(frames.previous_policy)
        prepared, remarks = replace(prepared, policy=policy), remarks + more
    if frames.distances is not None:
        distances, more = distances_both_ways(frames.distances)
        prepared, remarks = replace(prepared, distances=distances), remarks + more
    if needs.item_values or needs.row_values:
        prepared, more = _with_values(prepared, frames, needs)
        remarks += more
    if needs.user_weights is not None and frames.users is not None and frames.test is not None:
        users, weights, more = weights_of_users(frames.users, needs.user_weights, frames.test)
        prepared, remarks = replace(prepared, user_weights=(users, weights)), remarks + more
    if needs.by:
        known, more = memberships(needs.by, {"users": frames.users, "items": frames.items}, items, frames.test)
        prepared, remarks = replace(prepared, memberships=known), remarks + more
    if needs.profiles and train is not None and train_frame is not None and frames.test is not None:
        times = train_frame["timestamp"].cast(pl.Float64).fill_null(np.nan).to_numpy() if "timestamp" in train_frame.columns else None
        profiles = Profiles(prepared, train.users, *train.pairs, train.user, train.item, times)
        known, more = profile_memberships(needs.profiles, profiles, frames.test["user"])
        prepared, remarks = replace(prepared, memberships={**prepared.memberships, **known}), remarks + more
    return prepared, tuple(remarks)


def _least_rating(test: pl.DataFrame) -> float:
    """Return the smallest rating of the test file; 1 if it has no ratings, because every row then counts as a rating of 1."""
    return float(str(test["rating"].min() or 0.0)) if "rating" in test.columns else 1.0


def _mean_rating(test: pl.DataFrame, train: pl.DataFrame | None) -> float:
    """Return the mean of all ratings of test and train, independent of the order of rows; 0 without ratings."""
    columns = [frame["rating"].cast(pl.Float64) for frame in (test, train) if frame is not None and "rating" in frame.columns]
    ratings = pl.concat(columns).drop_nulls().drop_nans().to_numpy() if columns else np.empty(0)
    return round_fraction(ExactSums.from_values(ratings[None, :]).fraction(0) / len(ratings)) if len(ratings) else 0.0


def _all_items(columns: Sequence[pl.Series], test: pl.DataFrame | None) -> Ids:
    """Return the distinct items of all `columns`, each of which has an item once; without columns, no items, of the type of test items."""
    if not columns:
        return Ids(pl.Series("item", [], dtype=pl.Int64 if test is None else test["item"].dtype))
    return Ids(pl.concat([column.alias("item") for column in columns]).unique().sort())


def _with_catalogue(items: Ids, train: TrainRows | None, catalogue: pl.DataFrame | None, counts_users: bool) -> Prepared:
    """Return a `Prepared` with the items of train and the items file, and their popularity."""
    numbers: dict[str, float] = {}
    none = np.zeros(len(items), dtype=np.int64)
    rows = users = first = none
    if train is not None:
        rows, first = train.rows_of_items, train.first_row_of_items
        users = train.users_of_items if counts_users else none[:0]
        held = rows[rows > 0]
        numbers |= {"train_rows": float(len(train.item)), "train_items": float(len(held)), "train_users": float(len(train.users))}
        numbers["least_rows"] = float(held.min()) if len(held) else 0.0
        if counts_users:
            numbers |= {"train_pairs": float(users.sum()), "least_users": float(users[rows > 0].min()) if len(held) else 0.0}
    in_train = in_catalogue = rows > 0
    if catalogue is not None:
        in_catalogue = np.zeros(len(items), dtype=np.bool_)
        in_catalogue[items.index_of(catalogue["item"])] = True
    if train is not None or catalogue is not None:
        numbers["items"] = float(in_catalogue.sum())
    if train is not None:
        numbers["untrained_items"] = float((in_catalogue & ~in_train).sum())
    return Prepared(items, rows, users, first, in_train, in_catalogue, numbers=numbers)


def _with_labels_of_items(prepared: Prepared, catalogue: pl.DataFrame, needs: SideNeeds, remarks: list[str]) -> Prepared:
    """Add the categories and the groups of items."""
    changes: dict[str, Any] = {}
    groups: dict[str, tuple[Group, ...]] = dict(prepared.groups)
    numbers = dict(prepared.numbers)
    if needs.category_columns:
        named, groups["categories"] = assign_codes(category_names(catalogue, needs.category_columns, needs.split))
        item, code = prepared.items.index_of(named["item"]), named["code"].to_numpy()
        order = np.lexsort((code, item))
        item, code = item[order], code[order]
        having = np.bincount(item, minlength=len(prepared.items)) > 0
        without, n_items = int((prepared.in_catalogue & ~having).sum()), int(prepared.in_catalogue.sum())
        numbers |= {"categories": float(len(groups["categories"])), "items_without_category": float(without)}
        if prepared.in_train.any():
            numbers["train_categories"] = float(len(np.unique(code[prepared.in_train[item]])))
        remarks += _remarks_on_split(groups["categories"], needs)
        if without:
            remarks.append(f"data.items: {without:,} of {n_items:,} items have no category; they count as items without any.")
        changes |= {"category_item": item, "category_code": code, "category_sets": _sets_of(item, code, len(groups["categories"]))}
    if needs.vector_columns:
        changes["vectors"], more = vectors_of_items(prepared, catalogue, needs.vector_columns)
        remarks += more
    codes: dict[str, Array] = {}
    for column, name in needs.item_groups.items():
        named, groups[f"items.{column}"] = assign_codes(group_names(catalogue, "item", name))
        remarks += remarks_on_groups("items", column, groups[f"items.{column}"])
        codes[column] = np.zeros(len(prepared.items), dtype=np.int64)
        codes[column][prepared.items.index_of(named["item"])] = named["code"].to_numpy()
    return replace(prepared, groups=groups, numbers=numbers, item_groups=codes, **changes)


def _remarks_on_split(categories: Sequence[Group], needs: SideNeeds) -> list[str]:
    """Return a sentence if the names of categories look like lists that nothing splits, such as `Action|Comedy`."""
    joined = [] if needs.split or len(needs.category_columns) > 1 else [group.name for group in categories if "|" in group.name]
    if 2 * len(joined) < len(categories) or not joined:
        return []
    example = (
        f"{len(joined):,} of {len(categories):,} categories contain '|', such as {short(repr(joined[0]))}, and count as one category each"
    )
    return [f"data.items: {example}; to split them, set data.items.split: '|'."]


def _sets_of(item: Array, code: Array, n_categories: int) -> tuple[int, ...]:
    """Return the distinct sets of categories that items have, as bits; nothing if there are more than 64 sets or 62 categories."""
    if n_categories > _MOST_BITS or not len(item):
        return ()
    sets = np.zeros(int(item.max()) + 1, dtype=np.int64)
    np.bitwise_or.at(sets, item, np.int64(1) << (code - 1))
    distinct = np.unique(sets[sets > 0])
    return tuple(distinct.tolist()) if len(distinct) <= _MANY_SETS else ()


def _with_groups_of_users(
    prepared: Prepared, users: pl.DataFrame, test: pl.DataFrame | None, needs: SideNeeds, remarks: list[str]
) -> Prepared:
    """Add the groups of users."""
    groups = dict(prepared.groups)
    ids: dict[str, Ids] = {}
    codes: dict[str, Array] = {}
    for column, name in needs.user_groups.items():
        named, groups[f"users.{column}"] = assign_codes(group_names(users, "user", name))
        remarks += remarks_on_groups("users", column, groups[f"users.{column}"])
        named = named.sort("user")
        ids[column], codes[column] = Ids(named["user"]), named["code"].to_numpy()
        if test is not None:
            without = int((ids[column].index_of(test["user"].unique()) < 0).sum())
            have, are = ("user has", "is") if without == 1 else ("users have", "are")
            if without:
                remarks.append(f"{without:,} test {have} no {column} in data.users and {are} left out where groups are compared")
    return replace(prepared, groups=groups, group_users=ids, user_groups=codes)


def _with_test_popularity(prepared: Prepared, test: pl.DataFrame, train: TrainRows | None) -> Prepared:
    """Add for each item the number of test rows, the number of test users who do not have it in train, and the first test row."""
    item = prepared.items.index_of(test["item"])
    n_items, users = len(prepared.items), test["user"].unique()
    n_users = len(users) if train is None else len(train.users) + int((train.users.index_of(users) < 0).sum())
    tested = Ids(users.sort())
    pairs = np.unique(tested.index_of(test["user"]) * n_items + item)
    if train is not None:
        user_of_train = tested.index_of(train.users.ids)[train.user]
        known = user_of_train >= 0
        pairs = np.setdiff1d(pairs, user_of_train[known] * n_items + train.item[known])
    return replace(
        prepared,
        test_rows=np.bincount(item, minlength=n_items),
        test_new_users=np.bincount(pairs % n_items if n_items else pairs, minlength=n_items),
        test_first=first_rows(item, test["row"].to_numpy(), n_items),
        numbers=dict(prepared.numbers) | {"train_and_test_users": float(n_users)},
    )


def _with_values(prepared: Prepared, frames: SideFrames, needs: SideNeeds) -> tuple[Prepared, list[str]]:
    """Add the values of items, and the columns of test rows that hold values; return them with remarks."""
    test, of_items, remarks = frames.test, {}, list[str]()
    assert test is not None
    for column in needs.item_values:
        assert frames.items is not None
        of_items[column.name], more = values_of_ids(frames.items, column, prepared.items, test["item"].unique(), "item")
        remarks += more
    for column in needs.row_values:
        remarks += check_values_of_rows(test, column)
    rows = {column.name: (column.label, column.decimal_comma) for column in needs.row_values}
    return replace(prepared, item_values=of_items, row_columns=rows), remarks


def _pairs_by_item(train: TrainRows, items: Ids) -> pl.DataFrame:
    """Return `item`, `user`: the distinct pairs of train, sorted by item and user."""
    user, item = train.pairs
    order = np.lexsort((user, item))
    return pl.DataFrame({"item": items.ids.gather(item[order]), "user": train.users.ids.gather(user[order])})
