"""Rows counted by user, cut-off and kind in one table equal rows counted kind by kind."""

import numpy as np
import pytest
from receval.tables.rows import Rows, number_rows


@pytest.mark.parametrize("cutoffs", [None, (1, 3, 10)])
@pytest.mark.parametrize("n_kinds", [1, 4])
def test_a_tally_of_all_kinds_equals_the_sums_of_each_kind(cutoffs, n_kinds):
    random = np.random.default_rng(2)
    user = np.sort(random.integers(0, 9, 200))
    rows = Rows(10, user, {"rank": number_rows(user, 10)})
    kinds = random.integers(-1, n_kinds, len(user))
    for kind, counts in enumerate(rows.tallies(kinds, n_kinds, cutoffs)):
        assert np.array_equal(counts, rows.sums(kinds == kind, cutoffs))
