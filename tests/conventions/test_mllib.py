"""Spark MLlib on random worlds: repeated items in lists and labels, empty lists, users without labels."""

from __future__ import annotations

import random

import pytest
import receval

WORLDS = 30
CUTS = (1, 2, 3, 10)


def pairs_of(seed: int) -> list[tuple[list[str], list[str]]]:
    """Return the list and the labels of each user; the first user has both."""
    chance = random.Random(seed)
    items = [f"i{n}" for n in range(9)]

    def some(least: int) -> list[str]:
        return [chance.choice(items) for _ in range(chance.randint(least, 7))]

    return [(some(1), some(1)), *((some(0), some(0)) for _ in range(chance.randint(1, 5)))]


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::FutureWarning")  # RankingMetrics itself makes an SQLContext
def test_mllib_and_receval_give_the_same_values():
    pyspark = pytest.importorskip("pyspark")
    from pyspark.mllib.evaluation import RankingMetrics

    session = pyspark.sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    worlds = list(map(pairs_of, range(WORLDS)))
    for seed, pairs in enumerate(worlds):
        k = CUTS[seed % len(CUTS)]  # each value is a job of Spark
        pairs = [pair for pair in pairs if pair[0] or pair[1]]  # receval cannot know of a user in neither file
        theirs = RankingMetrics(session.sparkContext.parallelize(pairs, 1))
        expected = {"meanAveragePrecision": theirs.meanAveragePrecision}
        names = ("precisionAt", "recallAt", "ndcgAt", "meanAveragePrecisionAt")
        expected |= {f"{name}({k})": getattr(theirs, name)(k) for name in names}
        listed = [(u, item, rank) for u, (items, _) in enumerate(pairs) for rank, item in enumerate(items, 1)]
        labels = [(u, item) for u, (_, some) in enumerate(pairs) for item in some]
        found = receval.evaluate(
            test=dict(zip(("user", "item"), map(list, zip(*labels, strict=True)), strict=True)),
            recommendations=dict(zip(("user", "item", "rank"), map(list, zip(*listed, strict=True)), strict=True)),
            metrics=list(expected),
            convention="mllib",
            health=False,
        )
        for (name, value), row in zip(expected.items(), found.rows, strict=True):
            assert row.value == pytest.approx(value, abs=1e-12), (name, pairs)
