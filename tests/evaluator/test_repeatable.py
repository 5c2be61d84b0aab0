"""The same input gives the same bytes."""

from __future__ import annotations

import random

import polars as pl
import pytest
from receval.evaluator import render

from tests.conftest import table


@pytest.mark.slow
def test_twelve_runs_on_the_streaming_engine_give_the_same_bytes_of_every_file(evaluate):
    chance = random.Random(11)
    lists = [(u, i, chance.random()) for u in range(20_000) for i in chance.sample(range(2_000), 10)]
    test = [(u, i, chance.randint(1, 5)) for u in range(20_000) for i in chance.sample(range(2_000), 8)]
    test += [(u, i, 5) for u, i, _ in lists[::7]]
    frames = table(["user", "item", "rating"], test), table(["user", "item", "score"], lists)
    metrics = ["nDCG", "MAP", "MRR", "MAR", "F1", "DCG(log_base=3)", "RocAuc", "nDCG(gain=linear)"]
    found = set()
    for turn in range(12):
        shuffled = frames[1] if turn % 2 else frames[1].sample(fraction=1, shuffle=True, seed=turn)
        result = evaluate(
            frames[0], shuffled, metrics=metrics, top_k=[3, 10], relevance={"graded": True}, aggregates=["mean", "median", "std"]
        )
        found.add(
            (
                *tuple(render.FILES[name](result) for name in ("results.csv", "results_wide.csv", "results.parquet", "results.md")),
                render.per_user(result),
            )
        )
    assert len(found) == 1
    assert pl.read_parquet(next(iter(found))[-1]).height > 19_000


@pytest.mark.slow
def test_scores_of_repeated_items_are_summed_in_the_same_order_every_time(evaluate):
    chance = random.Random(5)
    scores = (0.1, 0.2, 0.3, 0.6, 0.7)  # 0.1 + 0.2 + 0.3 is 0.6 or not, by the order of the sum
    lists = [(u, chance.randint(0, 12), chance.choice(scores)) for u in range(3_000) for _ in range(40)]
    frames = table(["user", "item"], [(u, i) for u in range(3_000) for i in (1, 5, 9)]), table(["user", "item", "score"], lists)
    metrics = ["MAP(duplicates=sum_scores)", "nDCG(convention=warprec)", "nDCG(convention=clayrs)", "MRR(convention=trec_eval)"]
    found = {render.per_user(evaluate(*frames, metrics=metrics, top_k=[5])) for _ in range(8)}
    assert len(found) == 1
