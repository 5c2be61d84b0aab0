"""Relevant pairs by group → the users of every group, where users of a group with equal values share one row.

The value of a measure based on hits follows from the ranks of a user's hits, the number of relevant items and the length of the list.
Within a group most users have no hit or a single one, so many of them are equal: measures are computed once for all of these.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.graph import Choice, Notes, Tables
from ..tables.item_columns import user_codes
from ..tables.lists import Reading
from ..tables.prepared import GroupBy, codes_column
from ..tables.rows import Rows, number_rows
from ..tables.truth import ONE_ROW, TestPairs, TruthTable, relevant_rows, rows_in_groups, rows_that_pass
from .partial import UserFacts
from .per_user import Scorer
from .task import tables_of

_TABLES: Final = frozenset({"hits", "ideal", "retrieved", "retrieved_at_k", "n_relevant", "reading"})
"""Tables of which a measure that is computed once for equal users may read the ranks of hits and the numbers of items."""

_SPARSE: Final = 16
"""Numbers up to this many times their number are counted in an array with a place for each."""


class UserClasses(Struct, frozen=True, eq=False):
    """Classes of users with equal values: `code` has the group of each class, ascending, and `times` its number of users.

    `scorer` measures the classes as if they were users.
    """

    scorer: Scorer
    code: Array
    times: Array


def fits_classes(definition: Definition) -> bool:
    """Return whether the value of a user follows from the ranks of the hits and the numbers of relevant and listed items."""
    return all(
        part.metric.origin == "receval"
        and tables_of(part) <= _TABLES
        and not any(True for _ in part.own_needs)
        and part.population not in ("train", "baseline")
        and not part.is_weighted
        for part in definition.all
    )


def user_classes(scorer: Scorer, by: GroupBy, choice: Choice) -> UserClasses | None:
    """Return the classes of the users with a relevant item in a group of items or test rows, or in a combination with groups of users.

    `None` if values also depend on more: gains other than 1, items that count several times, removed rows.
    """
    pairs = _pairs_by_group(scorer, by, choice)
    reading: Reading = scorer.tables.get("reading", choice)
    if pairs is None or reading.dropped is not None or choice.positions != "real":
        return None
    hits: Rows = scorer.tables.get("hits", choice)
    test_pairs: TestPairs = scorer.tables.get("test_pairs")
    n_users = max(scorer.part.n_users, 1)
    pair, code = pairs
    of_user = user_codes(by, scorer.part, scorer.prepared)
    user = test_pairs.user[pair]
    of_pair = (code + of_user[user]) * n_users + user
    members, n_relevant = _distinct_with_counts(of_pair)
    row, entry = _entries_of(hits["pair"], pair, len(test_pairs))
    of_row = (code[entry] + of_user[hits.user[row]]) * n_users + hits.user[row]
    order = np.argsort(of_row, kind="stable")  # rows of a user stay in the order of their ranks
    member, rank = _places(of_row[order], members), hits.rank[row[order]]
    of_members = members // n_users
    lengths = reading.lengths[members % n_users]
    kept, times = _distinct(of_members, lengths, n_relevant, member, rank)
    place = np.full(len(members), -1)
    place[kept] = np.arange(len(kept))
    is_kept = place[member] >= 0
    columns = {"rank": rank[is_kept], "gain": np.ones(np.count_nonzero(is_kept))}
    of_classes = Rows(len(kept), place[member[is_kept]], columns)
    scorer_of_classes = _scorer(scorer, choice, of_classes, n_relevant[kept], lengths[kept], reading)
    return UserClasses(scorer_of_classes, of_members[kept], times)


def _distinct_with_counts(numbers: Array) -> tuple[Array, Array]:
    """Return the distinct numbers, ascending, and how often each occurs; whole numbers from 0."""
    if int(numbers.max(initial=0)) > _SPARSE * len(numbers):
        return np.unique(numbers, return_counts=True)
    counts = np.bincount(numbers)
    distinct = np.flatnonzero(counts)
    return distinct, counts[distinct]


def _places(numbers: Array, distinct: Array) -> Array:
    """Return the index of each number among `distinct`, which ascend and have all of them."""
    if not len(distinct) or int(distinct[-1]) > _SPARSE * len(distinct):
        return np.searchsorted(distinct, numbers)
    place = np.zeros(int(distinct[-1]) + 1, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return place[numbers]


def _distinct(code: Array, length: Array, n_relevant: Array, member: Array, rank: Array) -> tuple[Array, Array]:
    """Return the first of the equal users of a group, among those with at most one hit, all others, and how many each stands for."""
    n_hits = np.bincount(member, minlength=len(code))
    only = np.zeros(len(code), dtype=np.int64)
    only[member] = rank
    few = np.flatnonzero(n_hits <= 1)
    key = code[few]
    for part in (length, n_relevant, only):
        key = key * (int(part.max(initial=0)) + 1) + part[few]
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    times = np.ones(len(code), dtype=np.int64)
    times[few[first]] = counts
    kept = n_hits > 1
    kept[few[first]] = True
    rows = np.flatnonzero(kept)
    return rows, times[rows]


def _scorer(scorer: Scorer, choice: Choice, hits: Rows, n_relevant: Array, lengths: Array, reading: Reading) -> Scorer:
    """Return a scorer of classes; it has no other tables of users than those that measures may read."""
    n = len(n_relevant)
    hits = hits.with_columns(found=number_rows(hits.user, n), n_relevant=n_relevant[hits.user])
    none = np.empty(0, dtype=np.int64)
    relevant = np.repeat(np.arange(n), n_relevant)
    tables = Tables({"notes": Notes()})
    for name, table in {
        "hits": hits,
        "n_relevant": n_relevant,
        "relevant_with_repeats": Rows(n, relevant, {"rank": np.ones(len(relevant), dtype=np.int64), "gain": np.ones(len(relevant))}),
        "reading": Reading(reading.source, none, none, n, np.zeros(n + 1, dtype=np.int64), lengths),
        "truth_table": scorer.tables.get("truth_table", choice),
    }.items():
        tables.replace(name, choice, table)
    facts = UserFacts(np.ones(n, dtype=np.bool_), None, None)
    return Scorer(scorer.prepared, scorer.part, tables, scorer.canonical, facts, Notes(), n)


def _pairs_by_group(scorer: Scorer, by: GroupBy, choice: Choice) -> tuple[Array, Array] | None:
    """Return the relevant pairs of each group, each once in a group: the index of the pair, ascending, and the code of the group.

    `None` if a relevant item has another gain than 1, or may count several times.
    """
    truth: TruthTable
    truth, more = scorer.tables.get("truth_with_repeats", choice)
    assert choice.truth is not None
    test_pairs = truth.pairs
    if more is not None or truth.copies is not None or (truth.gain[truth.relevant] != 1).any():
        return None
    weights, codes = scorer.prepared.code_weights(by), _codes_of_rows(scorer, by, test_pairs)
    if not by.has_rows or not test_pairs.repeats:
        of_pair = np.zeros(len(test_pairs), dtype=np.int64)
        of_pair[test_pairs.row_pair] = codes
        pair = np.flatnonzero(truth.relevant)
        code = of_pair[pair]
    elif choice.truth.duplicates in ("best", *(() if test_pairs.rating is not None else ONE_ROW)):
        passing = rows_that_pass(scorer.part, scorer.prepared, test_pairs, choice.truth.filter)
        passing = relevant_rows(test_pairs, passing, choice.truth, scorer.part.n_users, scorer.prepared)
        passing &= rows_in_groups(test_pairs, scorer.prepared, choice.truth.rows)
        size = int(codes.max(initial=0)) + 1
        pair, code = np.divmod(np.unique(test_pairs.row_pair[passing] * size + codes[passing]), size)
    else:
        return None
    for part, weight in weights:
        if part.kind == "items":
            pair, code = _with_items(scorer, part, weight, test_pairs, pair, code)
    return pair, code


def _codes_of_rows(scorer: Scorer, by: GroupBy, test_pairs: TestPairs) -> Array:
    """Return what the groups of each test row add to the code of a combination."""
    codes = np.zeros(len(test_pairs.rows), dtype=np.int64)
    for part, weight in scorer.prepared.code_weights(by):
        if part.kind == "rows":
            codes += weight * test_pairs.rows.column(codes_column(part.name))
    return codes


def count_test_rows(scorer: Scorer, by: GroupBy) -> dict[int, int]:
    """Return the number of test rows of each group, or combination, that has any; by its code.

    A row is counted once for each of the groups of its item, if these are part of the combination.
    """
    test_pairs: TestPairs = scorer.tables.get("test_pairs")
    pair, code = test_pairs.row_pair, _codes_of_rows(scorer, by, test_pairs)
    for part, weight in scorer.prepared.code_weights(by):
        if part.kind == "items":
            pair, code = _with_items(scorer, part, weight, test_pairs, pair, code)
    codes, counts = np.unique(code + user_codes(by, scorer.part, scorer.prepared)[test_pairs.user[pair]], return_counts=True)
    return dict(zip(codes.tolist(), counts.tolist(), strict=True))


def _with_items(scorer: Scorer, by: GroupBy, weight: int, test_pairs: TestPairs, pair: Array, code: Array) -> tuple[Array, Array]:
    """Return the pairs with the code of each group of their item added: once for each of its groups, or with code 0 for an item without."""
    membership = scorer.prepared.memberships[by]
    order = np.argsort(membership.member, kind="stable")
    counts = np.append(np.bincount(membership.member, minlength=len(membership.ids)), 0)
    starts = np.cumsum(counts) - counts
    item = membership.ids.index_of(test_pairs.item)[pair]
    n = np.maximum(counts[item], 1)
    index = np.repeat(np.arange(len(pair)), n)
    within = np.arange(len(index)) - np.repeat(np.cumsum(n) - n, n)
    has_group = counts[item[index]] > 0
    of_item = np.zeros(len(index), dtype=np.int64)
    of_item[has_group] = membership.code[order[(starts[item[index]] + within)[has_group]]]
    return pair[index], code[index] + weight * of_item


def _entries_of(pairs_of_rows: Array, pair: Array, n_pairs: int) -> tuple[Array, Array]:
    """Return for each row of a table, and each group of its pair, the index of the row and that of the entry in `pair`, which ascends."""
    counts = np.bincount(pair, minlength=n_pairs)
    starts = np.cumsum(counts) - counts
    n = counts[pairs_of_rows]
    row = np.repeat(np.arange(len(pairs_of_rows)), n)
    within = np.arange(len(row)) - np.repeat(np.cumsum(n) - n, n)
    return row, starts[pairs_of_rows[row]] + within
