"""Make the sample data: a synthetic shop with tastes, and three recommenders of different quality. Seeded; run it to remake the data.

    python configs/data/make.py

- 1,200 items with one to three of eight genres; their popularity follows a power law.
- 600 users, each with a taste for two or three genres and an individual activity, long-tailed too. The items of a user depend on
  popularity and taste; the rating (1 to 5) on taste, the item's quality and chance.
- Interactions spread over two years; everything after one date is the test set, as in real use. Users who were not active after
  it have no test rows.
- `knn`: item-to-item cosine over train. `popular`: train counts; of two items with the same count the one with the smaller id
  scores higher. `random`: chance. Each lists 50 items per user that the user does not have in train, best first, with a score.
- `items.csv` has for each item the kind of `label` that publishes it, `users.csv` how active a user was and the `plan` that is paid.
- `predictions.csv` guesses ratings of nine in ten test pairs from the means of train; `previous_policy.csv` has how often the
  shop showed an item before.

Nothing here is real, so the files may be used for anything.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl

SEED = 20_240_501
N_USERS, N_ITEMS, N_LISTED = 600, 1_200, 50
GENRES = ("ambient", "blues", "classical", "electronic", "folk", "jazz", "pop", "rock")
START, DAYS, SPLIT_DAY = 1_672_531_200, 730, 600
HERE = Path(__file__).parent

Interaction = tuple[int, int, int, int]


def main() -> None:
    """Write all files beside this script."""
    chance = random.Random(SEED)
    genres = {item: sorted(chance.sample(GENRES, chance.choice((1, 1, 2, 2, 3)))) for item in range(1, N_ITEMS + 1)}
    interactions = sorted(_interactions(chance, genres), key=lambda row: (row[3], row[0], row[1]))
    split = START + SPLIT_DAY * 86_400
    train = [row for row in interactions if row[3] < split]
    known = {row[0] for row in train}
    test = [row for row in interactions if row[3] >= split and row[0] in known]
    for name, rows in (("train", train), ("test", test)):
        columns = ["user_id", "item_id", "rating", "timestamp"]
        pl.DataFrame(rows, schema=columns, orient="row").write_csv(HERE / f"{name}.csv")
    aside = random.Random(SEED + 1)
    labels = [aside.choices(("major", "independent", "self"), (5, 4, 1))[0] for _ in genres]
    items = {"item_id": list(genres), "genres": ["|".join(names) for names in genres.values()], "label": labels}
    pl.DataFrame(items).write_csv(HERE / "items.csv")
    pl.DataFrame(_users(aside, train), schema=["user_id", "activity", "plan"], orient="row").write_csv(HERE / "users.csv")
    pl.DataFrame(_predictions(aside, train, test), schema=["user_id", "item_id", "prediction"], orient="row").write_csv(
        HERE / "predictions.csv"
    )
    pl.DataFrame(_shown(train), schema=["item_id", "score"], orient="row").write_csv(HERE / "previous_policy.csv")
    seen: dict[int, set[int]] = defaultdict(set)
    for user, item, _, _ in train:
        seen[user].add(item)
    for name, scores in (("knn", _knn(seen)), ("popular", _popular(seen)), ("random", _random(seen, chance))):
        rows = [(user, *pair) for user in sorted(seen) for pair in _best(scores(user), seen[user])]
        pl.DataFrame(rows, schema=["user_id", "item_id", "score"], orient="row").write_parquet(HERE / f"{name}.parquet")


def _interactions(chance: random.Random, genres: dict[int, list[str]]) -> list[Interaction]:
    order = chance.sample(sorted(genres), N_ITEMS)
    popularity = {item: 1 / (place + 8) ** 0.9 for place, item in enumerate(order)}
    quality = {item: chance.gauss(0, 0.5) for item in genres}
    rows: list[Interaction] = []
    for user in range(1, N_USERS + 1):
        tastes = dict(zip(chance.sample(GENRES, 3), (1.0, 0.7, 0.4), strict=True))
        liking = {item: max(tastes.get(genre, 0.05) for genre in names) for item, names in genres.items()}
        count = min(300, 12 + int(chance.paretovariate(1.1) * 14))
        weights = [popularity[item] * liking[item] ** 2 for item in genres]
        taken = dict.fromkeys(chance.choices(list(genres), weights, k=2 * count))
        begin, end = sorted(chance.random() ** power for power in (3.0, 0.2))
        for item in list(taken)[:count]:
            rating = round(2.2 + 2.2 * liking[item] + quality[item] + chance.gauss(0, 0.6))
            when = START + int((begin + (end - begin) * chance.random()) * DAYS * 86_400)
            rows.append((user, item, max(1, min(5, rating)), when))
    return rows


def _users(chance: random.Random, train: list[Interaction]) -> list[tuple[int, str, str]]:
    counts = Counter(row[0] for row in train)
    order = sorted(counts, key=lambda user: (counts[user], user))
    third = {user: ("low", "medium", "high")[3 * place // len(order)] for place, user in enumerate(order)}
    return [(user, third[user], "paid" if chance.random() < 0.3 else "free") for user in sorted(counts)]


def _predictions(chance: random.Random, train: list[Interaction], test: list[Interaction]) -> list[tuple[int, int, float]]:
    overall = sum(row[2] for row in train) / len(train)
    apart: list[dict[int, float]] = []
    for column in (0, 1):
        sums, counts = Counter[int](), Counter[int]()
        for row in train:
            sums[row[column]] += row[2]
            counts[row[column]] += 1
        apart.append({item: (sums[item] - counts[item] * overall) / (counts[item] + 5) for item in counts})
    users, items = apart
    return [
        (user, item, round(overall + users.get(user, 0.0) + items.get(item, 0.0), 3)) for user, item, _, _ in test if chance.random() < 0.9
    ]


def _shown(train: list[Interaction]) -> list[tuple[int, float]]:
    counts = Counter(row[1] for row in train)
    return [(item, round(counts[item] / 10, 3)) for item in sorted(counts)]


def _knn(seen: dict[int, set[int]]):
    items = sorted(set().union(*seen.values()))
    column = {item: place for place, item in enumerate(items)}
    held = np.zeros((len(seen), len(items)))
    for row, taken in enumerate(seen.values()):
        held[row, [column[item] for item in taken]] = 1.0
    together = held.T @ held
    counts = together.diagonal().copy()
    np.fill_diagonal(together, 0.0)
    similarities = together / np.sqrt(np.outer(counts, counts))

    def scores(user: int) -> dict[int, float]:
        total = np.zeros(len(items))
        for item in sorted(seen[user]):
            total += similarities[column[item]]
        return {item: round(score, 6) for item, score in zip(items, total.tolist(), strict=True) if score}

    return scores


def _popular(seen: dict[int, set[int]]):
    counts: dict[int, float] = defaultdict(float)
    for items in seen.values():
        for item in items:
            counts[item] += 1.0
    scores = {item: round(count - item / (10 * N_ITEMS), 6) for item, count in counts.items()}  # no two items have the same score
    return lambda user: scores


def _random(seen: dict[int, set[int]], chance: random.Random):
    items = sorted(set().union(*seen.values()))
    return lambda user: {item: round(chance.random(), 6) for item in items}


def _best(scores: dict[int, float], seen: set[int]) -> list[tuple[int, float]]:
    unseen = [(item, score) for item, score in scores.items() if item not in seen]
    return sorted(unseen, key=lambda pair: (-pair[1], pair[0]))[:N_LISTED]


if __name__ == "__main__":
    main()
