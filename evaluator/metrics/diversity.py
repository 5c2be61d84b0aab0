"""Diversity of a list: how unlike each other its items are, and how many categories they cover.

l is the number of items among the first k of the list. Categories are those of data.items; an item that has none, or that the file does not
hold, has no categories.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from ..names.measure_strings import Scalar
from ..tables.array import Array
from . import diversity_tables  # noqa: F401, declares the tables
from .arrays import added, defined, divide, filled, missing, where
from .measure import Measure, Ratio
from .notation import DISTANCES, SIZES, Pieces, tex
from .registry import Number, metric
from .table_views import CutTable

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
    """Σ of the distances of the pairs of listed items, and the number of these pairs."""
    total, pairs = _known_pairs(m, distance)
    if m.params["featureless"] == "left_out":
        return total, pairs
    every = _pairs_of(m.n_listed)
    return total + (every - pairs), every


def _known_pairs(m: Measure, distance: str) -> tuple[Array, Array]:
    """The same of the pairs that have a distance; from sums per list where that is exact."""
    if distance == "hamming":
        n = m.listed.tally(m.listed.item("known", of="catalogue") == 1)
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
    """The same for Jaccard distance where lists are long and few sets of categories occur: pairs of sets instead of pairs of items."""
    counts = m.listed.tallies(m.listed.item("kind_number"), len(kinds))
    n = added(*counts)
    alike = added(*(_pairs_of(count) for count in counts))
    for index, kind in enumerate(kinds):
        for other, count in zip(kinds[index + 1 :], counts[index + 1 :], strict=True):
            if kind & other:
                alike = alike + counts[index] * count * ((kind & other).bit_count() / (kind | other).bit_count())
    return _pairs_of(n) - alike, _pairs_of(n)


def _pairs_of(n: Array) -> Array:
    """n·(n - 1)/2: how many pairs n items have."""
    return n * (n - 1.0) / 2.0


def _sum_over_categories(table: CutTable, weight: Array, term: Callable[[Array], Array]) -> Array:
    """Σ_c term(s_c), with s_c the sum of the weights of the user's rows of category c up to each cut-off, and term(0) = 0."""
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


def _pair_needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    distance = params["distance"]
    return {"file": ("distances",), "cooccurrence": ("train",)}.get(str(distance), ("categories",))


def _pair_uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    tables = {"hamming": ("listed", "listed_categories"), "cosine": ("listed", "listed_categories"), "jaccard": ("listed", "pairs")}
    return ("reading", *tables.get(str(params["distance"]), ("pairs",)))


_DISTANCE = {"distance": "item_distance", "single": "single_item", "featureless": "featureless_items"}


@metric(
    "ILD",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("IntraListDiversity", "Diversity"),
    axes={**_DISTANCE, "norm": "ild_norm"},
    needs=_pair_needs,
    uses=_pair_uses,
    pooled=lambda params: params["norm"] == "items",
    population="lists",
    tex=tex(
        r"<norm> \\ d(i,j) = <distance>",
        norm={"pairs": "<featureless>", "items": r"\frac{1}{|L_u|} \cdot \frac{1}{|L_u|} \sum_{i \in L_u} \sum_{j \in L_u} d(i,j)<unlike>"},
        **_PIECES,
    ),
    reference=ZIEGLER,
)
def ild(m: Measure) -> Array | Ratio:
    """Intra-list diversity: the mean distance of the pairs of recommended items.

    ILD@k = Σ_{i<j≤l} dist(i, j) / (l·(l - 1)/2)

    dist by `distance`: of the items' categories `jaccard` 1 - |A∩B|/|A∪B|, `cosine` 1 - |A∩B|/√(|A|·|B|), or `hamming`, the number
    of categories that one has and the other has not; `cooccurrence` 1 - c(i,j)/√(u(i)·u(j)), with c the train users who have both
    and u those who have one; or that of the `file` data.distances. With `norm` = `items` the sum of all ordered pairs is divided by
    l², and pooled (`micro`) Σ over users of that sum / l is divided by Σ l, the number of recommendations.

    Edge cases: pairs with an item without categories (`hamming`: with one that data.items does not hold), and pairs that
    data.distances does not hold, are left out, or at distance 1 (`featureless` = `unlike`). What a list without a pair counts is
    said by `single`.
    """
    total, pairs = _pairs(m, str(m.params["distance"]))
    if m.params["norm"] == "items":
        return Ratio(divide(total * 2.0, m.n_listed), m.n_listed)
    return _of_pairs(m, total, pairs)


def _of_pairs(m: Measure, total: Array, pairs: Array) -> Array:
    value = defined(total, pairs)
    single = str(m.params["single"])
    if single == "short_zero":
        return where(missing(value) & (m.n_listed < 2), 0.0, value)
    return value if single == "left_out" else filled(value, {"zero": 0.0, "one": 1.0}[single])


@metric(
    "ILS",
    family="diversity",
    bounds=(-math.inf, 1.0),
    aliases=("IntraListSimilarity",),
    axes=_DISTANCE,
    needs=_pair_needs,
    uses=_pair_uses,
    higher_is_better=False,
    population="lists",
    tex=tex(r"1 - <featureless> \\ d(i,j) = <distance>", **_PIECES),
    reference=ZIEGLER,
)
def ils(m: Measure) -> Array:
    """Intra-list similarity: the mean similarity of the pairs of recommended items, 1 - dist.

    ILS@k = 1 - Σ_{i<j≤l} dist(i, j) / (l·(l - 1)/2)

    dist by `distance` as for ILD. Edge cases: as for ILD; `single` says what a list without a pair counts here.
    """
    total, pairs = _pairs(m, str(m.params["distance"]))
    return _of_pairs(m, pairs - total, pairs)


@metric(
    "CategoricalDiversity",
    family="diversity",
    bounds=(0.0, math.inf),
    axes={"over": "categorical_divisor"},
    needs=("categories",),
    uses=("reading", "covered"),
    population="lists",
    tex=tex(r"\frac{1}{<over>} \,\Bigl|\bigcup_{i \in L_u} A_i\Bigr|", over=SIZES),
    reference="RePlay metrics/categorical_diversity.py",
)
def categorical_diversity(m: Measure) -> Array:
    """The number of categories among the recommended items, per place.

    CategoricalDiversity@k = |∪_{r≤k} categories(i_r)| / D, D by `over`: `k`, the items that are there (`list_length`)

    Edge cases: items with several categories may make it larger than 1; an empty list counts 0.
    """
    n_categories = m.table("covered").count()
    return divide(n_categories, m.depth if m.params["over"] == "k" else m.n_listed)


_LEAST = 1e-6
"""What every category weighs where no item has it."""


def _entropy(m: Measure, weight: Callable[[Array], Array]) -> Array:
    """The entropy, in bits, of how the weights of the ranks spread over the categories of their items."""
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


@metric(
    "ListEntropy",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("CategoryEntropy",),
    axes={"categories": "category_weight"},
    needs=("categories",),
    uses=("listed_categories",),
    population="lists",
    tex=tex(_ENTROPY + r"\sum_{i \in L_u} <categories>", categories={"split": r"\frac{[c \in A_i]}{|A_i|}", "each": r"[c \in A_i]"}),
    reference="LensKit metrics/ranking/_entropy.py",
)
def list_entropy(m: Measure) -> Array:
    """The entropy of the categories of a list, in bits: the more, the more evenly they are covered.

    ListEntropy@k = -Σ_c p(c) · log2 p(c), p(c) = (s(c) + e) / Σ_c (s(c) + e), s(c) = Σ_{r≤k, c ∈ A(i_r)} 1/|A(i_r)|, e = 10^-6

    The weight of an item is `split` among its categories, or `each` of them has all of it, 1.

    Edge cases: items without categories add nothing; a list of such items alone covers all categories evenly.
    """
    return _entropy(m, lambda rank: np.ones(len(rank)))


@metric(
    "RankBiasedEntropy",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("RBEntropy",),
    axes={"categories": "category_weight"},
    numbers={"p": Number(0.85, "the chance that a reader goes on from one place to the next", most=1.0, symbol="p")},
    needs=("categories",),
    uses=("listed_categories",),
    population="lists",
    tex=tex(
        _ENTROPY + r"\sum_{r=1}^{k} p^{r-1}\,<categories>",
        categories={"split": r"\frac{[c \in A_{i_r}]}{|A_{i_r}|}", "each": r"[c \in A_{i_r}]"},
    ),
    reference="LensKit metrics/ranking/_entropy.py",
)
def rank_biased_entropy(m: Measure) -> Array:
    """ListEntropy in which higher places weigh more.

    RankBiasedEntropy@k = -Σ_c p(c) · log2 p(c), as for ListEntropy, with s(c) = Σ_{r≤k, c ∈ A(i_r)} p^(r-1)/|A(i_r)|

    Edge cases: as for ListEntropy.
    """
    p = float(m.params["p"])
    return _entropy(m, lambda rank: p ** (rank - 1.0))
