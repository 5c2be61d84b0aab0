"""Tables of items over all users who count: terms that the rows of each part add, and columns computed from the sums over all parts.

A metric reads them by `m.items(NAME, …)`. While parts are measured the table is empty; at the end it is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from msgspec import Struct

from ..support.lazy import np, pl
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import table
from ..tables.prepared import Prepared
from ..tables.rows import Rows
from .arrays import UNDEFINED, powers
from .measure import Measure, gain_of


class ItemTerms(Struct, frozen=True, eq=False):
    """Terms that the rows of a part add to their items: 1 to `count`, and the numbers in `counts` and `values`.

    `user` is the user of each row, `items` its item, and `item_index` the index of the item among the known items (-1 if unknown). `counts`
    are integers and `values` finite numbers.
    """

    user: Array
    items: pl.Series
    item_index: Array
    counts: Mapping[str, Array]
    values: Mapping[str, Array]

    def take(self, rows: Array) -> ItemTerms:
        """Return the terms of the rows with these indexes."""
        return ItemTerms(
            self.user[rows],
            self.items.gather(rows),
            self.item_index[rows],
            {name: column[rows] for name, column in self.counts.items()},
            {name: column[rows] for name, column in self.values.items()},
        )

    def for_users(self, counts: Array) -> ItemTerms:
        """Return the terms of the users in the mask."""
        if counts.all():
            return self
        mask = counts[self.user]
        return self if mask.all() else self.take(np.flatnonzero(mask))


class ItemSums(Struct, frozen=True, eq=False):
    """Sums of the terms of all parts by item, in ascending order of the items' ids: `columns` by name."""

    items: pl.Series
    item_index: Array
    columns: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.items)


Finish = Callable[[ItemSums, Prepared, Mapping[str, Scalar]], Mapping[str, Array]]


class ItemTableKind(Struct, frozen=True):
    """A kind of table of items: `make_columns` computes its `columns` from the sums over all parts."""

    name: str
    columns: tuple[str, ...]
    make_columns: Finish

    def terms(self, measure: Measure, **params: Scalar) -> ItemTerms:
        """Return the terms that the users of a part who count add to the table."""
        terms: ItemTerms = measure.tables.get(self.name, measure.choice, **params)
        return terms.for_users(np.reshape(measure.counted_mask, -1))

    def finish(self, sums: ItemSums, prepared: Prepared, **params: Scalar) -> Mapping[str, Array]:
        """Return the columns of the table, and `item_index`: the index of each item among the known items, -1 for others."""
        return {"item_index": sums.item_index} | dict(self.make_columns(sums, prepared, params))

    def empty(self) -> Mapping[str, Array]:
        """Return the columns without rows."""
        return {"item_index": np.empty(0, dtype=np.int64)} | {name: np.empty(0) for name in self.columns}


ITEM_TABLES: Final[dict[str, ItemTableKind]] = {}


def item_table(
    name: str, *, uses: Collection[str], params: Collection[str] = (), columns: Collection[str], finish: Finish
) -> Callable[[Callable[..., ItemTerms]], Callable[..., ItemTerms]]:
    """Declare a table of items: the decorated function returns the terms of a part, computed from the tables that it uses, as for `table`.

    `finish` computes the `columns` from the sums over all parts, from `Prepared`, and from the parameters.
    """

    def declare(make: Callable[..., ItemTerms]) -> Callable[..., ItemTerms]:
        ITEM_TABLES[name] = ItemTableKind(name, tuple(columns), finish)
        declared: Callable[..., ItemTerms] = table(name, uses=uses, params=params)(make)
        return declared

    return declare


def terms_of(rows: Rows, prepared: Prepared, k: Scalar, values: Mapping[str, Array] | None = None) -> ItemTerms:
    """Return the terms of the rows of a table up to the cut-off `k`; 0 is the whole list."""
    assert rows.item is not None
    terms = ItemTerms(rows.user, rows.item, rows.item_index(prepared.items), {}, values or {})
    within = within_cutoff(rows, k)
    return terms if within is None else terms.take(within)


def within_cutoff(rows: Rows, k: Scalar) -> Array | None:
    """Return the indexes of the rows up to the cut-off `k` (0: the whole list); `None`: all rows."""
    mask = rows[rows.cut] <= k if k else np.ones(1, dtype=np.bool_)
    return None if mask.all() else np.flatnonzero(mask)


def ranks_from_least(values: Array) -> Array:
    """Return the rank of each value, 1 for the smallest; ties keep their order."""
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind="stable")] = np.arange(1.0, len(values) + 1.0)
    return ranks


def _ranked(column: str) -> Finish:
    """Return a function that adds to the sums by item the `rank` of each item by one of them, smallest first."""
    return lambda sums, prepared, params: {"rank": ranks_from_least(sums.columns[column])} | dict(sums.columns)


@item_table("exposure", uses=("listed", "prepared"), params=("k", "power"), columns=("count", "rank", "weight"), finish=_ranked("count"))
def exposure(listed: Rows, prepared: Prepared, k: int, power: float) -> ItemTerms:
    """Return the terms of `count`, how often an item is among the first k of lists, and `rank`, its rank by count, smallest first.

    With a `power` above 0 also `weight`: the sum over these lists of 1 divided by this power of the number of their first k items.
    """
    if not power:
        return terms_of(listed, prepared, k)
    within = within_cutoff(listed, k)
    user = listed.user if within is None else listed.user[within]
    lengths = np.maximum(np.bincount(user, minlength=listed.n_users), 1)
    return terms_of(listed, prepared, k, {"weight": (1.0 / (lengths if power == 1 else lengths**power))[listed.user]})


@item_table("attention", uses=("listed", "prepared"), params=("k", "p"), columns=("attention", "rank"), finish=_ranked("attention"))
def attention(listed: Rows, prepared: Prepared, k: int, p: float) -> ItemTerms:
    """Return the terms of `attention`, the sum of p^(rank - 1) over the first k ranks with the item, and `rank`, its rank from below."""
    return terms_of(listed, prepared, k, {"attention": powers(float(p), listed.rank - 1)})


def _outcomes(sums: ItemSums, prepared: Prepared, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
    columns = dict(sums.columns)
    columns["count"] = columns["count"] - columns["hits"]
    if "score" in columns:
        columns["score"] = np.where(columns.pop("unbounded") > 0, UNDEFINED, columns["score"])
    listed = np.flatnonzero(columns["count"] > 0)
    return {"item_index": sums.item_index[listed]} | {name: column[listed] for name, column in columns.items()}


@item_table(
    "outcomes",
    uses=("listed", "hits", "prepared"),
    params=("k", "gain", "offset"),
    columns=("count", "hits", "gain"),
    finish=_outcomes,
)
def outcomes(listed: Rows, hits: Rows, prepared: Prepared, k: int, gain: str, offset: float) -> ItemTerms:
    """Return the terms of `count`, how often an item is listed, `hits`, how often it is a hit, and `gain`, the sum of its gains."""
    hit_terms = terms_of(hits, prepared, k, {"gain": gain_of(gain, hits["gain"], offset)})
    return _listed_and_hits(terms_of(listed, prepared, k), hit_terms)


@item_table(
    "scored_outcomes",
    uses=("scored", "hits", "prepared"),
    params=("k",),
    columns=("count", "hits", "score"),
    finish=_outcomes,
)
def scored_outcomes(scored: Rows, hits: Rows, prepared: Prepared, k: int) -> ItemTerms:
    """Return the terms of `count`, how often an item is listed, `hits`, how often it is a hit, and `score`, the sum of its scores then.

    The sum is undefined for an item with an infinite score.
    """
    assert scored.item is not None
    hit_terms = terms_of(hits, prepared, k)
    within = within_cutoff(scored, k)
    listed = pl.DataFrame({"user": scored.user, "item": scored.item, "score": scored["score"]})
    listed = listed if within is None else listed[within]
    # Hits may have other ranks than the list, so their scores are looked up by item; of a duplicate the highest counts.
    pairs = pl.DataFrame({"user": hit_terms.user, "item": hit_terms.items})
    scores = listed.join(pairs, on=["user", "item"], how="semi").group_by("user", "item").agg(pl.col("score").max())
    score = pairs.join(scores, on=["user", "item"], how="left", maintain_order="left")["score"].fill_null(0.0).to_numpy()
    bounded = np.isfinite(score)
    hit_terms = ItemTerms(
        hit_terms.user,
        hit_terms.items,
        hit_terms.item_index,
        {"unbounded": (~bounded).astype(np.int64)},
        {"score": np.where(bounded, score, 0.0)},
    )
    return _listed_and_hits(terms_of(scored, prepared, k), hit_terms)


def _listed_and_hits(listed: ItemTerms, hits: ItemTerms) -> ItemTerms:
    """Return the terms of listed rows, followed by those of hits, which have 1 in the column `hits`."""
    n = len(listed.user)
    no_hits = np.zeros(n, dtype=np.int64)
    return ItemTerms(
        np.concatenate([listed.user, hits.user]),
        pl.concat([listed.items, hits.items]),
        np.concatenate([listed.item_index, hits.item_index]),
        {"hits": np.concatenate([no_hits, np.ones(len(hits.user), dtype=np.int64)])}
        | {name: np.concatenate([no_hits, column]) for name, column in hits.counts.items()},
        {name: np.concatenate([np.zeros(n), column]) for name, column in hits.values.items()},
    )


def _popular_exposure(sums: ItemSums, prepared: Prepared, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
    index, count = sums.item_index, sums.columns["count"]
    if params["items"] == "all":
        in_train = np.append(prepared.in_train, False)
        in_train[index] = False
        others = np.flatnonzero(in_train[:-1])
        index, count = np.concatenate([index, others]), np.concatenate([count, np.zeros(len(others))])
    popularity = prepared.item_column("train_popularity", count=params["count"])[index].astype(np.float64)
    n = max(len(index), 1)
    return {"item_index": index, "popularity": popularity - popularity.sum() / n, "count": count - count.sum() / n}


@item_table(
    "popular_exposure",
    uses=("listed", "prepared"),
    params=("k", "items", "count"),
    columns=("popularity", "count"),
    finish=_popular_exposure,
)
def popular_exposure(listed: Rows, prepared: Prepared, k: int, items: str, count: str) -> ItemTerms:
    """Return the terms of `popularity`, train users (or rows) of an item, and `count`, how often it is listed, both minus their means.

    The items are those among the first k of lists, or these and the items of train (`items` = `all`).
    """
    return terms_of(listed, prepared, k)


def _levels(sums: ItemSums, prepared: Prepared, params: Mapping[str, Scalar]) -> Mapping[str, Array]:
    positive = sums.columns["positive"]
    negative = sums.columns["count"] - positive
    return {
        "prediction": sums.items.to_numpy(),
        "positive": positive,
        "negative": negative,
        "below": np.cumsum(negative) - negative,
    }


@item_table("levels", uses=("judged_ratings",), columns=("prediction", "positive", "negative", "below"), finish=_levels)
def levels(judged_ratings: Rows) -> ItemTerms:
    """Return for every `prediction` the number of relevant (`positive`) and other (`negative`) ratings, and of others `below` it."""
    predicted = np.flatnonzero(~np.isnan(judged_ratings["prediction"]))
    prediction = judged_ratings["prediction"][predicted] + 0.0  # turns -0.0 into 0.0
    positive = {"positive": (judged_ratings["relevant"][predicted] > 0).astype(np.int64)}
    return ItemTerms(judged_ratings.user[predicted], pl.Series(prediction), np.full(len(predicted), -1, dtype=np.int64), positive, {})
