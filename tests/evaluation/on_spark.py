"""A small world with every file of the data section and something odd in each, and a run of everything on it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from tests.conftest import table
from tests.variants import CUTOFFS, VARIANTS
from tests.worlds import pairs, sides

AGGREGATES = ("mean", "median", "std", "ci95", "bootstrap95", "sum", "p25")


def write_world(folder: Path, engine: Mapping[str, Any]) -> Path:
    """Write two models, all side inputs, and a config of every metric, aggregate, yardstick and check."""
    chance = random.Random(11)
    users, items = range(40), range(30)
    lists = [(user, item, float(chance.randint(0, 6))) for user in (*users, 99) for item in chance.sample([*items, 100], 12)]
    duplicates = [(user, item, chance.random()) for user, item, _ in lists[::9]]
    other = [(user, item, chance.random()) for user in users[1:] for item in chance.sample(items, chance.randint(1, 20))]
    test = [(0, 0, 5), *((user, item, chance.randint(0, 5)) for user, item in pairs(chance, users, items, 0.3))]
    frames = {
        "tied": table(["user", "item", "score"], [*lists, *duplicates]),
        "other": table(["user", "item", "score"], other).sample(fraction=1, shuffle=True, seed=3),
        "test": with_times(table(["user", "item", "rating"], test), chance),
        **sides(chance, users, items),
    }
    frames["train"] = with_times(frames["train"], chance)
    for name, frame in frames.items():
        frame.write_parquet(folder / f"{name}.parquet")
    data: dict[str, Any] = {name: f"{name}.parquet" for name in frames if name not in ("tied", "other", "items")}
    data["items"] = {"path": "items.parquet", "categories": "categories", "split": "|"}
    data["recommendations"] = {name: f"{name}.parquet" for name in ("tied", "other")}
    evaluation = {
        "relevance": {"graded": True},
        "top_k": ["none" if k is None else k for k in CUTOFFS],
        "metrics": list(VARIANTS),
        "aggregates": list(AGGREGATES),
        "yardsticks": True,
    }
    config = {"data": data, "evaluation": evaluation, "engine": dict(engine), "output": {"per_user": True}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return folder / "config.yaml"


def with_times(frame: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Add times of which some of train are later than some of test."""
    return frame.with_columns(timestamp=pl.Series([chance.randint(1_700_000_000, 1_700_900_000) for _ in range(frame.height)]))


def contents(folder: Path) -> dict[str, Any]:
    """The bytes of the files of a folder; of JSON all but the config, and the versions of programs."""
    return {str(path.relative_to(folder)): _content(path) for path in folder.rglob("*") if path.is_file()}


def _content(path: Path) -> Any:
    if path.suffix != ".json":
        return path.read_bytes()
    found = json.loads(path.read_text())
    return {name: value for name, value in found.items() if name not in ("config", "versions")}
