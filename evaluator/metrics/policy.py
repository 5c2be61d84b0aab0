"""Counterfactual evaluation: hits weighed by how much likelier the model shows an item than the previous policy did.

The weight of the item at rank r is w(r) = now(r) / before(r), the score of the model divided by that of data.previous_policy,
clipped to [1/t, t] with t = `threshold`. By `activation` both scores are used as they are (`none`), through 1/(1 + e^-x)
(`sigmoid`), or through e^x / Σ e^x over the first k of the user's list (`softmax`). A pair that data.previous_policy does not hold
has score 0 before the activation; where the score of before is 0 after it, the weight is t; a negative ratio is clipped to 1/t.
Weights are normalised by their own sum: v(r) = w(r) / Σ_{q≤k} w(q).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import narwhals as nw

from .measure import RANK, Measure, Ratio, divide
from .registry import Define, Number, metric

SWAMINATHAN = (
    "Swaminathan and Joachims, The self-normalized estimator for counterfactual learning, NIPS 2015; RePlay experimental NCISPrecision"
)
_AXES = {"activation": "policy_activation"}
_NUMBERS = {"threshold": Number(10.0, "the largest weight; 1 divided by it is the smallest", least=1.0)}


def _weights(m: Measure) -> tuple[nw.Expr, nw.Expr]:
    """The weights of the hits, in a row of the table, and the sum of all weights."""
    table = m.table("weighted", "both", k=m.k or 0, **{name: m.params[name] for name in ("activation", "threshold")})
    return table.sum(nw.col("weight") * nw.col("hit"), "weight of hits"), table.sum(nw.col("weight"), "weight")


def _counterfactual(name: str, upper: float = 1.0) -> Callable[[Define], Define]:
    return metric(
        name,
        family="counterfactual",
        bounds=(0.0, upper),
        axes=_AXES,
        numbers=_NUMBERS,
        needs=("previous_policy",),
        reference=SWAMINATHAN,
    )


@_counterfactual("NCISPrecision")
def ncis_precision(m: Measure) -> nw.Expr:
    """Precision, every item counting by its weight (normalised capped importance sampling).

    NCISPrecision@k = Σ_{r≤k} h(r) · w(r) / Σ_{r≤k} w(r)

    Edge cases: an empty list counts 0; a list shorter than k is judged by the items that are there.
    """
    return divide(*_weights(m))


@_counterfactual("NCISRecall", upper=math.inf)
def ncis_recall(m: Measure) -> nw.Expr:
    """Recall, every hit counting by its weight against the mean weight of the list.

    NCISRecall@k = l/R · Σ_{r≤k} h(r) · v(r)

    Edge cases: an empty list counts 0; the value may be above 1 where hits weigh more than the rest.
    """
    hit, everything = _weights(m)
    return divide(divide(hit, everything) * m.n_listed, m.n_relevant)


@_counterfactual("NCISHitRate")
def ncis_hit_rate(m: Measure) -> nw.Expr:
    """Whether there is a hit, a hit counting by its weight against the mean weight of the list.

    NCISHitRate@k = min(1, l · Σ_{r≤k} h(r) · v(r))

    Edge cases: an empty list counts 0.
    """
    hit, everything = _weights(m)
    return nw.min_horizontal(divide(hit, everything) * m.n_listed, nw.lit(1.0))


@_counterfactual("NCISnDCG", upper=math.inf)
def ncis_ndcg(m: Measure) -> Ratio:
    """NDCG of binary relevance, every hit counting by its weight against the mean weight of the list.

    NCISnDCG@k = l · Σ_{r≤k} h(r) · v(r) / log2(r + 1) / Σ_{r≤min(R,k)} 1/log2(r + 1)

    Edge cases: an empty list counts 0; the value may be above 1 where hits weigh more than the rest.
    """
    by = (RANK + 1).log(base=2.0)
    table = m.table("weighted", "both", k=m.k or 0, **{name: m.params[name] for name in ("activation", "threshold")})
    gained = table.sum(nw.col("weight") * nw.col("hit") / by, "gain")
    return Ratio(divide(gained, table.sum(nw.col("weight"), "weight")) * m.n_listed, m.ideal.sum(1.0 / by, "1/log2"))
