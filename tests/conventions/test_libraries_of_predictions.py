"""Surprise, recmetrics and Evidently on random worlds: ratings of 0 and below, equal predictions, rows that appear twice, short lists."""

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
                expected = float(getattr(accuracy, name)([(*rating, {}) for rating in rows], verbose=False))
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


def table_of(seed: int) -> list[tuple[int, int, int, int]]:
    """Return rows of user, item, target and rank, users in any order; lists of different lengths unless the seed is even."""
    chance = random.Random(seed)
    length, users = chance.randint(1, 8), chance.sample(range(20), chance.randint(2, 6))
    targets = [0, 0, 1, 3] if seed % 3 else [0, 1]
    sizes = [length if seed % 2 == 0 else chance.randint(1, 8) for _ in users]
    rows = [
        (u, 100 + n, chance.choice(targets), n + 1) for u, size in zip(users, sizes, strict=True) for n in chance.sample(range(size), size)
    ]
    rows.append((21, 100, 1, 1))
    rows += [(21, 100 + n, 0, n + 1) for n in range(1, length)]
    return sorted(rows, key=lambda row: row[3]) if seed % 2 == 0 else rows


@pytest.mark.parametrize("feedback", ["false", "true"])
@pytest.mark.parametrize("of", ["rank", "score"])
def test_evidently_and_receval_give_the_same_values(feedback, of):
    evidently, metrics = pytest.importorskip("evidently"), pytest.importorskip("evidently.metrics")
    pd = pytest.importorskip("pandas")
    names = ("PrecisionTopK", "RecallTopK", "NDCG", "MRR", "HitRate", "FBetaTopK", "MAP")
    for seed in range(WORLDS // 2):
        rows = table_of(seed)
        users, items, targets, ranks = map(list, zip(*rows, strict=True))
        predicted = ranks if of == "rank" else [10.0 - rank for rank in ranks]
        frame = pd.DataFrame({"user_id": users, "item_id": items, "target": targets, "prediction": predicted})
        kind = evidently.Recsys(recommendations_type=of, user_id="user_id", item_id="item_id", target="target", prediction="prediction")
        data = evidently.Dataset.from_pandas(frame, data_definition=evidently.DataDefinition(ranking=[kind]))
        used = names if seed % 2 == 0 else names[:-1]  # MAP repeats the last row of shorter lists
        deepest = min(5, users.count(21))  # the library fails if no list has k rows
        asked = [getattr(metrics, name)(k=deepest, no_feedback_users=feedback == "true") for name in used]
        more = [metrics.Personalization(k=1)]
        values = [metric["value"] for metric in evidently.Report([*asked, *more]).run(data, None).dict()["metrics"]]
        expected = {"Personalization@1": float(values.pop())}
        for name, value in zip(used, values, strict=True):
            for k in range(1, deepest + 1):
                expected[f"{name}(no_feedback_users={feedback})@{k}"] = float(list(value["value"].values())[k - 1])
        found = receval.evaluate(
            test={"user": users, "item": items, "rating": [float(target) for target in targets]},
            recommendations={"user": users, "item": items, of: predicted},
            metrics=list(expected),
            convention="evidently",
            health=False,
        )
        for (name, value), row in zip(expected.items(), found.rows, strict=True):
            assert row.value == pytest.approx(0.0 if value != value and name.startswith("FBeta") else value, abs=1e-12), (name, rows)
