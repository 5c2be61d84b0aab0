"""Random valid configs from the whole registry, and small odd data for them."""

from __future__ import annotations

import io
import random
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from receval.cli.main import main
from receval.config.odd_data import Policy
from receval.conventions import AXES, builtin_names

from tests.conftest import table
from tests.variants import COLUMN, VARIANTS
from tests.worlds import OF_ITEMS, OF_TEST, World, pairs, sides

AGGREGATES = ("mean", "median", "std", "sum", "geometric", "micro", "p25", "ci95", "ci(0.9)", "bootstrap95")
POLICIES = {name: ("error", *AXES[name].values) for name in Policy.model_fields if name in AXES}
SIDES = ("train", "items", "users", "baseline", "previous_policy", "predictions", "distances")


def world(chance: random.Random) -> World:
    """Draw a few users with odd data: ties, short lists, users on one side only, empty or one-row files, missing values."""
    users, items = range(chance.randint(1, 5)), range(chance.randint(1, 8))
    known = [*items, 100, 101]
    lists = [
        (user, item, float(chance.randint(0, 3))) for user in (*users, 99) for item in chance.sample(known, chance.randint(0, len(items)))
    ]
    lists += [(user, item, chance.random()) for user, item, _ in lists if chance.random() < 0.2]
    test = [(user, item, chance.randint(0, 5)) for user, item in pairs(chance, users, items, 0.4)] or [(0, 0, 5)]
    frames = {
        "test": table(["user", "item", "rating"], test).unique(["user", "item"], keep="first", maintain_order=True),
        "lists": table(["user", "item", "score"], lists or [(0, 0, 0.5)]),
        **sides(chance, users, items),
    }
    for name in SIDES:
        match chance.randrange(8):
            case 0:
                frames[name] = frames[name].head(1)
            case 1 if COLUMN in frames[name].columns:
                frames[name] = frames[name].with_columns(pl.lit(None, pl.String).alias(COLUMN))
            case 2 if "categories" in frames[name].columns:
                frames[name] = frames[name].with_columns(pl.lit(None, pl.String).alias("categories"))
    return frames


def measure(chance: random.Random) -> str:
    """Draw a measure: any variant of any metric, perhaps with a convention, cut-off or policy, or within a formula."""
    text = chance.choice(VARIANTS)
    if chance.random() < 0.2 and "convention=" not in text:
        text = _with(text, f"convention={chance.choice(tuple(builtin_names()))}")
    if chance.random() < 0.1 and "average=" not in text:
        text = _with(text, f"average={chance.choice(('micro', 'macro', 'own'))}")
    if chance.random() < 0.4 and "@" not in text:
        text = f"{text}@{chance.choice((1, 2, 3, 10))}" if chance.random() < 0.7 else _with(text, f"k={chance.choice((1, 2))}")
    if chance.random() < 0.15:
        other = f"{chance.choice(('nDCG', 'Recall', 'AUC', 'MRR', 'ItemCoverage', 'RMSE'))}@2"
        text = chance.choice(("0.5*{0}", "+{0}", "-{0}", "{0} + {1}", "{0} / {1}", "({0} - {1}) * 2", "log({0})", "1 - {0}")).format(
            text, other
        )
    return text


def _with(text: str, argument: str) -> str:
    return f"{text[:-1]},{argument})" if text.endswith(")") else f"{text}({argument})"


def config(chance: random.Random) -> dict[str, Any]:
    """Draw a config that reads the files of a world, with any settings that are valid on their own."""
    data: dict[str, Any] = {"test": "test.parquet", "recommendations": {"one": "lists.parquet", "two": "two.parquet"}}
    for name in SIDES:
        if chance.random() < 0.9:
            data[name] = f"{name}.parquet"
    if "items" in data:
        data["items"] = {"path": "items.parquet", **OF_ITEMS}
    data["test"] = {"path": "test.parquet", **OF_TEST}
    metrics = [measure(chance) for _ in range(chance.randint(1, 5))]
    evaluation: dict[str, Any] = {"metrics": metrics, "top_k": chance.choice(([2], [1, 3], [5], ["none"], [2, "none"]))}
    evaluation["relevance"] = chance.choice(({}, {"threshold": 3}, {"graded": True}, {"graded": True, "threshold": 2}))
    if chance.random() < 0.3:
        evaluation["convention"] = chance.choice(tuple(builtin_names()))
    if chance.random() < 0.3:
        evaluation["aggregates"] = chance.sample(AGGREGATES, chance.randint(1, 4))
    if chance.random() < 0.3:
        evaluation["yardsticks"] = chance.sample(("oracle", "popularity", "random"), chance.randint(1, 3))
    if chance.random() < 0.2:
        evaluation["by"] = [f"users.{COLUMN}"] if chance.random() < 0.5 else [f"items.{COLUMN}"]
    if chance.random() < 0.3:
        key = chance.choice(sorted(POLICIES))
        evaluation["policy"] = {key: chance.choice(POLICIES[key])}
    made = {"data": data, "evaluation": evaluation}
    if chance.random() < 0.2:
        made["gates"] = {"rules": [f"{chance.choice(metrics)} >= 0.1"]}
    return made


def call(*arguments: object) -> tuple[int, str, str]:
    """Run the command line in this process, without a terminal; return exit code, standard output and standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined, return-value]


def write_world(folder: Path, frames: Mapping[str, pl.DataFrame], made: Mapping[str, Any], chance: random.Random) -> Path:
    """Write a world and a config into a folder; the second model has the rows of the first one, shuffled."""
    for name, frame in frames.items():
        frame.write_parquet(folder / f"{name}.parquet")
    frames["lists"].with_columns(pl.col("score").shuffle(seed=chance.randrange(1000))).write_parquet(folder / "two.parquet")
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(dict(made)))
    return path
