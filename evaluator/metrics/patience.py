"""Ranking accuracy for a reader who stops: after a satisfying item, with a fixed probability, or after k misses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import table
from ..tables.rows import Rows, number_rows, running_sum
from . import registry
from .arrays import NO_VALUE, begins, discounts, discounts_of_length, divide, powers, where
from .measure import Measure, Ratio
from .notation import tex
from .registry import Number

_RECTOOLS = "RecTools metrics/auc.py"


def _tables_of_rbp(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the tables that RBP reads."""
    return ("hits", *(("ideal",) if params["gain"] == "share" else ()), *(("n_relevant", "reading") if params["norm"] == "ideal" else ()))


metric = partial(registry.metric, family="ranking")
before_kth_miss = partial(metric, family="auc", uses=("hits", "n_relevant", "reading"), axes={"insufficient": "pauc_insufficient"})


@metric(
    "RBP",
    uses=_tables_of_rbp,
    aliases=("RankBiasedPrecision",),
    bounds=(0.0, math.inf),
    axes={"gain": "rbp_gain", "norm": "rbp_norm"},
    numbers={"p": Number(0.8, "the patience: the probability that the reader goes on to the next item", most=0.999999, symbol="p")},
    tex=tex(
        r"<norm>",
        norm={
            "none": r"(1 - p) \sum_{r=1}^{k} <gain>\,p^{r-1}",
            "ideal": r"\sum_{r=1}^{k} <gain>\,p^{r-1} \biggl/ \sum_{r=1}^{\min(|T_u|, |L_u|)} p^{r-1}",
        },
        gain={"binary": "h_r", "grade": "g_r", "share": r"\frac{g_r}{g^*_1}"},
    ),
    reference="Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS 27(1), 2008",
    ties=True,
    by_item=True,
)
def rbp(m: Measure) -> Ratio:
    """The gain per item of a reader who goes on to the next item with probability p; use it if you can say how patient users are.

    RBP is short for rank-biased precision.

    Edge cases: no hit counts 0; with `grade` the value may be above 1. Without `norm` a perfect list of R items reaches 1 - p^R.
    """
    p = float(m.params["p"])
    weight = powers(p, m.hits["rank"] - 1)
    gain = np.ones(len(weight)) if m.params["gain"] == "binary" else m.hits["gain"]
    total = m.hits.sum(gain * weight, gain=gain, weight=weight) * (1.0 - p)
    if m.params["gain"] == "share":
        total = divide(total, m.at(None).ideal.max(m.ideal["gain"], "grade"))
    if m.params["norm"] == "none":
        return Ratio(total, np.ones((1, m.n_users)))
    return Ratio(total, 1.0 - powers(p, np.minimum(m.n_relevant, m.n_listed)))


@table("cascade", uses=("hits",), params=("max_grade",), columns=("rank", "item", "gain"), title="The hits, and where the reader stops")
def cascade(hits: Rows, max_grade: float) -> Rows:
    """Return the hits with the probabilities that the reader stops there (`satisfied`) and comes so far (`reached`)."""
    rows = hits.take(begins(hits["rank"], hits.user))  # a hit that counts several times is counted once
    with np.errstate(over="ignore"):
        satisfied = np.minimum(np.exp2(rows["gain"] - max_grade) - np.exp2(-max_grade), 1.0)
    # If the reader stops for certain, the logarithm of going on is a number whose exponential is 0.
    certain = satisfied >= 1
    goes_on = np.where(certain, -1000.0, np.log1p(-np.where(certain, 0.0, satisfied)))
    return rows.with_columns(satisfied=satisfied, reached=np.exp(running_sum(goes_on, rows.user) - goes_on))


@metric(
    "ERR",
    uses=("cascade",),
    aliases=("ExpectedReciprocalRank",),
    numbers={"max_grade": Number(4.0, "the largest possible grade", symbol=r"g_{\max}")},
    tex=r"\sum_{r=1}^{k} \frac{\phi_r}{r} \prod_{q=1}^{r-1} (1 - \phi_q) \\ \phi_r = \min\left(\frac{2^{g_r} - 1}{2^{g_{\max}}}, 1\right)",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009; gdeval.pl",
)
def err(m: Measure) -> Array:
    """How early the list satisfies a reader, who then stops; use it with graded relevance if one very good item is enough.

    ERR is the expected reciprocal rank at which the reader stops. φ_r is the probability that the item at rank r satisfies, which grows
    with its grade.

    Edge cases: no hit counts 0; φ_r is at most 1, also for a grade above `max_grade`.
    """
    rows = m.table("cascade", max_grade=float(m.params["max_grade"]))
    satisfied, reached = rows["satisfied"], rows["reached"]
    return rows.sum(satisfied * reached / rows["rank"], satisfied=satisfied, reached=reached)


def _refuse_empty_scale(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if the highest grade is not above the lowest."""
    low, high = float(params["min_rel"]), float(params["max_rel"])
    if high <= low:
        raise ValueError(f"max_rel must be above min_rel, not {high:g} with min_rel={low:g}")


_SCALE = {
    "max_rel": Number(4.0, "the grade that counts 1", symbol=r"g_{\max}"),
    "min_rel": Number(0.0, "the grade that counts 0", least=-1e6, symbol=r"g_{\min}"),
}


def _scaled(m: Measure) -> Array:
    """Return the grade of each hit as a share of the scale from min_rel to max_rel, between 0 and 1."""
    low, high = float(m.params["min_rel"]), float(m.params["max_rel"])
    return np.minimum(np.maximum(m.hits["gain"] - low, 0.0) / (high - low), 1.0)


scaled = partial(metric, uses=("hits", "reading"), numbers=_SCALE, validate=_refuse_empty_scale)


@scaled(
    "SDCG",
    aliases=("ScaledDCG",),
    tex=(
        r"\sum_{r=1}^{k} \frac{h_r\,\phi_r}{\log_2(r + 1)} \biggl/ \sum_{r=1}^{k} \frac{1}{\log_2(r + 1)} \\ "
        r"\phi_r = \frac{\min(\max(g_r, g_{\min}), g_{\max}) - g_{\min}}{g_{\max} - g_{\min}}"
    ),
    reference="Moffat et al., C/W/L measures as in ir_measures and cwl-eval",
    by_item=True,
)
def sdcg(m: Measure) -> Ratio:
    """The gain of the list as a share of that of k items of the highest grade; use it if a perfect list must be excellent at every rank.

    It is a DCG with grades that are scaled to lie between 0 and 1.

    Edge cases: no hit counts 0; without a cut-off k is the length of the list.
    """
    by, scaled = np.log2(m.hits["rank"] + 1), _scaled(m)
    total = m.hits.sum(scaled / by, gain=scaled, discount=by)
    if m.cutoffs is None:
        return Ratio(total, discounts_of_length(m.n_listed))
    return Ratio(total, discounts(m.cutoffs))


_GOAL = {"T": Number(1.0, "the goal: the sum of scaled grades after which the reader has enough", least=0.5, symbol="T")}
_CWL_DEPTH = 1000
"""The ranks that cwl-eval weighs: a list is continued by misses down to here."""
_CWL_BLOCK = 4096
_PHI = r" \\ \phi_r = \frac{\min(\max(g_r, g_{\min}), g_{\max}) - g_{\min}}{g_{\max} - g_{\min}}"


@scaled(
    "BPM",
    aliases=("BejeweledPlayerModel",),
    numbers=_GOAL | _SCALE,
    tex=(r"\frac{1}{d} \sum_{r=1}^{d} \phi_r, \quad d = \min\Bigl(\{k\} \cup \bigl\{r : \sum_{q=1}^{r} \phi_q \ge T\bigr\}\Bigr)" + _PHI),
    reference="Zhang et al., Evaluating web search with a Bejeweled player model, SIGIR 2017; cwl-eval (static form)",
)
def bpm(m: Measure) -> Array:
    """The gain per item of a reader who stops after k items, or as soon as the gain reaches T; use it if users have a goal and a budget.

    BPM is short for Bejeweled player model.

    Edge cases: no hit counts 0; a list shorter than k counts as if misses followed. Without a cut-off k is the length of the list.
    """
    scaled, rank = _scaled(m), m.hits["rank"]
    gained = running_sum(scaled, m.hits.rows.user)
    first = m.at(None).hits.max(where(gained >= float(m.params["T"]) * (1.0 - 1e-12), 1.0 / rank, 0.0), "1/rank")
    stops = where(first > 0, np.round(divide(1.0, first)), math.inf)
    total = m.hits.sum(where(rank <= m.hits.per_row(stops), scaled, 0.0), gain=scaled)
    return divide(total, np.minimum(m.depth, stops))


scaled_whole = partial(metric, numbers=_GOAL | _SCALE, validate=_refuse_empty_scale, cut=False)


@scaled_whole(
    "INSQ",
    tex=r"\sum_{r=1}^{1000} w_r\,\phi_r, \quad w_r = \frac{1}{(r - 1 + 2 T)^2} \biggl/ \sum_{q=1}^{1000} \frac{1}{(q - 1 + 2 T)^2}" + _PHI,
    reference="Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012; cwl-eval",
)
def insq(m: Measure) -> Array:
    """The gain per item of a reader who looks for T items and grows more patient with each; use it if users look for a number of items.

    Edge cases: no hit counts 0; hits below rank 1000 do not count.
    """
    goal = 2.0 * float(m.params["T"])
    rank, scaled = m.hits["rank"], _scaled(m)
    whole = math.fsum(1.0 / (place + goal) ** 2 for place in range(_CWL_DEPTH))
    weight = where(rank <= _CWL_DEPTH, 1.0 / (rank - 1.0 + goal) ** 2 / whole, 0.0)
    return m.hits.sum(scaled * weight, gain=scaled, weight=weight)


@scaled_whole(
    "INST",
    tex=(
        r"\sum_{r=1}^{1000} w_r\,\phi_r, \quad w_r = w_1 \prod_{q=1}^{r-1} \Bigl(1 - \frac{1}{q + 2 T - \sum_{i=1}^{q} \phi_i}\Bigr)^2, "
        r"\quad \sum_{r=1}^{1000} w_r = 1" + _PHI
    ),
    reference="Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric for information retrieval evaluation, ADCS 2015; cwl-eval",
)
def inst(m: Measure) -> Array:
    """The gain per item of a reader who looks for T items and stops sooner once they are found; use it as INSQ for readers who adapt.

    Edge cases: no hit counts 0; hits below rank 1000 do not count.
    """
    goal = 2.0 * float(m.params["T"])

    def going_on(rank: Array, gain: Array) -> Array:
        still = rank + goal - np.cumsum(gain, axis=1)
        return np.asarray(((still - 1.0) / still) ** 2)

    return _gain_per_item(m, going_on)


_NERR = "Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021, equation {}; cwl-eval"
_STOPPED = r"\prod_{q=1}^{r-1} (1 - \phi_q), \quad \sum_{r=1}^{<depth>} w_r = 1" + _PHI


@scaled(
    "NERR8",
    one_cutoff=True,
    aliases=("NERREq8",),
    tex=tex(r"\sum_{r=1}^{k} w_r\,\phi_r, \quad w_r = w_1 " + _STOPPED, depth="k"),
    reference=_NERR.format(8),
)
def nerr8(m: Measure) -> Array:
    """The gain per item of a reader who stops once an item satisfies; use it as ERR for a list of k items.

    NERR is short for nearly ERR: unlike ERR, it is a gain per item. The reader stops at the item at rank r with probability φ_r, and at
    rank k at the latest.

    Edge cases: no hit counts 0; a list shorter than k counts as if misses followed, and ranks below 1000 do not count. Without a cut-off k
    is the length of the list.
    """
    return _nearly_err(m, np.ones_like, _deepest(m))


@scaled(
    "NERR9",
    one_cutoff=True,
    aliases=("NERREq9",),
    tex=tex(r"\sum_{r=1}^{k} w_r\,\phi_r, \quad w_r = \frac{w_1}{r} " + _STOPPED, depth="k"),
    reference=_NERR.format(9),
)
def nerr9(m: Measure) -> Array:
    """NERR8 for a reader who also gives up, most often near the top; use it in place of ERR, which has the same discount.

    Edge cases: as for NERR8.
    """
    return _nearly_err(m, lambda rank: rank / (rank + 1.0), _deepest(m))


@scaled_whole(
    "NERR10",
    aliases=("NERREq10",),
    numbers={"p": Number(0.9, "the patience: the probability that the reader goes on after a miss", most=0.999999, symbol="p")} | _SCALE,
    tex=tex(r"\sum_{r=1}^{1000} w_r\,\phi_r, \quad w_r = w_1\,p^{r-1} " + _STOPPED, depth="1000"),
    reference=_NERR.format(10),
)
def nerr10(m: Measure) -> Array:
    """RBP for a reader who also stops once an item satisfies; use it in place of ERR if you can say how patient users are.

    Edge cases: no hit counts 0; hits below rank 1000 do not count.
    """
    p = float(m.params["p"])
    return _nearly_err(m, lambda rank: np.full_like(rank, p))


@scaled_whole(
    "NERR11",
    aliases=("NERREq11",),
    tex=tex(
        r"\sum_{r=1}^{1000} w_r\,\phi_r, \quad w_r = w_1 \Bigl(\frac{2 T}{r - 1 + 2 T}\Bigr)^2 " + _STOPPED,
        depth="1000",
    ),
    reference=_NERR.format(11),
)
def nerr11(m: Measure) -> Array:
    """INSQ for a reader who also stops once an item satisfies; use it in place of ERR if users look for a number of items.

    Edge cases: no hit counts 0; hits below rank 1000 do not count.
    """
    goal = 2.0 * float(m.params["T"])
    return _nearly_err(m, lambda rank: ((rank + goal - 1.0) / (rank + goal)) ** 2)


def _deepest(m: Measure) -> Array:
    """Return the cut-off, or without one the last rank of each list."""
    return m.last_rank if m.cutoff is None else m.depth


def _nearly_err(m: Measure, patience: Callable[[Array], Array], depth: Any = _CWL_DEPTH) -> Array:
    """Return Σ w(r)·c(r) for a reader who goes on from rank r with probability `patience`(r)·(1 - c(r)), down to `depth`."""
    return _gain_per_item(m, lambda rank, gain: patience(rank) * (1.0 - np.minimum(gain, 1.0)), depth)


def _gain_per_item(m: Measure, going_on: Callable[[Array, Array], Array], depth: Any = _CWL_DEPTH) -> Array:
    """Return Σ w(r)·c(r), in which w(r) is the share of the item at rank r in all items that the reader reads.

    `going_on` returns the probability of going on from each rank, given the ranks and the gains (users × ranks). The reader stops at
    `depth` (of all users, or of each), and at rank 1000 at the latest. Users are taken in blocks, each with a row of all ranks.
    """
    user, rank, scaled = m.hits.rows.user, m.hits["rank"], _scaled(m)
    width = _CWL_DEPTH if m.cutoff is None else min(m.cutoff, _CWL_DEPTH)
    places, last = np.arange(1.0, width + 1.0), m.hits.per_row(np.broadcast_to(depth, (1, m.n_users)))
    weight = np.zeros(len(user))
    users, first, row = np.unique(user, return_index=True, return_inverse=True)
    for begin in range(0, len(users), _CWL_BLOCK):
        mine = np.flatnonzero((row >= begin) & (row < begin + _CWL_BLOCK) & (rank <= width))
        cell = row[mine] - begin, rank[mine].astype(np.int64) - 1
        block = first[begin : begin + _CWL_BLOCK]
        gains = np.zeros((len(block), width))
        np.add.at(gains, cell, scaled[mine])
        reach = np.ones_like(gains)
        reach[:, 1:] = np.cumprod(going_on(places, gains)[:, :-1], axis=1)
        reach[places > last[block, None]] = 0.0
        weight[mine] = (reach / reach.sum(axis=1, keepdims=True))[cell]
    return m.hits.sum(scaled * weight, gain=scaled, weight=weight)


@before_kth_miss(
    "PartialAUC",
    aliases=("pAUC",),
    tex=r"\frac{1}{k\,|T_u|} \sum_{r \ge 1} h_r \max(k - (r - f_r), 0)",
    reference="McClish, Analyzing a portion of the ROC curve, Medical Decision Making 9(3), 1989; as in " + _RECTOOLS,
)
def partial_auc(m: Measure) -> Array:
    """The part of AUC before the k-th miss; use it if users stop reading after k misses.

    Edge cases: no hit counts 0; without a cut-off k is the length of the list. The list is not cut at k.
    """
    return _before_kth_miss(m)


@before_kth_miss(
    "PAP",
    tex=r"\frac{1}{k \min(|T_u|, k)} \sum_{r \,:\, f_r \le k} h_r \max(k - (r - f_r), 0)",
    reference="Budimir et al., partial AUC and precision, as in " + _RECTOOLS,
)
def pap(m: Measure) -> Array:
    """PartialAUC of the first k hits; use it as Precision in which the order of the list counts.

    Edge cases: as for PartialAUC. Of hits that count several times only the first min(R, k) are added up.
    """
    return _before_kth_miss(m, at_most_k_hits=True)


def _before_kth_miss(m: Measure, at_most_k_hits: bool = False) -> Array:
    """Return 1/(k·n) · Σ over the hits before the k-th miss of the number of misses up to the k-th that are below the hit.

    n is R; with `at_most_k_hits` it is min(R, k), and only the first n hits count.
    """
    hits, length = m.at(None).hits, m.at(None).last_rank
    above = hits["rank"] - hits["found"]
    divisor = np.minimum(m.n_relevant, m.depth) if at_most_k_hits else m.n_relevant
    number = number_rows(hits.rows.user, m.n_users)  # `found` is the same for all copies of a hit that counts several times
    left = []
    for k, most in zip(m.depth, np.broadcast_to(divisor, (len(m.depth), m.n_users)), strict=True):
        depth = hits.per_row(np.broadcast_to(k, m.n_users))
        counts = (above < depth) & (number <= hits.per_row(most)) if at_most_k_hits else above < depth
        left.append(hits.sum(where(counts, depth - above, 0.0), "misses left"))
    value = divide(np.concatenate(left), divisor * m.depth)
    if m.cutoffs is None or m.params["insufficient"] == "counts":
        return value
    enough = (length - hits.count() >= m.depth) | (hits.count() >= m.n_relevant)
    return where(enough, value, NO_VALUE)
