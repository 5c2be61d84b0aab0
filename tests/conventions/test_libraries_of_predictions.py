"""Surprise and recmetrics on random worlds: ratings of 0 and below, equal predictions, rows that appear twice; skipped without them."""

from __future__ import annotations

import random

import pytest
import receval

WORLDS = 60
MEASURES = ("rmse", "mse", "mae", "fcp")


def world(seed: int) -> list[tuple[str, str, float, float]]:
    """Return rows of user, item, rating and prediction; a pair that appears twice has one prediction."""
    chance = random.Random(seed)
    rows = []
    for user in range(chance.randint(1, 6)):
        for item in range(chance.randint(1, 9)):
            prediction = chance.choice([1, 2, 2, 3, 3.5, 4]) if seed % 2 else chance.uniform(0, 5)
            rows.append((f"u{user}", f"i{item}", chance.choice([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0]), float(prediction)))
    if seed % 5 == 0:
        rows += [(user, item, float(chance.randint(1, 5)), p) for user, item, _, p in chance.sample(rows, max(1, len(rows) // 3))]
        chance.shuffle(rows)
    return rows


def test_surprise_and_receval_give_the_same_values():
    accuracy = pytest.importorskip("surprise.accuracy")
    undefined = 0
    for rows in map(world, range(WORLDS)):
        pairs = {(user, item): p for user, item, _, p in rows}
        found = receval.evaluate(
            test=dict(zip(("user", "item", "rating"), (list(column) for column in list(zip(*rows, strict=True))[:3]), strict=True)),
            predictions={"user": [u for u, _ in pairs], "item": [i for _, i in pairs], "prediction": list(pairs.values())},
            metrics=list(MEASURES),
            convention="surprise",
            health=False,
        )
        for name, row in zip(MEASURES, found.rows, strict=True):
            try:
                expected = float(getattr(accuracy, name)([(*one, {}) for one in rows], verbose=False))
            except ValueError:  # no pair of different ratings
                undefined += 1
                assert row.value is None, (name, rows)
            else:
                assert row.value == pytest.approx(expected, abs=1e-12), (name, rows)
    assert undefined < WORLDS // 4


def lists_of(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return the test items and the list of each user, with repeated items in both."""
    chance = random.Random(seed)
    items = [f"i{n}" for n in range(9)]
    users = range(chance.randint(2, 6))
    actual = [[chance.choice(items) for _ in range(chance.randint(1, 7))] for _ in users]
    return actual, [[chance.choice(items) for _ in range(chance.randint(1, 7))] for _ in users]


def test_recmetrics_and_receval_give_the_same_values():
    library = pytest.importorskip("recmetrics")
    for actual, predicted in map(lists_of, range(WORLDS)):
        expected = {f"mark@{k}": library.mark(actual, predicted, k) for k in (1, 2, 3, 10)}
        expected["recommender_precision"] = library.recommender_precision(predicted, actual)
        expected["recommender_recall"] = library.recommender_recall(predicted, actual)
        expected["prediction_coverage"] = library.prediction_coverage(predicted, [f"i{n}" for n in range(7)])
        tables = {
            name: {"user": [u for u, some in enumerate(lists) for _ in some], "item": [item for some in lists for item in some]}
            for name, lists in (("test", actual), ("recommendations", predicted))
        }
        catalogue = {"item": [f"i{n}" for n in range(7)]}
        found = receval.evaluate(**tables, items=catalogue, metrics=list(expected), convention="recmetrics", health=False)
        for (name, value), row in zip(expected.items(), found.rows, strict=True):
            assert row.value == pytest.approx(value, abs=1e-12), (name, actual, predicted)
