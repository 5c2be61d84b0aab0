"""Seconds of a search for slices: per-user values of two models, and ten groupings.

    python benchmarks/slices.py [--users 1000000]

Prints the time of a comparison of the two models, and that of the search alone, which takes the same values. The data are those of a stored
result: ids, values and the names of ten groupings.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import polars as pl
from receval.comparison.comparing import compare
from receval.comparison.comparison_options import ComparisonOptions
from receval.comparison.slicing import SliceOptions, find_slices
from receval.results.measure_definition import MeasureDefinition
from receval.results.result import Result, TruthFingerprint
from receval.results.row import Counts, Row

GROUPINGS = (2, 3, 4, 5, 5, 5, 5, 10, 20, 50)


def stored_result(n_users: int) -> Result:
    """Return a result of two models in one measure, and ten columns of groups; model b is worse in one pair of groups."""
    random = np.random.default_rng(0)
    codes = [random.integers(0, size, n_users) for size in GROUPINGS]
    groups = {f"users.group{index}": pl.Series(of).cast(pl.String) for index, of in enumerate(codes)}
    base = np.where(random.random(n_users) < 0.3, random.random(n_users), 0.0)
    lost = (codes[0] == 1) & (codes[3] == 2) & (random.random(n_users) < 0.1)
    changed = np.where(random.random(n_users) < 0.1, random.random(n_users), base)
    values = {"a": base, "b": np.where(lost, 0.0, changed)}
    frames = {
        model: pl.DataFrame({"user": np.arange(n_users), "n_relevant": np.ones(n_users, dtype=np.int64), **groups, "nDCG@10": of})
        for model, of in values.items()
    }
    definition = MeasureDefinition("nDCG", "receval", True, "mean", "test")
    rows = tuple(Row(model, "nDCG", 10, "mean", float(of.mean()), n_users, True) for model, of in values.items())
    counts = {model: Counts(n_users, n_users, n_users, n_users) for model in values}
    return Result(
        rows, counts, {"nDCG@10": True}, frames, (), {}, (), {}, definitions={"nDCG": definition},
        truths={"": TruthFingerprint(n_users, n_users, "")}, user_groups=tuple(groups),
    )  # fmt: skip


def main() -> int:
    """Print both times; return 1 if the search takes more than ten seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1_000_000)
    result = stored_result(parser.parse_args().users)
    start = time.perf_counter()
    compare({"": result}, ComparisonOptions())
    compared = time.perf_counter()
    slices = find_slices({"": result}, SliceOptions())
    found = time.perf_counter()
    n = slices.searches[0].n_users
    print(f"{n:,} users, {len(GROUPINGS)} groupings: compare {compared - start:.1f} s, slices {found - compared:.1f} s; {slices.summary()}")
    return int(found - compared > 10)


if __name__ == "__main__":
    sys.exit(main())
