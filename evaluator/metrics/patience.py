"""Ranking accuracy for a reader who stops: after an item that satisfies, with a fixed probability, or after k misses.

R is the number of relevant items of the user, l = min(k, length of the list), g(r) the grade of the relevant item at rank r and 0 if there
is none (1 unless the relevance is graded), a(r) the misses above rank r.
"""

from __future__ import annotations

import math
from dataclasses import replace

import narwhals as nw

from .measure import FOUND, GAIN, ONE, RANK, ZERO, Measure, Ratio, divide
from .registry import Number, metric

_RECTOOLS = "RecTools metrics/auc.py"


@metric(
    "RBP",
    family="ranking",
    aliases=("RankBiasedPrecision",),
    bounds=(0.0, math.inf),
    axes={"gain": "rbp_gain", "norm": "rbp_norm"},
    numbers={"p": Number(0.8, "the patience: how likely the reader goes on to the next item", most=0.999999)},
    reference="Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1), 2008",
    ties=True,
)
def rbp(m: Measure) -> Ratio:
    """The rate at which a reader gains who goes from one item to the next with probability p.

    RBP@k = (1 - p) · Σ_{r≤k} gain(r) · p^(r-1)

    By `gain` a hit adds 1 (`binary`), its `grade`, or its grade as a `share` of the largest of the user. With `norm` = `ideal` the sum is
    divided by Σ_{r≤min(R,l)} p^(r-1) instead of 1/(1 - p).

    Edge cases: no hit counts 0; with `grade` the value may be above 1. Without `norm` a perfect list of R items reaches 1 - p^R.
    """
    p = float(m.params["p"])
    weight = nw.lit(p) ** (RANK - 1.0)
    gain = ONE if m.params["gain"] == "binary" else GAIN
    total = m.hits.sum(gain * weight, gain=gain, weight=weight) * (1.0 - p)
    if m.params["gain"] == "share":
        total = divide(total, replace(m, k=None).ideal.max(GAIN, "grade"))
    if m.params["norm"] == "none":
        return Ratio(total, ONE)
    return Ratio(total, 1.0 - nw.lit(p) ** (nw.min_horizontal(m.n_relevant, m.n_listed) * 1.0))


@metric(
    "ERR",
    family="ranking",
    aliases=("ExpectedReciprocalRank",),
    numbers={"max_grade": Number(4.0, "the largest grade that there is")},
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009; gdeval.pl",
)
def err(m: Measure) -> nw.Expr:
    """The expected reciprocal rank at which a reader stops, who is the more likely satisfied by an item the higher its grade.

    ERR@k = Σ_{r≤k} 1/r · s(r) · Π_{i<r} (1 - s(i)), s(r) = (2^g(r) - 1) / 2^max_grade

    Edge cases: no hit counts 0; a grade above `max_grade` satisfies at most with certainty.
    """
    table = m.table("cascade", "both", max_grade=float(m.params["max_grade"]))
    satisfied, reached = nw.col("satisfied"), nw.col("reached")
    return table.sum(satisfied * reached / RANK, satisfied=satisfied, reached=reached)


@metric(
    "SDCG",
    family="ranking",
    aliases=("ScaledDCG",),
    numbers={
        "max_rel": Number(4.0, "the grade that counts 1"),
        "min_rel": Number(0.0, "the grade that counts 0", least=-1e6),
    },
    reference="Moffat et al., C/W/L measures as in ir_measures and cwl-eval",
)
def sdcg(m: Measure) -> Ratio:
    """DCG of grades scaled to lie between 0 and 1, divided by that of k items of the highest grade.

    SDCG@k = Σ_{r≤k} s(r)/log2(r + 1) / Σ_{r≤k} 1/log2(r + 1), s(r) = (min(max(g(r), min_rel), max_rel) - min_rel) / (max_rel - min_rel)

    Edge cases: no hit counts 0; without a cut-off k is the length of the list.
    """
    low, high = float(m.params["min_rel"]), float(m.params["max_rel"])
    if high <= low:
        raise ValueError(f"max_rel of SDCG is above min_rel, not {high:g} with min_rel={low:g}")
    by = (RANK + 1).log(base=2.0)
    scaled = nw.min_horizontal(nw.max_horizontal(GAIN - low, ZERO) / (high - low), ONE)
    total = m.hits.sum(scaled / by, gain=scaled, discount=by)
    if m.k is None:
        return Ratio(total, m.listed.sum(ONE / by, discount=by))
    return Ratio(total, nw.lit(math.fsum(1 / math.log2(rank + 1) for rank in range(1, m.k + 1))))


@metric(
    "PartialAUC",
    family="auc",
    aliases=("pAUC",),
    axes={"insufficient": "pauc_insufficient"},
    reference="McClish, Analyzing a portion of the ROC curve, Medical Decision Making 9(3), 1989; as in " + _RECTOOLS,
)
def partial_auc(m: Measure) -> nw.Expr:
    """The part of the AUC that lies before the k-th miss: the list is read until it has missed k times.

    PartialAUC@k = 1/(k·R) · Σ_{r: hit, a(r) < k} (k - a(r))

    With `insufficient` = `excluded` a user is left out whose list lacks a relevant item and has less than k misses.

    Edge cases: no hit counts 0; without a cut-off k is the length of the list. The list is not cut at k.
    """
    return _before_kth_miss(m, replace(m, k=None).n_relevant * 1.0, None)


@metric(
    "PAP",
    family="auc",
    axes={"insufficient": "pauc_insufficient"},
    reference="Budimir et al., partial AUC and precision, as in " + _RECTOOLS,
)
def pap(m: Measure) -> nw.Expr:
    """PartialAUC of the first k hits: precision at k, in which the order within the list counts.

    PAP@k = 1/(k·min(R, k)) · Σ_{r: hit, a(r) < k, found(r) ≤ k} (k - a(r))

    Parameters as for PartialAUC. Edge cases: as for PartialAUC.
    """
    return _before_kth_miss(m, m.at_most_k(m.n_relevant) * 1.0, m.k)


def _before_kth_miss(m: Measure, divisor: nw.Expr, most: int | None) -> nw.Expr:
    whole = replace(m, k=None)
    hits, length = whole.hits, whole.n_listed
    above = RANK - FOUND
    if m.k is None:
        return divide(hits.count() * length - hits.sum(above * 1.0, "misses above"), length * divisor)
    before = above < m.k if most is None else (above < m.k) & (most >= FOUND)
    value = divide(hits.sum(nw.when(before).then(m.k - above * 1.0).otherwise(ZERO), "misses left"), divisor * float(m.k))
    if m.params["insufficient"] == "counts":
        return value
    enough = (length - hits.count() >= m.k) | (hits.count() >= m.n_relevant)
    return nw.when(enough).then(value)
