"""Serendipity: relevant items that the user would not have come across, and how far recommendations are from what the user knows.

l is the number of items among the first k of the list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..names.measure_strings import Scalar
from ..tables.array import Array
from . import serendipity_tables  # noqa: F401, declares the tables
from .arrays import NO_VALUE, defined, divide, where
from .formula_pieces import DISTANCES
from .measure import Measure, Ratio
from .notation import tex
from .registry import metric
from .table_views import CutTable

_FAR = r"\mathrm{mean}_{j \in <featureless>}\,d(i_r, j) \\ d(i,j) = <distance>"
_NEAR = {"left_out": "H_{u,i_r}", "unlike": "H_u"}


@metric(
    "Serendipity",
    family="serendipity",
    axes={"count": "popularity_count"},
    needs=("train", "items?"),
    uses=("hits", "reading"),
    pooled=True,
    population="lists",
    tex=(
        r"\frac{1}{|L_u|} \sum_{r=1}^{k} h_r \max\left(\frac{|I| + 1 - r}{|I|} - \pi_{i_r}, 0\right) \\ "
        r"\pi_i = \frac{|I| + 1 - \nu_i}{|I|} \text{ for } i \in I_{\mathrm{train}} \text{, else } 0"
    ),
    reference="RecTools metrics/serendipity.py, after Ge, Delgado-Battenfeld and Jannach, RecSys 2010",
)
def serendipity(m: Measure) -> Ratio:
    """How much better hits are placed than their popularity alone would place them.

    Serendipity@k = 1/l · Σ_{r≤k} h(r) · max((N + 1 - r)/N - pr(i_r), 0), pr(i) = (N + 1 - place(i))/N

    N is the number of items of the catalogue, place(i) that of the item by train users, most first, items with as many users sharing one
    and none being left out; with `count` = `rows` by train rows. pr is 0 for an item that train does not hold.

    Edge cases: a user without a hit counts 0, also one without test rows; an empty list counts 0.
    """
    n, rank, place = m.number("items"), m.hits["rank"], m.hits.item("dense_rank", count=str(m.params["count"]))
    popular = where(place > 0, (n + 1.0 - place) / n, 0.0)
    return Ratio(m.hits.sum(np.maximum((n + 1.0 - rank) / n - popular, 0.0), "better placed"), m.n_listed)


_DISTANCE = {"distance": "item_distance", "featureless": "featureless_items"}


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    distance = str(params["distance"])
    return ("train", *{"file": ("distances",), "cooccurrence": ()}.get(distance, ("categories",)))


def _from_profile(m: Measure) -> CutTable:
    return m.table("from_profile", distance=str(m.params["distance"]), featureless=str(m.params["featureless"]), depth=m.deepest)


@metric(
    "CosineSerendipity",
    family="serendipity",
    axes={"relevance": "serendipity_relevance", **_DISTANCE},
    bounds=(-math.inf, math.inf),
    needs=_needs,
    uses=("from_profile", "n_profile", "reading"),
    population="lists",
    tex=tex(
        r"\frac{1}{|L_u|} \sum_{r=1}^{k} <relevance>" + _FAR,
        relevance={"binary": r"h_r\,", "none": ""},
        distance=DISTANCES,
        featureless=_NEAR,
    ),
    reference="Zhang et al., Auralist: introducing serendipity into music recommendation, WSDM 2012; recommenders evaluation",
)
def cosine_serendipity(m: Measure) -> Array:
    """How unlike the items that the user knows the recommended items are, those that count by `relevance`.

    CosineSerendipity@k = 1/l · Σ_{r≤k} rel(r) · mean_{j ∈ train_u} dist(i_r, j)

    rel by `relevance`: 1 for a hit and 0 else (`binary`), or 1 (`none`). dist by `distance` as for ILD; by default that of the users
    that the items share.

    Edge cases: pairs without a distance are left out of the mean, or at distance 1, as `featureless` says for ILD; an item without any
    adds 0; users whom train does not hold are left out.
    """
    far = _from_profile(m)
    row = far["distance"] * (far["hit"] if m.params["relevance"] == "binary" else 1.0)
    return where(m.user("n_profile") > 0, divide(far.sum(row, "distance"), m.n_listed), NO_VALUE)


@metric(
    "ProfileDistance",
    family="novelty",
    axes=_DISTANCE,
    bounds=(0.0, math.inf),
    aliases=("EPD", "FeatureUnexpectedness"),
    needs=_needs,
    uses=("from_profile", "reading"),
    pooled=True,
    average="micro",
    population="lists",
    higher_is_better=None,
    tex=tex(r"\frac{1}{|L_u|} \sum_{r=1}^{k} " + _FAR, distance=DISTANCES, featureless=_NEAR),
    reference="Castells, Hurley and Vargas, in Recommender Systems Handbook, 2nd ed. (2015), chapter 26; Unexpectedness of RELISON",
)
def profile_distance(m: Measure) -> Ratio:
    """The mean distance of the recommended items to the items that the user knows, every recommendation weighing the same.

    ProfileDistance@k = Σ_u Σ_{r≤k} mean_{j ∈ train_u} dist(i_r, j) / Σ_u l_u

    dist by `distance` as for ILD.

    Edge cases: pairs without a distance are left out of the mean, or at distance 1, as `featureless` says for ILD; an item without any
    adds 0. Pooled over users (`micro`).
    """
    far = _from_profile(m)
    return Ratio(far.sum(far["distance"], "distance"), m.n_listed)


@metric(
    "MeanPredictionDistance",
    family="novelty",
    bounds=(-2.0, math.inf),
    needs=("distances",),
    uses=("user_distance", "reading"),
    system=True,
    population="lists",
    higher_is_better=None,
    tex=r"\frac{\sum_{u \in U} |L_u|}{\sum_{u \in U} \sum_{i \in L_u} 1/d(u,i)} - 2",
    reference="RELISON metrics, mean prediction distance of contact recommendation",
)
def mean_prediction_distance(m: Measure) -> Array:
    """The mean distance of a user and the people recommended, where users are items of a graph whose distances data.distances holds.

    MeanPredictionDistance@k = E / Σ 1/δ(u, i) - 2, over the E recommendations with rank ≤ k

    A pair that data.distances does not hold, or at distance 0, adds nothing to the sum: it is unreachable.

    Edge cases: no value where no pair has a distance; 0 without a recommendation.
    """
    pairs = m.table("user_distance")
    distance = pairs["distance"]
    inverse = m.total(pairs.sum(divide(1.0, distance)))
    everything = m.total(m.n_listed)
    return where(everything > 0, defined(everything, inverse) - 2.0, 0.0)
