"""Borders of users, cuts, and users who come back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from receval.engines.part import ClosedUsers, cut_points
from receval.engines.partitions import by_bucket, by_user
from receval.tables.ids import user_starts

from .collecting import table


@pytest.mark.parametrize(("users", "starts"), [([], []), ([4], [0]), ([4, 4, 1, 4], [0, 2, 3])])
def test_starts_are_the_first_rows_of_users(users, starts):
    assert user_starts(pl.Series(users, dtype=pl.Int64)).tolist() == starts
    assert user_starts(pl.Series(users).cast(pl.String)).tolist() == starts


def test_cuts_are_at_the_first_new_user_after_the_size_of_a_part():
    starts = user_starts(pl.Series([1, 1, 1, 1, 1, 2, 3, 3, 4]))
    assert cut_points(starts, 9, 2) == [0, 5, 6, 8, 9]
    assert cut_points(starts, 9, 100) == [0, 9]


@pytest.mark.parametrize("kind", [pl.Int64, pl.String])
def test_a_finished_user_who_comes_back_is_noticed_in_any_order(kind):
    batches = [[5, 6, 7], [1, 2], [], [9, 8], [3], [30, 20, 10], [11]]
    users = [user for batch in batches for user in batch]
    for again in users:
        closed = ClosedUsers()
        assert all(closed.add(pl.Series(batch, dtype=pl.Int64).cast(kind)) for batch in batches)
        assert not closed.add(pl.Series([40, again]).cast(kind))


def test_a_user_twice_in_a_batch_is_noticed():
    assert not ClosedUsers().add(pl.Series([3, 1, 3]))


def test_users_that_share_bits_of_their_hash_are_different(monkeypatch):
    from receval.engines import partitions

    real = partitions.hashes
    monkeypatch.setattr(partitions, "hashes", lambda users: real(users) >> 22)
    frame = table([(number * 31) % 97 for number in range(1000)])
    grouped = by_user(frame)
    assert len(user_starts(grouped["user"])) == 97
    assert grouped.sort("row").equals(frame)
    assert all(rows["row"].is_sorted() for rows in grouped.partition_by("user"))


def test_a_bucket_has_all_rows_of_its_users_in_order_of_the_file():
    frame = table([(number * 31) % 970 for number in range(5000)])
    block, borders = by_bucket(frame)
    buckets = [block.slice(first, end - first) for first, end in pairwise(borders)]
    assert sum(bucket["user"].n_unique() for bucket in buckets) == 970
    assert all(bucket["row"].is_sorted() for bucket in buckets)


@pytest.mark.parametrize("factor", [1, 50, 70_001, 2**33 + 1, 2**50])
@pytest.mark.parametrize("offset", [0, -1000, 2**62])
def test_integer_users_are_sorted_however_far_apart_they_are(factor, offset):
    users = np.random.default_rng(2).integers(-40, 40, 3000) * factor + (offset if factor < 2**50 else 0)
    frame = table(users.tolist())
    assert by_user(frame).equals(frame.sort("user", maintain_order=True))
