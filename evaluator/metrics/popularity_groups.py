"""Popularity of what users get against what they had: by groups of users, by user, and by item.

pop(i) is the number of users of item i divided by that of all users, in data.train, or (`of` = `train_and_test`) in the train and test
files together; with `count` = `rows` it is the number of its rows divided by that of all users. The popular items are the first
round(`popular`·N) of the N items there by pop. Equally popular items, and users, are ordered by `ties`: by their ids (`id`), or by their
first rows in the files (`first_row`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..names.measure_strings import Params, Scalar, unquoted
from ..tables.array import Array
from ..tables.prepared import ProfileGroups, no_such_group
from .arrays import defined, filled, missing, where
from .measure import Measure
from .notation import Pieces, tex
from .registry import Many, Number, Text, metric

ABDOLLAHPOURI = (
    "Abdollahpouri et al., The unfairness of popularity bias in recommendation, RMSE workshop at RecSys 2019; ClayRS fairness_metrics.py"
)
_POP = {"train": r"\frac{<count>}{|V|}", "train_and_test": r"\frac{<both>}{|\tilde{V}|}"}
_COUNT: Pieces = {
    "count": {"users": "|V_i|", "rows": "n_i"},
    "both": lambda params: r"|\tilde{V}_i|" if params["count"] == "users" else r"\tilde{n}_i",
}
_POPULAR = {"popular": Number(0.2, "the share of items that count as popular", least=0.0, most=1.0)}


def _check_shares(params: Mapping[str, Scalar], k: int | None) -> None:
    try:
        shares = [float(part) for part in str(params["shares"]).split(";")]
    except ValueError:
        raise ValueError(f"shares must be numbers separated by semicolons, not {params['shares']!r}") from None
    if not shares or min(shares) <= 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-9):
        raise ValueError(f"shares must be above 0 and add up to 1, not {params['shares']}")


def profile_groups_of(params: Mapping[str, Scalar]) -> ProfileGroups:
    """How the parameters group users where no column of data.users does."""
    return ProfileGroups(str(params["of"]), str(params["count"]), float(params["popular"]), str(params["ties"]), str(params["shares"]))


@metric(
    "DeltaGap",
    family="popularity",
    axes={"of": "gap_of", "count": "popularity_count", "ties": "popular_ties"},
    numbers=_POPULAR,
    texts={
        "shares": Text("0.2;0.6;0.2", "the share of users in each group, starting with the users with the most popular profiles"),
        "by": Text("", "a column of data.users that names the groups, instead of shares"),
        "group": Text("", "one group; if not given, all"),
    },
    bounds=(-1.0, math.inf),
    needs=lambda params: ("train", *((f"users.{params['by']}",) if params["by"] else ())),
    uses=lambda params: ("listed", "reading", "profile", "n_profile", "user_group" if params["by"] else "popularity_group"),
    several=lambda params: not params["group"],
    validate=_check_shares,
    system=True,
    higher_is_better=False,
    population="lists",
    tex=tex(
        r"\frac{\mathrm{GAP}_{\text{lists}}(G) - \mathrm{GAP}_{\text{train}}(G)}{\mathrm{GAP}_{\text{train}}(G)} \\ "
        r"\mathrm{GAP}_{\text{lists}}(G) = \frac{1}{|G|} \sum_{u \in G} \frac{1}{|L_u|} \sum_{i \in L_u} \mathrm{pop}(i), \quad "
        r"\mathrm{GAP}_{\text{train}}(G) = \frac{1}{|G|} \sum_{u \in G} \frac{1}{|H_u|} \sum_{i \in H_u} \mathrm{pop}(i) \\ "
        r"\mathrm{pop}(i) = <of>",
        of=_POP,
        **_COUNT,
    ),
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
    by, only = str(m.params["by"]), str(m.params["group"])
    if by:
        groups = {group.name: group.code for group in m.groups(f"users.{by}")}
        code = m.user("user_group", column=by)
    else:
        chosen = profile_groups_of(m.params)
        groups = {str(number): number for number in range(1, chosen.shares.count(";") + 2)}
        code = m.user("popularity_group", **chosen._asdict())
    if only and only not in groups:
        raise no_such_group(f"data.users: column {by}" if by else f"shares={m.params['shares']}", only, list(groups))
    by_train = {"source": str(m.params["of"]), "count": str(m.params["count"])}
    listed, profile = m.listed, m.table("profile")
    now = defined(listed.sum(listed.item("pop", **by_train), "popularity"), m.n_listed)
    before = defined(profile.whole_sum(profile.item("pop", **by_train)), m.user("n_profile"))
    changes: dict[Params, Array] = {}
    for name in [only] if only else groups:
        inside = (code == groups[name]) & ~missing(now) & ~missing(before)
        n = m.total(where(inside, 1.0, 0.0))
        recommended, had = (defined(m.total(where(inside, value, 0.0)), n) for value in (now, before))
        change = where(missing(had), had, filled(defined(recommended - had, had), 0.0))
        changes[() if only else (("group", unquoted(name)),)] = change
    return changes


_RATIO_TABLES = {
    "recommendations": ("listed", "reading"),
    "profile": ("profile", "n_profile"),
    "difference": ("listed", "reading", "profile", "n_profile"),
}


@metric(
    "PopularityRatio",
    family="popularity",
    axes={"of": "gap_of", "count": "popularity_count", "ties": "popular_ties", "ratio": "ratio_of"},
    numbers=_POPULAR,
    bounds=(-1.0, 1.0),
    needs=("train",),
    uses=lambda params: _RATIO_TABLES[str(params["ratio"])],
    higher_is_better=False,
    population="lists",
    tex=tex(
        r"<ratio> \\ \mathrm{pop}(i) = <of>",
        ratio={
            "recommendations": r"\frac{|L_u \cap \mathrm{popular}|}{|L_u|}",
            "profile": r"\frac{|H_u \cap \mathrm{popular}|}{|H_u|}",
            "difference": r"\frac{|L_u \cap \mathrm{popular}|}{|L_u|} - \frac{|H_u \cap \mathrm{popular}|}{|H_u|}",
        },
        of=_POP,
        **_COUNT,
    ),
    reference=ABDOLLAHPOURI,
)
def popularity_ratio(m: Measure) -> Array:
    """The share of popular items among the recommended ones, or how far it is above that of the user's profile.

    PopularityRatio@k = |L(k) ∩ popular| / l

    By `ratio` that of the `recommendations`, |train_u ∩ popular| / |train_u| (`profile`), or the `difference` of the first and the second.

    Edge cases: users with an empty list, or whom train does not hold where it looks at profiles, are left out.
    """
    popular: dict[str, Scalar] = {name: str(m.params[key]) for name, key in (("source", "of"), ("count", "count"), ("ties", "ties"))}
    popular["share"] = float(m.params["popular"])
    shares = []
    if m.params["ratio"] != "profile":
        shares.append(defined(m.listed.tally(m.listed.item("popular", **popular) == 1, "popular"), m.n_listed))
    if m.params["ratio"] != "recommendations":
        profile = m.table("profile")
        shares.append(defined(profile.whole_tally(profile.item("popular", **popular) == 1), m.user("n_profile")))
    return shares[0] if len(shares) == 1 else shares[0] - shares[1]


@metric(
    "PopularityCorrelation",
    family="popularity",
    aliases=("PopRecsCorrelation",),
    axes={"items": "correlation_items", "count": "popularity_count"},
    bounds=(-1.0, 1.0),
    needs=("train",),
    uses=("popular_exposure",),
    one_cutoff=True,
    system=True,
    higher_is_better=False,
    population="lists",
    tex=tex(
        r"\frac{\sum_{<items>} (<count> - \bar{n})(c_i - \bar{c})}"
        r"{\sqrt{\sum_{<items>} (<count> - \bar{n})^2 \cdot \sum_{<items>} (c_i - \bar{c})^2}}",
        count=_COUNT["count"],
        items={"all": r"i \in I_{\mathrm{train}} \cup \bigcup_u L_u", "recommended": r"i \in \bigcup_u L_u"},
    ),
    reference=ABDOLLAHPOURI + " (PopRecsCorrelation)",
)
def popularity_correlation(m: Measure) -> Array:
    """The correlation of an item's popularity with how often it is recommended (Pearson).

    PopularityCorrelation@k = Σ_i (n(i) - n̄)(c(i) - c̄) / √(Σ_i (n(i) - n̄)² · Σ_i (c(i) - c̄)²), n(i) the train users of
    i (with `count` = `rows` its train rows), c(i) the lists that hold i

    over `all` items that train or a list holds, or those that are `recommended`.

    Edge cases: no value where all items are as popular, or as often recommended, as each other.
    """
    items = m.items("popular_exposure", k=m.cutoff or 0, items=str(m.params["items"]), count=str(m.params["count"]))
    popularity, count = items["popularity"], items["count"]
    return defined(items.sum(popularity * count), np.sqrt(items.sum(popularity * popularity) * items.sum(count * count)))
