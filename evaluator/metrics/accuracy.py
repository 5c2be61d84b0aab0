"""Set accuracy: how many of the items in the list are relevant, wherever they stand.

R is the number of relevant items of the user, h_k the number of hits among the first k items of the list.
"""

from __future__ import annotations

import narwhals as nw

from .measure import N_RELEVANT, ONE, RANK, Measure, Ratio, divide
from .registry import metric

BAEZA_YATES = "Baeza-Yates and Ribeiro-Neto, Modern Information Retrieval, 2nd ed. (2011), section 4.3"


@metric(
    "Precision",
    family="accuracy",
    aliases=("P", "Prec", "PrecisionAtK"),
    axes={"denominator": "precision_denominator"},
    reference=BAEZA_YATES,
)
def precision(m: Measure) -> Ratio:
    """The share of the recommended items that are relevant.

    Precision@k = h_k / D

    D by `denominator`: `k` (a list shorter than k is charged for its empty places), or `list_length` (the items that
    are there, at most k).

    Edge cases: without a cut-off k is the length of the list; an empty list counts 0.
    """
    return Ratio(m.hits.count(), {"k": m.depth, "list_length": m.n_listed}[str(m.params["denominator"])])


@metric("Recall", family="accuracy", aliases=("R", "RecallAtK", "Sensitivity"), reference=BAEZA_YATES)
def recall(m: Measure) -> Ratio:
    """The share of the relevant items that are recommended.

    Recall@k = h_k / R

    Edge cases: with R > k the value cannot reach 1.
    """
    return Ratio(m.hits.count(), m.n_relevant)


@metric("HitRate", family="accuracy", aliases=("HR", "Hit", "Success"), reference="Deshpande and Karypis, ACM TOIS 22(1), 2004")
def hit_rate(m: Measure) -> nw.Expr:
    """Whether any relevant item is recommended; over users, the share of users with a hit.

    HitRate@k = 1 if h_k > 0, else 0
    """
    return nw.when(m.hits.count() > 0).then(ONE).otherwise(nw.lit(0.0))


@metric(
    "RPrecision",
    family="accuracy",
    aliases=("Rprec",),
    cut=False,
    reference="Buckley and Voorhees, SIGIR 2000; trec_eval m_Rprec.c",
)
def r_precision(m: Measure) -> Ratio:
    """Precision after as many items as there are relevant ones, where it equals recall.

    RPrecision = h_R / R

    Edge cases: takes no cut-off, each user's own R is the cut-off; a list shorter than R is charged for its empty places.
    """
    return Ratio(m.hits.sum(nw.when(RANK <= N_RELEVANT).then(ONE).otherwise(0.0)), m.n_relevant)


@metric(
    "F1",
    family="accuracy",
    aliases=("F", "FBeta", "F-Measure", "F1Score", "ExtendedF1"),
    combines=("Precision", "Recall"),
    numbers={"beta": 1.0},
    reference="van Rijsbergen, Information Retrieval, 2nd ed. (1979), chapter 7",
)
def f1(m: Measure) -> nw.Expr:
    """The weighted harmonic mean of two metrics of the same user: Precision and Recall, or any other two (Extended-F1).

    F = (1 + β²) · P · Q / (β² · P + Q)

    `beta` above 1 gives more weight to the second metric, below 1 to the first.

    Edge cases: 0 where both are 0. The mean is taken of the users' F, not F of the means.
    """
    first, second = m.of
    weight = float(m.params["beta"]) ** 2
    return divide((1 + weight) * first * second, weight * first + second)
