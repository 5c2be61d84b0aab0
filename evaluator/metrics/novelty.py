"""Novelty and surprise: how unlikely it is that the user knows, or expects, what is recommended.

l is the number of items among the first k of the list; n(i) is the number of train rows of item i, u(i) that of its train users, U
the number of users of train and T that of its rows; d(r) = 1/log2(r + 1).
"""

from __future__ import annotations

import math

import narwhals as nw

from .measure import ONE, RANK, ZERO, Measure, Ratio, divide, gain_of
from .registry import metric

VARGAS = "Vargas and Castells, Rank and relevance in novelty and diversity metrics, RecSys 2011"
_AXES = {"relevance": "novelty_relevance", "discount": "novelty_discount", "norm": "novelty_norm", "gain": "ndcg_gain"}


def _expected(m: Measure, novelty: nw.Expr) -> Ratio:
    """Σ_r relevance · discount · `novelty` / Σ_r discount."""
    logarithmic = m.params["discount"] == "log"
    each = 1.0 / (RANK + 1).log(base=2.0) if logarithmic else ONE
    if m.params["relevance"] == "none":
        total = m.listed.sum(novelty * each, "novelty")
    else:
        total = m.hits.sum(
            novelty * each * (gain_of(str(m.params["gain"]), m.view.offset) if m.params["relevance"] == "gain" else ONE), "novelty"
        )
    if m.params["norm"] == "k" and m.k is not None:
        return Ratio(total, nw.lit(math.fsum(1 / math.log2(rank + 1) if logarithmic else 1.0 for rank in range(1, m.k + 1))))
    return Ratio(total, m.listed.sum(each, "discount") if logarithmic else m.n_listed * 1.0)


@metric(
    "EPC",
    family="novelty",
    bounds=(0.0, math.inf),
    aliases=("ExtendedEPC", "ExpectedPopularityComplement"),
    axes={**_AXES, "unseen": "epc_unseen"},
    needs=("train",),
    reference=VARGAS,
)
def epc(m: Measure) -> Ratio:
    """Expected popularity complement: how few users know the items that the user finds in the list.

    EPC@k = Σ_{r≤k} rel(r) · d(r) · (1 - n(i_r)/U) / Σ_r d(r)

    rel by `relevance`: 1 for a `binary` hit, the `gain` of a hit (as for DCG, by the parameter `gain`), or 1 for every item
    (`none`). By `discount` d(r) is that of `log`, or 1 (`none`). By `norm` the divisor runs over the items that are there
    (`list_length`), or over all `k` places. An item that train does not hold has n = 0, or 1 (`unseen` = `one`).

    Edge cases: an empty list counts 0; with `gain` the value may be above 1.
    """
    rows = m.item("train_rows")
    if m.params["unseen"] == "one":
        rows = nw.max_horizontal(rows, nw.lit(1))
    return _expected(m, 1.0 - rows / m.number("train_users"))


@metric(
    "EFD",
    family="novelty",
    bounds=(0.0, math.inf),
    aliases=("ExtendedEFD", "ExpectedFreeDiscovery"),
    axes={**_AXES, "unseen": "efd_unseen"},
    needs=("train",),
    reference=VARGAS,
)
def efd(m: Measure) -> Ratio:
    """Expected free discovery: the information in the items that the user finds in the list, in bits.

    EFD@k = Σ_{r≤k} rel(r) · d(r) · -log2(n(i_r)/T) / Σ_r d(r)

    Parameters as for EPC. An item that train does not hold has the n of the item that is rarest there (`unseen` = `least`), or 1
    (`one`). Edge cases: as for EPC.
    """
    least = m.number("least_rows") if m.params["unseen"] == "least" else 1.0
    rows = nw.max_horizontal(m.item("train_rows") * 1.0, nw.lit(least))
    return _expected(m, math.log2(m.number("train_rows")) - rows.log(base=2.0))


@metric(
    "LongTailNovelty",
    family="novelty",
    aliases=("LTN",),
    needs=("train",),
    average="micro",
    population="lists",
    reference=VARGAS + "; RELISON's LTN",
)
def long_tail_novelty(m: Measure) -> Ratio:
    """How few users know the recommended items, every recommendation weighing the same.

    LongTailNovelty@k = Σ_u Σ_{r≤k} (1 - u(i_r)/U) / Σ_u l_u

    Edge cases: an item that train does not hold counts 1; an empty list adds nothing. Pooled over users (`micro`).
    """
    return Ratio(m.listed.sum(1.0 - m.item("train_users") / m.number("train_users"), "novelty"), m.n_listed)


@metric(
    "Surprisal",
    family="novelty",
    bounds=(0.0, math.inf),
    aliases=("MIUF", "MeanInvUserFreq", "SelfInformation"),
    axes={"norm": "surprisal_norm", "over": "list_divisor", "unit": "surprisal_unit", "unseen": "surprisal_unseen"},
    needs=("train",),
    population="lists",
    reference="Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS 107(10), 2010",
)
def surprisal(m: Measure) -> Ratio:
    """How surprising the recommended items are: their self-information, in bits.

    Surprisal@k = 1/D · Σ_{r≤k} -log2(u(i_r)/U)

    With `norm` = `log2_users` each term is divided by log2 U, and lies between 0 and 1. By `unit` the frequency is u(i)/U (`users`)
    or n(i)/T (`rows`). An item that train does not hold counts as if one user had it (`unseen` = `one`), or 0 (`zero`). D by
    `over`: the items that are there (`list_length`), or `k`.

    Edge cases: an empty list counts 0; with a single user in train the normalised value is 0.
    """
    rows = m.params["unit"] == "rows"
    count = m.item("train_rows" if rows else "train_users")
    all_of = math.log2(m.number("train_rows" if rows else "train_users"))
    information = all_of - nw.max_horizontal(count * 1.0, ONE).log(base=2.0)
    if m.params["unseen"] == "zero":
        information = nw.when(count > 0).then(information).otherwise(ZERO)
    if m.params["norm"] == "log2_users":
        information = information * (1.0 / all_of if all_of else 0.0)
    return Ratio(m.listed.sum(information, "information"), m.n_listed if m.params["over"] == "list_length" else m.depth)


@metric(
    "Novelty",
    family="novelty",
    needs=("train",),
    population="lists",
    reference="RePlay metrics/novelty.py",
)
def novelty(m: Measure) -> nw.Expr:
    """The share of the recommended items that train does not hold for the user.

    Novelty@k = 1 - |L(k) ∩ train_u| / l

    Edge cases: an empty list counts 1, and so does a user whom train does not hold.
    """
    return 1.0 - divide(m.table("seen").count(), m.n_listed)


@metric(
    "Unexpectedness",
    family="novelty",
    axes={"absent": "unexpectedness_absent", "over": "unexpectedness_divisor"},
    needs=("baseline",),
    population="lists",
    reference="RePlay metrics/unexpectedness.py; Murakami et al., Metrics for evaluating the serendipity of recommendation lists, 2007",
)
def unexpectedness(m: Measure) -> nw.Expr:
    """The share of the recommended items that a reference model does not recommend to the user.

    Unexpectedness@k = 1 - |L(k) ∩ B(k)| / D, with B the list of data.baseline, D by `over`: `k`, or `list_length`

    Edge cases: an empty list counts 0. A user whom the reference model does not know counts 0 (`absent` = `zero`), or 1 (`one`).
    With D = k a short list counts as if its empty places were unexpected.
    """
    shared = m.table("overlap")
    inside = shared.count() if m.k is None else shared.tally(nw.col("other_rank") <= m.k, "shared")
    value = 1.0 - divide(inside, m.depth if m.params["over"] == "k" else m.n_listed)
    counts = m.n_listed > 0
    if m.params["absent"] == "zero":
        counts = counts & (m.user("n_baseline") > 0)
    return nw.when(counts).then(value).otherwise(ZERO)
