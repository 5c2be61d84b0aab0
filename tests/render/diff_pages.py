"""Data sets of two models for tests of the page that compares them: one with titles and groups, one with hostile names."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import polars as pl

HOSTILE = (
    "</script><script>window.pwned=1</script>", '"><img src=x onerror=window.pwned=1>', "javascript:window.pwned=1", "\u202egnp.exe",
    "X" * 10_000, "' onmouseover='window.pwned=1", "<!--<script>", "a\u2028b\nc", "{{7*7}}", "&lt;b&gt;",
)  # fmt: skip
CONFIG = """
data: {test: test.csv, train: train.csv, items: items.csv, users: users.csv, recommendations: {old: old.csv, new: new.csv}}
evaluation: {metrics: ["nDCG@5", "Recall@5", "MRR@5"], by: [users.plan, cold]}
health: off
"""


def write_world(folder: Path, users: Sequence[str], items: Sequence[str], titles: Sequence[str], addresses: Sequence[str] = ()) -> None:
    """Write the files of `CONFIG`: lists of 12 items, one to five relevant items, and up to six train rows a user."""
    chance = random.Random(5)
    test, train, lists = [], [], {"old": [], "new": []}  # type: ignore[var-annotated]
    for user in users:
        relevant = chance.sample(items[:-2], chance.randint(1, 5))
        test += [(user, item) for item in relevant]
        train += [(user, item) for item in chance.sample(items[:-5], chance.randint(0, 6))]
        for rows in lists.values():
            listed = chance.sample(items, 12)
            rows += [(user, item, 12 - place) for place, item in enumerate(listed)]
    frames = {
        "test": pl.DataFrame(test, schema=["user", "item"], orient="row"),
        "train": pl.DataFrame(train, schema=["user", "item"], orient="row"),
        "items": pl.DataFrame({"item": items, "title": titles, **({"cover": addresses} if addresses else {})}),
        "users": pl.DataFrame({"user": users, "plan": [("free", "pro")[place % 2] for place in range(len(users))]}),
        **{name: pl.DataFrame(rows, schema=["user", "item", "score"], orient="row") for name, rows in lists.items()},
    }
    for name, frame in frames.items():
        frame.write_csv(folder / f"{name}.csv")
    (folder / "config.yaml").write_text(CONFIG)


def write_titled(folder: Path, n_users: int = 60) -> None:
    """Write a data set with titles, groups and addresses of pictures."""
    items = [f"i{number}" for number in range(40)]
    titles = [f"The Film No. {number}" for number in range(40)]
    write_world(
        folder, [f"user-{number}" for number in range(n_users)], items, titles, [f"https://img.example/{item}.png" for item in items]
    )


def write_hostile(folder: Path) -> None:
    """Write a data set whose ids, titles and addresses would act in a careless page."""
    items = [f"{HOSTILE[number % len(HOSTILE)]}{number}" for number in range(30)]
    titles = [HOSTILE[number * 3 % len(HOSTILE)] for number in range(30)]
    bad = ("javascript:window.pwned=1", "data:text/html,<script>window.pwned=1</script>", "//x.example/a.png", "file:///etc/hostname")
    write_world(folder, [f"{text}{number}" for number in range(2) for text in HOSTILE], items, titles, [bad[n % 4] for n in range(30)])
