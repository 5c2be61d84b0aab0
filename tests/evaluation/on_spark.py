"""A small world with every file of the data section and some odd rows in each, and runs on it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from tests.conftest import table
from tests.worlds import OF_ITEMS, OF_TEST, pairs, sides


def write_world(folder: Path) -> dict[str, pl.DataFrame]:
    """Write two models, one with ties and duplicates, and all side inputs; return the tables."""
    chance = random.Random(11)
    users, items = range(40), range(30)
    lists = [(user, item, float(chance.randint(0, 6))) for user in (*users, 99) for item in chance.sample([*items, 100], 12)]
    duplicates = [(user, item, chance.random()) for user, item, _ in lists[::9]]
    other = [(user, item, chance.random()) for user in users[1:] for item in chance.sample(items, chance.randint(1, 20))]
    test = [(0, 0, 5), *((user, item, chance.randint(0, 5)) for user, item in pairs(chance, users, items, 0.3))]
    frames = {
        "tied": table(["user", "item", "score"], [*lists, *duplicates]),
        "other": table(["user", "item", "score"], other).sample(fraction=1, shuffle=True, seed=3),
        "test": _with_times(table(["user", "item", "rating"], test), chance),
        **sides(chance, users, items),
    }
    frames["train"] = _with_times(frames["train"], chance)
    for name, frame in frames.items():
        frame.write_parquet(folder / f"{name}.parquet")
    return frames


def write_config(folder: Path, metrics: Sequence[str], *, tables: Sequence[str] = (), **evaluation: Any) -> Path:
    """Write a config that uses every file of the world; those in `tables` are read from the catalog."""

    def source(name: str) -> dict[str, str]:
        return {"table": f"global_temp.{name}"} if name in tables else {"path": f"{name}.parquet"}

    names = ("test", "train", "users", "baseline", "previous_policy", "predictions", "distances")
    data: dict[str, Any] = {name: source(name) for name in names}
    data |= {"items": source("items") | OF_ITEMS, "test": source("test") | OF_TEST}
    data["recommendations"] = {name: source(name) for name in ("tied", "other")}
    settings = {"relevance": {"graded": True}, "yardsticks": True, "metrics": list(metrics), **evaluation}
    (folder / "config.yaml").write_text(yaml.safe_dump({"data": data, "evaluation": settings, "output": {"per_user": True}}))
    return folder / "config.yaml"


def contents(folder: Path, leave_out: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return the bytes of the files of a folder; of JSON all except config, versions, hashes of JSON, and the keys in `leave_out`."""
    names = {"config", "versions", "outputs", "sha256", *leave_out}
    return {str(path.relative_to(folder)): _content(path, names) for path in folder.rglob("*.*")}


def _content(path: Path, leave_out: set[str]) -> Any:
    if path.suffix != ".json":
        return path.read_bytes()
    return {name: value for name, value in json.loads(path.read_text()).items() if name not in leave_out}


def _with_times(frame: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Add times; some of train are later than some of test."""
    return frame.with_columns(timestamp=pl.Series([chance.randint(1_700_000_000, 1_700_900_000) for _ in range(frame.height)]))
