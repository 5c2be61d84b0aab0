"""Personalization beside a reader of all pairs of users."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval import evaluate

LISTS = st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 8), min_size=1, max_size=5, unique=True), min_size=2)


@given(LISTS, st.sampled_from([None, 1, 2, 4]))
def test_the_pass_over_the_items_gives_the_mean_over_all_pairs_of_users(lists, k):
    cut = [set(items[:k]) for items in lists.values()]
    length = k or sum(map(len, cut)) / len(cut)
    at = "none" if k is None else k
    result = evaluate(
        test={user: [8] for user in lists},
        recommendations={"m": lists},
        metrics=[f"Personalization@{at}", f"Personalization(overlap=share)@{at}"],
    )
    pairs = list(combinations(cut, 2))
    cosine = sum(len(a & b) / (len(a) * len(b)) ** 0.5 for a, b in pairs) / len(pairs)
    share = sum(len(a & b) / length for a, b in pairs) / len(pairs)
    assert [row.value for row in result] == pytest.approx([1 - cosine, 1 - share], abs=1e-12)
