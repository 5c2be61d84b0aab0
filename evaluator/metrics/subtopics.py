"""Diversity of the hits: categories of items as subtopics, which hits cover once or repeatedly."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..names.measure_strings import Scalar
from ..tables.array import Array
from ..tables.graph import table
from ..tables.prepared import Prepared
from ..tables.rows import Rows
from .arrays import divide, powers, where
from .diversity import with_codes
from .measure import Measure, Ratio
from .notation import SIZES, tex
from .registry import Number, metric

LETTERS = {
    "l": "the length of the list, at most k",
    "i_r": "the item at rank r",
    "h(r)": "1 if the item at rank r is relevant, else 0",
    "categories": "those of data.items; an item that is not in this file has none",
}
"""The symbols and words that formulas of this file use, with their meanings."""

_PLACES = (
    r" \\ Z_u = \sum_{r=1}^{d\,m} \frac{1}{\log_2(r + 1)} + \sum_{r=d\,m + 1}^{|L_u|} \frac{(1 - \alpha)^d}{\log_2(r + 1)}, \quad "
    r"d = \lfloor |L_u| / m \rfloor, \quad m = |\bigcup_{i \in T_u} A_i|"
)
CLARKE = "Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008"
ZHAI = "Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003"


def _s_recall_uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    covered = "covered_hits" if params["relevance"] == "binary" else "covered"
    return (covered, "wanted_categories") if params["of"] == "relevant" else (covered,)


@metric(
    "SRecall",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("SubtopicRecall", "CommunityRecall"),
    axes={"relevance": "srecall_relevance", "of": "srecall_of"},
    needs=lambda params: ("categories", "train") if params["of"] == "train" else ("categories",),
    uses=_s_recall_uses,
    pooled=True,
    tex=tex(
        r"\frac{1}{<of>} \,\Bigl|\bigcup_{i \in <relevance>} A_i\Bigr|",
        relevance={"binary": r"L_u \cap T_u", "none": "L_u"},
        of={"catalogue": "|C|", "train": r"|\bigcup_{i \in I_{\mathrm{train}}} A_i|", "relevant": r"|\bigcup_{i \in T_u} A_i|"},
    ),
    reference=ZHAI,
)
def s_recall(m: Measure) -> Ratio:
    """The share of the categories that the hits cover; use it if a list should serve many interests.

    SRecall@k = |∪_{r≤k} categories(i_r)| / C

    SRecall is short for subtopic recall. By `relevance` the union is over the hits (`binary`), or over all recommended items (`none`). C by
    `of`: the number of categories in data.items (`catalogue`), of the items of data.train (`train`), or of the user's relevant items
    (`relevant`).

    Edge cases: 0 if C is 0; above 1 if items that are not in train have categories that its items do not have (`train`).
    """
    covered = m.table("covered_hits") if m.params["relevance"] == "binary" else m.table("covered")
    if m.params["of"] == "relevant":
        return Ratio(covered.count(), m.table("wanted_categories").whole_count())
    number = "categories" if m.params["of"] == "catalogue" else "train_categories"
    return Ratio(covered.count(), m.number(number))


def _alpha_uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return ("aspects", "greedy") if params["ideal"] == "greedy" else ("aspects", "wanted_categories", "reading")


def _refuse_places_without_cutoff(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if the ideal is computed from ranks and there is no cut-off to end them."""
    if params["ideal"] == "places" and k is None:
        raise ValueError("AlphaNDCG(ideal=places) needs a cut-off")


@metric(
    "AlphaNDCG",
    family="diversity",
    bounds=(0.0, math.inf),
    aliases=("alpha_nDCG", "a_ndcg", "aNDCG"),
    axes={"ideal": "alpha_ideal", "redundancy": "alpha_redundancy"},
    numbers={
        "alpha": Number(0.5, "how much the worth of a category falls each time it is covered again", least=0.0, most=1.0, symbol=r"\alpha")
    },
    needs=("categories",),
    uses=_alpha_uses,
    pooled=True,
    validate=_refuse_places_without_cutoff,
    tex=tex(
        r"\frac{1}{Z_u} \sum_{r=1}^{k} h_r \sum_{c \in A_{i_r}} \frac{(1 - \alpha)^{x_{c,r}}}{\log_2(r + 1)} \\ "
        r"x_{c,r} = \sum_{q=1}^{r-1} <redundancy>[c \in A_{i_q}]<ideal>",
        redundancy={"hits": r"h_q\,", "listed": ""},
        ideal={"greedy": "", "places": _PLACES},
    ),
    reference=CLARKE,
)
def alpha_ndcg(m: Measure) -> Ratio:
    """How close to the top hits of new categories are; use it if another hit of the same category is worth less.

    α-nDCG@k = 1/I · Σ_{r≤k} h(r) · Σ_{c ∈ categories(i_r)} (1 - α)^{seen(c,r)} / log2(r + 1)

    seen(c, r) by `redundancy`: the number of hits above rank r that have category c (`hits`), or of all items above it (`listed`). I by
    `ideal`: the same sum for the relevant items in greedy order, each time the one that gains most, smallest id first (`greedy`); or,
    for any categories, A·⌊l/A⌋ ranks of gain 1 and the rest of the l ranks of gain (1 - α)^⌊l/A⌋, with A the number of categories of
    the user's relevant items (`places`), and the value may then be above 1.

    Edge cases: no hit counts 0; an item without categories gains nothing. The greedy order is the usual approximation of the best order,
    which is NP-hard to find.
    """
    alpha = float(m.params["alpha"])
    aspects = m.table("aspects", redundancy=str(m.params["redundancy"]))
    gained = aspects.sum(powers(1.0 - alpha, aspects["seen"]) / np.log2(aspects["rank"] + 1), "gain")
    if m.params["ideal"] == "greedy":
        best = m.table("greedy", alpha=alpha, depth=m.deepest)
        return Ratio(gained, best.sum(best["gain"] / np.log2(best["rank"] + 1)))
    wanted = m.table("wanted_categories").whole_count()
    rounds = np.floor(divide(m.n_listed, wanted))
    gain_after = powers(1.0 - alpha, rounds)
    ideal = np.zeros((1, m.n_users))
    for rank in range(1, int(m.n_listed.max(initial=0)) + 1):
        gain = where(rounds * wanted >= rank, 1.0, gain_after)
        ideal = ideal + where(m.n_listed >= rank, gain, 0.0) / math.log2(rank + 1)
    return Ratio(gained, ideal)


@table(
    "aspects_and_sizes",
    uses=("aspects", "relevant", "prepared"),
    params=("redundancy",),
    columns=("rank", "item", "code", "seen", "size"),
    title="The categories of the hits, by number",
)
def aspects_and_sizes(aspects: Rows, relevant: Rows, prepared: Prepared, redundancy: str) -> Rows:
    """Return the table `aspects` with `size`: the number of the user's relevant items that have the category."""
    wanted = with_codes(relevant, relevant.item_index(prepared.items), prepared)
    width = 1 + max(int(wanted["code"].max(initial=0)), int(aspects["code"].max(initial=0)))
    groups, counts = np.unique(wanted.user * width + wanted["code"], return_counts=True)
    # A hit is relevant, so that each of its categories is among them.
    return aspects.with_columns(size=counts[np.searchsorted(groups, aspects.user * width + aspects["code"])])


@metric(
    "ERRIA",
    family="diversity",
    axes={"intent": "err_ia_intent"},
    numbers={
        "grade": Number(
            0.5, "the probability that a hit satisfies a user who looks for its category", least=0.0, most=1.0, symbol=r"\gamma"
        )
    },
    needs=lambda params: ("categories", "train") if params["intent"] == "profile" else ("categories",),
    uses=lambda params: ("aspects_and_intents",) if params["intent"] == "profile" else ("aspects",),
    tex=tex(
        r"\sum_{c \in C} p_c \sum_{r=1}^{k} h_r\,[c \in A_{i_r}]\,\frac{\gamma\,(1 - \gamma)^{x_{c,r}}}{r} \\ "
        r"x_{c,r} = \sum_{q=1}^{r-1} h_q\,[c \in A_{i_q}], \quad p_c = <intent>",
        intent={
            "uniform": r"\frac{1}{|C|}",
            "profile": r"\frac{\sum_{i \in H_u \cup T_u} [c \in A_i]}{\sum_{i \in H_u \cup T_u} |A_i|}",
        },
    ),
    reference="Chapelle et al., Intent-based diversification of web search results, Information Retrieval 14(6), 2011",
)
def err_ia(m: Measure) -> Array:
    """How soon a user who looks for one of the categories is satisfied; use it if the same list must serve different intents.

    ERR-IA@k = Σ_c p(c|u) · Σ_{r≤k} h(r) · [c ∈ categories(i_r)] · 1/r · g · (1 - g)^{seen(c,r)}

    This is the intent-aware expected reciprocal rank. g is `grade`, seen(c, r) the number of hits above rank r that have category c. p by
    `intent`: the same for every category (`uniform`), or the share of c among the categories of the user's items in train and of the user's
    relevant items (`profile`).

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    g = float(m.params["grade"])
    if m.params["intent"] == "profile":
        aspects = m.table("aspects_and_intents", redundancy="hits")
        intent = aspects["intent"]
    else:
        aspects = m.table("aspects", redundancy="hits")
        intent = np.asarray(1.0 / max(m.number("categories"), 1.0))
    return aspects.sum(intent * g * powers(1.0 - g, aspects["seen"]) / aspects["rank"], "satisfied")


_TEX_SEEN = r"x_{c,r} = \sum_{q=1}^{r-1} h_q\,[c \in A_{i_q}], \quad m = |\bigcup_{i \in T_u} A_i|"
_AGRAWAL = "Agrawal et al., Diversifying search results, WSDM 2009; as ndeval.c of TREC"


@metric(
    "PrecisionIA",
    family="diversity",
    aliases=("P_IA", "IntentAwarePrecision"),
    axes={"over": "precision_ia_over"},
    needs=("categories",),
    uses=("aspects", "wanted_categories", "reading"),
    pooled=True,
    tex=tex(r"\frac{1}{<over>\,m} \sum_{r=1}^{k} h_r\,|A_{i_r}|, \quad m = |\bigcup_{i \in T_u} A_i|", over=SIZES),
    reference=_AGRAWAL,
)
def precision_ia(m: Measure) -> Ratio:
    """The mean of Precision over the categories of the user's relevant items; use it if a list should serve each of them.

    PrecisionIA@k = 1/(k·m) · Σ_{r≤k} h(r) · |categories(i_r)|

    m is the number of categories of the user's relevant items. With `over` = `list_length` the sum is
    divided by the length of the list, at most k, instead of k.

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    counted = m.table("aspects", redundancy="hits").count()
    return Ratio(counted, m.length(str(m.params["over"])) * m.table("wanted_categories").whole_count())


@metric(
    "MAPIA",
    family="diversity",
    aliases=("AP_IA", "MAP_IA", "IntentAwareMAP"),
    needs=("categories",),
    uses=("aspects_and_sizes", "wanted_categories"),
    pooled=True,
    tex=(
        r"\frac{1}{m} \sum_{c} \frac{1}{|\{i \in T_u : c \in A_i\}|} \sum_{r=1}^{k} h_r\,[c \in A_{i_r}]\,\frac{x_{c,r} + 1}{r} \\ "
        + _TEX_SEEN
    ),
    reference=_AGRAWAL,
)
def map_ia(m: Measure) -> Ratio:
    """The mean of AP over the categories of the user's relevant items; use it as PrecisionIA if the order counts.

    MAPIA@k = 1/m · Σ_c 1/R(c) · Σ_{r≤k} h(r) · [c ∈ categories(i_r)] · (seen(c,r) + 1)/r

    m is the number of categories of the user's relevant items, R(c) the number of relevant items of category c, seen(c, r) the number of
    hits above rank r that have category c.

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    rows = m.table("aspects_and_sizes", redundancy="hits")
    return Ratio(rows.sum((rows["seen"] + 1) / rows["rank"] / rows["size"], "precision"), m.table("wanted_categories").whole_count())


@metric(
    "NRBP",
    family="diversity",
    aliases=("NoveltyRBP",),
    numbers={
        "alpha": Number(0.5, "how much the worth of a category falls each time it is covered again", least=0.0, most=1.0, symbol=r"\alpha"),
        "p": Number(0.5, "the patience: the probability that the reader goes on to the next item", most=0.999999, symbol="p"),
    },
    needs=("categories",),
    uses=("aspects", "wanted_categories"),
    pooled=True,
    tex=(r"\frac{1 - (1 - \alpha)\,p}{m} \sum_{r=1}^{k} p^{r-1} h_r \sum_{c \in A_{i_r}} (1 - \alpha)^{x_{c,r}} \\ " + _TEX_SEEN),
    reference="Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous queries, ICTIR 2009; ndeval.c of TREC",
)
def nrbp(m: Measure) -> Ratio:
    """RBP where another hit of a category is worth less; use it as AlphaNDCG for readers with a fixed patience.

    NRBP@k = (1 - (1 - α)·p)/m · Σ_{r≤k} p^(r-1) · h(r) · Σ_{c ∈ categories(i_r)} (1 - α)^{seen(c,r)}

    NRBP is short for novelty- and rank-biased precision. m is the number of categories of the user's relevant items, seen(c, r) the number
    of hits above rank r that have category c.

    Edge cases: no hit counts 0; an item without categories gains nothing.
    """
    alpha, p = float(m.params["alpha"]), float(m.params["p"])
    rows = m.table("aspects", redundancy="hits")
    gained = rows.sum(powers(p, rows["rank"] - 1) * powers(1.0 - alpha, rows["seen"]), "gain")
    return Ratio(gained * (1.0 - (1.0 - alpha) * p), m.table("wanted_categories").whole_count())
