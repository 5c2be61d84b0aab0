"""Ranking accuracy: hits count by where they stand.

R is the number of relevant items of the user, h(r) = 1 if the item at rank r is relevant, found(r) the hits up to rank r.
"""

from __future__ import annotations

import math

import narwhals as nw

from .measure import FOUND, GAIN, ONE, RANK, Measure, Ratio, divide
from .registry import metric


def _denominator(m: Measure) -> nw.Expr:
    choice = str(m.params["denominator"])
    if choice == "min_r_k":
        return m.at_most_k(m.n_relevant)
    if choice == "r":
        return m.n_relevant
    if choice == "k":
        return m.depth
    return m.n_listed if choice == "list_length" else m.hits.count()


def _discounted(m: Measure, gain: str) -> nw.Expr:
    # Float literals throughout: Polars 2.1 shares a cast literal between expressions and then fails on an empty frame.
    gains = {
        "binary": ONE,
        "linear": GAIN,
        "exp2": nw.lit(2.0) ** GAIN - 1.0,
        "exp2_plus1": nw.lit(2.0) ** (GAIN + 1.0) - 1.0,
    }
    return gains[gain] / (RANK + 1).log(base=float(m.params.get("log_base", 2)))


@metric(
    "MAP",
    family="ranking",
    aliases=("AP", "AveragePrecision", "MAPAtK", "mapr"),
    axes={"denominator": "map_denominator"},
    reference="Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval (2005), chapter 3",
)
def average_precision(m: Measure) -> nw.Expr:
    """Precision averaged over the ranks of the hits; over users, mean average precision.

    AP@k = 1/D · Σ_{r≤k} h(r) · found(r)/r

    D by `denominator`: `min_r_k` = min(R, k), so that a perfect list counts 1; `r`; `k`; `list_length`, at most k;
    `hits`, the hits among the first k.

    Edge cases: no hit counts 0; without a cut-off min(R, k) is R and k is the length of the list.
    """
    return divide(m.hits.sum(FOUND / RANK), _denominator(m))


@metric(
    "MAR",
    family="ranking",
    aliases=("AR", "AverageRecall"),
    axes={"denominator": "mar_denominator"},
    reference="the mean of Recall@r over the ranks r of the hits; defined beside MAP in WarpRec and rs_metrics",
)
def average_recall(m: Measure) -> nw.Expr:
    """Recall averaged over the ranks of the hits; over users, mean average recall.

    AR@k = 1/D · Σ_{r≤k} h(r) · found(r)/R

    D by `denominator`, as for MAP. Edge cases: as for MAP; a perfect list does not reach 1 unless R = 1.
    """
    return divide(m.hits.sum(FOUND) / m.n_relevant, _denominator(m))


@metric(
    "MRR",
    family="ranking",
    aliases=("RR", "ReciprocalRank", "MRRAtK"),
    reference="Voorhees, The TREC-8 question answering track report (1999)",
)
def reciprocal_rank(m: Measure) -> nw.Expr:
    """One over the rank of the first hit; over users, mean reciprocal rank.

    RR@k = 1 / min{r ≤ k : h(r) = 1}

    Edge cases: no hit among the first k counts 0.
    """
    return m.hits.max(ONE / RANK)


@metric(
    "DCG",
    family="ranking",
    bounds=(0.0, math.inf),
    axes={"gain": "ndcg_gain", "log_base": "ndcg_log_base"},
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; exponential gain: Burges et al., ICML 2005",
)
def dcg(m: Measure) -> nw.Expr:
    """Discounted cumulative gain: the gains of the hits, each divided by the logarithm of its rank plus one.

    DCG@k = Σ_{r≤k} h(r) · gain(r) / log_b(r + 1)

    The gain of relevance g by `gain`: `binary` 1, `linear` g, `exp2` 2^g - 1, `exp2_plus1` 2^(g+1) - 1; g is 1 unless
    the relevance is graded. b is `log_base`.

    Edge cases: no hit counts 0. The value has no upper bound.
    """
    return m.hits.sum(_discounted(m, str(m.params["gain"])))


@metric(
    "nDCG",
    family="ranking",
    aliases=("NDCGAtK", "ndcg_cut"),
    axes={"gain": "ndcg_gain", "log_base": "ndcg_log_base"},
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; exponential gain: Burges et al., ICML 2005",
)
def ndcg(m: Measure) -> Ratio:
    """DCG divided by the DCG of the best possible list.

    nDCG@k = DCG@k / IDCG@k, with IDCG@k the DCG of all relevant items of the user, highest gain first, cut at k

    Gains and discount as for DCG. `log_base` cancels out here and is accepted for completeness.

    Edge cases: no hit counts 0; relevant items that no list holds stay in the ideal.
    """
    row = _discounted(m, str(m.params["gain"]))
    return Ratio(m.hits.sum(row), m.ideal.sum(row))


@metric(
    "nDCGRendle2020",
    family="ranking",
    reference="Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020",
)
def ndcg_rendle_2020(m: Measure) -> Ratio:
    """NDCG of binary relevance, whatever the ratings say.

    nDCGRendle2020@k = Σ_{r≤k} h(r)/log2(r + 1) / Σ_{r≤min(R,k)} 1/log2(r + 1)

    Edge cases: as for nDCG.
    """
    row = _discounted(m, "binary")
    return Ratio(m.hits.sum(row), m.ideal.sum(row))
