"""Coverage and the state of the lists: which items and users are reached, how long the lists are, what stands in them twice.

n is the number of items in the user's list, l = min(n, k) the number among its first k.
"""

from __future__ import annotations

import math

import numpy as np

from ..tables.array import Array
from .arrays import divide, where
from .measure import Measure, Ratio
from .notation import Pieces, more_items, tex
from .registry import Number, metric

_COVERAGE: Pieces = {
    "form": {"share": r"\frac{<outside>}{|<of>|<more>}", "count": "<outside>", "percent": r"100 \cdot \frac{<outside>}{|<of>|<more>}"},
    "outside": {"ignored": r"\bigl|\bigcup_{u \in U} L_u \cap <of>\bigr|", "counts": r"\bigl|\bigcup_{u \in U} L_u\bigr|"},
    "of": {"catalogue": "I", "train": r"I_{\mathrm{train}}"},
    "more": more_items,
}
GE = "Ge, Delgado-Battenfeld and Jannach, Beyond accuracy, RecSys 2010"


@metric(
    "ItemCoverage",
    family="coverage",
    counts=True,
    uses=("exposure",),
    one_cutoff=True,
    aliases=("Coverage", "CatalogCoverage", "UniqueItemCount", "UniqueItems"),
    axes={"form": "coverage_form", "of": "coverage_of", "outside": "coverage_outside"},
    numbers={"more": Number(0.0, "items that are added to the size of the catalogue", least=0.0, symbol="x")},
    bounds=(0.0, math.inf),
    needs=lambda params: (
        () if params["form"] == "count" and params["outside"] == "counts" else ("train",) if params["of"] == "train" else ("catalogue",)
    ),
    system=True,
    population="lists",
    tex=tex(r"<form>", **_COVERAGE),
    reference=GE,
)
def item_coverage(m: Measure) -> Array:
    """The items that stand among the first k places of any list.

    ItemCoverage@k = |∪_u L_u(k)| / N

    By `form` the `share` of the N items of the catalogue, their `count`, or the `percent`, rounded to two decimals. The catalogue by
    `of`: that of data.items, else of train (`catalogue`), or the items of `train`. Items `outside` the catalogue do not count
    (`ignored`), or do (`counts`), and the share may then be above 1.

    Edge cases: without a list 0.
    """
    return _coverage(m)


def _coverage(m: Measure) -> Array:
    form, of = m.params["form"], str(m.params["of"])
    exposure = m.items("exposure", k=m.cutoff or 0, weighted=False)
    n_items = exposure.sum(1.0 if m.params["outside"] == "counts" else exposure.item("known", of=of))
    if form == "count":
        return n_items
    share = divide(n_items, m.number("train_items" if of == "train" else "items") + float(m.params["more"]))
    return np.round(share * 100.0, 2) if form == "percent" else share


@metric(
    "PredictionCoverage",
    family="coverage",
    counts=True,
    uses=("exposure",),
    one_cutoff=True,
    axes={"form": "coverage_form", "of": "coverage_of", "outside": "coverage_outside"},
    numbers={"more": Number(0.0, "items that are added to the size of the catalogue", least=0.0, symbol="x")},
    bounds=(0.0, math.inf),
    needs=("catalogue",),
    system=True,
    cut=False,
    population="lists",
    tex=tex(r"<form>", **_COVERAGE),
    reference=GE,
)
def prediction_coverage(m: Measure) -> Array:
    """The items that stand anywhere in any list.

    PredictionCoverage = |∪_u L_u| / N

    The form and the catalogue are those of ItemCoverage. Edge cases: as for ItemCoverage.
    """
    return _coverage(m)


@metric(
    "UserCoverage",
    family="coverage",
    uses=("reading",),
    aliases=("CoveredUsers",),
    tex=r"[\,|L_u| > 0\,]",
    reference=GE + "; RecTools metrics/dq.py",
)
def user_coverage(m: Measure) -> Array:
    """Whether the user has any recommended item; over users, the share of users with one.

    UserCoverage@k = 1 if l > 0, else 0

    The number of such users is their sum (`average=sum`).

    Edge cases: an empty list, or none, counts 0.
    """
    return where(m.n_listed > 0, 1.0, 0.0)


@metric(
    "SufficientReco",
    family="coverage",
    uses=("reading",),
    aliases=("UserCoverageAtN",),
    axes={"form": "sufficient_form"},
    tex=tex(r"<form>", form={"all_or_nothing": r"[\,|L_u| \ge k\,]", "share": r"\min(|L_u| / k, 1)"}),
    reference="RecTools metrics/dq.py; UserCoverageAtN of Elliot",
)
def sufficient_reco(m: Measure) -> Array:
    """Whether the user's list has at least k items; over users, the share of users with a full list.

    SufficientReco@k = 1 if n ≥ k, else 0

    By `form` `all_or_nothing`, or the `share` l/k. Edge cases: without a cut-off a list that is not empty is full.
    """
    depth = 1.0 if m.k is None else m.depth
    if m.params["form"] == "share":
        return np.minimum(m.n_listed / depth, 1.0)
    return where(m.n_listed >= depth, 1.0, 0.0)


@metric(
    "UnrepeatedReco",
    family="coverage",
    uses=("repeats", "reading"),
    axes={"form": "unrepeated_form"},
    population="lists",
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
    """Whether no item is given twice among the first k places; over users, the share of users with such a list.

    UnrepeatedReco@k = 1 if the first l places hold l items, else 0

    By `form` `all_or_nothing`, or the `share` of places whose item does not stand further up.

    Edge cases: under a convention that takes repeated items out of the lists it is 1.
    """
    repeated = m.table("repeats").count()
    if m.params["form"] == "share":
        return 1.0 - divide(repeated, m.n_listed)
    return where(repeated > 0, 0.0, 1.0)


@metric(
    "NumRetrieved",
    family="coverage",
    counts=True,
    uses=("reading",),
    bounds=(0.0, math.inf),
    aliases=("NumRet", "ListLength"),
    higher_is_better=None,
    tex="|L_u|",
    reference="num_ret of trec_eval is its sum over users; Elliot and WarpRec take the mean",
)
def num_retrieved(m: Measure) -> Array:
    """The number of recommended items.

    NumRetrieved@k = l

    Edge cases: an empty list, or none, counts 0.
    """
    return m.n_listed * 1.0


@metric(
    "NumRelevant",
    family="coverage",
    counts=True,
    uses=("n_relevant",),
    bounds=(0.0, math.inf),
    aliases=("NumRel",),
    cut=False,
    higher_is_better=None,
    tex="|T_u|",
    reference="num_rel of trec_eval",
)
def num_relevant(m: Measure) -> Array:
    """The number of relevant items of the user, listed or not.

    NumRelevant = R

    Edge cases: 0 for a user of the test file without a relevant item, where such users count.
    """
    return m.n_relevant * 1.0


@metric(
    "NumUsers",
    family="coverage",
    counts=True,
    uses=(),
    bounds=(0.0, math.inf),
    aliases=("NumQ",),
    cut=False,
    average="sum",
    higher_is_better=None,
    tex="1",
    reference="num_q of trec_eval",
)
def num_users(m: Measure) -> Array:
    """1 for every user who counts; over users, their number.

    NumUsers = 1

    Edge cases: the mean (`average=mean`) is 1.
    """
    return np.ones((1, m.n_users))


@metric(
    "Intersection",
    family="coverage",
    uses=("overlap", "reading"),
    pooled=True,
    numbers={"ref_k": Number(0.0, "how much of the other model's list is used; 0: as much as k", least=0.0, symbol="k'")},
    needs=("baseline",),
    population="lists",
    higher_is_better=None,
    tex=tex(r"\frac{|L_u \cap <ref_k>|}{|L_u|}", ref_k=lambda params: "B_u" if params["ref_k"] == 0 else r"B_u(k')"),
    reference="RecTools metrics/intersection.py",
)
def intersection(m: Measure) -> Ratio:
    """The share of the recommended items that a reference model recommends to the same user too.

    Intersection@k = |L(k) ∩ B(k')| / l, with B the list of data.baseline and k' = `ref_k`, or k

    Edge cases: a user without a list of the reference model counts 0.
    """
    ref_k = int(m.params["ref_k"]) or m.k
    shared = m.table("overlap")
    inside = shared.count() if ref_k is None else shared.tally(shared["other_rank"] <= ref_k)
    return Ratio(inside, m.n_listed)
