"""Early stopping on an interval beside early stopping on the highest value: false improvements, epochs, and the value that is reached.

    python benchmarks/stopping.py [--draws 1000] [--patience 5]

A training of 50 epochs is simulated by the values of its users. In every epoch a user has a hit with a probability of the user times the
quality of the epoch, at a random rank, so that values are like those of nDCG. The first part shows how often an epoch is called an
improvement that is none, the second how often a trial is pruned that is as good as the best of ten others. The last part shows what waiting
for a clear improvement costs a training that improves. Both rules have the same patience. The exit code is 1 if more are wrong than
promised, by more than the noise of the draws (three standard errors).
"""

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from receval.api.epoch_values import EpochValues
from receval.integrations.early_stopping import EarlyStopping
from receval.integrations.epochs import NamedValues, judge
from receval.results.row import Row

Random = np.random.Generator
Curve = Callable[[int], float]

N_EPOCHS: Final = 50
PATIENCE: Final = 5
N_STEPS, N_TRIALS = 10, 10
"""The steps of a trial, and the trials before it."""
PROMISED: Final = 0.05
NOISE: Final = 3.0
"""Standard errors by which a share of draws may exceed its promise."""


class World(NamedTuple):
    """Trainings of one kind: the quality of each epoch, the number of users, and the share of users whose value is new in an epoch."""

    name: str
    quality: Curve
    n_users: int
    renewed: float = 1.0


class Training(NamedTuple):
    """The epochs that a rule trained, whether one that it called an improvement was none, and the quality of the epoch to save."""

    n_epochs: int
    is_wrong: bool
    reached: float


def epochs(world: World, random: Random) -> Iterator[EpochValues]:
    """Yield the values of each epoch."""
    users, chance = pl.int_range(world.n_users, eager=True), random.beta(1, 3, world.n_users)
    values = np.zeros(world.n_users)
    for epoch in range(N_EPOCHS):
        has_hit = random.random(world.n_users) < chance * world.quality(epoch)
        drawn = has_hit / np.log2(1 + random.integers(1, 11, world.n_users))
        values = np.where(random.random(world.n_users) < (world.renewed if epoch else 1.0), drawn, values)
        row = Row("model", "nDCG", 10, "mean", float(values.mean()), world.n_users)
        yield EpochValues([row], {}, pl.DataFrame({"user": users, "nDCG@10": values}))


def by_interval(world: World, random: Random, patience: int = PATIENCE) -> Training:
    """Train until no epoch is clearly better for a while."""
    stopping = EarlyStopping(patience=patience)
    clear, is_wrong, epoch = 0, False, 0
    for epoch, values in enumerate(epochs(world, random)):
        if stopping.update(values) and epoch:
            is_wrong |= world.quality(epoch) <= world.quality(clear)
            clear = epoch
        if stopping.should_stop:
            break
    return Training(epoch + 1, is_wrong, world.quality(stopping.best_epoch or 0) / world.quality(N_EPOCHS))


def by_value(world: World, random: Random, patience: int = PATIENCE) -> Training:
    """Train until no epoch has a higher value for a while, as training libraries do."""
    best, highest, is_wrong, epoch = 0, -math.inf, False, 0
    for epoch, values in enumerate(epochs(world, random)):
        value = values["nDCG@10"] or 0.0
        if value > highest:
            is_wrong |= epoch > 0 and world.quality(epoch) <= world.quality(best)
            best, highest = epoch, value
        if epoch - best >= patience:
            break
    return Training(epoch + 1, is_wrong, world.quality(best) / world.quality(N_EPOCHS))


def is_pruned(world: World, random: Random) -> bool:
    """Return whether a trial is pruned that is as good as those before it, the best of which it is compared with."""
    completed = [list(islice(epochs(world, random), N_STEPS)) for _ in range(N_TRIALS)]
    trial = list(islice(epochs(world, random), N_STEPS))
    of_best = max(completed, key=lambda steps: steps[-1]["nDCG@10"] or 0.0)
    level = PROMISED / (N_STEPS * N_TRIALS)
    return any(
        judge(NamedValues("best", best), NamedValues("trial", values), values.rows["nDCG@10"], level).verdict == "worse"
        for best, values in zip(of_best, trial, strict=True)
    )


def worlds() -> tuple[list[World], list[World]]:
    """Return the worlds in which an improvement can be false, and those in which the training improves to the end."""
    still: Curve = lambda epoch: 0.6  # noqa: E731
    steps: Curve = lambda epoch: 0.2 + 0.04 * min(epoch, 10)  # noqa: E731
    sizes = (200, 1_000, 5_000)
    false = [World(f"no improvement, {n:,} users", still, n) for n in sizes]
    false.append(World("no improvement, 1 in 20 of 5,000 users changes", still, 5_000, 0.05))
    false.append(World("no improvement, 1 % of 200 users has hits", lambda epoch: 0.04, 200))
    false += [World(f"ten steps, then none, {n:,} users", steps, n) for n in sizes]
    rising = [World(f"fast rise, {n:,} users", lambda epoch: 0.6 - 0.5 * 0.7**epoch, n) for n in (*sizes, 20_000)]
    rising += [World(f"slow rise, {n:,} users", lambda epoch: 0.6 - 0.5 * 0.93**epoch, n) for n in (*sizes, 20_000)]
    return false, rising


def trainings(rule: Callable[[World, Random], Training], world: World, draws: int) -> list[Training]:
    """Return simulated trainings, the same ones at every call."""
    random = np.random.default_rng(zlib.crc32(world.name.encode()))
    return [rule(world, random) for _ in range(draws)]


def falsely_pruned(world: World, draws: int) -> float:
    """Return the share of simulated trials that are pruned without being worse."""
    random = np.random.default_rng(zlib.crc32(world.name.encode()))
    return sum(is_pruned(world, random) for _ in range(draws)) / draws


def is_broken(share: float, draws: int) -> bool:
    """Return whether a share of trainings exceeds the promise by more than the noise of the draws."""
    return share > PROMISED + NOISE * math.sqrt(PROMISED * (1 - PROMISED) / draws)


def main() -> int:
    """Print a line for each kind of training; return 1 if an improvement is false too often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--patience", type=int, default=PATIENCE)
    arguments = parser.parse_args()
    draws, rules = arguments.draws, [partial(rule, patience=arguments.patience) for rule in (by_interval, by_value)]
    false, rising = worlds()
    print(f"{'trainings with a false improvement':46} {'on an interval':>18} {'on the value':>18}")
    n_broken = 0
    for world in false:
        shares = [sum(training.is_wrong for training in trainings(rule, world, draws)) / draws for rule in rules]
        n_broken += is_broken(shares[0], draws)
        print(f"{world.name:46} {100 * shares[0]:16.1f} % {100 * shares[1]:16.1f} %{'  !' * is_broken(shares[0], draws)}", flush=True)
    print(f"\n{'trials pruned that are as good as the best one':46} {'on an interval':>18}")
    for world in false[:5]:
        share = falsely_pruned(world, draws)
        n_broken += is_broken(share, draws)
        print(f"{world.name:46} {100 * share:16.1f} %{'  !' * is_broken(share, draws)}", flush=True)
    print(f"\n{'epochs trained, quality of the saved one':46} {'on an interval':>18} {'on the value':>18}")
    for world in (false[1], *rising):
        cells = []
        for rule in rules:
            done = trainings(rule, world, max(1, draws // 10))
            cells.append(
                f"{np.mean([training.n_epochs for training in done]):8.1f} {100 * np.mean([training.reached for training in done]):7.1f} %"
            )
        print(f"{world.name:46} {cells[0]:>18} {cells[1]:>18}", flush=True)
    print(f"\n{n_broken} of {len(false) + 5} shares of false claims are above {100 * PROMISED:.0f} % by more than noise")
    return int(n_broken > 0)


if __name__ == "__main__":
    sys.exit(main())
