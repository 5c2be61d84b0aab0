"""Concordant pairs beside a reader of all pairs of a user's ratings."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from receval import evaluate

RATINGS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 2.5, 3.0, 5.0]), st.sampled_from([0.0, 1.0, 1.5, 4.0, None])), min_size=1, max_size=9
)


@given(st.lists(RATINGS, min_size=1, max_size=4))
def test_the_passes_over_the_bits_give_the_counts_of_all_pairs(users):
    every = [(u, i, t, p) for u, rows in enumerate(users) for i, (t, p) in enumerate(rows)]
    test = [(*row[:3],) for row in every] + [(99, 0, 1.0)]
    predicted = [(u, i, p) for u, i, _, p in every if p is not None] + [(99, 0, 1.0)]
    result = evaluate(
        test=dict(zip(("user", "item", "rating"), map(list, zip(*test, strict=True)), strict=True)),
        predictions=dict(zip(("user", "item", "prediction"), map(list, zip(*predicted, strict=True)), strict=True)),
        metrics=["ConcordantPairs", "DiscordantPairs", "FCP", "FCP(average=micro)"],
        aggregates=None,
    )
    counts = []
    for rows in users:
        pairs = [(p, q) for (t, p), (s, q) in permutations(rows, 2) if t > s and None not in (p, q)]
        counts.append((sum(p > q for p, q in pairs), sum(p <= q for p, q in pairs)))
    concordant, discordant = (sum(column) for column in zip(*counts, strict=True))
    shares = [c / (c + d) for c, d in counts if c + d]
    n = len(users) + 1
    mean = sum(shares) / len(shares) if shares else None
    pooled = concordant / (concordant + discordant) if shares else None
    found = [row.value for row in result]
    assert found[:2] == pytest.approx([concordant / n, discordant / n], abs=1e-12)
    assert found[2:] == ([None, None] if mean is None else pytest.approx([mean, pooled], abs=1e-12))
