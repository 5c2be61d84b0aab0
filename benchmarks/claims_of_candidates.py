"""Worlds for `claims.py` in which all items are ranked, candidates are sampled, and values over the whole catalogue are then bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from receval.results.catalogue_bounds import CatalogueBounds, MeasureBounds, orders
from receval.stats.catalogue_bounds import Band, Images, worth_of

Random = np.random.Generator
Ranks = NDArray[np.int64]

ITEMS, SAMPLED, K = 200, 20, 5
METRICS = ("HitRate", "MRR", "nDCG")


class Row(NamedTuple):
    """A claim, the world in which it may be wrong in at most `promised` of draws, and how often it is found where it is `true`."""

    group: str
    world: str
    promised: float
    wrong: Callable[[Random], bool]
    true: Callable[[Random], bool] | None = None
    effort: float = 4.0


def ranked(n_users: int, knows: float, popularity: float, random: Random) -> tuple[Ranks, NDArray[np.bool_]]:
    """Rank all items for each user; return the rank of the relevant one, and a mask of the other items that rank above it.

    Relevant items follow Zipf's law. A model scores by `popularity` and noise, and `knows` adds to the score of the relevant item.
    """
    popular = -np.log(np.arange(1, ITEMS + 1))
    relevant = random.choice(ITEMS, n_users, p=np.exp(popular) / np.exp(popular).sum())
    scores = popularity * popular + random.normal(size=(n_users, ITEMS))
    scores[np.arange(n_users), relevant] += knows
    above = scores > scores[np.arange(n_users), relevant][:, np.newaxis]
    others = np.ones_like(above)
    others[np.arange(n_users), relevant] = False
    return above.sum(axis=1) + 1, above[others].reshape(n_users, ITEMS - 1)


def among_sampled(above: NDArray[np.bool_], random: Random, replacement: bool = False) -> Ranks:
    """Return the rank of the relevant item among itself and other items of each user, sampled uniformly."""
    n_users, n_others = above.shape
    if replacement:
        drawn = random.integers(0, n_others, (n_users, SAMPLED))
    else:
        drawn = np.argpartition(random.random((n_users, n_others)), SAMPLED, axis=1)[:, :SAMPLED]
    ranks: Ranks = np.take_along_axis(above, drawn, axis=1).sum(axis=1) + 1
    return ranks


@cache
def images(replacement: bool = False, falling: bool = False) -> Images:
    """Return the images of all ranks."""
    return Images(SAMPLED, ITEMS, replacement, falling)


def bounds_of(of: Images, ranks: Ranks, metric: str, level: float = 0.95) -> tuple[float, float]:
    """Return the bounds of a measure from ranks among candidates."""
    counts = np.bincount(ranks, minlength=SAMPLED + 2)[1:].astype(float)
    return of.bounds(Band.around(counts, counts, level), worth_of(metric, K)) or (1.0, 0.0)


def exact(ranks: Ranks, metric: str) -> float:
    """Return the value over ranks."""
    worth = np.append(worth_of(metric, K), 0.0)
    return float(worth[np.minimum(ranks, K + 1) - 1].mean())


def misses(n_users: int, knows: float, popularity: float, replacement: bool, random: Random) -> bool:
    """Return whether the bounds of a measure, any of three, exclude the value of the full lists of these users."""
    ranks, above = ranked(n_users, knows, popularity, random)
    metric = str(random.choice(METRICS))
    low, high = bounds_of(images(replacement), among_sampled(above, random, replacement), metric)
    return not low <= exact(ranks, metric) <= high


def falling_misses(n_users: int, reach: float, random: Random) -> bool:
    """Return whether bounds under the assumption exclude the expected value, if each user's rank is uniform up to a random rank."""
    chances = np.arange(1, ITEMS + 1) ** -reach
    last = random.choice(np.arange(1, ITEMS + 1), n_users, p=chances / chances.sum())
    sampled = 1 + random.hypergeometric(above := random.integers(1, last + 1) - 1, ITEMS - 1 - above, SAMPLED)
    expected = np.cumsum((chances / chances.sum() / np.arange(1, ITEMS + 1))[::-1])[::-1]
    low, high = bounds_of(images(falling=True), sampled, "HitRate")
    return not low <= float(expected[:K].sum()) <= high


def verdict(ranks: tuple[Ranks, Ranks], random: Random) -> tuple[str, float]:
    """Return the verdict on the order of two models by their bounds, and the lead of the one that is ahead among the candidates."""
    bounds, values = {}, []
    for name, own in zip("ab", ranks, strict=True):
        sampled = 1 + random.hypergeometric(own - 1, ITEMS - own, SAMPLED)
        low, high = bounds_of(images(), sampled, "HitRate", 1 - 0.05 / 2)
        values.append((exact(sampled, "HitRate"), exact(own, "HitRate")))
        value = MeasureBounds("HitRate@5", values[-1][0], low, high)
        bounds[name] = CatalogueBounds(SAMPLED, ITEMS, False, 0.95, 2, len(own), values=(value,))
    (order,) = orders(bounds)
    (first, of_first), (second, of_second) = values
    return order.verdict, (of_first - of_second) * (1 if first >= second else -1)


def says_wrong(n_users: int, random: Random) -> bool:
    """Return whether an order is named that is not that of the full lists; the model that is ahead among the candidates has fewer hits."""
    few_hits = random.integers(6, 20, n_users)
    hits = np.where(random.random(n_users) < 0.2, random.integers(1, 6, n_users), random.integers(40, ITEMS, n_users))
    said, lead = verdict((few_hits, hits), random)
    return (said == "kept" and lead <= 0) or (said == "reversed" and lead >= 0)


def says_kept(n_users: int, random: Random) -> bool:
    """Return whether the order of a good model and one at random is named."""
    good = np.minimum(random.geometric(0.3, n_users), ITEMS)
    return verdict((good, random.integers(1, ITEMS + 1, n_users)), random)[0] == "kept"


def rows() -> Iterator[Row]:
    """Yield the rows."""
    worlds = {"popularity": (0.0, 1.0), "good model": (3.0, 0.3), "bad model": (0.0, -0.5)}
    for n_users in (200, 5000):
        for words, (knows, popularity) in worlds.items():
            wrong = partial(misses, n_users, knows, popularity, False)
            yield Row("candidates: bounds", f"{words}, {n_users:,} users", 0.05, wrong, effort=4.0 if n_users < 1000 else 10.0)
    yield Row("candidates: bounds", "good model, 200 users, with repeats", 0.05, partial(misses, 200, 3.0, 0.3, True))
    for n_users in (200, 5000):
        yield Row("candidates: falling bounds", f"{n_users:,} users", 0.05, partial(falling_misses, n_users, 0.8))
        order, kept = partial(says_wrong, n_users), partial(says_kept, n_users)
        yield Row("candidates: order", f"other order among candidates, {n_users:,} users", 0.05, order, kept)
