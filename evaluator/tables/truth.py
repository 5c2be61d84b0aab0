"""Test rows → the relevant items of each user, their gains, and the best possible list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..conventions.axis import Truth
from ..exact_sums.group_sums import exact_group_sums
from ..support.lazy import np, pl
from .array import Array
from .graph import table
from .ids import Lookup, Pairs, distinct, gather
from .prepared import Prepared, codes_column
from .rows import PartData, Rows, SourceRows, in_order, number_rows

_COARSE: Final = 2.0**16
_FINE: Final = 2.0**52
_LARGE: Final = 2.0**36
_SCALE: Final = 2.0**64
"""More than there are rows: this many of the largest numbers, divided by it, have a finite sum."""


def exact_group_means(values: Array, group: Array, n_groups: int) -> Array:
    """Return the mean of the values of each group, at most the largest of them; 0 for a group without values.

    Values are summed as integers, multiples of 2^-16 and of 2^-52, because the last bit can decide whether a rating near the mean is
    relevant. Groups with a value of 2^36 or more are summed exactly, and scaled so that no sum is infinite.
    """
    large = np.zeros(n_groups, dtype=np.bool_)
    large[group[np.abs(values) >= _LARGE]] = True
    if large.any():
        inside = large[group]
        means = exact_group_means(np.where(inside, 0.0, values), group, n_groups)
        return np.where(large, _means_of_large(values[inside], group[inside], n_groups), means)
    coarse = np.round(values * _COARSE)
    fine = np.round((values - coarse / _COARSE) * _FINE)
    total = np.bincount(group, coarse, n_groups) / _COARSE + np.bincount(group, fine, n_groups) / _FINE
    return _means(total, values, group)


def _means_of_large(values: Array, group: Array, n_groups: int) -> Array:
    small = _means(exact_group_sums(values / _SCALE, group, n_groups), values / _SCALE, group)
    return small * _SCALE


def _means(total: Array, values: Array, group: Array) -> Array:
    """Return the sums of groups divided by their sizes, at most their largest value; 0 for a group without values."""
    most = np.full(len(total), -np.inf)
    np.maximum.at(most, group, values)
    count = np.bincount(group, minlength=len(total))
    return np.where(count > 0, np.minimum(total / np.maximum(count, 1), most), 0.0)


TEST = "test"
ONE_ROW: Final = ("sum", "first", "last")
"""Ways to combine several rows of a pair into one row with another rating than the highest."""


class TestPairs:
    """The distinct pairs of user and item of the test rows of a part, in the order of users and items.

    `row_pair` is the index of the pair of each test row.
    """

    __test__ = False

    def __init__(self, rows: SourceRows, pairs: Pairs) -> None:
        self.rows = rows
        first, self.row_pair = distinct(pairs)
        self.pairs = pairs.take(first)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def user(self) -> Array:
        """Index of the user of each pair."""
        return self.pairs.user

    @property
    def item(self) -> pl.Series:
        """Item of each pair."""
        return self.pairs.item

    @cached_property
    def lookup(self) -> Lookup:
        """Lookup of rows of other tables among the pairs."""
        return Lookup(self.pairs)

    @property
    def repeats(self) -> bool:
        """Return whether a pair has several rows."""
        return len(self.pairs) < len(self.rows)

    @cached_property
    def rating(self) -> Array | None:
        """Rating of every test row, if the test file has ratings."""
        return self.rows.column("rating").astype(np.float64) if "rating" in self.rows else None


@table("test_pairs", uses=("part",))
def pairs_of_test(part: PartData) -> TestPairs:
    """Return the distinct pairs of the test file."""
    return TestPairs(part.rows(TEST), part.pairs[TEST])


class TruthTable(Struct, frozen=True, eq=False, dict=True):
    """The relevant items under one choice of truth.

    For each of the test `pairs` whether it is `relevant`, its `gain`, and how many relevant items it counts as (`copies`); for each user
    the number of relevant items (`n_relevant`). `as_hits`: a hit counts as often as its pair.
    """

    pairs: TestPairs
    relevant: Array
    gain: Array
    copies: Array | None
    n_relevant: Array
    graded: bool
    as_hits: bool

    @cached_property
    def index(self) -> Array:
        """The relevant pairs, each as often as it counts."""
        pairs = np.flatnonzero(self.relevant)
        return pairs if self.copies is None else np.repeat(pairs, self.copies[pairs])

    def only(self, mask: Array) -> TruthTable:
        """Return the same table with only the test pairs in the mask relevant."""
        relevant = self.relevant & mask
        per_pair = relevant if self.copies is None else np.where(relevant, self.copies, 0)
        n_users = len(self.n_relevant)
        return replace(self, relevant=relevant, n_relevant=np.bincount(self.pairs.user, per_pair, n_users).astype(np.int64))


def rows_that_pass(part: PartData, prepared: Prepared, test_pairs: TestPairs, filter: str) -> Array:
    """Return which test rows pass the filter: `known` needs a known user and item, `known_unseen` also a pair that is not in train."""
    rows = test_pairs.rows
    passing = np.ones(len(rows), dtype=np.bool_)
    if filter == "none":
        return passing
    if "train" in part:
        passing &= (part.rows("train").counts > 0)[rows.user]
    if prepared.in_catalogue.any() or "items" in prepared.sources:
        passing &= np.append(prepared.in_catalogue, False)[prepared.items.index_of(rows.item)]
    if filter == "known_unseen" and "train" in part:
        passing[part.lookup_of_train.find(part.pairs[TEST])[0]] = False
    return passing


@table("truth_table", uses=("part", "prepared", "test_pairs"), varies=("truth",))
def truth_table(part: PartData, prepared: Prepared, test_pairs: TestPairs, truth: Truth) -> TruthTable:
    """Return the relevant pairs: those rated at least the threshold; without one the rule decides; without ratings every row.

    The gain is the rating if the relevance is graded, at least 0, or what `truth.gains` has for this rating; else 1.
    """
    passing = rows_that_pass(part, prepared, test_pairs, truth.filter)
    pair, n, rating = test_pairs.row_pair, len(test_pairs), test_pairs.rating
    if rating is not None and truth.duplicates in ONE_ROW and test_pairs.repeats:
        pair, rating, passing = one_row_per_pair(test_pairs, rating, passing, truth.duplicates)
    if rating is not None:
        passing = passing & _is_relevant(rating, test_pairs.user[pair], passing, truth, part.n_users, prepared)
    graded, copies = rating is not None and truth.graded, "row" in truth.duplicates
    if truth.rows:
        passing = passing & in_groups(test_pairs, prepared, truth.rows, pair)
    every = bool(passing.all())
    count = np.ones(n, dtype=np.int64) if every and not test_pairs.repeats else np.bincount(pair[passing], minlength=n)
    relevant = count > 0
    gain = np.ones(n)
    if graded and rating is not None:
        gain = np.zeros(n)
        np.maximum.at(gain, pair[passing], _with_gains(rating, truth)[passing])
    repeated = copies and bool((count > 1).any())
    per_pair = count if repeated else relevant
    n_relevant = np.bincount(test_pairs.user, per_pair, part.n_users).astype(np.int64)
    return TruthTable(test_pairs, relevant, gain, count if repeated else None, n_relevant, graded, truth.duplicates == "rows_count")


def in_groups(test_pairs: TestPairs, prepared: Prepared, groups: Sequence[tuple[str, str]], pair: Array) -> Array:
    """Return whether each test row is in all of these groups of rows; if rows of a pair were combined, whether one of its rows is."""
    inside = rows_in_groups(test_pairs, prepared, groups)
    if pair is test_pairs.row_pair:
        return inside
    of_pairs = np.zeros(len(test_pairs), dtype=np.bool_)
    of_pairs[test_pairs.row_pair[inside]] = True
    return of_pairs[pair]


def rows_in_groups(test_pairs: TestPairs, prepared: Prepared, groups: Sequence[tuple[str, str]]) -> Array:
    """Return whether each test row is in all of these groups of rows."""
    inside = np.ones(len(test_pairs.rows), dtype=np.bool_)
    for by, name in groups:
        code = next((group.code for group in prepared.row_groups[by] if group.name == name), 0)
        inside &= test_pairs.rows.column(codes_column(by)) == code
    return inside


def relevant_rows(test_pairs: TestPairs, passing: Array, truth: Truth, n_users: int, prepared: Prepared) -> Array:
    """Return whether each test row is relevant: it passes the filter, and so does its rating if there are ratings."""
    if test_pairs.rating is None:
        return passing
    return passing & _is_relevant(test_pairs.rating, test_pairs.user[test_pairs.row_pair], passing, truth, n_users, prepared)


def one_row_per_pair(pairs: TestPairs, rating: Array, passing: Array, how: str) -> tuple[Array, Array, Array]:
    """Return one row for each pair that passes: its index, its rating (`how`: sum, first or last), and that it passes."""
    rows = np.flatnonzero(passing)
    there = np.unique(pairs.row_pair[rows])
    if how in ("first", "last"):
        number = pairs.rows.column("row")[rows]
        ordered = rows[np.lexsort((number if how == "last" else -number, pairs.row_pair[rows]))]
        ends = np.append(np.flatnonzero(np.diff(pairs.row_pair[ordered])), len(ordered) - 1) if len(rows) else np.empty(0, dtype=np.int64)
        ratings = rating[ordered[ends]]
    else:
        order = rows[np.lexsort((rating[rows], pairs.row_pair[rows]))]  # so that the sum does not depend on the order of the file
        ratings = np.bincount(pairs.row_pair[order], rating[order], len(pairs))[there]
    return there, ratings, np.ones(len(there), dtype=np.bool_)


def _with_gains(rating: Array, truth: Truth) -> Array:
    """Return the ratings with those that have a gain of their own replaced by it."""
    return np.select([rating == grade for grade, _ in truth.gains], [gain for _, gain in truth.gains], rating) if truth.gains else rating


def _is_relevant(rating: Array, user: Array, passing: Array, truth: Truth, n_users: int, prepared: Prepared) -> Array:
    if truth.threshold is not None:
        return rating >= truth.threshold
    rating = _with_gains(rating, truth)
    if truth.rule == "all_mean":
        return rating >= prepared.number("mean_rating")
    if truth.rule == "user_mean":
        means = exact_group_means(rating[passing], user[passing], n_users)
        return rating >= means[user]
    least = {"at_least_zero": 0.0, "at_least_one": 1.0}.get(truth.rule)
    if least is not None:
        return rating >= least
    above = {"above_zero": 0.0, "above_half": 0.5}.get(truth.rule)
    return np.ones(len(rating), dtype=np.bool_) if above is None else rating > above


@table("relevant", uses=("truth_table",), columns=("item",), title="The relevant items")
def relevant(truth_table: TruthTable) -> Rows:
    """Return the relevant items, each once, all with rank 1: `gain`, `pair` (the index of the test pair)."""
    index = np.flatnonzero(truth_table.relevant)
    pairs = truth_table.pairs
    columns = {"rank": np.ones(len(index), dtype=np.int64), "gain": truth_table.gain[index], "pair": index}
    return Rows(len(truth_table.n_relevant), pairs.user[index], columns, gather(pairs.item, index))


@table("ideal", uses=("relevant_with_repeats",), columns=("rank", "gain"), title="The best possible list")
def ideal(relevant_with_repeats: Rows) -> Rows:
    """Return the relevant items of each user, highest gain first: `rank`, `gain`.

    If all gains are 1, users with the same number of relevant items share their rows.
    """
    rows = relevant_with_repeats
    gain = rows["gain"]
    if len(gain) and (gain == 1.0).all():
        counts = np.diff(rows.starts())
        sizes, group = np.unique(counts, return_inverse=True)
        block = np.repeat(np.arange(len(sizes)), sizes)
        columns = {"rank": number_rows(block, len(sizes)), "gain": np.ones(len(block))}
        return Rows(rows.n_users, block, columns, group_of_user=group, n_groups=len(sizes))
    order = in_order(rows.user, [(gain, True)])
    return Rows(rows.n_users, rows.user, {"rank": number_rows(rows.user, rows.n_users), "gain": gain[order]})
