"""Time of `Evaluator` for the lists of an epoch, and of `evaluate` for tables in memory beside `run` for the same files.

python benchmarks/training.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import receval

N_ITEMS, LENGTH = 50_000, 100
METRICS = ["nDCG@10", "Recall@10", "Precision@10", "MAP@10", "HitRate@10"]
AT_MOST = 50


def data(n_users: int) -> tuple[pl.DataFrame, Any, Any]:
    """Return ten test items of each user; the item ids and the scores of a hundred recommendations."""
    chance = np.random.default_rng(7)
    test = pl.DataFrame({"user": np.repeat(np.arange(n_users), 10), "item": chance.integers(0, N_ITEMS, 10 * n_users)})
    ids = (chance.integers(0, N_ITEMS, (n_users, 1)) + np.arange(LENGTH) * 499) % N_ITEMS
    return test.unique(maintain_order=True), ids, -np.sort(-chance.random(ids.shape), axis=1)


def table(ids: Any, scores: Any) -> pl.DataFrame:
    """Return the same recommendations as a frame."""
    return pl.DataFrame({"user": np.repeat(np.arange(len(ids)), LENGTH), "item": ids.ravel(), "score": scores.ravel()})


def milliseconds(work: Callable[[], object], repeats: int = 15) -> str:
    """Return the median time of some repeats after a first one, and the processor time, which other programs disturb less."""
    work()
    clocks = (time.perf_counter, time.process_time)
    times: list[list[float]] = []
    for _ in range(repeats):
        starts = [clock() for clock in clocks]
        work()
        times.append([1000 * (clock() - start) for clock, start in zip(clocks, starts, strict=True)])
    wall, processor = map(statistics.median, zip(*times, strict=True))
    return f"{wall:6.0f} ms ({processor:.0f} ms of the processor)"


def epochs() -> None:
    """Measure lists of 10,000 users × 100, in the forms of training code."""
    test, ids, scores = data(10_000)
    evaluator = receval.Evaluator(test=test, metrics=METRICS)
    frame = table(ids, scores)
    matrix = np.random.default_rng(1).random((10_000, 2_000), dtype=np.float32)
    held: dict[str, Any] = {
        "Polars": frame,
        "pandas": frame.to_pandas(),
        "array of ids": ids,
        "arrays of ids and scores": (ids, scores),
        "dict of arrays": dict(enumerate(ids)),
        "dict of lists": dict(enumerate(ids.tolist())),
        "matrix of scores, 10,000 × 2,000": matrix,
    }
    print(f"Evaluator, 10,000 users × {LENGTH}, {len(METRICS)} measures, at most {AT_MOST} ms")
    for name, lists in held.items():
        print(f"  {name:34} {milliseconds(lambda lists=lists: evaluator(lists))}")  # type: ignore[misc]


def beside_files() -> None:
    """Measure 2 million rows in memory, and as Parquet."""
    test, ids, scores = data(20_000)
    lists = table(ids, scores)
    with tempfile.TemporaryDirectory() as folder:
        test.write_parquet(Path(folder) / "test.parquet")
        lists.write_parquet(Path(folder) / "lists.parquet")
        source = {"test": f"{folder}/test.parquet", "recommendations": {"model": f"{folder}/lists.parquet"}}
        loaded = receval.load_config({"data": source, "evaluation": {"metrics": METRICS}})
        print("2 million rows, with health checks")
        print(f"  run, Parquet            {milliseconds(lambda: receval.run(loaded), 7)}")
        for name, held in {"Polars": lists, "pandas": lists.to_pandas()}.items():
            took = milliseconds(lambda held=held: receval.evaluate(test=test, recommendations={"model": held}, metrics=METRICS), 7)  # type: ignore[misc]
            print(f"  evaluate, {name:13} {took}")


if __name__ == "__main__":
    epochs()
    beside_files()
