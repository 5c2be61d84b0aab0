"""Novelty and surprise: how unlikely it is that the user knows or expects the recommended items."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from . import registry
from .arrays import discounts, divide, where
from .measure import Measure, Ratio, gain_of
from .notation import GAINS, SIZES, Pieces, tex
from .table_views import CutTable

VARGAS = "Vargas and Castells, Rank and relevance in novelty and diversity metrics, RecSys 2011"
_PIECES: Pieces = {
    "relevance": {"binary": r"h_r\,", "gain": r"<gain>\,", "none": ""},
    "gain": GAINS,
    "discount": {"log": r"\frac{1}{\log_2(r + 1)} ", "none": ""},
    "divisor": lambda params: "<norm>" if params["discount"] == "none" else r"\sum_{r=1}^{<norm>} \frac{1}{\log_2(r + 1)}",
    "norm": SIZES,
}
_COUNT = {"users": "|V_{i_r}|", "rows": "n_{i_r}"}
_EXPECTED, _OVER_DISCOUNTS = r"\sum_{r=1}^{k} <relevance><discount>", r" \biggl/ <divisor>"
_AXES = {
    "relevance": "novelty_relevance",
    "discount": "novelty_discount",
    "norm": "novelty_norm",
    "gain": "ndcg_gain",
    "count": "popularity_count",
}


def _tables(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the tables that `_expected_novelty` reads."""
    items = "listed" if params["relevance"] == "none" else "hits"
    if params["norm"] == "k":  # without a cut-off it is the length of the list
        return (items, "reading") if params["discount"] == "none" else (items, "listed")
    return (items, "listed" if params["discount"] == "log" else "reading")


def _expected_novelty(m: Measure, novelty: Callable[[CutTable], Array]) -> Ratio:
    """Return Σ_r relevance · discount · `novelty` / Σ_r discount."""
    logarithmic = m.params["discount"] == "log"
    table = m.listed if m.params["relevance"] == "none" else m.hits
    each = novelty(table)
    if logarithmic:
        each = each / np.log2(table["rank"] + 1)
    if m.params["relevance"] == "gain":
        each = each * gain_of(str(m.params["gain"]), table["gain"], m.offset)
    total = table.sum(each, "novelty")
    if m.params["norm"] == "k" and m.cutoffs is not None:
        return Ratio(total, discounts(m.cutoffs) if logarithmic else m.depth)
    return Ratio(total, m.listed.sum(1.0 / np.log2(m.listed["rank"] + 1), "discount") if logarithmic else m.n_listed)


metric = partial(registry.metric, family="novelty")
expected = partial(metric, bounds=(0.0, math.inf), needs=("train",), uses=_tables, reference=VARGAS)
of_lists = partial(metric, needs=("train",), population="lists")


@expected(
    "EPC",
    aliases=("ExtendedEPC", "ExpectedPopularityComplement"),
    axes={**_AXES, "unseen": "epc_unseen"},
    tex=tex(
        _EXPECTED + r"\left(1 - \frac{<unseen>}{|V|}\right)" + _OVER_DISCOUNTS,
        unseen={"zero": "<count>", "one": r"\max(<count>, 1)"},
        count=_COUNT,
        **_PIECES,
    ),
)
def epc(m: Measure) -> Ratio:
    """How unknown the hits are to other users; use it to reward relevant items that few users know.

    EPC is short for expected popularity complement.

    Edge cases: an empty list counts 0; with `gain` the value may be above 1. With `count` = `rows` and several train rows of the same user
    and item n_i may be above |V|, and the value below 0, which check X13 reports.
    """
    fewest = 1 if m.params["unseen"] == "one" else 0
    users = m.number("train_users")
    count = str(m.params["count"])
    return _expected_novelty(m, lambda table: 1.0 - np.maximum(table.item("train_popularity", count=count), fewest) / users)


@expected(
    "EFD",
    aliases=("ExtendedEFD", "ExpectedFreeDiscovery"),
    axes={**_AXES, "unseen": "efd_unseen"},
    tex=tex(
        _EXPECTED + r"\log_2 \frac{<all>}{\max(<count>, <unseen>)}" + _OVER_DISCOUNTS,
        unseen={"least": r"<least>", "one": "1"},
        all=lambda params: "n" if params["count"] == "rows" else r"\sum_{j \in I_{\mathrm{train}}} |V_j|",
        least=lambda params: r"n_{\min}" if params["count"] == "rows" else r"\min_{j \in I_{\mathrm{train}}} |V_j|",
        count=_COUNT,
        **_PIECES,
    ),
)
def efd(m: Measure) -> Ratio:
    """How much information the hits carry, in bits; use it instead of EPC if very rare items should count much more.

    EFD is short for expected free discovery.

    Edge cases: as for EPC.
    """
    count = str(m.params["count"])
    least = m.number(f"least_{count}") if m.params["unseen"] == "least" else 1.0
    everything = math.log2(m.number("train_rows" if count == "rows" else "train_pairs"))
    return _expected_novelty(m, lambda table: everything - np.log2(np.maximum(table.item("train_popularity", count=count), least)))


@of_lists(
    "LongTailNovelty",
    aliases=("LTN",),
    uses=("listed", "reading"),
    average="micro",
    tex=r"\frac{1}{|L_u|} \sum_{i \in L_u} \left(1 - \frac{|V_i|}{|V|}\right)",
    reference=VARGAS + "; RELISON's LTN",
)
def long_tail_novelty(m: Measure) -> Ratio:
    """How few users know the recommended items, relevant or not; use it if every recommendation should weigh the same.

    Edge cases: an item that is not in train counts 1; an empty list adds nothing. Pooled over users (`micro`).
    """
    return Ratio(m.listed.sum(1.0 - m.listed.item("train_users") / m.number("train_users"), "novelty"), m.n_listed)


@of_lists(
    "Surprisal",
    bounds=(0.0, math.inf),
    aliases=("MIUF", "MeanInvUserFreq", "SelfInformation"),
    axes={"norm": "surprisal_norm", "over": "list_divisor", "unit": "surprisal_unit", "unseen": "surprisal_unseen"},
    uses=("listed", "reading"),
    tex=tex(
        r"\frac{1}{<over>} \sum_{i \in <unseen>} <norm>",
        over=SIZES,
        unseen={"one": "L_u", "zero": r"L_u \cap I_{\mathrm{train}}"},
        norm={"none": r"\log_2 \frac<unit>", "log2_users": r"\frac{1}{\log_2 <all>} \log_2 \frac<unit>"},
        unit={"users": r"{|V|}{\max(|V_i|, 1)}", "rows": r"{n}{\max(n_i, 1)}"},
        all=lambda params: "|V|" if params["unit"] == "users" else "n",
    ),
    reference="Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS 107(10), 2010",
)
def surprisal(m: Measure) -> Ratio:
    """How surprising the recommended items are, in bits; use it for what papers call novelty: it rewards little-known items.

    It is the self-information of the items.

    Edge cases: an empty list counts 0; with a single user in train the normalised value is 0.
    """
    rows = m.params["unit"] == "rows"
    count = m.listed.item("train_rows" if rows else "train_users")
    all_of = math.log2(m.number("train_rows" if rows else "train_users"))
    information = all_of - np.log2(np.maximum(count, 1))
    if m.params["unseen"] == "zero":
        information = where(count > 0, information, 0.0)
    if m.params["norm"] == "log2_users":
        information = information * (1.0 / all_of if all_of else 0.0)
    return Ratio(m.listed.sum(information, "information"), m.size(m.params["over"]))


@of_lists(
    "Novelty",
    aliases=("ExploreShare",),
    uses=("seen", "reading"),
    tex=r"1 - \frac{|L_u \cap H_u|}{|L_u|}",
    reference="RePlay metrics/novelty.py",
)
def novelty(m: Measure) -> Array:
    """The share of the recommended items that the user does not have in train; use Surprisal for what papers call novelty.

    Edge cases: an empty list counts 1, and so does a user without train rows.
    """
    return 1.0 - divide(m.table("seen").count(), m.n_listed)


@of_lists(
    "RepeatShare",
    uses=("seen", "reading"),
    higher_is_better=None,
    tex=r"\frac{|L_u \cap H_u|}{|L_u|}",
    reference="Li et al., A next basket recommendation reality check, TOIS 2023",
)
def repeat_share(m: Measure) -> Array:
    """The share of the recommended items that the user has in train; use it beside the groups repeat and explore of test rows.

    ExploreShare, another name of Novelty, is the share of the other items. Neither direction is better.

    Edge cases: an empty list counts 0, and so does a user without train rows. Where a policy or a convention removes seen items nothing is
    left to count; RepeatShare(seen_items=keep) counts them before.
    """
    return divide(m.table("seen").count(), m.n_listed)


@metric(
    "Unexpectedness",
    axes={"absent": "unexpectedness_absent", "over": "unexpectedness_divisor"},
    needs=("baseline",),
    uses=("overlap", "n_baseline", "reading"),
    population="lists",
    tex=tex(r"1 - \frac{|L_u \cap B_u|}{<over>}", over=SIZES),
    reference="RePlay metrics/unexpectedness.py; Murakami et al., Metrics for evaluating the serendipity of recommendation lists, 2007",
)
def unexpectedness(m: Measure) -> Array:
    """The share of the recommended items that a reference model does not recommend to the user; use it to see what a model adds.

    Edge cases: an empty list counts 0. With `over` = `k` a short list counts as if its empty ranks were unexpected.
    """
    shared = m.table("overlap")
    inside = shared.count() if m.k is None else shared.tally(shared["other_rank"] <= m.k, "shared")
    value = 1.0 - divide(inside, m.size(m.params["over"]))
    counts = m.n_listed > 0
    if m.params["absent"] == "zero":
        counts = counts & (m.user("n_baseline") > 0)
    return where(counts, value, 0.0)
