"""Popularity of recommended items compared with the items that users had before: by groups of users, by user, and by item."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Params, Scalar, unquoted
from ..tables.array import Array
from ..tables.prepared import ProfileGroups, no_such_group
from . import registry
from .arrays import divide_or_missing, fill, is_missing, where
from .measure import Measure
from .notation import Pieces, tex
from .registry import Many, Number, Text

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
    """Return the grouping of users by their profiles, for measures without a column of data.users."""
    return ProfileGroups(str(params["of"]), str(params["count"]), float(params["popular"]), str(params["ties"]), str(params["shares"]))


metric = partial(registry.metric, family="popularity", higher_is_better=False, population="lists")


@metric(
    "DeltaGap",
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
    has_subvalues=lambda params: not params["group"],
    validate=_check_shares,
    per_model=True,
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
    """How much more popular the recommendations are than the users' own items, by group of users; use it to see who gets bestsellers.

    GAP is the group average popularity: GAP_lists that of the first k recommended items, GAP_train that of the train items of the same
    users. Groups are those of `by`; otherwise users are ordered by the share of popular items among their train items, highest first, and
    divided into groups 1, 2, … by `shares`.

    Edge cases: users without a list are in a group but not in its means; an item without rows has pop 0; 0 if GAP_train is 0, no value for
    an empty group.
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
    now = divide_or_missing(listed.sum(listed.item("pop", **by_train), "popularity"), m.n_listed)
    before = divide_or_missing(profile.whole.sum(profile.item("pop", **by_train)), m.user("n_profile"))
    changes: dict[Params, Array] = {}
    for name in [only] if only else groups:
        inside = (code == groups[name]) & ~is_missing(now) & ~is_missing(before)
        n = m.total(where(inside, 1.0, 0.0))
        recommended, had = (divide_or_missing(m.total(where(inside, value, 0.0)), n) for value in (now, before))
        change = where(is_missing(had), had, fill(divide_or_missing(recommended - had, had), 0.0))
        changes[() if only else (("group", unquoted(name)),)] = change
    return changes


_RATIO_TABLES = {
    "recommendations": ("listed", "reading"),
    "profile": ("profile", "n_profile"),
    "difference": ("listed", "reading", "profile", "n_profile"),
}


@metric(
    "PopularityRatio",
    axes={"of": "gap_of", "count": "popularity_count", "ties": "popular_ties", "ratio": "ratio_of"},
    numbers=_POPULAR,
    bounds=(-1.0, 1.0),
    needs=("train",),
    uses=lambda params: _RATIO_TABLES[str(params["ratio"])],
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
    """The share of popular items among the recommended ones; use it to compare lists with what the users had in train.

    Edge cases: users with an empty list are left out, and so are users without train rows if their train items are needed.
    """
    popular: dict[str, Scalar] = {name: str(m.params[key]) for name, key in (("source", "of"), ("count", "count"), ("ties", "ties"))}
    popular["share"] = float(m.params["popular"])
    shares = []
    if m.params["ratio"] != "profile":
        shares.append(divide_or_missing(m.listed.tally(m.listed.item("popular", **popular) == 1, "popular"), m.n_listed))
    if m.params["ratio"] != "recommendations":
        profile = m.table("profile")
        shares.append(divide_or_missing(profile.whole.tally(profile.item("popular", **popular) == 1), m.user("n_profile")))
    return shares[0] if len(shares) == 1 else shares[0] - shares[1]


@metric(
    "PopularityCorrelation",
    aliases=("PopRecsCorrelation",),
    axes={"items": "correlation_items", "count": "popularity_count"},
    bounds=(-1.0, 1.0),
    needs=("train",),
    uses=("popular_exposure",),
    one_cutoff=True,
    per_model=True,
    tex=tex(
        r"\frac{\sum_{<items>} (<count> - \bar{n})(c_i - \bar{c})}"
        r"{\sqrt{\sum_{<items>} (<count> - \bar{n})^2 \cdot \sum_{<items>} (c_i - \bar{c})^2}}",
        count=_COUNT["count"],
        items={"all": r"i \in I_{\mathrm{train}} \cup \bigcup_u L_u", "recommended": r"i \in \bigcup_u L_u"},
    ),
    reference=ABDOLLAHPOURI + " (PopRecsCorrelation)",
)
def popularity_correlation(m: Measure) -> Array:
    """The correlation between the popularity of items and how often they are recommended; use it to see if a model follows popularity.

    This is the Pearson correlation.

    Edge cases: no value if all items have the same popularity, or are recommended equally often.
    """
    items = m.items("popular_exposure", k=m.cutoff or 0, items=str(m.params["items"]), count=str(m.params["count"]))
    popularity, count = items["popularity"], items["count"]
    return divide_or_missing(items.sum(popularity * count), np.sqrt(items.sum(popularity * popularity) * items.sum(count * count)))
