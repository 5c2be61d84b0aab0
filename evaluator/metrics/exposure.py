"""How evenly recommendations are spread over items: values of the whole model."""

from __future__ import annotations

import math
from functools import partial

from ..support.lazy import np
from ..tables.array import Array
from . import registry
from .arrays import NO_VALUE, divide, where
from .measure import Measure
from .notation import Pieces, more_items, tex
from .registry import Number
from .table_views import ItemTable

_GINI = r"\frac{\sum_{t=1}^{m} (2\,(N - m + t) - N - 1)\,x_{(t)}}{<over> \sum_i x_i}"
_GINI_PIECES: Pieces = {
    "over": {"n_minus_1": "(N - 1)", "n": "N"},
    "of": {"catalogue": "|I|", "train": r"|I_{\mathrm{train}}|", "recommended": "m"},
    "more": more_items,
}
_SHARES = r" \\ w_i = \sum_{u \in U} \frac{[i \in L_u]}{|L_u|}"


metric = partial(registry.metric, family="diversity", one_cutoff=True, per_model=True, population="lists")


@metric(
    "Gini",
    aliases=("GiniIndex", "PredictedGiniComplement"),
    axes={"of": "gini_of", "sign": "gini_sign", "over": "gini_divisor"},
    numbers={"more": Number(0.0, "items without recommendations that are added to the catalogue", least=0.0, symbol="x")},
    bounds=(-math.inf, math.inf),
    needs=lambda params: {"recommended": (), "train": ("train",)}.get(str(params["of"]), ("catalogue",)),
    uses=("exposure",),
    higher_is_better=lambda params: params["sign"] == "equality",
    tex=tex(r"<sign>" + _GINI.replace("x_", "c_") + r" \\ N = <of><more>", sign={"inequality": "", "equality": "1 - "}, **_GINI_PIECES),
    reference="Gini, 1912; Fleder and Hosanagar, Management Science 55(5), 2009",
)
def gini(m: Measure) -> Array:
    """How unequally often items are recommended, from 0 (all equally often) to 1 (only one item); the default choice for concentration.

    It is the Gini index of the c_i. With `sign` = `equality` the value is 1 minus the index, and higher is better.

    Edge cases: 0 (or 1) without a recommendation. Recommended items outside the catalogue count, so that the index may leave its bounds.
    """
    index = _gini_index(m, exposure_of_items(m), "count", float(m.params["more"]))
    return 1.0 - index if m.params["sign"] == "equality" else index


def exposure_of_items(m: Measure, weighted: bool = False) -> ItemTable:
    """Return how often each item is among the first k of lists, if `weighted` also the sum of 1 divided by the lengths of these lists."""
    return m.items("exposure", k=m.cutoff or 0, power=1.0 if weighted else 0.0)


def _gini_index(m: Measure, items: ItemTable, column: str, more: float = 0.0) -> Array:
    """Return the Gini index of a column, whose ranks are in the column `rank`, among the items of the catalogue and `more` items."""
    of = str(m.params["of"])
    n_recommended, total = items.sum(1.0), items.sum(items[column])
    size = (n_recommended if of == "recommended" else m.number("train_items" if of == "train" else "items")) + more
    ordered = items.sum(items["rank"] * items[column]) * 2.0 + (size - n_recommended * 2.0 - 1.0) * total
    return divide(ordered, total * (size if m.params["over"] == "n" else size - 1.0))


@metric(
    "ExposureGini",
    axes={"of": "gini_of", "over": "gini_divisor"},
    numbers={"p": Number(0.85, "the probability that a reader goes on to the next rank", most=1.0, symbol="p")},
    bounds=(-math.inf, math.inf),
    needs=lambda params: {"recommended": (), "train": ("train",)}.get(str(params["of"]), ("catalogue",)),
    uses=("attention",),
    higher_is_better=False,
    tex=tex(_GINI.replace("x_", "e_") + r" \\ N = <of>, \quad e_i = \sum_{u \in U} \sum_{r=1}^{k} [i_r = i]\,p^{r-1}", **_GINI_PIECES),
    reference="Diaz et al., Evaluating stochastic rankings with expected exposure, CIKM 2020; LensKit ExposureGini",
)
def exposure_gini(m: Measure) -> Array:
    """How unequally items get attention, where the top ranks get more of it; use it instead of Gini if the rank of an item matters.

    Edge cases: as for Gini.
    """
    return _gini_index(m, m.items("attention", k=m.cutoff or 0, p=float(m.params["p"])), "attention")


@metric(
    "ShannonEntropy",
    aliases=("Entropy", "SEntropy", "DistributionalCoverage"),
    axes={"log": "entropy_log", "norm": "entropy_norm", "weights": "entropy_weights"},
    bounds=(0.0, math.inf),
    uses=("exposure",),
    tex=tex(
        r"-<norm>\sum_i <weights>",
        norm={"none": "", "items": r"\frac{1}{m} "},
        weights={
            "rows": r"p_i <log> p_i \\ p_i = \frac{c_i}{\sum_j c_j}",
            "lists": r"\bar{p}_i <log> p_i \\ p_i = \frac{c_i}{\sum_j c_j}, \quad \bar{p}_i = "
            r"\frac{1}{|U|} \sum_{u \in U} \frac{[i \in L_u]}{|L_u|}",
        },
        log={"natural": r"\ln", "binary": r"\log_2"},
    ),
    reference="Shannon, A mathematical theory of communication, 1948; Adomavicius and Kwon, IEEE TKDE 24(5), 2012",
)
def shannon_entropy(m: Measure) -> Array:
    """How evenly items are recommended, as entropy; use it if every item should have its share of all lists.

    Edge cases: 0 without a recommendation.
    """
    by_lists = m.params["weights"] == "lists"
    exposure = exposure_of_items(m, weighted=by_lists)
    count = exposure["count"]
    total = exposure.sum(count)
    log_total = np.log(np.maximum(total, 1.0))
    if by_lists:
        weight = exposure["weight"]
        value = divide(log_total * exposure.sum(weight) - exposure.sum(weight * np.log(count)), m.n_counted)
    else:
        value = log_total - divide(exposure.sum(count * np.log(count)), total)
    value = value / math.log(2.0) if m.params["log"] == "binary" else value
    return divide(value, exposure.sum(1.0)) if m.params["norm"] == "items" else value


@metric(
    "AggregateDiversity",
    is_count=True,
    uses=("exposure", "reading"),
    tex=r"k \sum_i \frac{w_i}{c_i}" + _SHARES,
    reference="Vargas, Novelty and diversity evaluation and enhancement in recommender systems, PhD thesis, 2015; RankSys",
)
def aggregate_diversity(m: Measure) -> Array:
    """The number of different items in all lists, as RankSys estimates it; use it to compare with RankSys.

    The estimate is exact if every list is full; short lists make it larger. The exact number is ItemCoverage with `form` = `count` and
    `outside` = `counts`.

    Edge cases: without a cut-off k is the mean length of the lists.
    """
    exposure = exposure_of_items(m, weighted=True)
    return exposure.sum(exposure["weight"] / exposure["count"]) * _depth(m)


def _depth(m: Measure) -> Array:
    """Return k, or without a cut-off the mean length of the lists."""
    return np.array([[float(m.cutoff)]]) if m.cutoff is not None else divide(m.total(m.n_listed), m.n_counted)


@metric(
    "GiniSimpson",
    aliases=("GiniSimpsonIndex",),
    uses=("exposure", "reading"),
    bounds=(-math.inf, 1.0),
    tex=r"1 - \frac{1}{k} \biggl(1 - \frac{1}{|U|} \sum_i w_i \Bigl(1 - \frac{c_i}{|U|}\Bigr)\biggr)" + _SHARES,
    reference="Simpson, Measurement of diversity, Nature 163, 1949; as in RankSys",
)
def gini_simpson(m: Measure) -> Array:
    """The chance that two recommendations are of different items; use it to see if a few items dominate all lists.

    The value is that chance if every list is full.

    Edge cases: without a cut-off k is the mean length of the lists.
    """
    exposure, n = exposure_of_items(m, weighted=True), m.n_counted
    weight, weighted = exposure.sum(exposure["weight"]), exposure.sum(exposure["weight"] * exposure["count"])
    iud = divide(weight - divide(weighted, n), n)
    return 1.0 - divide(1.0 - iud, _depth(m))


@metric(
    "Personalization",
    axes={"overlap": "personalization_overlap"},
    uses=("exposure", "reading"),
    tex=tex(
        r"1 - \frac{1}{|U|\,(|U| - 1)} <overlap>",
        overlap={
            "cosine": r"\biggl(\sum_i \Bigl(\sum_{u \in U} \frac{[i \in L_u]}{\sqrt{|L_u|}}\Bigr)^2 - |U|\biggr)",
            "share": r"\cdot \frac{1}{k} \biggl(\sum_i c_i^2 - \sum_{u \in U} |L_u|\biggr)",
        },
    ),
    reference="recmetrics metrics.py (personalization); Evidently metrics/recsys/personalisation.py; Zhou et al., PNAS 107(10), 2010",
)
def personalization(m: Measure) -> Array:
    """How different the lists of two users are on average, from 0 (all alike) to 1; use it to see if users get lists of their own.

    It is 1 minus the mean, over all pairs of users, of how alike their lists are by `overlap`.

    Edge cases: no value with fewer than two lists. Without a cut-off the k of `share` is the mean length of the lists. A duplicate that the
    convention keeps in a list counts as another item.
    """
    share, n = m.params["overlap"] == "share", m.n_counted
    exposure = m.items("exposure", k=m.cutoff or 0, power=0.0 if share else 0.5)
    weight, own = (exposure["count"], m.total(m.n_listed)) if share else (exposure["weight"], n)
    overlap = divide(exposure.sum(weight * weight) - own, _depth(m) if share else 1.0)
    return where(n > 1, np.clip(1.0 - divide(overlap, n * (n - 1.0)), 0.0, 1.0), NO_VALUE)
