"""Surprise on random worlds with ratings of 0 and below, equal predictions and test rows that appear twice; skipped without the library."""

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
