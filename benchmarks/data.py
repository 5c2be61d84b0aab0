"""The benchmark's files: lists of 100 items for each user, in order or shuffled, with a test set, train and items.

Every row is computed from its number, so files are the same on every machine, and a billion rows take no more memory than
twenty million.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import polars as pl

DATA: Final = Path(__file__).parent / "data"
N_USERS, N_LISTED, N_ITEMS, N_TEST = 200_000, 100, 50_000, 10
N_CATEGORIES, N_TRAIN = 18, 10
_MULTIPLIER: Final = 1_000_000_007
"""A prime: a large shuffled file has the rows of the numbers i · this, modulo the number of rows."""


def file(name: str) -> Path:
    """Return the path of the file called `name`, such as `sorted.csv` or `test-200m.parquet`; make it if it does not exist."""
    path = DATA / name
    if not path.exists():
        # In its own process: a measured process starts with the memory of this one until it runs its program.
        subprocess.run([sys.executable, __file__, name], check=True)
    return path


def _make(path: Path) -> None:
    """Make a file; it gets its name only when it is complete."""
    DATA.mkdir(exist_ok=True)
    maker, arguments = _maker(path)
    unfinished = path.with_name(f"unfinished-{path.name}")
    maker(unfinished, *arguments)
    unfinished.rename(path)


def _maker(path: Path) -> tuple[Callable[..., None], tuple[object, ...]]:
    """Return the function that makes a file, and its arguments after the path."""
    stem, ending = path.stem, path.suffix
    if ending == ".csv":
        return _copy_as_csv, (path.with_suffix(".parquet").name,)
    if stem.endswith("-events"):
        return _copy_with_events, (stem.removesuffix("-events") + ".parquet",)
    if stem.endswith("-text"):
        return _copy_as_text, (stem.removesuffix("-text") + ".parquet",)
    kind, _, size = stem.partition("-")
    n_blocks = {"": 1, "200m": 10, "1b": 50}[size]
    if kind == "shuffled" and n_blocks == 1:
        return _copy_shuffled, ("sorted.parquet",)
    if kind in ("sorted", "shuffled"):
        return _write, (kind, n_blocks)
    return {"test": _write_test, "train": _write_train, "items": _write_items, "users": _write_users}[kind], (n_blocks,)


def chance(column: str, seed: int) -> pl.Expr:
    """Return a number from 0 to 1 for each value of a column."""
    return pl.col(column).hash(seed).cast(pl.Float64) / 2.0**64


def lists(numbers: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the lists with these numbers, `n`."""
    rows = numbers.with_columns(user_id=pl.col("n") // N_LISTED, rank=pl.col("n") % N_LISTED)
    width = N_ITEMS // N_LISTED  # each rank draws from its own items, so that no list has duplicates
    item = (pl.col("rank") * 37 + pl.col("user_id") * 11) % N_LISTED * width + (width * chance("n", 1) ** 2).floor().cast(pl.Int64)
    score = (1 - (pl.col("rank") + chance("n", 2)) / N_LISTED).cast(pl.Float32)
    return rows.select("user_id", item_id=item, score=score)


def _numbers(kind: str, block: int, n_blocks: int) -> pl.DataFrame:
    """Return the numbers of a block of rows, in the order of a file."""
    size = N_USERS * N_LISTED
    numbers = pl.select(n=pl.int_range(block * size, (block + 1) * size))
    return numbers if kind == "sorted" else numbers.select(pl.col("n") * _MULTIPLIER % (size * n_blocks))


def _write(path: Path, kind: str, n_blocks: int) -> None:
    _join_blocks(path, (lists(_numbers(kind, block, n_blocks)) for block in range(n_blocks)))


def _write_test(path: Path, n_blocks: int) -> None:
    _join_blocks(path, (_test_of(block, n_blocks) for block in range(n_blocks)))


def _test_of(block: int, n_blocks: int) -> pl.DataFrame:
    """Return three of a hundred listed items, and seven random items, for each user of a block."""
    numbers = _numbers("sorted", block, n_blocks)
    hits = lists(numbers).with_columns(numbers["n"]).filter(chance("n", 3) < 0.03).select("user_id", "item_id")
    n_others = N_TEST - 3
    others = pl.select(n=pl.int_range(block * N_USERS * n_others, (block + 1) * N_USERS * n_others))
    others = others.select(user_id=pl.col("n") // n_others, item_id=(N_ITEMS * chance("n", 4)).floor().cast(pl.Int64))
    return pl.concat([hits, others]).unique().sort("user_id", "item_id")


def _write_train(path: Path, n_blocks: int) -> None:
    rows = pl.select(n=pl.int_range(N_USERS * n_blocks * N_TRAIN)).with_columns(user_id=pl.col("n") // N_TRAIN)
    rows = rows.select("user_id", item_id=(N_ITEMS * chance("n", 6) ** 2).floor().cast(pl.Int64))
    rows.unique().sort("user_id", "item_id").write_parquet(path)


def _write_items(path: Path, n_blocks: int) -> None:
    items = pl.select(item_id=pl.int_range(N_ITEMS)).with_columns(number=(N_CATEGORIES * chance("item_id", 7)).floor().cast(pl.Int64))
    items.select("item_id", category=pl.format("category {}", "number")).write_parquet(path)


def _write_users(path: Path, n_blocks: int) -> None:
    users = pl.select(user_id=pl.int_range(N_USERS * n_blocks))
    users.with_columns(revenue=(100 * chance("user_id", 12)).round(2)).write_parquet(path)


def _copy_with_events(path: Path, source: str) -> None:
    """Add an event to each row of a test set: 70 % clicks, 20 % carts, 10 % orders."""
    rows = pl.read_parquet(file(source)).with_columns(pair=pl.struct("user_id", "item_id"))
    event = (
        pl.when(chance("pair", 11) < 0.7)
        .then(pl.lit("click"))
        .when(chance("pair", 11) < 0.9)
        .then(pl.lit("cart"))
        .otherwise(pl.lit("order"))
    )
    rows.select("user_id", "item_id", event=event).write_parquet(path)


def _copy_shuffled(path: Path, source: str) -> None:
    pl.read_parquet(file(source)).sample(fraction=1, shuffle=True, seed=5).write_parquet(path)


def _copy_as_csv(path: Path, source: str) -> None:
    pl.scan_parquet(file(source)).sink_csv(path)


def _copy_as_text(path: Path, source: str) -> None:
    ids = (pl.format("u{}", "user_id").alias("user_id"), pl.format("i{}", "item_id").alias("item_id"))
    pl.scan_parquet(file(source)).with_columns(ids).sink_parquet(path)


def _join_blocks(path: Path, blocks: Iterator[pl.DataFrame]) -> None:
    """Write blocks to a file, one at a time."""
    parts = []
    for number, block in enumerate(blocks):
        parts.append(path.with_name(f"{path.stem}-{number:03}.part"))
        block.write_parquet(parts[-1])
    pl.scan_parquet(parts).sink_parquet(path)
    for part in parts:
        part.unlink()


if __name__ == "__main__":
    _make(DATA / sys.argv[1])
