"""Coverage and the state of the lists: items and users that are reached, lengths of lists, and duplicates in them."""

from __future__ import annotations

import math
from functools import partial

from ..support.lazy import np
from ..tables.array import Array
from . import registry
from .arrays import divide, fill, n_counted_powers, powers, where
from .measure import Measure, Ratio
from .notation import Pieces, more_items, tex
from .registry import Number

_PERCENT = r"100 \cdot \frac{<outside>}{|<of>|<more>}"
_COVERAGE: Pieces = {
    "form": {
        "share": r"\frac{<outside>}{|<of>|<more>}",
        "count": "<outside>",
        "percent": r"\mathrm{round} \Bigl(" + _PERCENT + r"\Bigr)",
        "percent_unrounded": _PERCENT,
    },
    "outside": {"ignored": r"\bigl|\bigcup_{u \in U} L_u \cap <of>\bigr|", "counts": r"\bigl|\bigcup_{u \in U} L_u\bigr|"},
    "of": {"catalogue": "I", "train": r"I_{\mathrm{train}}"},
    "more": more_items,
}
GE = "Ge, Delgado-Battenfeld and Jannach, Beyond accuracy, RecSys 2010"


metric = partial(registry.metric, family="coverage")
of_lists = partial(metric, population="lists")
delivered = partial(of_lists, as_delivered=True, higher_is_better=False)
beside_another = partial(of_lists, needs=("baseline",), higher_is_better=None)
counted = partial(metric, is_count=True, higher_is_better=None)
covered_items = partial(
    metric,
    is_count=True,
    uses=("exposure",),
    one_cutoff=True,
    axes={"form": "coverage_form", "of": "coverage_of", "outside": "coverage_outside"},
    numbers={"more": Number(0.0, "items that are added to the size of the catalogue", least=0.0, symbol="x")},
    bounds=(0.0, math.inf),
    per_model=True,
    population="lists",
    tex=tex(r"<form>", **_COVERAGE),
    reference=GE,
)


@covered_items(
    "ItemCoverage",
    aliases=("Coverage", "CatalogCoverage", "UniqueItemCount", "UniqueItems"),
    needs=lambda params: (
        () if params["form"] == "count" and params["outside"] == "counts" else ("train",) if params["of"] == "train" else ("catalogue",)
    ),
)
def item_coverage(m: Measure) -> Array:
    """How much of the catalogue appears in the first k ranks of any list; use it to see if a model recommends only a few items.

    Edge cases: 0 without a list.
    """
    return _coverage(m)


def _coverage(m: Measure) -> Array:
    form, of = m.params["form"], str(m.params["of"])
    exposure = m.items("exposure", k=m.cutoff or 0, power=0.0)
    n_items = exposure.sum(1.0 if m.params["outside"] == "counts" else exposure.item("is_known", of=of))
    if form == "count":
        return n_items
    share = divide(n_items, m.number("train_items" if of == "train" else "items") + float(m.params["more"]))
    if form == "share":
        return share
    return np.round(share * 100.0, 2) if form == "percent" else share * 100.0


@covered_items(
    "PredictionCoverage",
    needs=("catalogue",),
    cut=False,
)
def prediction_coverage(m: Measure) -> Array:
    """How much of the catalogue appears anywhere in any list; use it to see how much of it a model can recommend at all.

    Edge cases: as for ItemCoverage.
    """
    return _coverage(m)


@metric(
    "UserCoverage",
    uses=("reading",),
    aliases=("CoveredUsers",),
    tex=r"[\,|L_u| > 0\,]",
    reference=GE + "; RecTools metrics/dq.py",
)
def user_coverage(m: Measure) -> Array:
    """The share of users with at least one recommended item; use it to see if some users get nothing.

    This is the value of one user. The number of users with a recommendation is the sum over users (`average=sum`).

    Edge cases: an empty list, or none, counts 0.
    """
    return where(m.n_listed > 0, 1.0, 0.0)


@metric(
    "SufficientReco",
    uses=("reading",),
    aliases=("UserCoverageAtN",),
    axes={"form": "sufficient_form"},
    tex=tex(r"<form>", form={"all_or_nothing": r"[\,|L_u| \ge k\,]", "share": r"\min(|L_u| / k, 1)"}),
    reference="RecTools metrics/dq.py; UserCoverageAtN of Elliot",
)
def sufficient_reco(m: Measure) -> Array:
    """The share of users whose list has at least k items; use it to find lists that are too short.

    This is the value of one user.

    Edge cases: without a cut-off a list that is not empty is full.
    """
    depth = 1.0 if m.k is None else m.depth
    if m.params["form"] == "share":
        return np.minimum(m.n_listed / depth, 1.0)
    return where(m.n_listed >= depth, 1.0, 0.0)


@of_lists(
    "UnrepeatedReco",
    uses=("repeats", "reading"),
    axes={"form": "unrepeated_form"},
    tex=tex(
        r"<form>",
        form={
            "all_or_nothing": r"[\,|\{i_1, \dots, i_{\ell_u}\}| = \ell_u\,]",
            "share": r"\frac{1}{\ell_u} |\{i_1, \dots, i_{\ell_u}\}|",
        },
    ),
    reference="RecTools metrics/dq.py",
)
def unrepeated_reco(m: Measure) -> Array:
    """The share of users without a repeated item in the first k ranks; use it to find lists with duplicates.

    This is the value of one user.

    Edge cases: under a convention that removes duplicates from the lists the value is 1.
    """
    repeated = m.table("repeats").count()
    if m.params["form"] == "share":
        return 1.0 - divide(repeated, m.n_listed)
    return where(repeated > 0, 0.0, 1.0)


@delivered(
    "DuplicateShare",
    uses=("repeats", "reading"),
    tex=r"1 - \frac{1}{\ell_u} |\{i_1, \dots, i_{\ell_u}\}|",
    reference="What check R01 counts, for one user",
)
def duplicate_share(m: Measure) -> Array:
    """The share of ranks whose item is already listed above; use it to see, and to gate, how often a generated list repeats itself.

    It reads the list as it was delivered: a policy or a convention that removes items from lists does not change it.

    Edge cases: an empty list counts 0.
    """
    return divide(m.table("repeats").count(), m.n_listed)


@delivered(
    "InvalidShare",
    uses=("listed", "reading"),
    needs=("catalogue",),
    tex=r"\frac{1}{\ell_u} \sum_{r=1}^{\ell_u} [\,i_r \notin I \cup I_{\mathrm{train}}\,]",
    reference="What check R07 counts, for one user",
)
def invalid_share(m: Measure) -> Array:
    """The share of ranks with an item that does not exist; use it to see, and to gate, how many items a generated list makes up.

    It reads the list as it was delivered: a policy or a convention that removes items from lists does not change it. An invalid item that
    is listed twice takes two ranks.

    Edge cases: an empty list counts 0. Without data.items the catalogue has the items of data.train only, so that a new item is invalid.
    """
    return divide(m.listed.tally(m.listed.item("is_known", of="either") == 0, "is invalid"), m.n_listed)


@counted(
    "NumRetrieved",
    uses=("reading",),
    aliases=("NumRet", "ListLength"),
    tex="|L_u|",
    reference="num_ret of trec_eval is its sum over users; Elliot and WarpRec take the mean",
)
def num_retrieved(m: Measure) -> Array:
    """The number of recommended items; use it to see how long the lists are.

    Edge cases: an empty list, or none, counts 0.
    """
    return m.n_listed * 1.0


@counted(
    "NumRelevant",
    uses=("n_relevant",),
    aliases=("NumRel",),
    cut=False,
    tex="|T_u|",
    reference="num_rel of trec_eval",
)
def num_relevant(m: Measure) -> Array:
    """The number of the user's relevant items, listed or not; use it to see how much there is to find.

    Edge cases: 0 for a user of the test file without a relevant item, if such users count.
    """
    return m.n_relevant * 1.0


@counted(
    "NumUsers",
    uses=(),
    aliases=("NumQ",),
    cut=False,
    average="sum",
    tex="1",
    reference="num_q of trec_eval",
)
def num_users(m: Measure) -> Array:
    """The number of users who count; use it to see how many users the other values are based on.

    Each user who counts has the value 1, and the values are added up.

    Edge cases: the mean (`average=mean`) is 1.
    """
    return np.ones((1, m.n_users))


@beside_another(
    "Intersection",
    uses=("overlap", "reading"),
    numbers={"ref_k": Number(0.0, "the cut-off for the list of the reference model; 0: k", least=0.0, symbol="k'")},
    tex=tex(r"\frac{|L_u \cap <ref_k>|}{|L_u|}", ref_k=lambda params: "B_u" if params["ref_k"] == 0 else r"B_u(k')"),
    reference="RecTools metrics/intersection.py",
)
def intersection(m: Measure) -> Ratio:
    """The share of the recommended items that a reference model recommends to the same user too; use it to see how alike two models are.

    Edge cases: a user without a list of the reference model counts 0.
    """
    ref_k = int(m.params["ref_k"]) or m.k
    shared = m.table("overlap")
    inside = shared.count() if ref_k is None else shared.tally(shared["other_rank"] <= ref_k)
    return Ratio(inside, m.n_listed)


def rank_biased_overlap(user: Array, entered: Array, first: Array, second: Array, p: float) -> Array:
    """Return the extrapolated rank-biased overlap of the two lists of each user, of the lengths `first` and `second`.

    Each item that both lists have is a row: the index of its `user`, and the first depth at which both lists have it (`entered`).

    Edge cases: NaN for a user without any list, 0 if only one list is empty.
    """
    short, long = np.minimum(first, second), np.maximum(first, second)
    np.maximum.at(long, user, entered)  # ranks as written may be beyond the number of items
    depths = np.arange(int(long.max(initial=0)) + 1, dtype=np.float64)
    by_rank = p**depths
    by_depth = np.concatenate([[0.0], np.cumsum(by_rank[1:] / depths[1:])])
    sums = np.concatenate([[0.0], np.cumsum(by_rank[1:])])
    n_users = len(first)
    agreement = np.bincount(user, by_depth[long[user]] - by_depth[entered - 1], n_users)
    at_long = np.bincount(user, minlength=n_users)
    at_short = np.bincount(user, entered <= short[user], n_users)
    whole, shorter = np.maximum(long, 1), np.maximum(short, 1)
    beyond = at_short / shorter * (sums[long] - sums[short] - short * (by_depth[long] - by_depth[short]))
    value = (1 - p) / p * (agreement + beyond) + ((at_long - at_short) / whole + at_short / shorter) * by_rank[long]
    return np.where(long == 0, np.nan, np.clip(value, 0.0, 1.0))


@beside_another(
    "RBO",
    uses=("overlap", "n_baseline", "reading"),
    aliases=("RankBiasedOverlap",),
    axes={"form": "rbo_form"},
    numbers={"p": Number(0.9, "the persistence: how likely a reader of both lists goes on to the next rank", most=0.999999, symbol="p")},
    tex=tex(
        "<form>",
        form={
            "extrapolated": (
                r"\frac{1 - p}{p} \biggl(\sum_{d=1}^{D} \frac{X_d}{d} p^d + \sum_{d=S+1}^{D} \frac{X_S\,(d - S)}{S\,d} p^d\biggr) "
                r"+ \Bigl(\frac{X_D - X_S}{D} + \frac{X_S}{S}\Bigr) p^D"
            ),
            "down_to_k": r"\sum_{d=1}^{k} \frac{X_d}{d} p^{d-1} \biggl/ \sum_{d=1}^{k} p^{d-1}",
        },
    ),
    reference="Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010, equation 32",
)
def rbo(m: Measure) -> Array:
    """How alike the list and that of a reference model are, the top most of all; use it instead of Intersection if ranks matter.

    RBO is short for rank-biased overlap, here the extrapolated form. Both lists are cut at k.

    Edge cases: 1 for equal lists, 0 without a common item or without a list of the reference model. A repeated item counts once, at its
    best rank.
    """
    shared, other = m.table("overlap"), m.user("n_baseline").reshape(-1)
    entered, p, values = np.maximum(shared["rank"], shared["other_rank"]), float(m.params["p"]), []
    cutoffs = m.cutoffs or (None,)
    for k, length in zip(cutoffs, np.broadcast_to(m.n_listed, (len(cutoffs), m.n_users)).astype(np.int64), strict=True):
        rows = np.arange(len(entered)) if k is None else np.flatnonzero(entered <= k)
        user, second = shared.rows.user[rows], other if k is None else np.minimum(other, k)
        if m.params["form"] == "extrapolated":
            values.append(rank_biased_overlap(user, entered[rows], length, second, p))
            continue
        depth = np.maximum(length, second) if k is None else np.full(m.n_users, k)
        weights = powers(p, np.arange(min(int(depth.max(initial=0)), n_counted_powers(p))))
        depth, counted = np.minimum(depth, len(weights)), np.minimum(entered[rows], len(weights) + 1)
        worth = np.concatenate([[0.0], np.cumsum(weights / np.arange(1, len(weights) + 1))])
        total = np.bincount(user, worth[depth[user]] - worth[counted - 1], m.n_users)
        values.append(divide(total, np.concatenate([[0.0], np.cumsum(weights)])[depth]))
    return fill(np.stack(values), 0.0)
