"""Diversity of a list: how unlike each other its items are, and how many categories they cover.

l is the number of items among the first k of the list. Categories are those of data.items; an item that has none, or that the file does not
hold, has no categories.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import narwhals as nw

from ..naming import Scalar
from .measure import ONE, RANK, ZERO, Measure, Ratio, added, divide
from .registry import Number, metric

ZIEGLER = "Ziegler et al., Improving recommendation lists through topic diversification, WWW 2005; Zhang and Hurley, RecSys 2008"
CLARKE = "Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008"
ZHAI = "Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003"


def _pairs(m: Measure, distance: str) -> tuple[nw.Expr, nw.Expr]:
    """Σ of the distances of the pairs of listed items, and the number of these pairs."""
    total, pairs = _known_pairs(m, distance)
    if m.params["featureless"] == "left_out":
        return total, pairs
    every = m.n_listed * (m.n_listed - 1.0) / 2.0
    return total + (every - pairs), every


def _known_pairs(m: Measure, distance: str) -> tuple[nw.Expr, nw.Expr]:
    """The same of the pairs that have a distance; from sums per list where that is exact."""
    if distance == "hamming":
        n = m.listed.tally(m.item("known", of="catalogue") == 1)
        having = [m.listed.tally(m.item("category", code=one.code) == 1) for one in m.groups("categories")]
        return added(*(count * (n - count) for count in having)), n * (n - 1.0) / 2.0
    if distance == "cosine":
        size = m.item("n_categories")
        n = m.listed.tally(size > 0)
        weight = nw.when(size > 0).then(1.0 / nw.max_horizontal(size * 1.0, ONE).sqrt()).otherwise(ZERO)
        sums = [m.listed.sum(m.item("category", code=one.code) * weight) for one in m.groups("categories")]
        cosines = (added(*(one * one for one in sums)) - n) / 2.0
        return n * (n - 1.0) / 2.0 - cosines, n * (n - 1.0) / 2.0
    kinds = m.view.side.kinds
    if distance == "jaccard" and kinds:
        counts = {kind: m.listed.tally(m.item("kind") == kind) for kind in kinds}
        n = added(*counts.values())
        alike = [counts[kind] * (counts[kind] - 1.0) / 2.0 for kind in kinds]
        for place, kind in enumerate(kinds):
            for other in kinds[place + 1 :]:
                if kind & other:
                    alike.append(counts[kind] * counts[other] * ((kind & other).bit_count() / (kind | other).bit_count()))
        return n * (n - 1.0) / 2.0 - added(*alike), n * (n - 1.0) / 2.0
    pairs = m.table("pairs", distance=distance)
    return pairs.sum(nw.col("distance"), "distance"), pairs.count()


def _pair_needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    distance = params["distance"]
    return {"file": ("distances",), "cooccurrence": ("train",)}.get(str(distance), ("categories",))


_DISTANCE = {"distance": "item_distance", "single": "single_item", "featureless": "featureless_items"}


@metric(
    "ILD",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("IntraListDiversity", "Diversity"),
    axes={**_DISTANCE, "norm": "ild_norm"},
    needs=_pair_needs,
    population="lists",
    reference=ZIEGLER,
)
def ild(m: Measure) -> nw.Expr | Ratio:
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


def _of_pairs(m: Measure, total: nw.Expr, pairs: nw.Expr) -> nw.Expr:
    value = nw.when(pairs > 0).then(total / pairs)
    single = str(m.params["single"])
    if single == "short_zero":
        return value.otherwise(nw.when(m.n_listed < 2).then(ZERO))
    return value if single == "left_out" else value.otherwise(nw.lit({"zero": 0.0, "one": 1.0}[single]))


@metric(
    "ILS",
    family="diversity",
    bounds=(-math.inf, 1.0),
    aliases=("IntraListSimilarity",),
    axes=_DISTANCE,
    needs=_pair_needs,
    higher_is_better=False,
    population="lists",
    reference=ZIEGLER,
)
def ils(m: Measure) -> nw.Expr:
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
    population="lists",
    reference="RePlay metrics/categorical_diversity.py",
)
def categorical_diversity(m: Measure) -> nw.Expr:
    """The number of categories among the recommended items, per place.

    CategoricalDiversity@k = |∪_{r≤k} categories(i_r)| / D, D by `over`: `k`, the items that are there (`list_length`)

    Edge cases: items with several categories may make it larger than 1; an empty list counts 0.
    """
    found = m.table("covered").count()
    return divide(found, m.depth if m.params["over"] == "k" else m.n_listed)


def _entropy(m: Measure, weight: nw.Expr) -> nw.Expr:
    """The entropy, in bits, of how the weights of the places spread over the categories of their items."""
    size = m.item("n_categories")
    if m.params["categories"] == "split":
        weight = weight / nw.max_horizontal(size * 1.0, ONE)
    sums = [m.listed.sum(m.item("category", code=one.code) * weight) + 1e-6 for one in m.groups("categories")]
    if not sums:
        return ZERO
    total = added(*sums)
    return total.log(base=2.0) - added(*(one * one.log(base=2.0) for one in sums)) / total


@metric(
    "ListEntropy",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("CategoryEntropy",),
    axes={"categories": "category_weight"},
    needs=("categories",),
    population="lists",
    reference="LensKit metrics/ranking/_entropy.py",
)
def list_entropy(m: Measure) -> nw.Expr:
    """The entropy of the categories of a list, in bits: the more, the more evenly they are covered.

    ListEntropy@k = -Σ_c p(c) · log2 p(c), p(c) = (s(c) + e) / Σ_c (s(c) + e), s(c) = Σ_{r≤k, c ∈ A(i_r)} 1/|A(i_r)|, e = 10^-6

    The weight of an item is `split` among its categories, or `each` of them has all of it, 1.

    Edge cases: items without categories add nothing; a list of such items alone covers all categories evenly.
    """
    return _entropy(m, ONE)


@metric(
    "RankBiasedEntropy",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("RBEntropy",),
    axes={"categories": "category_weight"},
    numbers={"p": Number(0.85, "the chance that a reader goes on from one place to the next", most=1.0)},
    needs=("categories",),
    population="lists",
    reference="LensKit metrics/ranking/_entropy.py",
)
def rank_biased_entropy(m: Measure) -> nw.Expr:
    """ListEntropy in which higher places weigh more.

    RankBiasedEntropy@k = -Σ_c p(c) · log2 p(c), as for ListEntropy, with s(c) = Σ_{r≤k, c ∈ A(i_r)} p^(r-1)/|A(i_r)|

    Edge cases: as for ListEntropy.
    """
    return _entropy(m, nw.lit(float(m.params["p"])) ** (RANK - 1))


@metric(
    "SRecall",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("SubtopicRecall", "CommunityRecall"),
    axes={"relevance": "srecall_relevance", "of": "srecall_of"},
    needs=lambda params: ("categories", "train") if params["of"] == "train" else ("categories",),
    reference=ZHAI,
)
def s_recall(m: Measure) -> Ratio:
    """Subtopic recall: the share of the categories that the recommended items cover.

    SRecall@k = |∪_{r≤k} categories(i_r)| / C

    By `relevance` the union is over the hits (`binary`), or over all recommended items (`none`). C by `of`: the number of categories in
    data.items (`catalogue`), of the items of data.train (`train`), or of the user's relevant items (`relevant`).

    Edge cases: 0 where C is 0; above 1 where items that train does not hold have categories that its items have not (`train`).
    """
    covered = m.table("covered_hits", "both") if m.params["relevance"] == "binary" else m.table("covered")
    if m.params["of"] == "relevant":
        return Ratio(covered.count(), m.table("wanted_categories", "truth").whole_count())
    number = "categories" if m.params["of"] == "catalogue" else "train_categories"
    return Ratio(covered.count(), nw.lit(m.number(number)))


@metric(
    "AlphaNDCG",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("alpha_nDCG", "a_ndcg", "aNDCG"),
    axes={"ideal": "alpha_ideal", "redundancy": "alpha_redundancy"},
    numbers={"alpha": Number(0.5, "how much less a category is worth each time it is covered again", least=0.0, most=1.0)},
    needs=("categories",),
    reference=CLARKE,
)
def alpha_ndcg(m: Measure) -> Ratio:
    """NDCG in which a hit gains by each of its categories, and less by those that hits above it have covered.

    α-nDCG@k = 1/I · Σ_{r≤k} h(r) · Σ_{c ∈ categories(i_r)} (1 - α)^{seen(c,r)} / log2(r + 1)

    seen(c, r) by `redundancy`: the number of hits above rank r that have category c (`hits`), or of all items above it (`listed`).
    I by `ideal`: the same sum for the relevant items in greedy order, each time the one that gains most, smallest id first
    (`greedy`); or, whatever the categories, A·⌊l/A⌋ places of gain 1 and the rest of the l places of gain (1 - α)^⌊l/A⌋, with A the
    number of categories of the user's relevant items (`places`), and the value may then be above 1.

    Edge cases: no hit counts 0; an item without categories gains nothing. The greedy order is the usual stand-in for the best
    order, which is NP-hard.
    """
    alpha = float(m.params["alpha"])
    aspects = m.table("aspects", "both", redundancy=str(m.params["redundancy"]))
    worth = nw.lit(1.0 - alpha) ** nw.col("seen") if alpha < 1 else nw.when(nw.col("seen") > 0).then(ZERO).otherwise(ONE)
    found = aspects.sum(worth / (RANK + 1).log(base=2.0), "gain")
    if m.params["ideal"] == "greedy":
        return Ratio(found, m.table("greedy", "truth", alpha=alpha).sum(nw.col("gain") / (RANK + 1).log(base=2.0)))
    if m.k is None:
        raise ValueError("AlphaNDCG(ideal=places) needs a cut-off")
    wanted = m.table("wanted_categories", "truth").whole_count()
    rounds = nw.when(wanted > 0).then((m.n_listed / nw.max_horizontal(wanted, ONE)).floor()).otherwise(ZERO)
    places = []
    for rank in range(1, m.k + 1):
        gain = nw.when(rounds * wanted >= rank).then(ONE).otherwise(nw.lit(1.0 - alpha) ** rounds)
        places.append(nw.when(m.n_listed >= rank).then(gain).otherwise(ZERO) / math.log2(rank + 1))
    return Ratio(found, added(*places))


@metric(
    "ERRIA",
    family="diversity",
    axes={"intent": "err_ia_intent"},
    numbers={"grade": Number(0.5, "the chance that a hit satisfies who looks for its category", least=0.0, most=1.0)},
    needs=lambda params: ("categories", "train") if params["intent"] == "profile" else ("categories",),
    reference="Chapelle et al., Intent-based diversification of web search results, Information Retrieval 14(6), 2011",
)
def err_ia(m: Measure) -> nw.Expr:
    """Intent-aware expected reciprocal rank: how soon someone who looks for one of the categories is satisfied.

    ERR-IA@k = Σ_c p(c|u) · Σ_{r≤k} h(r) · [c ∈ categories(i_r)] · 1/r · g · (1 - g)^{seen(c,r)}

    g is `grade`, seen(c, r) the number of hits above rank r that have category c. p by `intent`: the same for every category
    (`uniform`), or the share of c among the categories of the user's items in train and of the user's relevant items (`profile`).

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    g = float(m.params["grade"])
    aspects = m.table("aspects", "both", redundancy="hits", intent=str(m.params["intent"]))
    chance = nw.lit(1.0 - g) ** nw.col("seen") if g < 1 else nw.when(nw.col("seen") > 0).then(ZERO).otherwise(ONE)
    return aspects.sum(nw.col("intent") * g * chance / RANK, "satisfied")
