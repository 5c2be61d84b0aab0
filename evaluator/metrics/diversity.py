"""Diversity of a list: how different its items are, and how many categories they cover; with the tables for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.distances import distance_of
from ..tables.graph import TableNotes, note_sentence, table
from ..tables.hits import top_items
from ..tables.item_columns import categories_of
from ..tables.lists import Reading
from ..tables.prepared import Prepared
from ..tables.rows import Rows, number_rows
from . import registry
from .arrays import add, divide, divide_or_missing, fill, is_missing, powers, where
from .measure import Measure, Ratio
from .notation import DISTANCES, SIZES, Pieces, tex
from .registry import Number
from .table_views import CutTable

_MOST_PAIRS: Final = 1 << 21
"""Most pairs of listed items that are compared at once, unless one lag has more."""


def with_codes(rows: Rows, item_index: Array, prepared: Prepared) -> Rows:
    """Return one row for each category of the item of each row, with the columns of the row and `code`."""
    position, code = categories_of(prepared, item_index)
    return rows.take(position).with_columns(code=code)


def first_of_codes(rows: Rows) -> Rows:
    """Return the first row of each user and category."""
    width = int(rows["code"].max(initial=0)) + 1
    return rows.take(np.sort(np.unique(rows.user * width + rows["code"], return_index=True)[1]))


@table("listed_categories", uses=("reading", "prepared"), columns=("rank", "item", "code"), title="The categories of the list, by number")
def listed_categories(reading: Reading, prepared: Prepared) -> Rows:
    """Return each category of each recommended item: `rank`, `code`, and `size`, the number of categories of the item."""
    rows = with_codes(reading.table(), reading.item_index, prepared)
    sizes = prepared.item_column("n_categories")[reading.item_index]
    return rows.with_columns(size=np.repeat(sizes, sizes))


@table(
    "covered", uses=("reading", "prepared"), columns=("rank", "code"), title="The categories by number, at the rank that covers them first"
)
def covered(reading: Reading, prepared: Prepared) -> Rows:
    """Return each category of the list once: `code`, and the `rank` that covers it first."""
    return first_of_codes(with_codes(reading.table(), reading.item_index, prepared))


note_sentence(
    "pairs_without_distance",
    lambda n, total: f"{n:,} of {total:,} pairs of listed items have no distance in data.distances and are left out",
)


@table(
    "pairs",
    uses=("reading", "prepared", "notes"),
    params=("distance", "depth"),
    columns=("rank", "item", "pairs"),
    title="The listed items, each with its pairs with the items above it",
)
def pairs(reading: Reading, prepared: Prepared, notes: TableNotes, distance: str, depth: int) -> Rows:
    """Return the recommended items down to `depth`, each with its `pairs` with items above and their total `distance`.

    Pairs without a distance are not counted; those of data.distances are noted.
    """
    rows, _ = top_items(reading, depth)
    measured = distance_of(prepared, distance)
    assert rows.item is not None
    index = rows.item_index(prepared.items) if distance != "file" else measured.index_of(rows.item)
    above = number_rows(rows.user, rows.n_users) - 1
    counts, sums = np.zeros(len(rows)), np.zeros(len(rows))
    for lower, upper in _pairs_by_lag(above):
        value = measured.between(index[lower], index[upper])
        known = ~np.isnan(value)
        np.add.at(counts, lower, known)
        np.add.at(sums, lower, np.where(known, value, 0.0))  # one by one, so that the order of the terms does not depend on blocks
    if distance == "file":
        every = int(above.sum())
        notes.count("pairs_without_distance", every - int(counts.sum()), every)
    return rows.with_columns(pairs=counts, distance=sums)


def _pairs_by_lag(above: Array) -> Iterator[tuple[Array, Array]]:
    """Yield the pairs of rows of the same list, the lower one first, in blocks: those one row apart, two rows apart, and so on.

    `above` is the number of rows above each row. A block has all pairs of some lags, so that memory does not grow with their number.
    """
    lower: Array = np.arange(len(above))
    lags: list[tuple[Array, Array]] = []
    for lag in range(1, int(above.max(initial=0)) + 1):
        lower = lower[above[lower] >= lag]
        lags.append((lower, lower - lag))
        if (len(lags) + 1) * len(lags[0][0]) > _MOST_PAIRS:
            yield np.concatenate([pair[0] for pair in lags]), np.concatenate([pair[1] for pair in lags])
            lags = []
    if lags:
        yield np.concatenate([pair[0] for pair in lags]), np.concatenate([pair[1] for pair in lags])


_UNLIKE = r" \text{, 1 for pairs without a distance}"
_PIECES: Pieces = {
    "distance": DISTANCES,
    "featureless": {
        "left_out": r"\mathrm{mean}_{i,j \in L_u, i \ne j}\,d(i,j) \text{ over the pairs with a distance}",
        "unlike": r"\frac{1}{|L_u|\,(|L_u| - 1)} \sum_{i,j \in L_u, i \ne j} d(i,j)" + _UNLIKE,
    },
    "unlike": lambda params: _UNLIKE if params["featureless"] == "unlike" else "",
}
_ENTROPY = (
    r"-\sum_{c \in C} p_c \log_2 p_c \\ p_c = \frac{w_c + \varepsilon}{\sum_{c' \in C} (w_{c'} + \varepsilon)}, \quad "
    r"\varepsilon = 10^{-6}, \quad w_c = "
)
ZIEGLER = "Ziegler et al., Improving recommendation lists through topic diversification, WWW 2005; Zhang and Hurley, RecSys 2008"


def _pairs(m: Measure, distance: str) -> tuple[Array, Array]:
    """Return the sum of the distances of the pairs of listed items, and the number of these pairs."""
    total, pairs = _known_pairs(m, distance)
    if m.params["featureless"] == "left_out":
        return total, pairs
    every = _pairs_of(m.n_listed)
    return total + (every - pairs), every


def _known_pairs(m: Measure, distance: str) -> tuple[Array, Array]:
    """Return `_pairs` of the pairs that have a distance; from sums per list where these are exact."""
    if distance == "hamming":
        n = m.listed.tally(m.listed.item("is_known", of="catalogue") == 1)
        table = m.table("listed_categories")
        # Σ_c n_c · (n - n_c), with n_c the items that have category c
        return n * table.count() - _sum_over_categories(table, np.ones(len(table.rows)), np.square), _pairs_of(n)
    if distance == "cosine":
        n = m.listed.tally(m.listed.item("n_categories") > 0)
        table = m.table("listed_categories")
        cosines = (_sum_over_categories(table, 1.0 / np.sqrt(table["size"]), np.square) - n) / 2.0
        return _pairs_of(n) - cosines, _pairs_of(n)
    kinds = m.prepared.category_sets
    if distance == "jaccard" and kinds and not 0 < m.deepest <= len(kinds):
        return _pairs_of_kinds(m, kinds)
    pairs = m.table("pairs", distance=distance, depth=m.deepest)
    return pairs.sum(pairs["distance"], "distance"), pairs.sum(pairs["pairs"], "pairs")


def _pairs_of_kinds(m: Measure, kinds: tuple[int, ...]) -> tuple[Array, Array]:
    """Return the same for Jaccard distance in long lists with few sets of categories: over pairs of sets instead of pairs of items."""
    counts = m.listed.tallies(m.listed.item("kind_number"), len(kinds))
    n = add(*counts)
    alike = add(*(_pairs_of(count) for count in counts))
    for index, kind in enumerate(kinds):
        for other, count in zip(kinds[index + 1 :], counts[index + 1 :], strict=True):
            if kind & other:
                alike = alike + counts[index] * count * ((kind & other).bit_count() / (kind | other).bit_count())
    return _pairs_of(n) - alike, _pairs_of(n)


def _pairs_of(n: Array) -> Array:
    """Return n·(n - 1)/2, the number of pairs of n items."""
    return n * (n - 1.0) / 2.0


def _sum_over_categories(table: CutTable, weight: Array, term: Callable[[Array], Array]) -> Array:
    """Return Σ_c term(s_c) up to each cut-off: s_c is the sum of the weights of the user's rows of category c, and term(0) = 0."""
    rows, n_users, cutoffs = table.rows, table.rows.n_users, table.cutoffs
    width = int(rows["code"].max(initial=0)) + 1
    cell = rows.user * width + rows["code"]
    if n_users * width > 4 * len(rows):  # most users have few of many categories
        cells, cell = np.unique(cell, return_inverse=True)
    else:
        cells = np.arange(n_users * width)
    bucket = np.zeros(len(rows), dtype=np.int64) if cutoffs is None else np.searchsorted(np.asarray(cutoffs), rows[rows.cut])
    by_bucket = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[by_bucket], np.arange(1 if cutoffs is None else len(cutoffs)), side="right")
    sums, values, start = np.zeros(len(cells)), [], 0
    for end in ends:
        index = by_bucket[start:end]
        sums += np.bincount(cell[index], weight[index], len(cells))
        values.append(np.bincount(cells // width, term(sums), n_users))
        start = end
    return np.stack(values)


def needs_of_pairs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the input with the distances of items."""
    distance = str(params["distance"])
    return {"file": ("distances",), "cooccurrence": ("train",), "vectors": ("vectors",)}.get(distance, ("categories",))


def _pair_uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    tables = {"hamming": ("listed", "listed_categories"), "cosine": ("listed", "listed_categories"), "jaccard": ("listed", "pairs")}
    return ("reading", *tables.get(str(params["distance"]), ("pairs",)))


_DISTANCE = {"distance": "item_distance", "single": "single_item", "featureless": "featureless_items"}


metric = partial(registry.metric, family="diversity", population="lists")


@metric(
    "ILD",
    bounds=(0.0, math.inf),
    aliases=("IntraListDiversity", "Diversity"),
    axes={**_DISTANCE, "norm": "ild_norm"},
    needs=needs_of_pairs,
    uses=_pair_uses,
    pooled=lambda params: params["norm"] == "items",
    tex=tex(
        r"<norm> \\ d(i,j) = <distance>",
        norm={
            "pairs": "<featureless>",
            "items": r"\frac{1}{|L_u|} \cdot \frac{1}{|L_u|} \sum_{i \in L_u} \sum_{j \in L_u} d(i,j)<unlike>",
            "list_length": r"\frac{1}{|L_u|} \sum_{r=1}^{k} \sum_{q=1}^{r-1} d(i_r,i_q)<unlike>",
        },
        **_PIECES,
    ),
    reference=ZIEGLER,
)
def ild(m: Measure) -> Array | Ratio:
    """How different the items of a list are from each other; the default choice for diversity within a list.

    Intra-list diversity is the mean distance of the pairs of recommended items. The vectors of `distance` = `vectors` are those of
    data.items.vector. Pooled (`micro`) with `norm` = `items`, the sums of the distances of all ordered pairs, each divided by |L_u|, are
    added up and divided by the number of recommendations.

    Edge cases: pairs with an item without categories (`hamming`: with an item that is not in data.items) or without a vector, and pairs
    that are not in data.distances, are left out, or have distance 1 (`featureless` = `unlike`). `single` gives the value of a list without
    a pair.
    """
    total, pairs = _pairs(m, str(m.params["distance"]))
    if m.params["norm"] == "items":
        return Ratio(divide(total * 2.0, m.n_listed), m.n_listed)
    if m.params["norm"] == "list_length":
        return divide(total, m.n_listed)
    return _pair_mean(m, total, pairs)


def _pair_mean(m: Measure, total: Array, pairs: Array) -> Array:
    value = divide_or_missing(total, pairs)
    single = str(m.params["single"])
    if single == "short_zero":
        return where(is_missing(value) & (m.n_listed < 2), 0.0, value)
    return value if single == "left_out" else fill(value, {"zero": 0.0, "one": 1.0}[single])


@metric(
    "ILS",
    bounds=(-math.inf, 1.0),
    aliases=("IntraListSimilarity",),
    axes=_DISTANCE,
    needs=needs_of_pairs,
    uses=_pair_uses,
    higher_is_better=False,
    tex=tex(r"1 - <featureless> \\ d(i,j) = <distance>", **_PIECES),
    reference=ZIEGLER,
)
def ils(m: Measure) -> Array:
    """How similar the items of a list are to each other; use it instead of ILD if you want to read similarity.

    Intra-list similarity is the mean similarity of the pairs of recommended items, 1 minus their distance.

    Edge cases: as for ILD; `single` gives the value of a list without a pair here.
    """
    total, pairs = _pairs(m, str(m.params["distance"]))
    return _pair_mean(m, pairs - total, pairs)


@metric(
    "CategoricalDiversity",
    bounds=(0.0, math.inf),
    axes={"over": "categorical_divisor"},
    needs=("categories",),
    uses=("reading", "covered"),
    tex=tex(r"\frac{1}{<over>} \,\Bigl|\bigcup_{i \in L_u} A_i\Bigr|", over=SIZES),
    reference="RePlay metrics/categorical_diversity.py",
)
def categorical_diversity(m: Measure) -> Array:
    """The number of different categories in the list per rank; use it if a list should cover many categories.

    Edge cases: the value may be above 1 if items have several categories; an empty list counts 0.
    """
    return divide(m.table("covered").count(), m.size(m.params["over"]))


_LEAST = 1e-6
"""Weight added to every category, so that one without items has a share above 0."""


def _entropy(m: Measure, weight: Callable[[Array], Array]) -> Array:
    """Return the entropy, in bits, of the distribution of the weights of the ranks over the categories of their items."""
    n = len(m.groups("categories"))
    if not n:
        return np.zeros((1, m.n_users))
    table = m.table("listed_categories")
    weights = weight(table["rank"]) / (table["size"] if m.params["categories"] == "split" else 1.0)

    def more_than_without(weight_of_category: Array) -> Array:
        weighed = weight_of_category + _LEAST
        return weighed * np.log2(weighed) - _LEAST * math.log2(_LEAST)

    total = table.sum(weights, "weight") + n * _LEAST
    return np.log2(total) - (n * _LEAST * math.log2(_LEAST) + _sum_over_categories(table, weights, more_than_without)) / total


entropy = partial(
    metric,
    bounds=(0.0, math.inf),
    axes={"categories": "category_weight"},
    needs=("categories",),
    uses=("listed_categories",),
    reference="LensKit metrics/ranking/_entropy.py",
)


@entropy(
    "ListEntropy",
    aliases=("CategoryEntropy",),
    tex=tex(_ENTROPY + r"\sum_{i \in L_u} <categories>", categories={"split": r"\frac{[c \in A_i]}{|A_i|}", "each": r"[c \in A_i]"}),
)
def list_entropy(m: Measure) -> Array:
    """How evenly a list covers the categories, in bits; use it if no category should dominate a list.

    Edge cases: items without categories add nothing; a list of only such items covers all categories evenly.
    """
    return _entropy(m, lambda rank: np.ones(len(rank)))


@entropy(
    "RankBiasedEntropy",
    aliases=("RBEntropy",),
    numbers={"p": Number(0.85, "the probability that a reader goes on to the next rank", most=1.0, symbol="p")},
    tex=tex(
        _ENTROPY + r"\sum_{r=1}^{k} p^{r-1}\,<categories>",
        categories={"split": r"\frac{[c \in A_{i_r}]}{|A_{i_r}|}", "each": r"[c \in A_{i_r}]"},
    ),
)
def rank_biased_entropy(m: Measure) -> Array:
    """How evenly a list covers the categories, with more weight at the top; use it as ListEntropy if the rank matters.

    Edge cases: as for ListEntropy.
    """
    p = float(m.params["p"])
    return _entropy(m, lambda rank: powers(p, rank - 1))
