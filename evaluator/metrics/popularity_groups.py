"""Popularity of what users get against what they had: by groups of users, by user, and by item.

pop(i) is the number of rows of item i divided by the number of users, in data.train, or (`of` = `train_and_test`) in the train and
test files together. The popular items are the first round(`popular`·N) of the N items there by pop. Items, and users, that are
equal stand by `ties` in the order of their ids (`id`), or of their first rows in the files (`first_row`).
"""

from __future__ import annotations

import math

import narwhals as nw

from ..naming import unquoted
from .measure import ONE, ZERO, Measure, defined
from .registry import Many, Number, Text, metric
from .side import Params

ABDOLLAHPOURI = (
    "Abdollahpouri et al., The unfairness of popularity bias in recommendation, RMSE workshop at RecSys 2019; ClayRS fairness_metrics.py"
)
_POPULAR = {"popular": Number(0.2, "the share of items that are popular", least=0.0, most=1.0)}


def _shares(m: Measure) -> list[float]:
    try:
        found = [float(part) for part in str(m.params["shares"]).split(";")]
    except ValueError:
        raise ValueError(f"shares are numbers with ; between them, not {m.params['shares']!r}") from None
    if not found or min(found) <= 0 or not math.isclose(sum(found), 1.0, abs_tol=1e-9):
        raise ValueError(f"shares are above 0 and add up to 1, not {m.params['shares']}")
    return found


@metric(
    "DeltaGap",
    family="popularity",
    axes={"of": "gap_of", "ties": "popular_ties"},
    numbers=_POPULAR,
    texts={
        "shares": Text("0.2;0.6;0.2", "the shares of users that make a group each, those with the most popular profiles first"),
        "by": Text("", "a column of data.users that names the groups, instead of shares"),
        "group": Text("", "one group; all without it"),
    },
    bounds=(-1.0, math.inf),
    needs=lambda params: ("train", *((f"users.{params['by']}",) if params["by"] else ())),
    system=True,
    higher_is_better=False,
    population="lists",
    reference=ABDOLLAHPOURI,
)
def delta_gap(m: Measure) -> Many:
    """How much more popular than before a group's recommendations are (difference of group average popularity).

    ΔGAP(g)@k = (GAP_r(g) - GAP_p(g)) / GAP_p(g), GAP(g) = mean over the users of g of the mean pop of the user's items

    GAP_r looks at the first k recommended items, GAP_p at the train items of the same users. Groups are those of `by`; or users are
    ordered by the share of popular items among their train items, most first, and fall into groups 1, 2, … by `shares`.

    Edge cases: users without a list are in a group but not in its means; an item without rows has pop 0; 0 where GAP_p is 0, no
    value for an empty group.
    """
    of, by, only = str(m.params["of"]), str(m.params["by"]), str(m.params["group"])
    shares = _shares(m)
    if by:
        groups = [(group.name, group.code) for group in m.groups(f"users.{by}")]
        code = m.user("group", column=by)
    else:
        groups = [(str(place), place) for place in range(1, len(shares) + 1)]
        code = m.user(
            "popularity_group", of=of, popular=float(m.params["popular"]), ties=str(m.params["ties"]), shares=str(m.params["shares"])
        )
    if only:
        known = [one for one in groups if one[0] == only]
        if not known and (m.view.side.groups or not by):
            raise ValueError(f"there is no group {only!r}; the groups are {', '.join(name for name, _ in groups)}")
        groups = known or groups[:1]
    pop = m.item("pop", of=of) * 1.0
    now = defined(m.listed.sum(pop, "popularity"), m.n_listed)
    before = defined(m.table("profile", "neither").whole_sum(pop), m.user("n_profile"))
    found: dict[Params, nw.Expr] = {}
    for name, number in groups:
        inside = (code == number) & ~now.is_null() & ~before.is_null()
        n = m.total(nw.when(inside).then(ONE).otherwise(ZERO))
        recommended, profile = (defined(m.total(nw.when(inside).then(value)), n) for value in (now, before))
        change = nw.when(profile > 0).then((recommended - profile) / nw.when(profile > 0).then(profile).otherwise(ONE))
        found[() if only else (("group", unquoted(name)),)] = nw.when(~profile.is_null()).then(change.fill_null(0.0))
    return found


@metric(
    "PopularityRatio",
    family="popularity",
    axes={"of": "gap_of", "ties": "popular_ties", "ratio": "ratio_of"},
    numbers=_POPULAR,
    bounds=(-1.0, 1.0),
    needs=("train",),
    higher_is_better=False,
    population="lists",
    reference=ABDOLLAHPOURI,
)
def popularity_ratio(m: Measure) -> nw.Expr:
    """The share of popular items among the recommended ones, or how far it is above that of the user's profile.

    PopularityRatio@k = |L(k) ∩ popular| / l

    By `ratio` that of the `recommendations`, |train_u ∩ popular| / |train_u| (`profile`), or the `difference` of the first and the second.

    Edge cases: users with an empty list, or whom train does not hold where it looks at profiles, are left out.
    """
    popular = m.item("popular", of=str(m.params["of"]), popular=float(m.params["popular"]), ties=str(m.params["ties"])) == 1
    now = defined(m.listed.tally(popular, "popular"), m.n_listed)
    before = defined(m.table("profile", "neither").whole_tally(popular), m.user("n_profile"))
    if m.params["ratio"] == "difference":
        return now - before
    return now if m.params["ratio"] == "recommendations" else before


@metric(
    "PopularityCorrelation",
    family="popularity",
    aliases=("PopRecsCorrelation",),
    axes={"items": "correlation_items"},
    bounds=(-1.0, 1.0),
    needs=("train",),
    system=True,
    higher_is_better=False,
    population="lists",
    reference=ABDOLLAHPOURI + " (PopRecsCorrelation)",
)
def popularity_correlation(m: Measure) -> nw.Expr:
    """The correlation of an item's popularity with how often it is recommended (Pearson).

    PopularityCorrelation@k = Σ_i (n(i) - n̄)(c(i) - c̄) / √(Σ_i (n(i) - n̄)² · Σ_i (c(i) - c̄)²), n(i) the train rows, c(i) the
    lists that hold i

    over `all` items that train or a list holds, or those that are `recommended`.

    Edge cases: no value where all items are as popular, or as often recommended, as each other.
    """
    both = m.whole("popular_exposure", k=m.k or 0, items=str(m.params["items"]))
    x, y = nw.col("rows"), nw.col("count")
    root = (both.sum(x * x) * both.sum(y * y)).sqrt()
    return defined(both.sum(x * y), root)
