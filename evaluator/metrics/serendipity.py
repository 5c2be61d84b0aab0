"""Serendipity: relevant items that the user would not have come across, and how far recommendations are from what the user knows.

l is the number of items among the first k of the list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import narwhals as nw

from ..naming import Scalar
from .measure import RANK, ZERO, Measure, Ratio, defined, divide
from .registry import metric


@metric(
    "Serendipity",
    family="serendipity",
    needs=("train", "items?"),
    population="lists",
    reference="RecTools metrics/serendipity.py, after Ge, Delgado-Battenfeld and Jannach, RecSys 2010",
)
def serendipity(m: Measure) -> Ratio:
    """How much better hits are placed than their popularity alone would place them.

    Serendipity@k = 1/l · Σ_{r≤k} h(r) · max((N + 1 - r)/N - pr(i_r), 0), pr(i) = (N + 1 - place(i))/N

    N is the number of items of the catalogue, place(i) that of the item by train rows, most first, items with as many rows sharing one and
    none being left out; pr is 0 for an item that train does not hold.

    Edge cases: a user without a hit counts 0, also one without test rows; an empty list counts 0.
    """
    n = m.number("items")
    place = m.item("dense_rank")
    popular = nw.when(place > 0).then((n + 1.0 - place) / n).otherwise(ZERO)
    return Ratio(m.hits.sum(nw.max_horizontal((n + 1.0 - RANK) / n - popular, ZERO), "better placed"), m.n_listed)


_DISTANCE = {"distance": "item_distance", "featureless": "featureless_items"}


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    distance = str(params["distance"])
    return ("train", *{"file": ("distances",), "cooccurrence": ()}.get(distance, ("categories",)))


@metric(
    "CosineSerendipity",
    family="serendipity",
    axes={"relevance": "serendipity_relevance", **_DISTANCE},
    bounds=(-math.inf, math.inf),
    needs=_needs,
    population="lists",
    reference="Zhang et al., Auralist: introducing serendipity into music recommendation, WSDM 2012; recommenders evaluation",
)
def cosine_serendipity(m: Measure) -> nw.Expr:
    """How unlike the items that the user knows the recommended items are, those that count by `relevance`.

    CosineSerendipity@k = 1/l · Σ_{r≤k} rel(r) · mean_{j ∈ train_u} dist(i_r, j)

    rel by `relevance`: 1 for a hit and 0 else (`binary`), or 1 (`none`). dist by `distance` as for ILD; by default that of the users
    that the items share.

    Edge cases: pairs without a distance are left out of the mean, or at distance 1, as `featureless` says for ILD; an item without any
    adds 0; users whom train does not hold are left out.
    """
    far = m.table("from_profile", "both", distance=str(m.params["distance"]), featureless=str(m.params["featureless"]))
    row = nw.col("distance") * (nw.col("hit") if m.params["relevance"] == "binary" else 1.0)
    value = divide(far.sum(row, "distance"), m.n_listed)
    return nw.when(m.user("n_profile") > 0).then(value)


@metric(
    "ProfileDistance",
    family="novelty",
    axes=_DISTANCE,
    bounds=(0.0, math.inf),
    aliases=("EPD", "FeatureUnexpectedness"),
    needs=_needs,
    average="micro",
    population="lists",
    higher_is_better=None,
    reference="Castells, Hurley and Vargas, in Recommender Systems Handbook, 2nd ed. (2015), chapter 26; Unexpectedness of RELISON",
)
def profile_distance(m: Measure) -> Ratio:
    """The mean distance of the recommended items to the items that the user knows, every recommendation weighing the same.

    ProfileDistance@k = Σ_u Σ_{r≤k} mean_{j ∈ train_u} dist(i_r, j) / Σ_u l_u

    dist by `distance` as for ILD.

    Edge cases: pairs without a distance are left out of the mean, or at distance 1, as `featureless` says for ILD; an item without any
    adds 0. Pooled over users (`micro`).
    """
    return Ratio(
        m.table("from_profile", "both", distance=str(m.params["distance"]), featureless=str(m.params["featureless"])).sum(
            nw.col("distance"), "distance"
        ),
        m.n_listed,
    )


@metric(
    "MeanPredictionDistance",
    family="novelty",
    bounds=(-2.0, math.inf),
    needs=("distances",),
    system=True,
    population="lists",
    higher_is_better=None,
    reference="RELISON metrics, mean prediction distance of contact recommendation",
)
def mean_prediction_distance(m: Measure) -> nw.Expr:
    """The mean distance of a user and the people recommended, where users are items of a graph whose distances data.distances holds.

    MeanPredictionDistance@k = E / Σ 1/δ(u, i) - 2, over the E recommendations with rank ≤ k

    A pair that data.distances does not hold, or at distance 0, adds nothing to the sum: it is unreachable.

    Edge cases: no value where no pair has a distance; 0 without a recommendation.
    """
    inverse = m.total(m.table("user_distance").sum(nw.when(nw.col("distance") > 0).then(1.0 / nw.col("distance")).otherwise(ZERO)))
    everything = m.total(m.n_listed)
    return nw.when(everything > 0).then(defined(everything, inverse) - 2.0).otherwise(ZERO)
