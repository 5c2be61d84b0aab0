"""Diversity of the hits: categories of items as subtopics, which hits cover once or repeatedly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from . import registry
from .arrays import divide, powers, where
from .intents import OF_TEST, TEST_CATEGORIES
from .measure import Measure, Ratio
from .notation import SIZES, tex
from .registry import Number
from .table_views import CutTable

_OF = {"categories_of": "categories_of"}
_ALPHA = Number(0.5, "how much the worth of a category falls each time it is covered again", least=0.0, most=1.0, symbol=r"\alpha")
_GREEDY = ("greedy", "greedy_text_desc")
"""Ideal lists in greedy order."""


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the input with the categories."""
    return (TEST_CATEGORIES,) if params["categories_of"] == OF_TEST else ("categories",)


def _uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the tables of a measure with an ideal list: the hits by category, and what the list is made of."""
    of_ideal = {"none": (), "places": ("wanted_categories", "reading")}
    return ("aspects", *(("greedy",) if params["ideal"] in _GREEDY else of_ideal.get(str(params["ideal"]), ("wanted_categories",))))


def _cut_by(name: str, *lists: str) -> Callable[[Mapping[str, Scalar], int | None], None]:
    """Return a function that raises `ValueError` if the ideal list of a metric is one that only a cut-off ends, and there is none."""

    def validate(params: Mapping[str, Scalar], k: int | None) -> None:
        if params["ideal"] in lists and k is None:
            raise ValueError(f"{name}(ideal={params['ideal']}) needs a cut-off")

    return validate


def _table(m: Measure, name: str, **params: Scalar) -> CutTable:
    """Return a table of the categories that the measure reads."""
    return m.table(name, categories_of=str(m.params["categories_of"]), **params)


def _n_wanted(m: Measure) -> Array:
    """Return the number of categories of each user's relevant items."""
    return _table(m, "wanted_categories").whole.count("all")


def _greedy(m: Measure, alpha: float) -> CutTable:
    """Return the relevant items of each user in greedy order."""
    ties = "text_desc" if m.params["ideal"] == "greedy_text_desc" else "id"
    return _table(m, "greedy", alpha=alpha, depth=m.deepest, ties=ties)


def _perfect_list_sum(m: Measure, alpha: float, by: Callable[[int], float]) -> Array:
    """Return Σ_{r≤k} m · (1 - α)^(r-1) / by(r): the sum of a list whose items have every category."""
    assert m.cutoffs is not None
    terms = [(1.0 - alpha) ** (rank - 1) / by(rank) for rank in range(1, m.deepest + 1)]
    return np.asarray([math.fsum(terms[:k]) for k in m.cutoffs])[:, None] * _n_wanted(m)


def _s_recall_uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    covered = "covered_hits" if params["relevance"] == "binary" else "covered"
    return (covered, "wanted_categories") if params["of"] == "relevant" else (covered,)


def _refuse_unjudged(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if categories of test rows are wanted for items that have no test rows."""
    if params["categories_of"] == OF_TEST and (params["of"], params["relevance"]) != ("relevant", "binary"):
        raise ValueError("only relevant items have categories of test rows: SRecall(categories_of=test) needs of=relevant")


metric = partial(registry.metric, family="diversity")
by_category = partial(metric, needs=_needs)


@metric(
    "SRecall",
    bounds=(0.0, math.inf),
    aliases=("SubtopicRecall", "StRecall", "CommunityRecall"),
    axes={"relevance": "srecall_relevance", "of": "srecall_of", **_OF},
    needs=lambda params: (*_needs(params), "train") if params["of"] == "train" else _needs(params),
    uses=_s_recall_uses,
    validate=_refuse_unjudged,
    tex=tex(
        r"\frac{1}{<of>} \,\Bigl|\bigcup_{i \in <relevance>} A_i\Bigr|",
        relevance={"binary": r"L_u \cap T_u", "none": "L_u"},
        of={"catalogue": "|C|", "train": r"|\bigcup_{i \in I_{\mathrm{train}}} A_i|", "relevant": r"|\bigcup_{i \in T_u} A_i|"},
    ),
    reference="Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003",
)
def s_recall(m: Measure) -> Ratio:
    """The share of the categories that the hits cover; use it if a list should serve many interests.

    SRecall is short for subtopic recall. With `categories_of` = `test` only `of` = `relevant` is possible.

    Edge cases: 0 if the divisor is 0; above 1 if items that are not in train have categories that its items do not have (`train`).
    """
    covered = _table(m, "covered_hits") if m.params["relevance"] == "binary" else m.table("covered")
    if m.params["of"] == "relevant":
        return Ratio(covered.count(), _n_wanted(m))
    number = "categories" if m.params["of"] == "catalogue" else "train_categories"
    return Ratio(covered.count(), m.number(number))


_SEEN = r"x_{c,r} = \sum_{q=1}^{r-1} h_q\,[c \in A_{i_q}]"
_PLACES = (
    r" \\ Z_u = \sum_{r=1}^{d\,m} \frac{1}{\log_2(r + 1)} + \sum_{r=d\,m + 1}^{|L_u|} \frac{(1 - \alpha)^d}{\log_2(r + 1)}, \quad "
    r"d = \lfloor |L_u| / m \rfloor, \quad m = |\bigcup_{i \in T_u} A_i|"
)
_M = r"m = |\bigcup_{i \in T_u} A_i|"


@by_category(
    "AlphaNDCG",
    bounds=(0.0, math.inf),
    aliases=("alpha_nDCG", "a_ndcg", "aNDCG"),
    axes={"ideal": "alpha_ideal", "redundancy": "alpha_redundancy", **_OF},
    numbers={"alpha": _ALPHA},
    uses=_uses,
    pooled=lambda params: params["ideal"] != "none",
    validate=_cut_by("AlphaNDCG", "places", "every_category"),
    tex=tex(
        r"\frac{1}{Z_u} \sum_{r=1}^{k} h_r \sum_{c \in A_{i_r}} \frac{(1 - \alpha)^{x_{c,r}}}{\log_2(r + 1)} \\ "
        r"x_{c,r} = \sum_{q=1}^{r-1} <redundancy>[c \in A_{i_q}]<ideal>",
        redundancy={"hits": r"h_q\,", "listed": ""},
        ideal={
            **dict.fromkeys(_GREEDY, ""),
            "places": _PLACES,
            "every_category": r" \\ Z_u = m \sum_{r=1}^{k} \frac{(1 - \alpha)^{r-1}}{\log_2(r + 1)}, \quad " + _M,
            "none": r" \\ Z_u = 1",
        },
    ),
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008",
)
def alpha_ndcg(m: Measure) -> Array | Ratio:
    """How close to the top hits of new categories are; use it if another hit of the same category is worth less.

    `ideal` = `every_category` makes it α-DCG of ndeval.c. With `places` the value may be above 1; with `none` it is α-DCG.

    Edge cases: no hit counts 0; an item without categories gains nothing. The greedy order is the usual approximation of the best order,
    which is NP-hard to find.
    """
    alpha, ideal = float(m.params["alpha"]), m.params["ideal"]
    aspects = _table(m, "aspects", redundancy=str(m.params["redundancy"]))
    gained = aspects.sum(powers(1.0 - alpha, aspects["seen"]) / np.log2(aspects["rank"] + 1), "gain")
    if ideal == "none":
        return gained
    if ideal in _GREEDY:
        best = _greedy(m, alpha)
        return Ratio(gained, best.sum(best["gain"] / np.log2(best["rank"] + 1)))
    if ideal == "every_category":
        return Ratio(gained, _perfect_list_sum(m, alpha, lambda rank: math.log2(rank + 1)))
    wanted = _n_wanted(m)
    rounds = np.floor(divide(m.n_listed, wanted))
    gain_after = powers(1.0 - alpha, rounds)
    total = np.zeros((1, m.n_users))
    for rank in range(1, int(m.n_listed.max(initial=0)) + 1):
        gain = where(rounds * wanted >= rank, 1.0, gain_after)
        total = total + where(m.n_listed >= rank, gain, 0.0) / math.log2(rank + 1)
    return Ratio(gained, total)


def _err_ia_uses(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    if params["intent"] == "profile":
        return ("aspects_and_intents",)
    if params["ideal"] == "none":
        return ("aspects", "wanted_categories") if params["categories_of"] == OF_TEST else ("aspects",)
    return _uses(params)


def _validate_err_ia(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` if the intents are those of a profile, and other parameters do not fit them."""
    if params["intent"] == "profile":
        if params["ideal"] != "none":
            raise ValueError("ERRIA(intent=profile) has no ideal list: only equally likely categories have one")
        if params["categories_of"] == OF_TEST:
            raise ValueError("ERRIA(intent=profile) needs categories of items: train rows have no categories of test rows")
    _cut_by("ERRIA", "every_category")(params, k)


_ERR_IA_SUM = r"\sum_{r=1}^{k} h_r \sum_{c \in A_{i_r}} \frac{(1 - \gamma)^{x_{c,r}}}{r}"


def _tex_err_ia(params: Mapping[str, Scalar]) -> str:
    """Return the formula of ERR-IA: a probability, or a share of the ideal list."""
    if params["ideal"] != "none":
        perfect = r" \\ Z_u = m \sum_{r=1}^{k} \frac{(1 - \gamma)^{r-1}}{r}, \quad " + _M
        return rf"\frac{{1}}{{Z_u}} {_ERR_IA_SUM} \\ {_SEEN}{perfect if params['ideal'] == 'every_category' else ''}"
    intent = r"\frac{\sum_{i \in H_u \cup T_u} [c \in A_i]}{\sum_{i \in H_u \cup T_u} |A_i|}"
    if params["intent"] == "uniform":
        intent = r"\frac{1}{m}, \quad " + _M if params["categories_of"] == OF_TEST else r"\frac{1}{|C|}"
    term = r"\sum_{c} p_c \sum_{r=1}^{k} h_r\,[c \in A_{i_r}]\,\frac{\gamma\,(1 - \gamma)^{x_{c,r}}}{r}"
    return rf"{term} \\ {_SEEN}, \quad p_c = {intent}"


@metric(
    "ERRIA",
    aliases=("ERR_IA",),
    axes={"intent": "err_ia_intent", "ideal": "err_ia_ideal", **_OF},
    numbers={
        "grade": Number(
            0.5, "the probability that a hit satisfies a user who looks for its category", least=0.0, most=1.0, symbol=r"\gamma"
        )
    },
    needs=lambda params: (*_needs(params), "train") if params["intent"] == "profile" else _needs(params),
    uses=_err_ia_uses,
    pooled=lambda params: params["ideal"] != "none",
    validate=_validate_err_ia,
    tex=_tex_err_ia,
    reference="Chapelle et al., Intent-based diversification of web search results, Information Retrieval 14(6), 2011; ndeval.c of TREC",
)
def err_ia(m: Measure) -> Array | Ratio:
    """How soon a user who looks for one of the categories is satisfied; use it if the same list must serve different intents.

    This is the intent-aware expected reciprocal rank. ndeval.c prints the value with `ideal` = `every_category`.

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    g = float(m.params["grade"])
    if m.params["intent"] == "profile":
        rows = m.table("aspects_and_intents", redundancy="hits", categories_of=str(m.params["categories_of"]))
        return rows.sum(rows["intent"] * g * powers(1.0 - g, rows["seen"]) / rows["rank"], "satisfied")
    rows = _table(m, "aspects", redundancy="hits")
    if m.params["ideal"] == "none":
        if m.params["categories_of"] == OF_TEST:
            return divide(rows.sum(g * powers(1.0 - g, rows["seen"]) / rows["rank"], "satisfied"), _n_wanted(m))
        intent = np.asarray(1.0 / max(m.number("categories"), 1.0))
        return rows.sum(intent * g * powers(1.0 - g, rows["seen"]) / rows["rank"], "satisfied")
    gained = rows.sum(powers(1.0 - g, rows["seen"]) / rows["rank"], "gain")
    if m.params["ideal"] == "every_category":
        return Ratio(gained, _perfect_list_sum(m, g, float))
    best = _greedy(m, g)
    return Ratio(gained, best.sum(best["gain"] / best["rank"]))


_TEX_SEEN = _SEEN + r", \quad " + _M
_AGRAWAL = "Agrawal et al., Diversifying search results, WSDM 2009; as ndeval.c of TREC"


@by_category(
    "PrecisionIA",
    aliases=("P_IA", "IntentAwarePrecision"),
    axes={"over": "precision_ia_over", **_OF},
    uses=("aspects", "wanted_categories", "reading"),
    tex=tex(r"\frac{1}{<over>\,m} \sum_{r=1}^{k} h_r\,|A_{i_r}|, \quad " + _M, over=SIZES),
    reference=_AGRAWAL,
)
def precision_ia(m: Measure) -> Ratio:
    """The mean of Precision over the categories of the user's relevant items; use it if a list should serve each of them.

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    counted = _table(m, "aspects", redundancy="hits").count()
    return Ratio(counted, m.size(m.params["over"]) * _n_wanted(m))


@by_category(
    "MAPIA",
    aliases=("AP_IA", "MAP_IA", "IntentAwareMAP"),
    axes=_OF,
    uses=("aspects_and_sizes", "wanted_categories"),
    tex=(
        r"\frac{1}{m} \sum_{c} \frac{1}{|\{i \in T_u : c \in A_i\}|} \sum_{r=1}^{k} h_r\,[c \in A_{i_r}]\,\frac{x_{c,r} + 1}{r} \\ "
        + _TEX_SEEN
    ),
    reference=_AGRAWAL,
)
def map_ia(m: Measure) -> Ratio:
    """The mean of AP over the categories of the user's relevant items; use it as PrecisionIA if the order counts.

    Edge cases: no hit counts 0; an item without categories adds nothing.
    """
    rows = _table(m, "aspects_and_sizes", redundancy="hits")
    return Ratio(rows.sum((rows["seen"] + 1) / rows["rank"] / rows["size"], "precision"), _n_wanted(m))


_NRBP_SUM = r"\sum_{r=1}^{k} p^{r-1} h_r \sum_{c \in A_{i_r}} (1 - \alpha)^{x_{c,r}}"


@by_category(
    "NRBP",
    aliases=("NoveltyRBP",),
    axes={"ideal": "nrbp_ideal", **_OF},
    numbers={
        "alpha": _ALPHA,
        "p": Number(0.5, "the patience: the probability that the reader goes on to the next item", most=0.999999, symbol="p"),
    },
    uses=_uses,
    tex=tex(
        "<ideal>",
        ideal={
            "every_category": rf"\frac{{1 - (1 - \alpha)\,p}}{{m}} {_NRBP_SUM} \\ {_TEX_SEEN}",
            **dict.fromkeys(_GREEDY, rf"\frac{{1}}{{Z_u}} {_NRBP_SUM} \\ {_SEEN}"),
        },
    ),
    reference="Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous queries, ICTIR 2009; ndeval.c of TREC",
)
def nrbp(m: Measure) -> Ratio:
    """RBP where another hit of a category is worth less; use it as AlphaNDCG for readers with a fixed patience.

    NRBP is short for novelty- and rank-biased precision. The factor makes 1 the value of an endless list of items that have all m
    categories.

    Edge cases: no hit counts 0; an item without categories gains nothing.
    """
    alpha, p = float(m.params["alpha"]), float(m.params["p"])
    rows = _table(m, "aspects", redundancy="hits")
    gained = rows.sum(powers(p, rows["rank"] - 1) * powers(1.0 - alpha, rows["seen"]), "gain")
    if m.params["ideal"] == "every_category":
        return Ratio(gained * (1.0 - (1.0 - alpha) * p), _n_wanted(m))
    best = _greedy(m, alpha)
    return Ratio(gained, best.sum(powers(p, best["rank"] - 1) * best["gain"]))
