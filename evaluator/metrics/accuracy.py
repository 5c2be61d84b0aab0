"""Set accuracy: how many of the items in the list are relevant, at any rank."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from . import registry
from .arrays import NO_VALUE, divide, divide_or_missing, is_missing, where
from .measure import Measure, Ratio, has_eleven_ranks
from .notation import SIZES, tex
from .registry import Number
from .weights import WEIGHT, ideal_with_weights, is_column, needs_of_weight, weighted

BAEZA_YATES = "Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 2nd ed. (2011), section 4.3"


metric = partial(registry.metric, family="accuracy")
weightable = partial(metric, texts=WEIGHT, needs=needs_of_weight)


@metric(
    "Precision",
    uses=lambda params: ("hits", "rated") if params["denominator"] == "rated" else ("hits", "n_relevant", "reading"),
    aliases=("P", "Prec", "PrecisionAtK"),
    axes={"denominator": "precision_denominator"},
    tex=tex(r"\frac{|L_u \cap T_u|}{<denominator>}", denominator=SIZES),
    reference=BAEZA_YATES,
    ties=lambda params: params["denominator"] != "rated",
    by_item=lambda params: params["denominator"] != "rated",
)
def precision(m: Measure) -> Ratio:
    """The share of the recommended items that are relevant; use it if every irrelevant item that is shown costs something.

    With `denominator` = `k` the empty ranks of a list shorter than k count as misses.

    Edge cases: without a cut-off k is the length of the list; an empty list counts 0.
    """
    return Ratio(m.hits.count(), m.size(m.params["denominator"]))


def _uses_of_recall(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    if not params.get("weight"):
        return ("hits",)
    return ("valued_hits", "valued_relevant" if params["denominator"] == "r" else "weighted_ideal")


_TEX_OF_RECALL = tex(
    r"\frac{<hits>}{<denominator>}",
    denominator={**SIZES, "min_r_k_eleven_at_10": SIZES["min_r_k"]},
    hits=lambda params: r"\sum_{r=1}^{k + [k = 10]} h_r" if has_eleven_ranks(params) else r"|L_u \cap T_u|",
)
_TEX_OF_WEIGHTED_RECALL = tex(
    r"\frac{\sum_{i \in L_u \cap T_u} v_i}{<denominator>}",
    denominator={
        "r": r"\sum_{i \in T_u} v_i",
        **dict.fromkeys(("min_r_k", "min_r_k_eleven_at_10"), r"\max_{S \subseteq T_u, |S| \le k} \sum_{i \in S} v_i"),
    },
)


@weightable(
    "Recall",
    forms={"ips": "SNIPSRecall"},
    uses=_uses_of_recall,
    aliases=("R", "RecallAtK", "Sensitivity"),
    axes={"denominator": "recall_denominator"},
    validate=is_column,
    tex=lambda params: (_TEX_OF_WEIGHTED_RECALL if params.get("weight") else _TEX_OF_RECALL)(params),
    reference=BAEZA_YATES,
    ties=lambda params: not params.get("weight") and not has_eleven_ranks(params),
    by_item=lambda params: not has_eleven_ranks(params),
)
def recall(m: Measure) -> Ratio:
    """The share of the user's relevant items that are recommended; use it if a list should miss as little as possible.

    With `denominator` = `min_r_k_eleven_at_10` the hits of the first eleven ranks count at k = 10, as in the script of GDE, so that the
    value can be above 1.

    With `weight`, a column such as `rows.quantity` or `items.price`, it is the sum of the weights v_i of the hits, divided by that of all
    relevant items, and with `min_r_k` by that of the min(R, k) relevant items of the highest weights. `evaluation.weights` gives the column
    to all measures. The weights of several relevant test rows of an item are added up. With inverse propensities, as in
    Recall(ips=popularity,gamma=1.7), it is SNIPSRecall.

    Edge cases: if R > k, the value cannot reach 1 when it is divided by R. With `weight`, a user whose relevant items have no weight in
    total is left out.
    """
    if m.params["weight"]:
        hits = weighted(m.at_hit_ranks, "valued_hits")
        relevant = weighted(m, "valued_relevant").whole if m.params["denominator"] == "r" else ideal_with_weights(m, "binary")
        return Ratio(hits.exact_sum(hits["value"], "weight"), relevant.exact_sum(relevant["value"], "weight"), None)
    return Ratio(m.at_hit_ranks.hits.count(), m.size(m.params["denominator"]))


def _refuse_weights_of_several_hits(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if a weight and a number of hits other than 1 are set together."""
    is_column(params, k)
    if params.get("weight") and params["at_least"] != 1:
        raise ValueError("HitRate with a weight is that of the best hit: it takes no at_least")


@weightable(
    "HitRate",
    aliases=("HR", "Hit", "Success"),
    uses=lambda params: ("valued_hits", "valued_relevant") if params.get("weight") else ("hits",),
    numbers={"at_least": Number(1.0, "the number of hits needed", symbol="x")},
    validate=_refuse_weights_of_several_hits,
    tex=lambda params: (
        r"\frac{\max_{i \in L_u \cap T_u} v_i}{\max_{i \in T_u} v_i}" if params.get("weight") else r"[\,|L_u \cap T_u| \ge x\,]"
    ),
    reference="Deshpande and Karypis, ACM TOIS 22(1), 2004; with `at_least` above 1: k-call of Chen and Karger, SIGIR 2006",
    ties=lambda params: float(params["at_least"]) > 0 and not params.get("weight"),
)
def hit_rate(m: Measure) -> Array:
    """The share of users with at least one relevant item in the list; use it if one good item is enough.

    This is the value of one user; the mean over users is the share of users with enough hits.

    With `weight`, a column such as `items.price`, it is the largest weight v_i of a hit, divided by that of a relevant item, with the
    weights of Recall. Then `at_least` is 1, and a user whose relevant items all have the weight 0 is left out.
    """
    if m.params["weight"]:
        hits, relevant = weighted(m, "valued_hits"), weighted(m, "valued_relevant")
        return divide_or_missing(hits.max(hits["value"], "weight"), relevant.max(relevant["value"], "weight"))
    n = float(m.params["at_least"])
    if n <= 0 or m.truth_counts_copies:  # `found` does not number the hits of a pair that counts several times
        return where(m.hits.count() >= n, 1.0, 0.0)
    last = math.ceil(n)
    return m.hits.max(1.0, "hit") if n <= 1 else m.hits.sum(m.hits["found"] == last, f"hit number {last}")


@metric(
    "Hits",
    is_count=True,
    aliases=("NumRelRet",),
    tex=r"|L_u \cap T_u|",
    reference="the count behind Precision and Recall; num_rel_ret of trec_eval is its sum over users",
    ties=True,
    by_item=True,
)
def hits(m: Measure) -> Array:
    """The number of relevant items that are recommended; use it to see the counts behind Precision and Recall."""
    return m.hits.count()


@metric(
    "IPSHitRate",
    bounds=(0.0, math.inf),
    aliases=("IPSHits", "InversePropensityHitRate"),
    axes={"count": "popularity_count"},
    numbers={"cap": Number(10000.0, "the most that a hit counts", symbol="M")},
    needs=("train",),
    tex=tex(
        r"\sum_{i \in L_u \cap T_u} \min\Bigl(\frac{\sum_j <count>}{<count>}, M\Bigr)",
        count={"users": "|V_i|", "rows": "n_i"},
    ),
    reference="Schnabel et al., Recommendations as treatments: debiasing learning and evaluation, ICML 2016; as RecPack metrics/ips.py",
    by_item=True,
)
def ips_hit_rate(m: Measure) -> Array:
    """The number of hits, each weighted by 1 over its item's share of the train rows; use it so that popular items do not decide.

    The share of an item is taken as the probability that an interaction with it is observed (its propensity).

    Edge cases: no hit counts 0; an item that is not in train counts 0. The value has no upper bound: compare models, not data sets.
    """
    count = str(m.params["count"])
    popularity = m.hits.item("train_popularity", count=count)
    whole = m.number("train_rows" if count == "rows" else "train_pairs")
    weight = where(popularity > 0, np.minimum(divide(whole, popularity), float(m.params["cap"])), 0.0)
    return m.hits.sum(weight, "weight")


@metric(
    "RPrecision",
    uses=lambda params: ("hits", "rated") if params["denominator"] == "rated" else ("hits",),
    aliases=("Rprec",),
    axes={"denominator": "rprecision_denominator"},
    numbers={
        "multiple": Number(1.0, "the cut-off as a multiple of R", symbol="x"),
        "within": Number(math.inf, "the last rank at which a hit counts", symbol="w"),
    },
    cut=False,
    tex=tex(
        r"\frac{1}{<denominator>} \sum_{r=1}^{<last>} h_r \\ d = <depth>",
        denominator={"r": "d", "min_r_length": r"\min(d, |L_u|)", "rated": "b_{<last>}"},
        last=lambda params: "d" if params["within"] == math.inf else r"\min(d, w)",
        depth=lambda params: "|T_u|" if params["multiple"] == 1 else r"\lfloor x\,|T_u| + 0.9 \rfloor",
    ),
    reference="Buckley and Voorhees, SIGIR 2000; trec_eval m_Rprec.c, m_Rprec_mult.c",
    ties=lambda params: params["denominator"] != "rated",
    by_item=lambda params: params["denominator"] != "rated",
)
def r_precision(m: Measure) -> Ratio:
    """Precision with the number of relevant items as cut-off; use it if this number varies widely between users.

    At depth R precision equals recall. With `multiple` = x the depth d is x·R + 0.9, rounded down. Hits after rank `within` do not count,
    and neither do rated items there.

    Edge cases: takes no cut-off, since the R of each user is the cut-off. In a list shorter than d empty ranks count as misses if
    `denominator` is `r`.
    """
    multiple, within = float(m.params["multiple"]), float(m.params["within"])

    def deep(relevant: Array) -> Array:  # as in trec_eval: the integer part of x·R + 0.9
        return relevant if multiple == 1 else np.floor(relevant * multiple + 0.9)

    rank = m.hits["rank"]
    found = m.hits.sum((deep(m.hits["n_relevant"]) >= rank) & (within >= rank), "counts")
    total = deep(m.n_relevant)
    if m.params["denominator"] == "rated":
        rank = m.rated["rank"]
        return Ratio(found, m.rated.sum((m.rated.per_row(total) >= rank) & (within >= rank), "rated"))
    return Ratio(found, np.minimum(total, m.n_listed) if m.params["denominator"] == "min_r_length" else total)


@metric(
    "Accuracy",
    needs=("catalogue",),
    tex=r"\min\left(\frac{|L_u \cap T_u| + \max(|I| - k - |T_u \setminus L_u|, 0)}{|I|}, 1\right)",
    reference="the share of right decisions; RecTools metrics/classification.py",
)
def accuracy(m: Measure) -> Array:
    """The share of the catalogue that the list classifies correctly; rarely useful, because it is near 1 for every large catalogue.

    An item is classified correctly if it is relevant and in the list, or neither of the two.

    Edge cases: without a cut-off k is the length of the list. The number of items that are correctly left out is at least 0, and the value
    is at most 1.
    """
    _, right_out = _outside(m)
    return np.minimum(divide(m.hits.count() + right_out, m.n_items), 1.0)


@metric(
    "MCC",
    bounds=(-1.0, 1.0),
    needs=("catalogue",),
    tex=(
        r"\frac{\mathrm{TP} \cdot \mathrm{TN} - \mathrm{FP} \cdot \mathrm{FN}}"
        r"{\sqrt{(\mathrm{TP} + \mathrm{FP})(\mathrm{TP} + \mathrm{FN})(\mathrm{TN} + \mathrm{FP})(\mathrm{TN} + \mathrm{FN})}} \\ "
        r"\mathrm{TP} = |L_u \cap T_u|, \quad \mathrm{FP} = k - \mathrm{TP}, \quad \mathrm{FN} = |T_u \setminus L_u|, \quad "
        r"\mathrm{TN} = \max(|I| - k - \mathrm{FN}, 0)"
    ),
    reference="Matthews, Biochimica et Biophysica Acta 405(2), 1975; RecTools metrics/classification.py",
)
def mcc(m: Measure) -> Array:
    """The correlation between being recommended and being relevant; use it to count all right and wrong decisions in one number.

    It is the Matthews correlation coefficient.

    Edge cases: without a cut-off k is the length of the list. The value is 0 if the root is 0. If a duplicate row counts several times,
    there may be more hits than ranks and no root: such a user has no value.
    """
    hit, (missed, right_out) = m.hits.count(), _outside(m)
    wrong = m.depth - hit
    squared = (hit + wrong) * (hit + missed) * (right_out + wrong) * (right_out + missed)
    value = divide(hit * right_out - wrong * missed, np.sqrt(np.maximum(squared, 0.0)))
    return where(squared < 0, NO_VALUE, value)


@metric(
    "FallOut",
    aliases=("FalsePositiveRate", "FPR"),
    axes={"of": "fallout_of"},
    needs=lambda params: ("catalogue",) if params["of"] == "catalogue" else (),
    uses=("hits", "n_relevant", "reading"),
    pooled=False,
    higher_is_better=False,
    tex=tex(r"\frac{\sum_{r=1}^{k} (1 - h_r)}{<of>}", of={"catalogue": r"|I \setminus T_u|", "listed": r"\sum_{r} (1 - h_r)"}),
    reference="Swets, Information retrieval systems, Science 141(3577), 1963; TorchMetrics functional/retrieval/fall_out.py",
)
def fall_out(m: Measure) -> Ratio:
    """The share of the irrelevant items that are recommended; use it with Recall, as the two axes of a ROC curve.

    The catalogue has at least as many irrelevant items as the list. `of` = `listed` is for lists that have all candidates.

    Edge cases: 0 if the divisor is 0. Lists may have more irrelevant items than the catalogue, if these are not in it; the value is then 1.
    """
    wrong = m.n_listed - m.hits.count()
    if m.params["of"] == "listed":
        return Ratio(wrong, m.n_recommended - m.hits.whole.count("all"))
    return Ratio(wrong, np.maximum(m.n_items - m.n_relevant, wrong))


def _outside(m: Measure) -> tuple[Array, Array]:
    """Return the number of relevant items outside the list, and of other items outside the list."""
    missed = m.n_relevant - m.hits.count()
    return missed, np.maximum(m.n_items - m.depth - missed, 0.0)


@metric(
    "SetMAP",
    aliases=("SetAP",),
    tex=r"\frac{|L_u \cap T_u|}{|L_u|} \cdot \frac{|L_u \cap T_u|}{|T_u|}",
    reference="trec_eval m_set_map.c",
    ties=True,
)
def set_map(m: Measure) -> Array:
    """Precision times recall; use it if the order of the list does not matter and both should be high.

    It is average precision for a list that is a set without an order.

    Edge cases: an empty list counts 0.
    """
    if m.truth_counts_copies:  # `found` does not number the hits of a pair that counts several times
        return divide(m.hits.count(), m.n_listed) * divide(m.hits.count(), m.n_relevant)
    squared = m.hits.sum(m.hits["found"] * 2.0 - 1.0, "2·found - 1")  # the odd numbers up to 2h - 1 add up to h²
    return divide(divide(squared, m.n_listed), m.n_relevant)


@metric(
    "Utility",
    bounds=(-math.inf, math.inf),
    numbers={
        "worth": Number(1.0, "the worth of a hit", least=-1e6, symbol=r"\alpha"),
        "cost": Number(1.0, "the cost of a miss", least=-1e6, symbol=r"\beta"),
    },
    tex=r"\alpha\,|L_u \cap T_u| - \beta\,|L_u \setminus T_u|",
    reference="trec_eval m_utility.c",
    ties=True,
)
def utility(m: Measure) -> Array:
    """The worth of the hits minus the cost of the misses; use it if you can name a price for both.

    Edge cases: an empty list counts 0. The value has no bounds.
    """
    return float(m.params["worth"]) * m.hits.count() - float(m.params["cost"]) * (m.n_listed - m.hits.count())


@metric(
    "F1",
    uses=(),
    aliases=("F", "FBeta", "F-Measure", "F1Score", "ExtendedF1"),
    axes={"weight": "f_weight", "of": "f_of"},
    combines=("Precision", "Recall"),
    numbers={"beta": Number(1.0, "above 1 it gives more weight to the second metric, below 1 to the first", symbol=r"\beta")},
    tex=tex(
        r"\frac{(1 + <weight>)\, <of>_1\, <of>_2}{<weight>\, <of>_1 + <of>_2}",
        weight={"beta_squared": r"\beta^2", "beta": r"\beta"},
        of={"users": "M", "means": r"\bar{M}"},
    ),
    reference="van Rijsbergen, Information Retrieval, 2nd ed. (1979), chapter 7",
    ties=lambda params: params["of"] == "users",
)
def f1(m: Measure) -> Array:
    """The harmonic mean of Precision and Recall; use it to balance the two in one number.

    M_1 and M_2 are the user's values of two metrics: Precision and Recall, or any other two (Extended-F1). A β above 1 gives more weight to
    the second metric.

    By `of` the mean over users is the mean of the `users`' F, or the F of the `means` of both metrics. The value of one user, and
    aggregates other than the mean, come from the users' F in both cases. Pooled (`micro`), F is that of the pooled metrics. With `means`, a
    metric that is pooled, belongs to the whole model, or counts other users makes the F arithmetic of the two values, such as
    `2*AUC*Gini@5/(AUC + Gini@5)`.

    Edge cases: 0 if both are 0; no value for a user who has none of one of the two.
    """
    first, second = m.components
    beta = float(m.params["beta"])
    weight = beta**2 if m.params["weight"] == "beta_squared" else beta
    value = divide((1 + weight) * first * second, weight * first + second)
    return where(is_missing(first * second), NO_VALUE, value)
