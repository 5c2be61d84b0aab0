"""Test rows → the target of each user: the last row, the first row, or a random item."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from ..support.errors import DataError
from ..syntax.target_rule import TargetRule
from ..tables.array import Array, blocks
from .side_inputs import index_ids
from .truth_hash import hash_ids, spread_bits

_ROWS: Final = 1 << 14
"""Hashes of so many rows stay in the cache of a core."""


def choose_targets(rows: pl.DataFrame, target: TargetRule, place: str, time_column: str) -> tuple[pl.DataFrame, str]:
    """Return one test row of each user, in the order of the rows, and a remark on what was chosen.

    `rows` are all rows, in the order of the file, with the columns `user`, `item` and maybe `timestamp`. The first and the last row are
    those by time. Rows of equal time are in the order of the file, as are all rows without `timestamp`. A row without a time is chosen only
    if its user has none with a time. A random item depends on its id, the id of the user and the seed; every item of a user is equally
    likely, and of several rows of it the last is chosen.

    Raises `DataError`, with the `place` of the rows and the name of the time column in it, if times decide and no row has a time.
    """
    users, user = index_ids(rows["user"])
    n, is_random, has_times = len(users), target.rule == "random", "timestamp" in rows.columns
    late = rows["timestamp"].cast(pl.Float64).to_numpy() if has_times else np.zeros(len(rows))
    timed = np.isfinite(late)
    n_untimed = len(rows) - int(np.count_nonzero(timed))
    if not is_random and n_untimed and n_untimed == len(rows):
        raise DataError(
            f"{place}: no row has a time that can be read in column {time_column!r}, so no row of a user is the {target.rule}",
            "write times as numbers or as 2024-05-31 12:00:00, or choose another column with columns: {timestamp: NAME}",
        )
    if target.rule == "first":
        late = -late
    if n_untimed:
        late = np.where(timed, late, -np.inf)
    if is_random:
        among = _largest(user, _random_numbers(rows, target.seed), n)
        at = among[_largest(user[among], late[among], n)]
    else:
        at = _largest(user, late, n)
    chosen = np.empty(n, dtype=np.int64)
    in_order = at[::-1] if target.rule == "first" else at
    chosen[user[in_order]] = in_order  # of several rows of a user the last one stays
    several = np.bincount(user[at], minlength=n) > 1
    without_times = late[chosen] == -np.inf
    remark = _remark(target, has_times, n, len(rows))
    if has_times and not is_random:
        remark += _on_times(target, int((several & ~without_times).sum()), n_untimed, int(without_times.sum()))
    return rows[np.sort(chosen)], remark


def _largest(user: Array, numbers: Array, n_users: int) -> Array:
    """Return the rows with the largest number of their user."""
    largest = np.full(n_users, numbers.min(initial=np.inf if numbers.dtype == np.float64 else 0), dtype=numbers.dtype)
    np.maximum.at(largest, user, numbers)
    found = [np.flatnonzero(numbers[some] == largest[user[some]]) + some.start for some in blocks(len(user))]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _random_numbers(rows: pl.DataFrame, seed: int) -> Array:
    """Return a random-looking number of 64 bits for each row, the same for rows with equal ids, however these are stored."""
    numbers = np.empty(len(rows), dtype=np.uint64)
    key = spread_bits(np.array([seed], dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    for some in blocks(len(rows), _ROWS):
        ids = rows[some]
        numbers[some] = spread_bits(spread_bits(hash_ids(ids["user"]) ^ key) + hash_ids(ids["item"]))
    return numbers


def _remark(target: TargetRule, has_times: bool, n_targets: int, n_rows: int) -> str:
    """Return the sentence on what is the target, and how many rows that are."""
    by_time = " by time" if has_times else " in the order of the rows"
    what = f"a random item of each user (seed {target.seed})" if target.rule == "random" else f"the {target.rule} row of each user{by_time}"
    without = "" if has_times or target.rule == "random" else "; no time column is recognised"
    return f"Only {what} is the target (data.test.target{without}): {n_targets:,} of {n_rows:,} test rows."


def _on_times(target: TargetRule, n_tied: int, n_untimed: int, n_without: int) -> str:
    """Return sentences on users with several rows of the deciding time, and on rows without a time, each after a space."""
    sentences = ""
    if n_tied:
        who = "1 user has" if n_tied == 1 else f"{n_tied:,} users have"
        sentences += f" {who} several rows of the {target.rule} time; the {target.rule} of them in the order of the rows is the target."
    if n_untimed:
        rows = "1 row has no time and is" if n_untimed == 1 else f"{n_untimed:,} rows have no time and are"
        users = "1 user" if n_without == 1 else f"{n_without:,} users"
        sentences += f" {rows} the target only of users without any time ({users})."
    return sentences
