"""Fairness: whether groups of users or of items are served alike. `by`, `users` and `items` name columns of data.users or data.items.

Users and items without a group are left out of what groups are compared by. std is that of the population.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import narwhals as nw

from ..naming import Scalar
from .collected import Whole
from .measure import ONE, RANK, ZERO, Measure, added, defined, divide
from .popularity import spread_of
from .registry import Text, metric
from .side import Group

ZHU = "Zhu, Wang and Caverlee, Measuring and mitigating item under-recommendation bias, SIGIR 2020"
DELDJOO = "Deldjoo et al., A flexible framework for evaluating user and item fairness in recommender systems, UMUAI 31, 2021"
SINGH = "Singh and Joachims, Fairness of exposure in rankings, KDD 2018"
_BY_ITEMS = Text(None, "the column of data.items that names the groups")
_BY_USERS = Text(None, "the column of data.users that names the groups")
_ONE = Text("", "one group, whose own value is given; all together without it")


def _needs_items(given: Mapping[str, Scalar]) -> tuple[str, ...]:
    return (f"items.{given['by']}", "train?")


def _needs_users(given: Mapping[str, Scalar]) -> tuple[str, ...]:
    return (f"users.{given['by']}",)


def chosen(m: Measure, column: str, only: str) -> Sequence[Group]:
    """The groups of a column, or the one called `only`; `ValueError` if there is none of that name."""
    groups = m.groups(column)
    if not only:
        return groups
    found = [group for group in groups if group.name == only]
    if not found and m.view.side.groups:
        raise ValueError(f"data.{column.replace('.', ': ')} has no group {only!r}; it has {', '.join(group.name for group in groups)}")
    return found or groups[:1]


def in_group(m: Measure, group: Group, by: str) -> nw.Expr:
    """Whether the item of a row is in a group of the column that the parameter `by` names."""
    return m.item("group", column=str(m.params[by])) == group.code


@metric(
    "REO",
    family="fairness",
    texts={"by": _BY_ITEMS, "group": _ONE},
    bounds=(0.0, math.inf),
    needs=_needs_items,
    system=True,
    higher_is_better=False,
    reference=ZHU,
)
def reo(m: Measure) -> nw.Expr:
    """How unequal the chances of relevant items of the groups are (ranking-based equal opportunity).

    REO@k = std(P_1, …, P_n) / mean(P_1, …, P_n), P_g = Σ_u hits_u(k) in g / Σ_u relevant items of u in g

    With `group` = g it is P_g itself.

    Edge cases: groups without relevant items are left out; a single group gives 0, and so does a mean of 0.
    """
    shares = []
    for group in chosen(m, f"items.{m.params['by']}", str(m.params["group"])):
        inside = in_group(m, group, "by")
        shares.append(defined(m.total(m.hits.tally(inside)), m.total(m.table("relevant", "truth").tally(inside))))
    return shares[0] if m.params["group"] else spread_of(shares)


@metric(
    "RSP",
    family="fairness",
    axes={"candidates": "rsp_candidates"},
    texts={"by": _BY_ITEMS, "group": _ONE},
    bounds=(-math.inf, math.inf),
    needs=lambda given: (f"items.{given['by']}", "train"),
    system=True,
    higher_is_better=False,
    population="lists",
    reference=ZHU,
)
def rsp(m: Measure) -> nw.Expr:
    """How unequal the chances of items of the groups are (ranking-based statistical parity).

    RSP@k = std(P_1, …, P_n) / mean(P_1, …, P_n), P_g = Σ_u |L_u(k) ∩ g| / C_g

    C_g by `candidates`: Σ_u |g without the train items of u| (`unseen`), the number of items in g (`items`), or |g| for every user
    who counts less the train rows of g, these as far as the users who count are a share of all train users (`unseen_on_average`).
    With `group` = g it is P_g itself.

    Edge cases: groups without candidates are left out; a single group gives 0, and so does a mean of 0.
    """
    shares = []
    for group in chosen(m, f"items.{m.params['by']}", str(m.params["group"])):
        inside, size = in_group(m, group, "by"), float(group.size)
        chances = nw.lit(size)
        if m.params["candidates"] == "unseen":
            chances = m.n_users * size - m.total(m.table("profile", "neither").tally(inside))
        elif m.params["candidates"] == "unseen_on_average":
            rows = m.whole("train_items", "neither").sum(nw.when(inside).then(m.item("train_rows")).otherwise(nw.lit(0)))
            chances = m.n_users * size - m.n_users * rows / m.number("train_users")
        shares.append(defined(m.total(m.listed.tally(inside)), chances))
    return shares[0] if m.params["group"] else spread_of(shares)


def _apart(values: Sequence[nw.Expr], all_or_none: bool) -> nw.Expr:
    """The mean difference of two `values`, over all pairs that have both; `all_or_none`: no value if one has none."""
    pairs = [(one - other).abs() for place, one in enumerate(values) for other in values[place + 1 :]]
    if not pairs:
        return nw.lit(None, dtype=nw.Float64)
    counted = [nw.when(pair.is_null()).then(ZERO).otherwise(ONE) for pair in pairs]
    n = added(*counted)
    total = added(*pairs)
    return nw.when(n >= float(len(pairs)) if all_or_none else n > 0).then(total / n)


def _of_user_groups(m: Measure, value: nw.Expr) -> nw.Expr:
    """The mean difference of the mean `value` of groups of users."""
    code = m.user("group", column=str(m.params["by"]))
    means = []
    for group in m.groups(f"users.{m.params['by']}"):
        inside = code == group.code
        n = m.total(nw.when(inside & ~value.is_null()).then(ONE).otherwise(ZERO))
        means.append(defined(m.total(nw.when(inside).then(value)), n))
    return _apart(means, all_or_none=False)


@metric(
    "UserMADRanking",
    family="fairness",
    combines=("nDCG",),
    texts={"by": _BY_USERS},
    bounds=(0.0, math.inf),
    needs=_needs_users,
    system=True,
    higher_is_better=False,
    reference=DELDJOO,
)
def user_mad_ranking(m: Measure) -> nw.Expr:
    """How far groups of users are apart in what they get (mean absolute deviation of a metric): nDCG, or the metric that is given.

    UserMADRanking@k = mean over pairs of groups g, h of |M_g - M_h|, M_g = mean of nDCG_u@k over the users of g

    Edge cases: groups without a user who counts are left out; with a single group there is no value.
    """
    return _of_user_groups(m, m.of[0])


@metric(
    "UserMADRating",
    family="fairness",
    texts={"by": _BY_USERS},
    bounds=(0.0, math.inf),
    needs=_needs_users,
    system=True,
    higher_is_better=False,
    reference=DELDJOO,
)
def user_mad_rating(m: Measure) -> nw.Expr:
    """How far groups of users are apart in the scores that they are promised.

    UserMADRating@k = mean over pairs of groups g, h of |S_g - S_h|, S_g = mean over the users of g of the mean score of L_u(k)

    Edge cases: users with an empty list are left out, and so are groups without users; with a single group there is no value.
    """
    return _of_user_groups(m, defined(m.table("scored").sum(nw.col("score"), "score"), m.n_listed))


_ITEM_MAD = {"gain": "ndcg_gain", "empty_group": "empty_group"}


@metric(
    "ItemMADRanking",
    family="fairness",
    axes=_ITEM_MAD,
    texts={"by": _BY_ITEMS},
    bounds=(0.0, math.inf),
    needs=lambda given: (f"items.{given['by']}",),
    system=True,
    higher_is_better=False,
    reference=DELDJOO,
)
def item_mad_ranking(m: Measure) -> nw.Expr:
    """How far groups of items are apart in the gain of their recommendations.

    ItemMADRanking@k = mean over pairs of groups g, h of |G_g - G_h|, G_g = mean over the recommended items of g of gain(i)

    gain(i) is the mean over the places among the first k that hold i of its gain there: that of DCG for a hit, 0 else; no rank counts.

    Edge cases: of groups without a recommended item `empty_group` says whether they are left out, and what less than two groups
    give, or whether they leave no value.
    """
    outcome = m.whole("outcomes", "found", k=m.k or 0, gain=str(m.params["gain"]), offset=m.view.offset)
    return _of_item_groups(m, outcome, nw.col("gain") / nw.col("count"), ONE)


@metric(
    "ItemMADRating",
    family="fairness",
    axes={"over": "item_mad_over", "empty_group": "empty_group"},
    texts={"by": _BY_ITEMS},
    bounds=(0.0, math.inf),
    needs=lambda given: (f"items.{given['by']}",),
    system=True,
    higher_is_better=False,
    reference=DELDJOO,
)
def item_mad_rating(m: Measure) -> nw.Expr:
    """How far groups of items are apart in the scores of their hits.

    ItemMADRating@k = mean over pairs of groups g, h of |S_g - S_h|, S_g = mean over items of g of the mean score of i

    The mean score of i by `over`: over the places among the first k that hold i, its score where it is a hit and 0 else (`listed`);
    or over those where it is a hit, for items that are a hit anywhere (`hits`).

    Edge cases: as for ItemMADRanking.
    """
    outcome = m.whole("outcomes", "found", k=m.k or 0, scores=True)
    if m.params["over"] == "hits":
        some = nw.when(nw.col("hits") > 0).then(ONE).otherwise(ZERO)
        return _of_item_groups(m, outcome, nw.when(nw.col("hits") > 0).then(nw.col("score") / nw.col("hits")).otherwise(ZERO), some)
    return _of_item_groups(m, outcome, nw.col("score") / nw.col("count"), ONE)


def _of_item_groups(m: Measure, outcome: Whole, value: nw.Expr, counts: nw.Expr) -> nw.Expr:
    means = []
    for group in m.groups(f"items.{m.params['by']}"):
        inside = in_group(m, group, "by")
        total = outcome.sum(nw.when(inside).then(value).otherwise(ZERO))
        means.append(defined(total, outcome.sum(nw.when(inside).then(counts).otherwise(ZERO))))
    value = _apart(means, all_or_none=m.params["empty_group"] == "undefined")
    return value.fill_null(0.0) if m.params["empty_group"] == "zero" else value


@metric(
    "ExposureParity",
    family="fairness",
    texts={"by": _BY_ITEMS, "group": _ONE},
    bounds=(0.0, math.inf),
    needs=_needs_items,
    system=True,
    population="lists",
    reference=SINGH,
)
def exposure_parity(m: Measure) -> nw.Expr:
    """How evenly groups of items are exposed: the least exposure per item of a group as a share of the largest.

    ExposureParity@k = min_g E_g / max_g E_g, E_g = 1/|g| · Σ_u Σ_{r≤k, i_r ∈ g} 1/log2(r + 1)

    With `group` = g it is E_g divided by the exposure per item of all groups together.

    Edge cases: groups without items in the catalogue are left out; 0 where nothing is exposed.
    """
    each = 1.0 / (RANK + 1).log(base=2.0)
    groups = [group for group in m.groups(f"items.{m.params['by']}") if group.size]
    if not groups:
        return nw.lit(None, dtype=nw.Float64)
    totals = [m.total(m.listed.sum(nw.when(in_group(m, group, "by")).then(each).otherwise(ZERO))) for group in groups]
    shares = [total / float(group.size) for total, group in zip(totals, groups, strict=True)]
    only = str(m.params["group"])
    if only:
        place = groups.index(chosen(m, f"items.{m.params['by']}", only)[0])
        return divide(shares[place], added(*totals) / float(sum(group.size for group in groups)))
    return divide(nw.min_horizontal(*shares), nw.max_horizontal(*shares))
