"""How often a model is called worse than itself: false alarms of comparisons.

    python benchmarks/halves.py [--draws 1000]

Every draw makes two halves of which none is better, and compares them, so that about 2.5 % may be called worse (and 2.5 % better). The
values are nDCG@10 of the model knn of the sample. A training run is a copy of its lists of which every fifth is shuffled, drawn anew each
time; in the last rows training also moves all users of a run up or down together.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from receval.stats.comparing import compare_paired, compare_runs, compare_unpaired
from receval.stats.records import Difference, Settings, Subject
from receval.stats.unpaired import Summary
from receval.stats.verdicts import corrected

DATA = Path(__file__).parent.parent / "configs" / "data"
SUBJECT = Subject("nDCG@10", "one half", "other half")
SETTINGS = Settings()
K, LENGTH = 10, 20
DISTURBED = 0.2
"""The share of users whose list is shuffled in a run."""
SHIFT = 0.02
"""The deviation of what training again adds to all users of a run, in the rows that say so."""

Values = NDArray[np.float64]
Random = np.random.Generator


@dataclass(frozen=True)
class Training:
    """Draws runs of one model: the nDCG@10 of each user."""

    hits: Values
    ideal: Values
    shift: float = 0.0

    @classmethod
    def of_sample(cls) -> Training:
        """The lists of knn in the sample."""
        relevant = pl.read_csv(DATA / "test.csv").filter(pl.col("rating") >= 4).select("user_id", "item_id", hit=1.0)
        lists = pl.read_parquet(DATA / "knn.parquet").join(relevant, ["user_id", "item_id"], how="left", maintain_order="left")
        hits, ideal = [], []
        for user, n_relevant in relevant.group_by("user_id").len().sort("user_id").iter_rows():
            ranked = lists.filter(pl.col("user_id") == user).sort("score", "item_id", descending=[True, False]).head(LENGTH)
            hits.append(np.pad(ranked["hit"].fill_null(0.0).to_numpy(), (0, LENGTH - len(ranked))))
            ideal.append(sum(1 / math.log2(rank + 2) for rank in range(min(n_relevant, K))))
        return cls(np.stack(hits), np.array(ideal))

    def runs(self, n_runs: int, random: Random) -> list[Values]:
        """So many runs, each with other lists shuffled."""
        runs = []
        for _ in range(n_runs):
            users, hits = random.random(len(self.hits)) < DISTURBED, self.hits.copy()
            hits[users] = random.permuted(hits[users], axis=1)
            runs.append(hits[:, :K] @ (1 / np.log2(np.arange(2, K + 2))) / self.ideal + random.normal(0, self.shift))
        return runs


def halves_of_users(training: Training, random: Random) -> Difference:
    """Two halves of the users of a run: other users, so not paired."""
    (run,) = training.runs(1, random)
    sides = [run[half] for half in np.array_split(random.permutation(len(run)), 2)]
    return compare_unpaired(SUBJECT, *(Summary(float(side.mean()), float(side.std(ddof=1)), len(side)) for side in sides), SETTINGS)


def two_runs(training: Training, random: Random) -> Difference:
    """Two runs, paired by user, as if they were two models."""
    return compare_paired(SUBJECT, *training.runs(2, random), SETTINGS)


def halves_of_runs(training: Training, random: Random) -> Difference:
    """Two halves of ten runs, paired by user: the mean of each user over the runs of a half."""
    runs = np.stack(training.runs(10, random))
    return compare_paired(SUBJECT, runs[:5].mean(axis=0), runs[5:].mean(axis=0), SETTINGS)


def halves_of_runs_with_training(training: Training, random: Random) -> Difference:
    """Two halves of ten runs, with users and training in one interval."""
    runs = training.runs(10, random)
    return compare_runs(SUBJECT, runs[:5], runs[5:], SETTINGS)


Experiment = Callable[[Training, Random], Difference]
EXPERIMENTS: tuple[tuple[str, float, Experiment], ...] = (
    ("two halves of the users, Welch", 0.0, halves_of_users),
    ("two runs, paired t", 0.0, two_runs),
    ("five runs against five, paired t", 0.0, halves_of_runs),
    ("five runs against five, users and runs", 0.0, halves_of_runs_with_training),
    (f"two runs, training moves all by {SHIFT:g}: paired t", SHIFT, two_runs),
    (f"five against five, training moves all by {SHIFT:g}: paired t", SHIFT, halves_of_runs),
    (f"five against five, training moves all by {SHIFT:g}: users and runs", SHIFT, halves_of_runs_with_training),
)


def shares(training: Training, experiment: Experiment, draws: int) -> dict[str, float]:
    """The share of each verdict."""
    random = np.random.default_rng(0)
    verdicts = Counter(corrected([experiment(training, random)], SETTINGS)[0].verdict for _ in range(draws))
    return {verdict: verdicts[verdict] / draws for verdict in ("worse", "better")}


def main() -> None:
    """Print a table of the experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    sample = Training.of_sample()
    error = 1.96 * math.sqrt(0.025 * 0.975 / draws)
    print(f"{draws:,} draws of {len(sample.ideal)} users; 2.5 % is found as {100 * (0.025 - error):.1f} to {100 * (0.025 + error):.1f} %\n")
    print(f"{'no difference is real':62} {'worse':>7} {'better':>7}")
    for name, shift, experiment in EXPERIMENTS:
        found = shares(replace(sample, shift=shift), experiment, draws)
        print(f"{name:62} {100 * found['worse']:5.1f} % {100 * found['better']:5.1f} %")


if __name__ == "__main__":
    main()
