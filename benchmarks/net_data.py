"""The synthetic world of the net: small files of every kind, from a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


def write_world(folder: Path) -> None:
    """Write a small synthetic world: 240 users, 60 items, models of different quality, runs, folds, ties, and dirty files."""
    chance = random.Random(24)
    folder.mkdir()
    users = [f"u{number:03}" for number in range(240)]
    items = [f"i{number:02}" for number in range(60)]
    truth = {user: chance.sample(items[:50], 1 + number % 5) for number, user in enumerate(users)}
    seen = {user: [item for item in chance.choices(items, range(60, 0, -1), k=12) if item not in truth[user]] for user in users}
    test = [(user, item, chance.choice((2, 3, 4, 4, 5, 5)), 1000 + chance.randrange(500)) for user in users for item in truth[user]]
    train = [(user, item, chance.randint(1, 5), chance.randrange(1000)) for user in users for item in dict.fromkeys(seen[user])]
    write(folder / "test.csv", "user,item,rating,timestamp", test)
    write(folder / "train.csv", "user,item,rating,timestamp", train)
    write(folder / "items.csv", "item,genres,label", [(item, genres(number), "ABC"[number % 3]) for number, item in enumerate(items)])
    write(folder / "users.csv", "user,plan,household", [(user, plan(number), f"h{number // 3}") for number, user in enumerate(users)])
    for fold, part in enumerate((test[::2], test[1::2]), 1):
        write(folder / f"test_{fold}.csv", "user,item,rating,timestamp", part)
    models = {"base": 0.5, "good": 0.8, "worse": 0.3, "close": 0.51, "run_1": 0.6, "run_2": 0.62, "run_3": 0.58}
    models |= {f"m{number:02}": 0.2 + 0.05 * number for number in range(12)}
    for name, quality in models.items():
        write(folder / f"{name}.csv", "user,item,score", lists(chance, truth, items, quality))
    tied = [(user, item, round(score)) for user, item, score in lists(chance, truth, items, 0.6)]
    write(folder / "tied.csv", "user,item,score", tied)
    write_dirty(folder, chance, tied, test)


def lists(chance: random.Random, truth: Mapping[str, Sequence[str]], items: Sequence[str], quality: float) -> list[tuple[Any, ...]]:
    """Return ten items for each user: a relevant one is among the first with probability `quality`, and the others are random."""
    rows: list[tuple[Any, ...]] = []
    for user, relevant in truth.items():
        hits = [item for item in relevant if chance.random() < quality]
        listed = [*hits, *(item for item in chance.sample(items, 16) if item not in relevant)][:10]
        ranked = sorted(listed, key=lambda item: chance.random() - (item in hits) / 3)
        rows += [(user, item, round(10 - rank + chance.random(), 4)) for rank, item in enumerate(ranked)]
    return rows


def write_dirty(folder: Path, chance: random.Random, recs: Sequence[tuple[Any, ...]], test: Sequence[tuple[Any, ...]]) -> None:
    """Write lists with duplicates, empty ids, scores that are not numbers, unknown items and users, and a train file with test rows."""
    odd = [*recs[:40], *recs[20:60], ("u010", "", 5), ("", "i03", 4), ("u011", "i04", "nan"), ("u012", "i05", "inf")]
    odd += [("u013", "i99", 9), ("nobody", "i01", 3), *recs[200:1500]]
    write(folder / "dirty.csv", "user,item,score", odd)
    write(
        folder / "leaking.csv", "user,item,rating,timestamp", [*test[:60], *test[:5], *((u, i, r, t + 900) for u, i, r, t in test[300:330])]
    )
    write(folder / "odd_test.csv", "user,item,rating,timestamp", [*test, *test[:7], ("u001", "", 4, 1), ("u002", "i01", "", 2)])
    write(folder / "text.csv", "user,item,score", [("u001", "i01", "high"), *recs[:5]])


def write(path: Path, head: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file."""
    path.write_text("".join(f"{line}\n" for line in (head, *(",".join(map(str, row)) for row in rows))), "utf-8")


def genres(number: int) -> str:
    """Return one or two genres of an item."""
    return "|".join(sorted({("jazz", "rock", "pop", "folk")[number % 4], ("pop", "blues")[number % 7 == 0]}))


def plan(number: int) -> str:
    """Return the plan of a user."""
    return "paid" if number % 3 == 0 else "free"
