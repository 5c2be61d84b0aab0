"""Fairness: differences between groups of users or of items. `by`, `users` and `items` name columns of data.users or data.items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.prepared import Group, no_such_group
from . import registry
from .arrays import NO_VALUE, add, divide, divide_or_missing, fill, is_missing, where
from .measure import Measure
from .notation import APART, CANDIDATES, GAINS, OF_GROUPS, one_or_spread, tex
from .popularity import ZHU, candidates_of, spread_of
from .registry import Text
from .table_views import CutTable, ItemTable

DELDJOO = "Deldjoo et al., A flexible framework for evaluating user and item fairness in recommender systems, UMUAI 31, 2021"
SINGH = "Singh and Joachims, Fairness of exposure in rankings, KDD 2018"
_BY_ITEMS = Text(None, "the column of data.items that names the groups")
_BY_USERS = Text(None, "the column of data.users that names the groups")
_ONE = Text("", "one group, for its own value; if not given, all together")


def _needs_items(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return (f"items.{params['by']}", "train?")


def _needs_users(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return (f"users.{params['by']}",)


def select_groups(m: Measure, column: str, only: str) -> Sequence[Group]:
    """Return the groups of a column, or only the one called `only`; `DataError` if there is no such group."""
    groups = m.groups(column)
    if not only:
        return groups
    named = [group for group in groups if group.name == only]
    if not named:
        role, _, name = column.partition(".")
        raise no_such_group(f"data.{role}: column {name}", only, [group.name for group in groups])
    return named


def in_group(table: CutTable | ItemTable, group: Group, column: str) -> Array:
    """Return whether the item of each row is in a group of a column of data.items."""
    inside: Array = table.item("group", column=column) == group.code
    return inside


metric = partial(registry.metric, family="fairness", per_model=True)


@metric(
    "REO",
    texts={"by": _BY_ITEMS, "group": _ONE},
    bounds=(0.0, math.inf),
    needs=_needs_items,
    uses=("hits", "relevant"),
    higher_is_better=False,
    tex=tex(OF_GROUPS + r"\frac{\sum_{u \in U} |L_u \cap T_u \cap G|}{\sum_{u \in U} |T_u \cap G|}", group=one_or_spread),
    reference=ZHU,
)
def reo(m: Measure) -> Array:
    """How unequally relevant items of different groups are found; use it if relevant items of every group deserve the same chance.

    It is called ranking-based equal opportunity. With `group` the value is P_G itself.

    Edge cases: groups without relevant items are left out; a single group gives 0, and so does a mean of 0.
    """
    by, relevant = str(m.params["by"]), m.table("relevant")
    shares = []
    for group in select_groups(m, f"items.{by}", str(m.params["group"])):
        n_hits = m.total(m.hits.tally(in_group(m.hits, group, by)))
        shares.append(divide_or_missing(n_hits, m.total(relevant.tally(in_group(relevant, group, by)))))
    return shares[0] if m.params["group"] else spread_of(shares)


@metric(
    "RSP",
    axes={"candidates": "rsp_candidates"},
    texts={"by": _BY_ITEMS, "group": _ONE},
    bounds=(-math.inf, math.inf),
    needs=lambda params: (f"items.{params['by']}", "train"),
    uses=lambda params: ("listed", *(("profile",) if params["candidates"] == "unseen" else ())),
    higher_is_better=False,
    population="lists",
    tex=tex(OF_GROUPS + r"\frac{\sum_{u \in U} |L_u \cap G|}{<candidates>}", group=one_or_spread, candidates=CANDIDATES),
    reference=ZHU,
)
def rsp(m: Measure) -> Array:
    """How unequally items of different groups are recommended, relevant or not; use it if every group should appear equally often.

    It is called ranking-based statistical parity. With `group` the value is P_G itself.

    Edge cases: groups without candidates are left out; a single group gives 0, and so does a mean of 0.
    """
    by = str(m.params["by"])
    shares = []
    for group in select_groups(m, f"items.{by}", str(m.params["group"])):
        chances = candidates_of(m, "group", {"column": by}, group.code, float(group.size))
        shares.append(divide_or_missing(m.total(m.listed.tally(in_group(m.listed, group, by))), chances))
    return shares[0] if m.params["group"] else spread_of(shares)


def _mean_difference(values: Sequence[Array], all_or_none: bool) -> Array:
    """Return the mean difference of two `values`, over all pairs that have both; `all_or_none`: no value if any is missing."""
    pairs = [np.abs(left - right) for left, right in combinations(values, 2)]
    if not pairs:
        return np.array([[NO_VALUE]])
    n = add(*(where(is_missing(pair), 0.0, 1.0) for pair in pairs))
    mean = divide_or_missing(add(*pairs), n)
    return where(n >= len(pairs), mean, NO_VALUE) if all_or_none else mean


def _difference_of_users(m: Measure, value: Array) -> Array:
    """Return the mean difference between groups of users in the mean of `value`."""
    code = m.user("user_group", column=str(m.params["by"]))
    means = []
    for group in m.groups(f"users.{m.params['by']}"):
        inside = (code == group.code) & ~is_missing(value)
        means.append(divide_or_missing(m.total(where(inside, value, 0.0)), m.total(where(inside, 1.0, 0.0))))
    return _mean_difference(means, all_or_none=False)


mad = partial(metric, bounds=(0.0, math.inf), higher_is_better=False, reference=DELDJOO)
mad_of_users = partial(mad, texts={"by": _BY_USERS}, needs=_needs_users)
mad_of_items = partial(mad, texts={"by": _BY_ITEMS}, needs=lambda params: (f"items.{params['by']}",), one_cutoff=True)


@mad_of_users(
    "UserMADRanking",
    combines=("nDCG",),
    uses=("user_group",),
    tex=APART + r"\frac{1}{|G|} \sum_{u \in G} M_1",
)
def user_mad_ranking(m: Measure) -> Array:
    """How far the mean nDCG of groups of users differs; use it to see if a model serves some groups better than others.

    MAD is short for mean absolute deviation. Another metric can be given in place of nDCG.

    Edge cases: groups without a user who counts are left out; with a single group there is no value.
    """
    return _difference_of_users(m, m.components[0])


@mad_of_users(
    "UserMADRating",
    uses=("scored", "reading", "user_group"),
    tex=APART + r"\frac{1}{|G|} \sum_{u \in G} \frac{1}{|L_u|} \sum_{r=1}^{k} s_r",
)
def user_mad_rating(m: Measure) -> Array:
    """How far the mean scores of groups of users differ; use it to see if a model promises more to some groups than to others.

    Edge cases: users with an empty list are left out, and so are groups without users; with a single group there is no value.
    """
    scored = m.table("scored")
    return _difference_of_users(m, divide_or_missing(scored.sum(scored["score"], "score"), m.n_listed))


_ITEM_MAD = {"gain": "ndcg_gain", "empty_group": "empty_group"}


@mad_of_items(
    "ItemMADRanking",
    axes=_ITEM_MAD,
    uses=("outcomes",),
    tex=tex(
        APART + r"\frac{1}{|G \cap \bigcup_u L_u|} \sum_{i \in G} \frac{1}{c_i} \sum_{u \in U} \sum_{r=1}^{k} [i_r = i]\,<gain>", gain=GAINS
    ),
)
def item_mad_ranking(m: Measure) -> Array:
    """How far the mean gain of recommended items differs between groups of items; use it to see if some groups succeed more often.

    The gain of an item is the mean over its recommendations among the first k ranks: that of DCG for a hit, otherwise 0. The rank does not
    matter.

    Edge cases: `empty_group` decides if groups without a recommended item are left out or leave no value, and which value fewer than two
    groups give.
    """
    items = m.items("outcomes", k=m.cutoff or 0, gain=str(m.params["gain"]), offset=m.offset)
    return _difference_of_items(m, items, items["gain"] / items["count"], np.ones(len(items)))


@mad_of_items(
    "ItemMADRating",
    axes={"over": "item_mad_over", "empty_group": "empty_group"},
    uses=("scored_outcomes",),
    tex=tex(
        APART + r"\mathrm{mean}_{i \in G} \frac{1}{<over>} \sum_{u \in U} \sum_{r=1}^{k} [i_r = i]\,h_r\,s_r",
        over={"listed": "c_i", "hits": r"\sum_{u \in U} \sum_{r=1}^{k} [i_r = i]\,h_r"},
    ),
)
def item_mad_rating(m: Measure) -> Array:
    """How far the scores of hits differ between groups of items; use it to see if a model scores the hits of some groups higher.

    Edge cases: as for ItemMADRanking.
    """
    items = m.items("scored_outcomes", k=m.cutoff or 0)
    if m.params["over"] == "hits":
        return _difference_of_items(m, items, divide(items["score"], items["hits"]), where(items["hits"] > 0, 1.0, 0.0))
    return _difference_of_items(m, items, items["score"] / items["count"], np.ones(len(items)))


def _difference_of_items(m: Measure, items: ItemTable, value: Array, counts: Array) -> Array:
    """Return the mean difference between groups of items in the mean of `value`, over the items that count."""
    means = []
    for group in m.groups(f"items.{m.params['by']}"):
        inside = in_group(items, group, str(m.params["by"]))
        means.append(divide_or_missing(items.sum(where(inside, value, 0.0)), items.sum(where(inside, counts, 0.0))))
    difference = _mean_difference(means, all_or_none=m.params["empty_group"] == "undefined")
    return fill(difference, 0.0) if m.params["empty_group"] == "zero" else difference


@metric(
    "ExposureParity",
    texts={"by": _BY_ITEMS, "group": _ONE},
    bounds=(0.0, math.inf),
    needs=_needs_items,
    uses=("listed",),
    population="lists",
    tex=tex(
        r"<group> \\ E_G = \frac{1}{|G|} \sum_{u \in U} \sum_{r=1}^{k} \frac{[i_r \in G]}{\log_2(r + 1)}",
        group=lambda params: r"\frac{E_G}{E_{\text{all}}}" if params["group"] else r"\frac{\min_G E_G}{\max_G E_G}",
    ),
    reference=SINGH,
)
def exposure_parity(m: Measure) -> Array:
    """How evenly groups of items are exposed, from 0 to 1 (all alike); use it if every group should get the same exposure per item.

    With `group` the value is E_G of this group divided by the exposure per item of all groups together.

    Edge cases: groups without items in the catalogue are left out; 0 if nothing is exposed.
    """
    by, only, listed = str(m.params["by"]), str(m.params["group"]), m.listed
    groups = [group for group in m.groups(f"items.{by}") if group.size]
    if not groups:
        return np.array([[NO_VALUE]])
    exposure = 1.0 / np.log2(listed["rank"] + 1.0)
    totals = [m.total(listed.sum(where(in_group(listed, group, by), exposure, 0.0))) for group in groups]
    shares = [total / float(group.size) for total, group in zip(totals, groups, strict=True)]
    if only:
        (group,) = select_groups(m, f"items.{by}", only)
        return divide(shares[groups.index(group)], add(*totals) / float(sum(group.size for group in groups)))
    return divide(np.minimum.reduce(shares), np.maximum.reduce(shares))
