"""Truth, train and catalogue → lists to measure models by: the best possible one, the popular items, a random one.

All pairs given (`relevant`, `pairs`, `seen`) stand once. Frames returned are lazy: settle what is read more than once.
"""

from __future__ import annotations

import narwhals as nw

from ..engine.base import Engine
from ..frames import Frame
from .shuffles import Shuffle, mixed
from .truth import PAIR


def best_lists(relevant: Frame, seen: Frame | None, depth: int | None, engine: Engine) -> Frame:
    """`user item rank` of an oracle: the relevant items of each user, highest gain first, then smallest item id.

    Without those that the user has `seen`, and at most `depth` of them. A user of whom nothing is left has no list.
    """
    if seen is not None:
        relevant = relevant.join(seen, on=PAIR, how="anti")
    placed = engine.ordinal(relevant.select(*PAIR, "gain"), (("gain", True), ("item", False)), "rank")
    return _upto(placed.select(*PAIR, "rank"), depth)


def popular_ranks(pairs: Frame, popularity: Frame, seen: Frame | None, depth: int | None, engine: Engine) -> Frame:
    """`user item rank`: where the `pairs` stand in their users' lists of `popular_lists`, without making the lists.

    The rank is the place p of the item among all items, less the seen items with a smaller place. Pairs that are seen, that
    `popularity` does not hold, or that stand below `depth` are left out.

    An item with p > depth + n of a user with n seen items stands below `depth`, since at most n places above it are seen;
    and a seen item as far down is above no pair that is kept. So only places up to depth + n are looked at.
    """
    places = _places(popularity, engine)
    placed = pairs.select(*PAIR).join(places, on="item", how="inner")
    if seen is None:
        return _upto(placed.rename({"place": "rank"}), depth)
    placed = placed.join(seen, on=PAIR, how="anti").with_columns(taken=nw.lit(0, dtype=nw.Int64))
    users = pairs.select("user").unique("user")
    taken = seen.select(*PAIR).join(places, on="item", how="inner").with_columns(taken=nw.lit(1, dtype=nw.Int64))
    if depth is None:
        both = nw.concat([placed, taken.join(users, on="user", how="semi")])
    else:
        both = _within_reach(nw.concat([placed, taken]), users, seen, depth)
    above = nw.col("taken").cum_sum().over("user", order_by="place")
    ranked = both.with_columns(rank=nw.col("place") - above).filter(nw.col("taken") == 0)
    return _upto(ranked.select(*PAIR, "rank"), depth)


def popular_lists(users: Frame, popularity: Frame, seen: Frame | None, depth: int, engine: Engine) -> Frame:
    """`user item rank`: for each of the `users` the items of `popularity` (item rows), most rows first, then smallest item id.

    Without what the user has `seen`. Shorter than `depth` only where there are no more items.
    """
    places = _places(popularity, engine)
    ranks = places.filter(nw.col("place") <= depth).select(rank="place")
    if seen is None:
        free = users.select("user").join(ranks, how="cross").with_columns(place=nw.col("rank"))
    else:
        taken = seen.select(*PAIR).join(places, on="item", how="inner").select("user", "place")
        reached = _within_reach(taken, users.select("user"), seen, depth)
        free = _free_places(users.select("user"), ranks, reached, depth)
    return free.join(places, on="place", how="inner").select(*PAIR, "rank")


def popular_lengths(users: Frame, popularity: Frame, seen: Frame | None, depth: int, engine: Engine) -> Frame:
    """`user n_recommended`: how long the lists of `popular_lists` are, without making them."""
    n_items = int(engine.collect(popularity.select(nw.len()))["len"].item())
    if seen is None:
        return users.select("user").with_columns(n_recommended=nw.lit(min(depth, n_items)).cast(nw.Int64))
    held = seen.join(popularity.select("item"), on="item", how="semi").group_by("user").agg(n_seen=nw.len().cast(nw.Int64))
    left = nw.lit(n_items) - nw.col("n_seen").fill_null(0)
    counted = users.select("user").join(held, on="user", how="left")
    lengths = counted.select("user", n_recommended=nw.min_horizontal(left, nw.lit(depth)).cast(nw.Int64))
    return lengths.filter(nw.col("n_recommended") > 0)


def random_lists(users: Frame, catalogue: Frame, seen: Frame | None, depth: int, seed: int, engine: Engine) -> Frame:
    """`user item rank`: for each of the `users` items of the `catalogue` in random order, without what the user has `seen`.

    The same for the same users, catalogue and seed, whatever the order of rows or the engine. Shorter than `depth` only
    where there are no more items.

    Items are numbered in an order drawn from the seed, and each user has a `Shuffle` of the numbers of their own; numbers that
    no item has and seen items are passed over. So every item is equally likely at each place, and every two items at each two
    places, as far as arithmetic with two keys of 31 bits a user can do it: a test counts them. Lists of several users may be
    the same where the catalogue has few orders.
    """
    numbers = _numbered_items(catalogue, seed, engine)
    size = int(engine.collect(numbers.select(nw.len()))["len"].item())
    shuffle = Shuffle.of(size, seed)
    (keyed,) = engine.settle([shuffle.keyed(users)])
    # A grid has at most twice as many fields as there are items: counting on from the numbers of items reaches every field.
    taken = keyed.join(numbers.select(number=nw.col("number") + size).filter(nw.col("number") < shuffle.size), how="cross")
    if seen is not None:
        known = seen.select(*PAIR).join(numbers, on="item", how="inner").join(keyed, on="user", how="inner")
        taken = nw.concat([taken, known.select(taken.collect_schema().names())])
    places = shuffle.placed(taken, engine).select("user", place=nw.col("place") + 1)
    within = _within_reach(places, keyed.select("user"), seen, depth + shuffle.size - size)
    ranks = numbers.select(rank=nw.col("number") + 1).filter(nw.col("rank") <= depth)
    free = _free_places(keyed.select("user"), ranks, within, depth).filter(nw.col("place") <= shuffle.size)
    listed = shuffle.numbered(free.with_columns(nw.col("place") - 1).join(keyed, on="user", how="inner"), engine)
    return listed.join(numbers, on="number", how="inner").select(*PAIR, "rank")


def _upto(ranked: Frame, depth: int | None) -> Frame:
    return ranked if depth is None else ranked.filter(nw.col("rank") <= depth)


def _places(popularity: Frame, engine: Engine) -> Frame:
    """`item`, `place`: 1 for the item with most rows, ties by item id."""
    keyed = popularity.select("item", key=0 - nw.col("rows")).with_row_index("place", order_by=["key", "item"])
    (places,) = engine.settle([keyed.select("item", place=nw.col("place").cast(nw.Int64) + 1)])
    return places


def _within_reach(placed: Frame, users: Frame, seen: Frame | None, depth: int) -> Frame:
    """The rows of `placed` of these `users` at places up to `depth` + the number of items that the user has seen.

    No place further down is among the first `depth` that are free, as at most the seen ones above it are not.
    """
    if seen is None:
        return placed.filter(nw.col("place") <= depth)
    counts = seen.group_by("user").agg(n_seen=nw.len().cast(nw.Int64))
    reach = users.join(counts, on="user", how="left").select("user", reach=nw.col("n_seen").fill_null(0) + depth)
    return placed.join(reach, on="user", how="inner").filter(nw.col("place") <= nw.col("reach")).drop("reach")


def _free_places(users: Frame, ranks: Frame, taken: Frame, depth: int) -> Frame:
    """`user rank place`: for every rank the place that has so many places up to it that are not `taken` (user place).

    Above the j-th taken place p are p - j free ones, so that all ranks after p - j move down by one place. Taken places that
    move no rank up to `depth` are left out, and one row per user and rank is all that is made.
    """
    order = nw.col("one").cum_sum().over("user", order_by="place")
    after = taken.with_columns(one=nw.lit(1, dtype=nw.Int64)).select("user", rank=nw.col("place") - order + 1)
    moves = after.filter(nw.col("rank") <= depth).group_by("user", "rank").agg(n=nw.len().cast(nw.Int64))
    slots = users.join(ranks, how="cross").join(moves, on=["user", "rank"], how="left").with_columns(nw.col("n").fill_null(0))
    return slots.select("user", "rank", place=nw.col("rank") + nw.col("n").cum_sum().over("user", order_by="rank"))


def _numbered_items(catalogue: Frame, seed: int, engine: Engine) -> Frame:
    """`item`, `number` from 0, in an order drawn from the seed, so that ids that are neighbours are not next to each other."""
    by_id = catalogue.select("item").with_row_index("at", order_by="item")
    keyed = by_id.select("item", key=mixed(nw.col("at").cast(nw.Int64), seed, "items"))
    drawn = keyed.with_row_index("number", order_by=["key", "item"])
    (numbers,) = engine.settle([drawn.select("item", nw.col("number").cast(nw.Int64))])
    return numbers
