"""Sums by item merge to the same bytes, for any parts and any order of merging."""

from __future__ import annotations

import math
import pickle
from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from receval.metrics.item_tables import ItemTerms
from receval.scoring import model_level_sums
from receval.scoring.model_level_sums import KeyedSums

from tests.sizes import draws

KNOWN = pl.Series("item", [2, 3, 5, 7])
Row = tuple[int, int, float]


def terms(rows: list[Row], text: bool = False, scores: bool = True) -> ItemTerms:
    """Return the terms of rows (item, hits, score); only the items of `KNOWN` are known."""
    index = {item: place for place, item in enumerate(KNOWN.to_list())}
    items = pl.Series([item for item, _, _ in rows], dtype=pl.Int64)
    return ItemTerms(
        user=np.zeros(len(rows), dtype=np.int64),
        items=items.cast(pl.String) if text else items,
        item_index=np.asarray([index.get(item, -1) for item, _, _ in rows], dtype=np.int64),
        counts={"hits": np.asarray([hits for _, hits, _ in rows], dtype=np.int64)},
        values={} if not scores else {"score": np.asarray([score for _, _, score in rows], dtype=np.float64)},
    )


def content(sums: KeyedSums) -> object:
    """Return everything in the sums, to the last bit."""
    (block,) = pickle.loads(pickle.dumps(sums))._blocks
    values = {name: (limbs.exponent, limbs.limbs.tolist()) for name, limbs in block.values.items()}
    return block.index.tolist(), block.keys.to_list(), {name: column.tolist() for name, column in block.counts.items()}, values


ROWS = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 12), st.just(10**15)), st.integers(0, 3), st.floats(allow_nan=False, allow_infinity=False, width=64)
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=draws(70, 200))
@given(ROWS, st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_any_parts_in_any_order_give_the_same_bytes(rows: list[Row], text: bool, scores: bool, random) -> None:  # type: ignore[no-untyped-def]
    whole = content(KeyedSums.from_terms(terms(rows, text, scores)))
    shuffled = random.sample(rows, len(rows))
    borders = sorted(random.choices(range(len(rows) + 1), k=4))
    parts = [
        KeyedSums.from_terms(terms(shuffled[start:end], text, scores))
        for start, end in zip([0, *borders], [*borders, len(rows)], strict=True)
    ]
    while len(parts) > 1:
        left, right = (parts.pop(random.randrange(len(parts))) for _ in range(2))
        parts.append(pickle.loads(pickle.dumps(left + right)) if random.random() < 0.5 else left + right)
    assert content(parts[0]) == whole


@settings(deadline=None)
@given(ROWS)
def test_there_is_one_sum_per_item_in_ascending_order(rows: list[Row]) -> None:
    sums = KeyedSums.from_terms(terms(rows)).sums(KNOWN)
    by_item: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_item[row[0]].append(row)
    assert sums.items.to_list() == sorted(by_item)
    known = KNOWN.to_list()
    assert sums.item_index.tolist() == [known.index(item) if item in known else -1 for item in sorted(by_item)]
    assert sums.columns["count"].tolist() == [len(by_item[item]) for item in sorted(by_item)]
    assert sums.columns["hits"].tolist() == [sum(hits for _, hits, _ in by_item[item]) for item in sorted(by_item)]
    for value, item in zip(sums.columns["score"], sorted(by_item), strict=True):
        try:
            assert value == math.fsum(score for _, _, score in by_item[item])
        except OverflowError:  # of a sum beyond the largest float, at the end or on the way
            continue


def test_many_merges_are_done_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_level_sums, "_PENDING", 3)
    parts = [KeyedSums.from_terms(terms([(item, 1, 0.1)])) for item in [2, 9, 2, 3, 9, 2, 11, 3]]
    merged = parts[0]
    for part in parts[1:]:
        merged += part
        assert len(merged._blocks) <= 5
    sums = merged.sums(KNOWN)
    assert dict(zip(sums.items.to_list(), sums.columns["count"].tolist(), strict=True)) == {2: 3, 3: 2, 9: 2, 11: 1}


def test_values_must_be_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        KeyedSums.from_terms(terms([(2, 0, math.nan)]))
