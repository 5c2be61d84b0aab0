"""Runs of equal scores, and the hits in their best, their worst, and every order.

The items of a run can be in any order within the ranks of the run, all orders being equally likely (McSherry and Najork, ECIR 2008). A
metric that never falls when a relevant item moves up is largest if the hits of each run come first, highest gain first, and smallest if
they come last, highest gain last. The mean of a metric that is a sum over hits is its sum over all possible ranks of all hits, each
weighted with its probability. If a relevant item is in a run several times and is one hit, this hit is at the first of its ranks.
"""

from __future__ import annotations

from msgspec import Struct

from ..support.lazy import np
from .array import Array, in_single_precision
from .graph import table
from .ids import changes, distinct
from .lists import Reading
from .rows import Rows, in_order, number_rows, within_users


class TieRuns(Struct, frozen=True, eq=False):
    """Runs of equal scores in ranked lists: the user index of each run, its `first` rank, and its `size`, at least 2.

    `starts` is the first row of each run in the reading, ascending; `list_starts` is the first row of each user.
    """

    user: Array
    first: Array
    size: Array
    starts: Array
    list_starts: Array

    def __len__(self) -> int:
        return len(self.user)

    @property
    def last(self) -> Array:
        """Last rank of each run."""
        return self.first + self.size - 1

    def run_of(self, rows: Rows) -> Array:
        """Return the index of the run of each of the listed items `rows`, -1 if its score is not tied."""
        if not len(self):
            return np.full(len(rows), -1, dtype=np.int64)
        row = self.list_starts[rows.user] + rows.real_rank - 1
        run = np.searchsorted(self.starts, row, side="right") - 1
        return np.where((run >= 0) & (row < (self.starts + self.size)[run]), run, -1)


@table("tie_runs", uses=("reading",), params=("single",))
def tie_runs(reading: Reading, single: bool) -> TieRuns:
    """Return the runs of equal scores of different items, compared in `single` or in double precision.

    Equal scores that are not neighbours do not form a run.
    """
    list_starts = reading.starts
    if "score" not in reading.source.rows:
        starts = size = np.empty(0, dtype=np.int64)
    else:
        starts, size = _equal_neighbours(reading, single)
    user = reading.user[starts]
    return TieRuns(user, starts - list_starts[user] + 1, size, starts, list_starts)


def runs_of(reading: Reading, equal: Array) -> TieRuns:
    """Return the runs of rows of which each but the first is `equal` to the row above."""
    starts, size = _runs(equal)
    user = reading.user[starts]
    return TieRuns(user, starts - reading.starts[user] + 1, size, starts, reading.starts)


def _runs(equal: Array) -> tuple[Array, Array]:
    """Return the first row and the size of each run of rows of which each but the first is `equal` to the row above."""
    padded = np.concatenate([[False], equal, [False]])
    starts = np.flatnonzero(padded[1:] & ~padded[:-1])
    return starts, np.flatnonzero(padded[:-1] & ~padded[1:]) - starts + 1


@table(
    "tied_hits",
    uses=("hits", "tie_runs"),
    params=("at",),
    columns=("rank", "item", "gain", "last", "found"),
    title="The hits, each with the ranks of the items with its score",
    reads_scores=True,
)
def tied_hits(hits: Rows, tie_runs: TieRuns, at: str) -> Rows:
    """Return the hits with the first and `last` rank of the items with their score (`rank` is the one `at`), and `found` down to `last`.

    Hits whose ranks are not their positions in the list (`real_rank`) are not tied.
    """
    run = tie_runs.run_of(hits)
    tied = (run >= 0) & (hits.rank == hits.real_rank)
    first, last = hits.rank.copy(), hits.rank.copy()
    first[tied], last[tied] = tie_runs.first[run[tied]], tie_runs.last[run[tied]]
    order = np.lexsort((last, hits.user))
    user, row = hits.user[order], last[order]
    end = np.ones(len(hits), dtype=np.bool_)
    end[:-1] = (user[1:] != user[:-1]) | (row[1:] != row[:-1])
    nth = number_rows(user, hits.n_users)
    found = np.empty(len(hits), dtype=np.int64)
    found[order] = nth[end][np.concatenate([[0], np.cumsum(end)])[:-1]]
    return hits.with_columns(rank=first if at == "first" else last, last=last, found=found)


def _equal_neighbours(reading: Reading, single: bool) -> tuple[Array, Array]:
    """Return the first row and the size of each run."""
    score = reading.source.rows.column("score")
    score = score if reading.rows is None else score[reading.rows]
    score = in_single_precision(score) if single else score
    equal = within_users(score[1:] == score[:-1], reading.starts)
    if not equal.any():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    starts, size = _runs(equal)
    whole = np.ones(len(starts), dtype=np.bool_)
    if reading.repeats:
        n_changes = np.concatenate([[0], np.cumsum(changes(reading.item))])
        whole = n_changes[starts + size - 1] > n_changes[starts]
    rising = within_users(score[1:] > score[:-1], reading.starts)
    if rising.any():  # in a list that is not ordered by score, equal scores may be apart
        whole &= _all_of_score(reading.user, score, np.unique(reading.user[1:][rising]), starts, size)
    return starts[whole], size[whole]


def _all_of_score(user: Array, score: Array, unordered: Array, starts: Array, size: Array) -> Array:
    """Return for each run whether it has all rows of its user with its score; `unordered` are the users whose runs may be incomplete."""
    rows = np.flatnonzero(np.isin(user, unordered))
    order = rows[np.lexsort((score[rows], user[rows]))]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (user[order[1:]] != user[order[:-1]]) | (score[order[1:]] != score[order[:-1]])
    group = np.cumsum(new) - 1
    n_rows = np.zeros(len(user), dtype=np.int64)
    n_rows[order] = np.bincount(group)[group]
    complete: Array = (n_rows[starts] == 0) | (n_rows[starts] == size)
    return complete


@table("tied_copies", uses=("reading", "tie_runs", "hits"))
def tied_copies(reading: Reading, tie_runs: TieRuns, hits: Rows) -> Array:
    """Return for each hit the number of rows of its item in its run that are this one hit: 1, unless a list repeats a relevant item."""
    copies = np.ones(len(hits), dtype=np.int64)
    if not reading.one_hit_per_item:
        return copies
    tied = np.flatnonzero(tie_runs.run_of(hits) >= 0)
    if len(tied):
        run = np.repeat(np.arange(len(tie_runs)), tie_runs.size)
        rows = tie_runs.starts[run] + number_rows(run, len(tie_runs)) - 1
        _, pair = distinct(reading.pairs)
        _, which, counts = np.unique(pair[rows] * len(tie_runs) + run, return_inverse=True, return_counts=True)
        n_rows = np.zeros(len(reading), dtype=np.int64)
        n_rows[rows] = counts[which.reshape(-1)]
        copies[tied] = n_rows[tie_runs.list_starts[hits.user[tied]] + hits.real_rank[tied] - 1]
    return copies


class HitsByRun(Struct, frozen=True, eq=False):
    """Hits in the order of their runs; for the run of each hit its `first` rank, its `size`, the number of hits `before` it and in it.

    A hit without ties is a run of one. `copies` is the number of rows of the run that are this one hit; above 1 only if `n_hits` is 1.
    """

    rows: Rows
    first: Array
    size: Array
    before: Array
    n_hits: Array
    copies: Array

    @classmethod
    def from_hits(cls, hits: Rows, runs: TieRuns, *, best: bool) -> HitsByRun:
        """Build from hits; those of a run are sorted by gain, highest first for the `best` order, else last; equal gains by item."""
        assert hits.item is not None
        run = runs.run_of(hits)
        tied = run >= 0
        first, size = hits.rank.copy(), np.ones(len(hits), dtype=np.int64)
        first[tied], size[tied] = runs.first[run[tied]], runs.size[run[tied]]
        order = in_order(hits.user, [(first, False), (hits["gain"], best), (hits.item, False)])
        rows, first, size = hits.take(order), first[order], size[order]
        copies = rows["copies"] if "copies" in rows else np.ones(len(rows), dtype=np.int64)
        nth_hit = number_rows(rows.user, rows.n_users)
        new = np.ones(len(rows), dtype=np.bool_)
        new[1:] = (rows.user[1:] != rows.user[:-1]) | (first[1:] != first[:-1])
        group = np.cumsum(new) - 1
        before = (nth_hit[new] - 1)[group]
        n_hits = np.bincount(group)[group] if len(rows) else before
        return cls(rows.with_columns(found=nth_hit), first, size, before, n_hits, np.where(n_hits == 1, copies, 1))


def reorder_hits(hits: Rows, runs: TieRuns, *, best: bool) -> Rows:
    """Return the table `hits` with the hits of each run at its first ranks (`best`) or its last ones."""
    by_run = HitsByRun.from_hits(hits, runs, best=best)
    start = by_run.first if best else by_run.first + by_run.size - by_run.n_hits - by_run.copies + 1
    return by_run.rows.with_columns(rank=start + by_run.rows["found"] - by_run.before - 1)


def n_expected_ranks(hits: Rows, runs: TieRuns, deepest: int | None) -> Array:
    """Return an upper bound of the number of rows that `expected_ranks` returns for each user."""
    run = runs.run_of(hits)
    tied = np.flatnonzero(run >= 0)
    ranks, n_hits = np.ones(len(hits), dtype=np.int64), np.bincount(run[tied], minlength=len(runs))
    ranks[tied] = (n_hits * (runs.size if deepest is None else np.minimum(runs.size, deepest)))[run[tied]]
    return np.bincount(hits.user, ranks, hits.n_users)


def expected_ranks(hits: Rows, runs: TieRuns, deepest: int | None) -> Rows:
    """Return every rank that a hit may have, as a table `hits` whose rows have weights: the probability of each.

    In a run of n items with m hits, the j-th hit is at the i-th position in C(i-1, j-1)·C(n-i, m-j) of the C(n, m) orders, and each of the
    m hits is equally often the j-th. A single hit with m copies is at the rank of the first of them. `found` adds the b hits above the run:
    b + j. Ranks below `deepest` are left out. Weights are exact to about twelve digits, because they are computed from logarithms of
    factorials.
    """
    by_run = HitsByRun.from_hits(hits, runs, best=True)
    logs = _log_factorials(int(by_run.size.max(initial=1)))
    hit, rank, found, weight = [], [], [], []
    shapes, shape_of_hit = np.unique(np.stack([by_run.size, by_run.n_hits, by_run.copies]), axis=1, return_inverse=True)
    for number, (size, n_hits, copies) in enumerate(shapes.T):
        of_shape = np.flatnonzero(shape_of_hit.reshape(-1) == number)
        position, nth, chance = _chances(int(size), int(n_hits * copies), deepest, logs)
        if copies > 1:
            position, nth, chance = (each[nth == 1] for each in (position, nth, chance * copies))
        hit.append(np.repeat(of_shape, len(position)))
        rank.append((by_run.first[of_shape, None] + position - 1).reshape(-1))
        found.append((by_run.before[of_shape, None] + nth).reshape(-1))
        weight.append(np.tile(chance, len(of_shape)))
    every = [np.concatenate([np.empty(0, dtype=np.int64), *parts]) for parts in (hit, rank, found)]
    weights = np.concatenate([np.empty(0), *weight])
    within = np.arange(len(weights)) if deepest is None else np.flatnonzero(every[1] <= deepest)
    within = within[np.argsort(by_run.rows.user[every[0][within]], kind="stable")]
    rows = by_run.rows.take(every[0][within]).with_columns(rank=every[1][within], found=every[2][within])
    return Rows(rows.n_users, rows.user, rows.columns, rows.item, weight=weights[within])


def _chances(size: int, n_hits: int, deepest: int | None, logs: Array) -> tuple[Array, Array, Array]:
    """Return each position in a run of `size` items, which of its `n_hits` hits is there, and the probability of that for a given hit."""

    def choose(n: Array | int, k: Array | int) -> Array:
        logarithm: Array = logs[n] - logs[k] - logs[n - k]
        return logarithm

    last = size if deepest is None else min(size, deepest)
    position, nth = np.meshgrid(np.arange(1, last + 1), np.arange(1, n_hits + 1), indexing="ij")
    fits = (nth <= position) & (n_hits - nth <= size - position)
    position, nth = position[fits], nth[fits]
    chance = np.exp(choose(position - 1, nth - 1) + choose(size - position, n_hits - nth) - choose(size, n_hits)) / n_hits
    return position, nth, chance


def _log_factorials(most: int) -> Array:
    """Return the natural logarithms of 0!, 1!, …, `most`!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1, dtype=np.float64)))])
