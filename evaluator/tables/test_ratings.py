"""The rating of every pair of the test file, and the score of it where the list holds the pair."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ..conventions.axis import Truth
from ..errors import DataError
from .array import Array
from .graph import table
from .lists import Reading
from .part import PartData
from .prepared import Prepared
from .rows import Rows, starts_of
from .truth import ONE_ROW, TestPairs, one_row_per_pair, rows_that_pass


class TestRatings(Struct, frozen=True, eq=False):
    """Which test pairs count at all, in the order of users and items: the index of each (`pair`), and its `rating`, 1 without ratings.

    Where every row of the test file counts, a pair has an entry for each, the lowest rating first.
    """

    __test__ = False

    pair: Array
    rating: Array

    def rating_of_pair(self, n_pairs: int) -> Array:
        """The highest rating of every test pair, NaN for those that do not count."""
        ratings = np.full(n_pairs, np.nan)
        np.fmax.at(ratings, self.pair, self.rating)
        return ratings

    def of_pairs(self, pairs: Array) -> tuple[Array, Array]:
        """Every rating of these `pairs`, in their order: the index of its pair among them, and the rating."""
        first, end = (np.searchsorted(self.pair, pairs, side) for side in ("left", "right"))
        n = end - first
        index = np.repeat(np.arange(len(pairs)), n)
        return index, self.rating[np.arange(len(index)) - np.repeat(np.cumsum(n) - n - first, n)]


@table("test_ratings", uses=("part", "prepared", "test_pairs"), varies=("truth",))
def test_ratings(part: PartData, prepared: Prepared, test_pairs: TestPairs, truth: Truth) -> TestRatings:
    """Every pair of the test file that the filter keeps, relevant or not: with its largest, last or summed rating, or each row."""
    passing = rows_that_pass(part, prepared, test_pairs, truth.filter)
    pair, rating = test_pairs.row_pair, test_pairs.rating
    if "row" in truth.duplicates and test_pairs.repeats:
        rows = np.flatnonzero(passing)
        ratings = np.ones(len(rows)) if rating is None else rating[rows]
        order = np.lexsort((ratings, pair[rows]))
        return TestRatings(pair[rows][order], ratings[order])
    if rating is None:
        pairs = np.unique(pair[passing])
        return TestRatings(pairs, np.ones(len(pairs)))
    if truth.duplicates in ONE_ROW:
        pair, rating, passing = one_row_per_pair(test_pairs, rating, passing, truth.duplicates)
    largest = np.full(len(test_pairs), -np.inf)
    np.maximum.at(largest, pair[passing], rating[passing])
    pairs = np.unique(pair[passing])
    return TestRatings(pairs, largest[pairs])


@table("scored_pairs", uses=("reading", "rated"), reads_scores=True)
def scored_pairs(reading: Reading, rated: Rows) -> Rows:
    """The test pairs that the list holds, in the order of users and items, each at its best rank: `rank`, `pair`, maybe `score`."""
    _, first = np.unique(rated["pair"], return_index=True)
    rows = rated.take(first)
    if "score" not in reading.source.rows:
        return rows
    return rows.with_columns(score=reading.score[starts_of(reading.user, reading.n_users)[rows.user] + rows["rank"] - 1])


def scores_of(scored_pairs: Rows) -> Array:
    """The scores of test pairs; `DataError` if the lists have none."""
    if "score" not in scored_pairs:
        raise DataError(
            "data.recommendations: the lists have no scores, which correlations, and rating errors without data.predictions, need",
            "name the column of the scores in the config, columns: {score: NAME}, or give data.predictions",
        )
    return scored_pairs["score"]
