"""Where in the list the relevant items are: their mean rank, their percentile, and shares of the ranks' reciprocals."""

from __future__ import annotations

import math
from functools import partial

from ..support.lazy import np
from ..tables.array import Array
from ..tables.graph import table
from ..tables.rows import Rows, in_order, number_rows
from . import registry
from .arrays import begins, harmonic, powers, where
from .measure import Measure, Ratio
from .notation import tex
from .registry import Number

metric = partial(registry.metric, family="ranking")


@metric(
    "NCRR",
    uses=("hits", "n_relevant", "reading"),
    aliases=("NormalizedCumulativeReciprocalRank",),
    tex=r"\sum_{r=1}^{k} \frac{h_r}{r} \biggl/ \sum_{r=1}^{\min(|T_u|, |L_u|)} \frac{1}{r}",
    reference="Cornac metrics/ranking.py, class NCRR",
    ties=True,
    by_item=True,
)
def ncrr(m: Measure) -> Ratio:
    """The reciprocal ranks of all hits as a share of the best possible; use it as nDCG with a steeper discount, or as MRR of all hits.

    NCRR is short for normalized cumulative reciprocal rank.

    Edge cases: no hit counts 0. As the divisor ends with the list, a list of one item that is a hit has the value 1.
    """
    total = m.hits.sum(1.0 / m.hits["rank"], "1/rank")
    return Ratio(total, harmonic(np.minimum(m.n_relevant, m.n_listed)))


@metric(
    "PositionWeightedAverage",
    uses=("hits", "reading"),
    bounds=(0.0, math.inf),
    aliases=("PWA",),
    tex=r"\sum_{r=1}^{k} \frac{g_r}{r} \biggl/ \sum_{r=1}^{|L_u|} \frac{1}{r}",
    reference="TensorFlow Ranking metrics_impl.py, class PWAMetric",
    ties=True,
    by_item=True,
)
def position_weighted_average(m: Measure) -> Ratio:
    """The mean grade of the list, where the item at rank r weighs 1/r; use it with graded relevance if the top of the list matters most.

    Edge cases: no hit counts 0. With grades above 1 the value may be above 1.
    """
    gain, rank = m.hits["gain"], m.hits["rank"]
    return Ratio(m.hits.sum(gain / rank, gain=gain, rank=rank), harmonic(m.n_listed))


@metric(
    "MeanRank",
    bounds=(1.0, math.inf),
    aliases=("AverageRelevancePosition",),
    higher_is_better=False,
    tex=r"\sum_{r=1}^{k} g_r\,r \biggl/ \sum_{r=1}^{k} g_r",
    reference="TensorFlow Ranking metrics_impl.py, class ARPMetric (its average relevance position is pooled over lists)",
)
def mean_rank(m: Measure) -> Ratio:
    """The mean rank of the hits, weighted by grade; use it beside Recall to say how far down the relevant items are.

    Pooled over users (`average=micro`) it is the mean over all hits. It says nothing about relevant items that are not listed: a model that
    lists fewer of them can have a better value. PercentileRank and FirstRelevantRank count them.

    Edge cases: a user without a hit is left out.
    """
    gain, rank = m.hits["gain"], m.hits["rank"]
    return Ratio(m.hits.sum(gain * rank, gain=gain, rank=rank), m.hits.sum(gain, "gain"), None)


@metric(
    "CoverageError",
    uses=("hits", "n_relevant", "reading", "tied_hits"),
    bounds=(0.0, math.inf),
    higher_is_better=False,
    cut=False,
    tex=(
        r"\max\bigl(\max_r h_r\,|\{q : s_q \ge s_r\}|,\; "
        r"[|T_u \setminus L_u| > 0]\,(\ell_u + |T_u \setminus L_u|)\bigr)"
    ),
    reference="Tsoumakas, Katakis and Vlahavas, Mining multi-label data (2010), where it is called coverage; scikit-learn coverage_error",
)
def coverage_error(m: Measure) -> Array:
    """How far down the list all relevant items are found; use it for lists of all candidates if a user needs every relevant item.

    It is the rank of the last relevant item, where items with the same score all have the last of their ranks. The best value is R.
    Relevant items that are not listed are below the whole list, all with the same score. Hits have no ties if their ranks are not their
    positions in the list (`positions`).

    Edge cases: a user without a list has R, as with a perfect list.
    """
    hits = m.table("tied_hits", single=m.single_precision, at="last")
    missed = np.maximum(m.n_relevant - hits.count(), 0.0)
    return np.maximum(hits.max(hits["last"], "last rank"), where(missed > 0, m.n_listed + missed, 0.0))


@metric(
    "PercentileRank",
    uses=("hits", "ideal", "reading"),
    bounds=(0.0, math.inf),
    aliases=("MPR", "MeanPercentileRank", "PercentileRanking", "ExpectedPercentileRank"),
    axes={"form": "percentile_form"},
    needs=("items",),
    higher_is_better=False,
    tex=tex(
        r"\frac{<form>}{\sum_r g^*_r} \biggl(\sum_{r=1}^{k} g_r\,\frac{r - 1}{|I|} + "
        r"\Bigl(\sum_r g^*_r - \sum_{r=1}^{k} g_r\Bigr) \frac{\max(|L_u|, 1) + |I| - 1}{2\,|I|}\biggr)",
        form={"share": "1", "percent": "100"},
    ),
    reference="Hu, Koren and Volinsky, Collaborative filtering for implicit feedback datasets, ICDM 2008, equation 8",
)
def percentile_rank(m: Measure) -> Ratio:
    """How far down a list of the whole catalogue the relevant items are, from 0 (top) to 1; use it if users see more than a top list.

    A relevant item that is not listed counts as if it were in the middle of the items that are not listed. Lists in random order have about
    0.5. Pooled over users (`average=micro`) it is the value of the paper.

    Edge cases: a user without a list has 0.5. Items of the list that are not in the catalogue take a place as others do, so that a rank
    above |I| counts as |I|.
    """
    gain, rank = m.hits["gain"], m.hits["rank"]
    n_items = max(m.n_items, 1.0)
    listed = m.hits.sum(gain * np.minimum(rank - 1.0, n_items - 1.0) / n_items, gain=gain, rank=rank)
    every = m.at(None).ideal.sum(m.ideal["gain"], "gain")
    missed = np.maximum(every - m.hits.sum(gain, "gain"), 0.0)
    beyond = np.minimum(np.maximum(m.n_listed, 1.0) + n_items - 1.0, 2.0 * n_items - 1.0) / (2.0 * n_items)
    scale = 100.0 if m.params["form"] == "percent" else 1.0
    return Ratio(scale * (listed + missed * beyond), every)


@table(
    "ideal_places", uses=("hits", "ideal"), columns=("rank", "item", "gain", "place"), title="The hits, with their ranks in the ideal list"
)
def ideal_places(hits: Rows, ideal: Rows) -> Rows:
    """Return each hit once with `place`, its rank in the ideal list: highest grade first, then as listed."""
    rows = hits.take(begins(hits.user, hits.rank))
    levels, level = np.unique(np.concatenate([ideal["gain"], rows["gain"]]), return_inverse=True)
    below = len(levels) - 1 - level
    block = np.repeat(np.arange(len(ideal.starts()) - 1), np.diff(ideal.starts()))
    of_user = np.arange(rows.n_users) if ideal.group_of_user is None else ideal.group_of_user
    key = of_user[rows.user] * len(levels) + below[len(ideal) :]
    higher = np.searchsorted(block * len(levels) + below[: len(ideal)], key) - ideal.starts()[of_user[rows.user]]
    order = in_order(rows.user, [(rows["gain"], True)])
    group = np.unique(rows.user[order] * len(levels) + below[len(ideal) :][order], return_inverse=True)[1]
    among = np.empty(len(rows), dtype=np.int64)
    among[order] = number_rows(group, int(group.max(initial=-1)) + 1)
    return rows.with_columns(place=higher + among)


def _agreements(p: float, deepest: int) -> tuple[Array, Array]:
    """Return Σ_{d≤n} p^(d-1)/d and Σ_{d≤n} p^(d-1) for n from 0 to `deepest`."""
    depth = np.arange(1, deepest + 1)
    weight = powers(p, depth - 1)
    by_depth, total = (np.concatenate([[0.0], np.cumsum(of_depth)]) for of_depth in (weight / depth, weight))
    return by_depth, total


@metric(
    "Compatibility",
    uses=("ideal_places", "n_relevant", "reading"),
    aliases=("Compat",),
    axes={"norm": "compatibility_norm"},
    numbers={"p": Number(0.95, "the patience: the probability that the reader goes on to the next item", most=0.999999, symbol="p")},
    tex=tex(
        r"\sum_{d=1}^{D} p^{d-1} \frac{|L_{u,d} \cap T_{u,d}|}{d} \biggl/ \sum_{d=1}^{D} p^{d-1}<norm>, \quad D = \max(|L_u|, |T_u|)",
        norm={"ideal": r" \frac{\min(d, |T_u|)}{d}", "none": ""},
    ),
    reference="Clarke, Vtyurina and Smucker, Assessing top-k preferences, ACM TOIS 39(3), 2021; Webber et al., ACM TOIS 28(4), 2010 (RBO)",
)
def compatibility(m: Measure) -> Ratio:
    """The rank-biased overlap of the list with the ideal list; use it if the order of a few best items matters more than gains.

    In the ideal list items of equal grades are in the order of the list. With `norm` = `none` it is RBO of two finite lists.

    Edge cases: no hit counts 0. A repeated item counts once, at its best rank.
    """
    places = m.table("ideal_places")
    n_relevant = m.n_relevant.astype(np.int64)
    depth = np.maximum(m.n_listed, n_relevant).astype(np.int64)
    by_depth, total = _agreements(float(m.params["p"]), int(depth.max(initial=0)))
    entered = np.maximum(places["rank"], places["place"]).astype(np.int64)
    # An item that is in both lists from depth e on adds 1/d at every depth from e to D; a place below D always, as D is at least R.
    agreed = places.count() * by_depth[depth] - places.sum(by_depth[np.minimum(entered, len(by_depth)) - 1], "overlap above")
    if m.params["norm"] == "none":
        return Ratio(agreed, total[depth])
    best = total[n_relevant] + n_relevant * (by_depth[depth] - by_depth[n_relevant])
    return Ratio(where(agreed > 0, agreed, 0.0), best)
