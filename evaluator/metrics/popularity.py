"""Popularity bias: how popular the recommended items are, and how far a model prefers popular items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from . import registry
from .arrays import NO_VALUE, add, divide, divide_or_missing, is_missing, where
from .measure import Measure, Ratio
from .notation import CANDIDATES, SIZES, SPREAD, Pieces, tex
from .registry import Number
from .table_views import CutTable

ZHU = "Zhu, Wang and Caverlee, Measuring and mitigating item under-recommendation bias, SIGIR 2020"
ABDOLLAHPOURI = "Abdollahpouri, Burke and Mobasher, FLAIRS 2019"
_RATIO = {"ratio": Number(0.8, "the share of the popularity of all items that the head has", least=0.0, most=1.0, symbol="x")}
_HEAD, _TAIL = 0, 1
_BORDER = {"border": "head_border", "untrained": "tail_untrained", "count": "popularity_count"}
_HEAD_AND_TAIL = (
    r"\mathrm{head} = \Bigl\{i \in I_{\mathrm{train}} : \sum_{j \prec i} <count> <less> x\,<all>\Bigr\}, \quad "
    r"\mathrm{tail} = <untrained> \setminus \mathrm{head}"
)
_HEAD_OR_TAIL = r", \quad G \in \{\mathrm{head}, \mathrm{tail}\} \\ <border>"
_TEX_BORDER: Pieces = {
    "border": {
        "reaches": _HEAD_AND_TAIL.replace("<less>", "<"),
        "exceeds": _HEAD_AND_TAIL.replace("<less>", r"\le"),
    },
    "untrained": {"neither": r"I_{\mathrm{train}}", "tail": r"(I \cup I_{\mathrm{train}})"},
    "count": {"users": "|V_j|", "rows": "n_j"},
    "all": lambda params: "n" if params["count"] == "rows" else r"\sum_j |V_j|",
}


def border_of_tail(m: Measure) -> dict[str, Scalar]:
    """Return the parameters of the item column `tail`."""
    return {"ratio": float(m.params["ratio"])} | {name: str(m.params[name]) for name in _BORDER}


def in_tail(m: Measure, table: CutTable) -> Array:
    """Return whether the item of each row is in the long tail."""
    inside: Array = table.item("tail", **border_of_tail(m)) == _TAIL
    return inside


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return ("train", "catalogue") if params["untrained"] == "tail" else ("train",)


metric = partial(registry.metric, family="popularity")
of_listed = partial(metric, uses=("listed", "reading"), population="lists")
of_tail = partial(of_listed, numbers=_RATIO, needs=_needs, reference=ABDOLLAHPOURI)
of_both = partial(metric, numbers=_RATIO, needs=_needs, per_model=True, higher_is_better=False, reference=ZHU)


@of_listed(
    "ARP",
    bounds=(0.0, math.inf),
    aliases=("AveragePopularity", "AvgRecPopularity", "AverageRecommendationPopularity"),
    axes={"unit": "popularity_unit", "unseen": "popularity_unseen"},
    needs=("train",),
    higher_is_better=False,
    tex=tex(
        r"\frac{1}{|L_u|} \sum_{i \in L_u} <unit>",
        unit={
            "rows": "<unseen>n_i<end>",
            "users": "<unseen>|V_i|<end>",
            "row_share": r"\frac{<unseen>n_i<end>}{n}",
            "user_share": r"\frac{<unseen>|V_i|<end>}{|V|}",
        },
        unseen={"zero": "", "one": r"\max("},
        end=lambda params: "" if params["unseen"] == "zero" else ", 1)",
    ),
    reference="Yin et al., Challenging the long tail recommendation, VLDB 2012; " + ABDOLLAHPOURI,
)
def arp(m: Measure) -> Ratio:
    """The average popularity of the recommended items; use it to see if a model recommends mostly bestsellers.

    Edge cases: an empty list counts 0.
    """
    unit = str(m.params["unit"])
    of_users = unit in ("users", "user_share")
    popularity = m.listed.item("train_users" if of_users else "train_rows")
    if m.params["unseen"] == "one":
        popularity = np.maximum(popularity, 1)
    total = m.listed.sum(popularity, "popularity")
    whole = {"row_share": m.number("train_rows"), "user_share": m.number("train_users")}.get(unit, 1.0)
    return Ratio(total / whole, m.n_listed)


@of_listed(
    "MeanPopRank",
    axes={"unit": "rank_unit"},
    needs=("train",),
    higher_is_better=False,
    tex=r"\frac{1}{|L_u|} \sum_{i \in L_u} \frac{\rho_i}{|I_{\mathrm{train}}|}",
    reference="LensKit metrics/ranking/_pop.py",
)
def mean_pop_rank(m: Measure) -> Array:
    """The mean popularity rank of the recommended items (1: the most popular); use it to compare data sets of different size.

    Edge cases: an item that is not in train has position 0; an empty list has no value.
    """
    return divide_or_missing(m.listed.sum(m.listed.item("mean_rank", by=str(m.params["unit"])), "place"), m.n_listed)


@of_tail(
    "APLT",
    axes={**_BORDER, "over": "list_divisor"},
    tex=tex(r"\frac{|L_u \cap \mathrm{tail}|}{<over>} \\ <border>", over=SIZES, **_TEX_BORDER),
)
def aplt(m: Measure) -> Array:
    """The share of the recommended items that are from the long tail; use it to see what unpopular items get.

    APLT is short for average percentage of long-tail items.

    Edge cases: an empty list counts 0.
    """
    return divide(m.listed.tally(in_tail(m, m.listed), "in the tail"), m.size(m.params["over"]))


@of_tail(
    "ACLT",
    is_count=True,
    axes=_BORDER,
    tex=tex(r"|L_u \cap \mathrm{tail}| \\ <border>", **_TEX_BORDER),
)
def aclt(m: Measure) -> Array:
    """The number of recommended items that are from the long tail; use it instead of APLT if you prefer items per list.

    ACLT is short for average coverage of long-tail items.

    Edge cases: an empty list counts 0.
    """
    return m.listed.tally(in_tail(m, m.listed), "in the tail")


@of_listed(
    "TailPercentage",
    axes={"count": "popularity_count"},
    numbers={
        "ratio": Number(
            0.1, "the share of the train items that are in the tail; above 1 the largest popularity of an item in the tail", symbol="x"
        )
    },
    needs=("train",),
    tex=tex(
        r"\frac{1}{|L_u|} \,|\{i \in L_u : <tail>\}|",
        tail=lambda params: (
            r"1 \le <count> \le x" if float(params["ratio"]) > 1 else r"\kappa_i \le \max(\lfloor x\,|I_{\mathrm{train}}| \rfloor, 1)"
        ),
        count={"users": "|V_i|", "rows": "n_i"},
    ),
    reference="RecBole metrics.py",
)
def tail_percentage(m: Measure) -> Array:
    """The share of the recommended items that are among the least popular; use it instead of APLT if the tail is a share of the items.

    The smallest id is the least popular of items with the same popularity. With a `ratio` above 1 the tail has the items with at most that
    many train users (or rows, by `count`).

    Edge cases: an empty list counts 0.
    """
    tail = m.listed.item("tail", ratio=float(m.params["ratio"]), border="least_popular", count=str(m.params["count"])) == 1
    return divide(m.listed.tally(tail, "in the tail"), m.n_listed)


def spread_of(shares: Sequence[Array]) -> Array:
    """Return the population standard deviation of `shares` divided by their mean; 0 if the mean is 0. Missing shares are left out."""
    if not shares:
        return np.array([[NO_VALUE]])
    n = add(*(where(is_missing(share), 0.0, 1.0) for share in shares))
    mean = divide(add(*shares), n)
    deviations = add(*((share - mean) * (share - mean) for share in shares))
    return divide(np.sqrt(divide(deviations, n)), mean)


@of_both(
    "PopREO",
    axes={**_BORDER, "numerator": "reo_numerator"},
    uses=lambda params: ("relevant", "listed" if params["numerator"] == "listed" else "hits"),
    tex=tex(
        SPREAD + r"\frac{\sum_{u \in U} |<numerator> \cap G|}{\sum_{u \in U} |T_u \cap G|}" + _HEAD_OR_TAIL,
        numerator={"relevant": r"L_u \cap T_u", "listed": "L_u"},
        **_TEX_BORDER,
    ),
)
def pop_reo(m: Measure) -> Array:
    """How unequally relevant items of head and tail are found; use it if relevant items deserve the same chance, popular or not.

    It is REO with head and tail as groups.

    Edge cases: a group without relevant items is left out, and a single group gives 0; so does a mean of 0.
    """
    rows, relevant = m.listed if m.params["numerator"] == "listed" else m.hits, m.table("relevant")
    border = border_of_tail(m)
    shares = []
    for group in (_HEAD, _TAIL):
        n_rows = m.total(rows.tally(rows.item("tail", **border) == group))
        shares.append(divide_or_missing(n_rows, m.total(relevant.tally(relevant.item("tail", **border) == group))))
    return spread_of(shares)


@of_both(
    "PopRSP",
    axes={**_BORDER, "candidates": "rsp_candidates"},
    uses=lambda params: ("listed", *(("profile",) if params["candidates"] == "unseen" else ())),
    population="lists",
    tex=tex(
        SPREAD + r"\frac{\sum_{u \in U} |L_u \cap G|}{<candidates>}" + _HEAD_OR_TAIL,
        candidates=CANDIDATES,
        **_TEX_BORDER,
    ),
)
def pop_rsp(m: Measure) -> Array:
    """How unequally items of head and tail are recommended, relevant or not; use it to see how strongly a model prefers popular items.

    It is RSP with head and tail as groups.

    Edge cases: a group without candidates is left out, and a single group gives 0; so does a mean of 0.
    """
    border = border_of_tail(m)
    everything = m.prepared.item_column("tail", **border)[:-1]
    shares = []
    for group in (_HEAD, _TAIL):
        chances = candidates_of(m, "tail", border, group, float((everything == group).sum()))
        shares.append(divide_or_missing(m.total(m.listed.tally(m.listed.item("tail", **border) == group)), chances))
    return spread_of(shares)


def candidates_of(m: Measure, column: str, params: Mapping[str, Scalar], group: int, size: float) -> Array:
    """Return the number of items of a group that could have been recommended, by the parameter `candidates`; the group has `size` items.

    `column`, with its `params`, is the column of items with their group.
    """
    if m.params["candidates"] == "unseen":
        profile = m.table("profile")
        return m.n_counted * size - m.total(profile.tally(profile.item(column, **params) == group))
    if m.params["candidates"] == "unseen_on_average":
        inside = m.prepared.item_column(column, **params)[:-1] == group
        pairs = float(m.prepared.train_users[inside].sum())
        return m.n_counted * size - m.n_counted * pairs / m.number("train_users")
    return np.array([[size]])
