"""Ranking accuracy: hits count by their rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from . import registry
from .arrays import add, discounts, divide, harmonic, where
from .measure import Measure, Ratio, gain_of, has_eleven_ranks
from .notation import GAINS, SIZES, TexFormula, best_gain, tex
from .registry import Number
from .table_views import CutTable
from .weights import WEIGHT, ideal_with_weights, is_column, needs_of_weight, weighted

_DISCOUNTED = {"gain": "ndcg_gain", "discount": "ndcg_discount", "log_base": "ndcg_log_base", "ties": "ndcg_ties"}
_AT_RANKS = {"hits": r"h_r\,", "all": ""}
_TEX_DISCOUNTS = {"log_r_plus_1": r"\log_{<log_base>}(r + 1)", "log_max_r_2": r"\log_{<log_base>} \max(r, 2)"}
_TEX_TIES = {"list_order": "", "averaged": r"\frac{1}{|\Pi_u|} \sum_{\pi \in \Pi_u} "}
_ROUNDED_UP_FROM = {"plus_0_9": "0.9", "nearest": "0.5"}
_JARVELIN = "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; exponential gain: Burges et al., ICML 2005"


def _refuse_all_ranks(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if a sum at all ranks is not divided by the number of ranks, or if ties count together in it."""
    if params["ranks"] == "all" and params["denominator"] not in ("k", "list_length"):
        raise ValueError(f"ranks=all adds up k values and divides by k or list_length, not by {params['denominator']}")
    if params["ranks"] == "all" and params.get("ties") == "together":
        raise ValueError("ties=together counts hits, so it cannot be used with ranks=all: use ranks=hits")


def discount_at(m: Measure, rank: Array) -> Array:
    """Return the discount of each rank, by `discount` and `log_base`."""
    base = float(m.params.get("log_base", 2))
    shifted = m.params.get("discount", "log_r_plus_1") == "log_r_plus_1"
    logarithm = np.log2(rank + 1 if shifted else np.maximum(rank, 2))
    return np.asarray(logarithm if base == 2 else logarithm / math.log2(base))


def _dcg(m: Measure, table: CutTable, gain: str) -> Array:
    each, by = gain_of(gain, table["gain"], m.offset), discount_at(m, table["rank"])
    if not m.params["weight"]:
        return table.sum(each / by, gain=each, discount=by)
    return table.sum(each * table["value"] / by, gain=each, weight=table["value"], discount=by)


def _dcg_of_list(m: Measure, gain: str) -> Array:
    """Return the DCG of the list; with `ties` = `averaged` its mean over all orders of items with the same score."""
    if m.params["ties"] == "list_order":
        return _dcg(m, _hits(m), gain)
    each = (None,) if m.cutoffs is None else m.cutoffs  # how many ranks of a tie are above the cut depends on k
    return np.concatenate([_mean_dcg(m.at(k), gain, k) for k in each])


def _mean_dcg(m: Measure, gain: str, k: int | None) -> Array:
    hits = m.table("tied_hits", single=m.single_precision, at="first")
    first, last = hits["rank"], hits["last"]
    end = last if k is None else np.minimum(last, k)
    down_to = np.concatenate([[0.0], np.cumsum(1.0 / discount_at(m, np.arange(1, int(np.max(end, initial=0)) + 1)))])
    each = gain_of(gain, hits["gain"], m.offset)
    above = np.minimum(first - 1, end)
    mean = np.where(first == end, 1.0 / discount_at(m, first), down_to[end] - down_to[above]) / (last - first + 1)
    return hits.sum(each * mean, gain=each, discount=mean)


def _refuse_weights(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` for weights or averaged ties beside an ideal list, or each other, that they do not fit."""
    is_column(params, k)
    if params["ties"] == "averaged" and (params.get("weight") or params.get("ideal") == "retrieved_at_k"):
        other = "a weight" if params.get("weight") else "ideal=retrieved_at_k"
        raise ValueError(f"ties=averaged cannot be used with {other}: use ties=list_order")
    if params.get("weight") and params.get("ideal", "relevant") != "relevant":
        raise ValueError(f"nDCG takes a weight only with ideal=relevant, not with {params['ideal']}")


def _hits(m: Measure) -> CutTable:
    return weighted(m, "valued_hits") if m.params["weight"] else m.hits


def _uses_of_ndcg(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    if params.get("weight"):
        return ("valued_hits", "weighted_ideal")
    if params.get("ties") == "averaged":
        return ("hits", "ideal", "retrieved", "tied_hits")
    return ("hits", "retrieved_at_k") if params.get("ideal") == "retrieved_at_k" else ("hits", "ideal", "retrieved")


def _sums_hits_of_k(params: Mapping[str, Scalar]) -> bool:
    """Return whether nDCG is a sum over the hits among the first k, divided by a number that does not depend on the list."""
    return params["ideal"] in ("relevant", "k_items") and params["ties"] == "list_order"


def _best(ideal: str, gain: str, is_weighted: bool) -> str:
    """Return the gain at a rank of the best list, times its weight if there is one."""
    return (r"v^*_r\," if is_weighted else "") + best_gain(ideal, gain)


def _weighted(template: str, **choices: Any) -> TexFormula:
    """Return a formula in which <weight> is the weight of a rank, if there is one."""
    return tex(template, weight=lambda params: r"v_r\," if params.get("weight") else "", **choices)


metric = partial(registry.metric, family="ranking")
weightable = partial(metric, texts=WEIGHT, needs=needs_of_weight)


@metric(
    "MAP",
    aliases=("AP", "AveragePrecision", "MAPAtK", "mapr"),
    axes={"denominator": "map_denominator", "ranks": "map_ranks", "ties": "map_ties"},
    uses=lambda params: (
        ("hits", "reading", "n_relevant", "tied_hits") if params["ties"] == "together" else ("hits", "reading", "n_relevant")
    ),
    validate=_refuse_all_ranks,
    tex=tex(
        r"\frac{1}{<denominator>} \sum_{r=1}^{k} <ranks><ties>",
        denominator=SIZES,
        ranks=_AT_RANKS,
        ties={"list_order": r"\frac{f_r}{r}", "together": r"\frac{f_{e_r}}{e_r} \\ e_r = \max\{q : s_q = s_r\}"},
    ),
    reference="Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval (2005), chapter 3",
    ties=lambda params: params["denominator"] != "hits" and params["ties"] == "list_order",
)
def average_precision(m: Measure) -> Array:
    """How many of the items down to each hit are relevant, on average; use it if all relevant items should be near the top.

    It is precision, averaged over the ranks of the hits; the mean over users is mean average precision. With `denominator` = `min_r_k` a
    perfect list counts 1. With `ranks` = `all` precision is added up at every rank up to k, not only at hits, and divided by `k` or
    `list_length`.

    With `ties` = `together` f_r/r of each hit is that of the last rank of the items with the same score, and k cuts there. Hits have no
    ties if their ranks are not their positions in the list (`positions`).

    Edge cases: no hit counts 0; without a cut-off min(R, k) is R and k is the length of the list.
    """
    if m.params["ranks"] == "all":
        # Σ_{r≤k} found(r)/r: the hit at rank r is in found(r), …, found(k), so it adds H_k - H_(r-1).
        total = m.hits.count() * harmonic(m.depth) - m.hits.sum(harmonic(m.hits["rank"] - 1.0), "H of rank - 1")
    else:
        together = m.params["ties"] == "together"
        hits = m.table("tied_hits", single=m.single_precision, at="last") if together else m.hits
        total = hits.sum(hits["found"] / hits["last" if together else "rank"], "precision", found=hits["found"])
    return divide(total, m.size(m.params["denominator"]))


@metric(
    "MAR",
    aliases=("AR", "AverageRecall"),
    axes={"denominator": "mar_denominator", "ranks": "mar_ranks"},
    validate=_refuse_all_ranks,
    tex=tex(r"\frac{1}{<denominator>} \sum_{r=1}^{k} <ranks>\frac{f_r}{|T_u|}", denominator=SIZES, ranks=_AT_RANKS),
    reference="the mean of Recall@r over the ranks r of the hits; defined beside MAP in WarpRec and rs_metrics",
    ties=lambda params: params["denominator"] != "hits",
)
def average_recall(m: Measure) -> Array:
    """The mean of the recall at each hit; use it with MAP to see how fast recall grows.

    It is recall, averaged over the ranks of the hits; the mean over users is mean average recall. `ranks` is as for MAP.

    Edge cases: as for MAP; a perfect list does not reach 1 unless R = 1.
    """
    if m.params["ranks"] == "all":
        found = m.hits.count() * (m.depth + 1.0) - m.hits.sum(m.hits["rank"], "its rank")  # the hit at rank r counts at k - r + 1 ranks
    else:
        found = m.hits.sum(m.hits["found"], "found")
    return divide(divide(found, m.n_relevant), m.size(m.params["denominator"]))


@metric(
    "MRR",
    aliases=("RR", "ReciprocalRank", "RecipRank", "MRRAtK"),
    tex=r"\frac{1}{\min\{r \le k : h_r = 1\}}",
    reference="Voorhees, The TREC-8 question answering track report (1999)",
    ties=True,
)
def reciprocal_rank(m: Measure) -> Array:
    """How close to the top the first hit is; use it if users need one good item and take the first.

    The mean over users is the mean reciprocal rank.

    Edge cases: no hit among the first k counts 0.
    """
    return m.hits.max(1.0 / m.hits["rank"], "1/rank")


@metric(
    "FirstRelevantRank",
    aliases=("FirstHitRank", "RankOfFirstHit"),
    uses=("hits", "reading"),
    bounds=(1.0, math.inf),
    higher_is_better=False,
    tex=r"\min(\{r \le k : h_r = 1\} \cup \{k + 1\})",
    reference="the rank whose reciprocal is MRR: Voorhees, The TREC-8 question answering track report (1999)",
)
def first_relevant_rank(m: Measure) -> Array:
    """The rank of the first hit, averaged over users; use it beside MRR to say how far down users look.

    Edge cases: a user without a hit among the first k has k + 1, the least that is possible, so that a model with few hits gains nothing;
    without a cut-off k is the length of the list. Lists shorter than k also have k + 1.
    """
    first = m.hits.max(1.0 / m.hits["rank"], "1/rank")
    return where(first > 0, np.round(divide(1.0, first)), m.depth + 1.0)


@weightable(
    "DCG",
    forms={"ips": "SNIPSDCG"},
    bounds=(0.0, math.inf),
    uses=lambda params: ("valued_hits",) if params.get("weight") else ("hits", *(("tied_hits",) if params["ties"] == "averaged" else ())),
    axes=_DISCOUNTED,
    validate=_refuse_weights,
    tex=_weighted(r"<ties>\sum_{r=1}^{k} \frac{<weight><gain>}{<discount>}", gain=GAINS, discount=_TEX_DISCOUNTS, ties=_TEX_TIES),
    reference=_JARVELIN,
    ties=lambda params: not params.get("weight") and params["ties"] == "list_order",
    by_item=lambda params: params["ties"] == "list_order",
)
def dcg(m: Measure) -> Array:
    """The gain of the list, where lower ranks count less; use nDCG instead unless you need values that are not normalised.

    DCG is short for discounted cumulative gain. `gains` replaces grades, such as `gains='1=3,2=9'`, and makes the relevance graded; without
    a threshold an item is relevant if its new grade is. With `weight`, a column such as `rows.quantity`, each gain is multiplied by v_r.
    With `ties` = `averaged` each of the items with the same score has the mean discount of their ranks, where ranks below k have none: DCG
    is then its mean over all orders of these items. Hits have no ties if their ranks are not their positions in the list (`positions`).
    With inverse propensities, as in DCG(ips=popularity,gamma=1.7), it is SNIPSDCG.

    Edge cases: no hit counts 0. The value has no upper bound.
    """
    return _dcg_of_list(m, str(m.params["gain"]))


@weightable(
    "nDCG",
    uses=_uses_of_ndcg,
    aliases=("NDCGAtK",),
    axes={**_DISCOUNTED, "ideal": "ndcg_ideal"},
    validate=_refuse_weights,
    tex=_weighted(
        r"<ties>\sum_{r=1}^{<ranks>} \frac{<weight><gain>}{<discount>} \biggl/ \sum_{r=1}^{k} \frac{<best>}{<discount>}",
        ties=_TEX_TIES,
        gain=GAINS,
        discount=_TEX_DISCOUNTS,
        best=lambda params: _best(str(params["ideal"]), str(params["gain"]), bool(params.get("weight"))),
        ranks=lambda params: "k + [k = 10]" if has_eleven_ranks(params) else "k",
    ),
    reference=_JARVELIN,
    ties=lambda params: _sums_hits_of_k(params) and not params.get("weight"),
    by_item=lambda params: _sums_hits_of_k(params),
)
def ndcg(m: Measure) -> Ratio:
    """How close to the top the relevant items are; the default choice if order matters.

    It is the DCG of the list divided by that of the best possible list. Gain, discount and `ties` are those of DCG; `log_base` cancels out
    and is accepted for completeness. With `ideal` = `relevant_eleven_at_10` the hits of the first eleven ranks count at k = 10, as in the
    script of GDE, while the best list is cut at ten, so that the value can be above 1.

    With `weight`, a column such as `rows.quantity`, each gain is multiplied by v_r in both lists, and the order of the best list is that of
    these products; then `ideal` is `relevant`.

    Edge cases: no hit counts 0; with `ideal` = `relevant` relevant items that are in no list count in the divisor too. With `weight`, a
    user whose relevant items have no weight in total is left out.
    """
    gain, ideal, deep = str(m.params["gain"]), str(m.params["ideal"]), m.at_hit_ranks
    if m.params["weight"]:
        return Ratio(_dcg(m, _hits(deep), gain), _dcg(m, ideal_with_weights(m, gain), gain), None)
    if ideal == "k_items" and m.cutoffs is not None:
        best = discounts(m.cutoffs, float(m.params["log_base"]), m.params["discount"] == "log_r_plus_1")
        return Ratio(_dcg_of_list(deep, gain), best)
    if ideal == "retrieved_at_k":
        each = (None,) if m.cutoffs is None else m.cutoffs  # the best order of the hits down to k depends on k
        return Ratio(_dcg(m, deep.hits, gain), np.concatenate([_dcg(m, m.at(k).table("retrieved_at_k", depth=k or 0), gain) for k in each]))
    return Ratio(_dcg_of_list(deep, gain), _dcg(m, m.retrieved if ideal == "retrieved" else m.ideal, gain))


@weightable(
    "nDCGRendle2020",
    uses=lambda params: _uses_of_ndcg(params)[:2],
    validate=is_column,
    tex=_weighted(
        r"\sum_{r=1}^{k} \frac{<weight>h_r}{\log_2(r + 1)} \biggl/ \sum_{r=1}^{k} \frac{<best>}{\log_2(r + 1)}",
        best=lambda params: _best("relevant", "binary", bool(params.get("weight"))),
    ),
    reference="Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020",
    ties=lambda params: not params.get("weight"),
    by_item=True,
)
def ndcg_rendle_2020(m: Measure) -> Ratio:
    """How close to the top the relevant items are, with the same gain for each; use it if their ratings should not matter.

    It is nDCG of binary relevance, also with `weight`.

    Edge cases: as for nDCG.
    """
    if m.params["weight"]:
        return Ratio(_dcg(m, _hits(m), "binary"), _dcg(m, ideal_with_weights(m, "binary"), "binary"), None)
    return Ratio(_dcg(m, m.hits, "binary"), _dcg(m, m.ideal, "binary"))


@metric(
    "BinG",
    tex=r"\frac{1}{|T_u|} \sum_{r=1}^{k} \frac{h_r}{\log_2(2 + r - f_r)}",
    reference="trec_eval m_binG.c",
    ties=True,
)
def bin_g(m: Measure) -> Ratio:
    """The share of the relevant items that are found, where hits below many misses count less; use it if every miss costs time.

    Each hit is discounted by the number of misses above it, not by its rank.

    Edge cases: no hit counts 0; with R > k the value cannot reach 1.
    """
    by = np.log2(m.hits["rank"] - m.hits["found"] + 2)
    return Ratio(m.hits.sum(1.0 / by, discount=by), m.n_relevant)


@metric(
    "InterpolatedPrecision",
    aliases=("IPrec",),
    axes={"rounding": "iprec_rounding"},
    numbers={"recall": Number(0.1, "the recall, from 0 to 1", least=0.0, most=1.0, symbol="x")},
    cut=False,
    tex=tex(r"\max\left\{\frac{f_r}{r} : f_r \ge \lfloor x\,|T_u| + <rounding> \rfloor\right\}", rounding=_ROUNDED_UP_FROM),
    reference="trec_eval m_iprec_at_recall.c; Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4",
)
def interpolated_precision(m: Measure) -> Array:
    """The best precision once a given share of the relevant items is found; use it to draw precision over recall.

    `rounding` = `plus_0_9` is that of trec_eval up to version 9, `nearest` that since version 10.

    `receval plot precision_recall` draws it over several recalls, a line for each model.

    Edge cases: 0 if the list never reaches that recall.
    """
    return m.hits.max(_at_recall(m, float(m.params["recall"])), "precision")


@metric(
    "ElevenPointPrecision",
    aliases=("11pt_avg",),
    axes={"rounding": "iprec_rounding"},
    cut=False,
    tex=tex(
        r"\frac{1}{11} \sum_{m=0}^{10} \max\left\{\frac{f_r}{r} : f_r \ge \lfloor \tfrac{m}{10}\,|T_u| + <rounding> \rfloor\right\}",
        rounding=_ROUNDED_UP_FROM,
    ),
    reference="trec_eval m_11pt_avg.c; Manning, Raghavan and Schütze, Introduction to Information Retrieval, section 8.4",
)
def eleven_point_precision(m: Measure) -> Array:
    """The mean of InterpolatedPrecision at eleven recalls from 0 to 1; use it to compare with older results of search engines.

    Edge cases: as for InterpolatedPrecision.
    """
    points = [m.hits.max(_at_recall(m, point / 10), f"precision from {point / 10:g}") for point in range(11)]
    return add(*points) / 11.0


@metric(
    "RecallAtPrecision",
    aliases=("RecallAtFixedPrecision",),
    numbers={"precision": Number(0.5, "the precision that a depth must have, from 0 to 1", least=0.0, most=1.0, symbol="x")},
    tex=r"\max\left\{\frac{f_r}{|T_u|} : \frac{f_r}{r} \ge x, r \le k\right\}",
    reference="TorchMetrics retrieval/recall_fixed_precision, per user",
)
def recall_at_precision(m: Measure) -> Array:
    """The highest recall at a depth that keeps a given precision; use it if too many misses are not acceptable.

    `receval plot precision_recall` draws it over several precisions, a line for each model.

    Edge cases: 0 if no depth has that precision.
    """
    found, rank = m.hits["found"], m.hits["rank"]
    return m.hits.max(where(found >= rank * float(m.params["precision"]), found / m.hits["n_relevant"], 0.0), "recall")


def _at_recall(m: Measure, recall: float) -> Array:
    found, share = m.hits["found"], m.hits["n_relevant"] * recall
    whole = np.floor(share)
    rounded = whole + (share - whole >= 0.5) if m.params["rounding"] == "nearest" else np.floor(share + 0.9)
    return where(rounded <= found, found / m.hits["rank"], 0.0)
