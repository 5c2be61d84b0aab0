"""Time of `receval diff A B -o diff.parquet` beside `receval compare` of the same two models, 20 million rows each.

    python benchmarks/diff.py            # prints both times and their ratio; exit code 1 if the ratio is above 1.5
    python benchmarks/diff.py 40000      # fewer users

The second model has other items in three of ten places, and another order.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from data import N_ITEMS, N_USERS, file
from table import in_turn

RECEVAL = str(Path(sysconfig.get_path("scripts")) / "receval")
AT_MOST = 1.5
CONFIG = """
data: {test: test.parquet, train: train.parquet, recommendations: {a: a.parquet, b: b.parquet}}
evaluation: {metrics: [nDCG, Recall, MRR, MAP, Precision, HitRate], top_k: [5, 10, 20]}
"""


def chance(seed: int) -> pl.Expr:
    """Return a number from 0 to 1 for each pair of user and item."""
    return pl.struct("user_id", "item_id").hash(seed).cast(pl.Float64) / 2.0**64


def write_world(folder: Path, n_users: int) -> None:
    """Write the test set, train, and the lists of two models."""
    frames = {name: pl.read_parquet(file(f"{source}.parquet")) for name, source in (("a", "sorted"), ("test", "test"), ("train", "train"))}
    frames = {name: frame.filter(pl.col("user_id") < n_users) for name, frame in frames.items()}
    other = (pl.col("item_id") + N_ITEMS // 2) % N_ITEMS
    score = (0.7 * pl.col("score") + 0.3 * chance(32)).cast(pl.Float32)
    moved = frames["a"].select("user_id", item_id=pl.when(chance(31) < 0.3).then(other).otherwise("item_id"), score=score)
    distinct = moved.unique(["user_id", "item_id"], keep="first", maintain_order=True)
    frames["b"] = distinct.sort("user_id", "score", descending=[False, True], maintain_order=True)
    for name, frame in frames.items():
        frame.write_parquet(folder / f"{name}.parquet")
    (folder / "config.yaml").write_text(CONFIG)


def main() -> int:
    """Measure both, and print the ratio."""
    n_users = int(sys.argv[1]) if len(sys.argv) > 1 else N_USERS
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_world(folder, n_users)
        config = str(folder / "config.yaml")
        commands = (RECEVAL, "compare", config, "-q"), (RECEVAL, "diff", config, "-q", "-o", str(folder / "diff.parquet"))
        compare, diff = in_turn(*commands, repeats=3)
    ratio = diff.seconds / compare.seconds
    print(f"{n_users:,} users: compare {compare.seconds:.1f} s; diff {diff.seconds:.1f} s; {ratio:.2f} times, at most {AT_MOST}")
    return int(ratio > AT_MOST)


if __name__ == "__main__":
    sys.exit(main())
