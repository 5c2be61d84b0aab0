"""The same input gives the same bytes."""

from __future__ import annotations

import math
import random
from collections import Counter

import polars as pl
import pytest
from receval.render.forms import rendered
from receval.support.outputs import in_folder, output_form

from tests.conftest import per_user, table
from tests.sizes import draws, some


def file_bytes(result, name):
    """Return the bytes of a file of an output folder."""
    return rendered(in_folder("result")[name], result)


def users_of(result):
    """Return the per-user values as Parquet."""
    return rendered(output_form("parquet", "users"), result)


@pytest.mark.release
@pytest.mark.slow
def test_runs_on_the_streaming_engine_give_the_same_bytes_of_every_file(evaluate):
    chance = random.Random(11)
    lists = [(u, i, chance.random()) for u in range(20_000) for i in chance.sample(range(2_000), 10)]
    test = [(u, i, chance.randint(1, 5)) for u in range(20_000) for i in chance.sample(range(2_000), 8)]
    test += [(u, i, 5) for u, i, _ in lists[::7]]
    frames = table(["user", "item", "rating"], test), table(["user", "item", "score"], lists)
    metrics = ["nDCG", "MAP", "MRR", "MAR", "F1", "DCG(log_base=3)", "RocAuc", "nDCG(gain=linear)"]
    found = set()
    for turn in range(draws(4, 12)):
        shuffled = frames[1] if turn % 2 else frames[1].sample(fraction=1, shuffle=True, seed=turn)
        result = evaluate(
            frames[0], shuffled, metrics=metrics, top_k=[3, 10], relevance={"graded": True}, aggregates=["mean", "median", "std"]
        )
        found.add(
            (
                *tuple(file_bytes(result, name) for name in ("results.csv", "results_wide.csv", "results.parquet", "results.md")),
                users_of(result),
            )
        )
    assert len(found) == 1
    assert pl.read_parquet(next(iter(found))[-1]).height > 19_000


@pytest.mark.release
@pytest.mark.slow
def test_scores_of_repeated_items_are_summed_in_the_same_order_every_time(evaluate):
    chance = random.Random(5)
    scores = (0.1, 0.2, 0.3, 0.6, 0.7)  # 0.1 + 0.2 + 0.3 is 0.6 or not, depending on the order of the sum
    lists = [(u, chance.randint(0, 12), chance.choice(scores)) for u in range(3_000) for _ in range(40)]
    frames = table(["user", "item"], [(u, i) for u in range(3_000) for i in (1, 5, 9)]), table(["user", "item", "score"], lists)
    metrics = ["MAP(duplicates=sum_scores)", "nDCG(convention=warprec)", "nDCG(convention=clayrs)", "MRR(convention=trec_eval)"]
    found = {users_of(evaluate(*frames, metrics=metrics, top_k=[5])) for _ in range(draws(3, 8))}
    assert len(found) == 1


REPEATABLE = "EPC(relevance=none)|EFD|Surprisal|LongTailNovelty|MeanPopRank|AlphaNDCG|Gini|PopRSP|PopREO"
REPEATABLE += "|Unexpectedness|ExposureParity(by=group)"
STREAMED = "AggregateDiversity|GiniSimpson|ShannonEntropy(weights=lists)|ItemMADRanking(by=group)|ElevenPointPrecision"
STREAMED += "|ILD|ILD(norm=items)|ILD(distance=cosine)|ILS"


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize(
    "metrics",
    [
        pytest.param(REPEATABLE, id="exact"),
        pytest.param(STREAMED, id="streamed"),
    ],
)
def test_metrics_of_whole_lists_give_the_same_bytes_in_any_order_of_rows(metrics, evaluate):
    chance = random.Random(3)
    lists = [(u, i, chance.random()) for u in range(20_000) for i in chance.sample(range(3_000), 12)]
    train = [(u, chance.randint(0, 2_500)) for u in range(20_000) for _ in range(4)]
    frames = {
        "lists": table(["user", "item", "score"], lists),
        "test": table(["user", "item"], [(u, i) for u, i, _ in lists[::9]]),
        "train": table(["user", "item"], train),
        "items": table(["item", "categories", "group"], [(i, "|".join(chance.sample("ABCDEF", 2)), "ab"[i % 2]) for i in range(2_900)]),
        "baseline": table(["user", "item", "score"], [(u, i, s) for u, i, s in lists[::3] if u % 2]),
    }
    found = set()
    for turn in some(range(4), 2):
        given = {name: frame.sample(fraction=1, shuffle=True, seed=turn) if turn > 1 else frame for name, frame in frames.items()}
        result = evaluate(given.pop("test"), given.pop("lists"), **given, metrics=metrics.split("|"), top_k=[5, 10])
        found.add((file_bytes(result, "results.csv"), users_of(result)))
    assert len(found) == 1


def test_streamed_sums_are_exact(evaluate):
    chance = random.Random(17)
    lists = [(u, i, rank) for u in range(20) for rank, i in enumerate(chance.sample(range(500), 300), 1)]
    train = [(u, min(int(chance.paretovariate(0.4)), 400)) for u in range(150) for _ in range(30)]
    frames = table(["user", "item"], [(0, 0)]), table(["user", "item", "rank"], lists)
    result = evaluate(
        *frames,
        train=table(["user", "item"], train),
        metrics=["EFD(relevance=none,count=rows,population=lists)", "Surprisal"],
        top_k=["none"],
    )
    rows = Counter(item for _, item in train)
    users = Counter(item for _, item in set(train))
    for user, row in per_user(result).items():
        ranked = [item for u, item, _ in lists if u == user]
        bits = math.fsum(-math.log2(max(users[item], 1) / 150) for item in ranked)
        assert row["Surprisal@none"] == pytest.approx(bits / 300, rel=1e-12, abs=0)
        discounts = [1 / math.log2(rank + 1) for rank in range(1, 301)]
        free = math.fsum(d * -math.log2(rows.get(item, min(rows.values())) / len(train)) for d, item in zip(discounts, ranked, strict=True))
        assert row["EFD(relevance=none,count=rows,population=lists)@none"] == pytest.approx(free / math.fsum(discounts), rel=1e-12, abs=0)
