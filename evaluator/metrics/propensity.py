"""Accuracy under exposure: each relevant item counts with 1 over the probability that it was observed (its propensity)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from ..conventions.axis import Truth
from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..syntax.value_columns import source_and_column
from ..tables.array import Array
from ..tables.graph import Notes, TableNotes, note_sentence, table
from ..tables.item_columns import train_popularity
from ..tables.pair_values import pair_values
from ..tables.prepared import Prepared, item_column
from ..tables.rows import PartData, Rows
from ..tables.truth import TestPairs
from . import registry
from .arrays import NO_VALUE, where
from .measure import Measure, Ratio, gain_of
from .notation import GAINS, Pieces, tex
from .ranking import discount_at
from .registry import Number, Text
from .table_views import CutTable

POPULARITY: Final = "popularity"
"""The value of `ips` under which propensities follow from data.train."""
YANG: Final = "Yang et al., Unbiased offline recommender evaluation for missing-not-at-random implicit feedback, RecSys 2018"


@item_column("propensity")
def propensity(prepared: Prepared, gamma: float, floor: float, count: str) -> Array:
    """Return the propensity of each item by its popularity in train; 0 without train rows, unless γ is -1 or there is a floor."""
    popularity = train_popularity(prepared, count).astype(np.float64)
    return _propensity(popularity / popularity.max(initial=1.0), gamma, floor)


def _propensity(share: Any, gamma: float, floor: float) -> Array:
    """Return the propensity of a `share` of the popularity of the most popular item."""
    return np.asarray(np.maximum(np.power(share, (gamma + 1.0) / 2.0), floor))


@table("ips_weights", uses=("part", "prepared", "test_pairs"), params=("ips", "gamma", "floor", "count", "repeated"), varies=("truth",))
def ips_weights(
    part: PartData,
    prepared: Prepared,
    test_pairs: TestPairs,
    truth: Truth,
    ips: str,
    gamma: float,
    floor: float,
    count: str,
    repeated: str,
) -> Array:
    """Return 1 divided by the propensity of each test pair; 0 for a pair without a propensity."""
    if ips == POPULARITY:
        of_items = prepared.item_column("propensity", gamma=gamma, floor=floor, count=count)
        index = prepared.items.index_of(test_pairs.item)
        of_pairs = np.where(index < 0, _propensity(0.0, gamma, floor), of_items[index])
    else:
        of_pairs = pair_values(part, prepared, test_pairs, TableNotes(Notes(), ips), truth, ips, repeated)
    has_one = of_pairs > 0
    return np.where(has_one, 1.0 / np.where(has_one, of_pairs, 1.0), 0.0)


@table("ips_hits", uses=("hits", "ips_weights"), columns=("rank", "item", "weight"), title="The hits")
def ips_hits(hits: Rows, ips_weights: Array) -> Rows:
    """Return the hits, each with its `weight`, 1 divided by its propensity."""
    return hits.with_columns(weight=ips_weights[hits["pair"]])


@table(
    "ips_relevant",
    uses=("relevant_with_repeats", "ips_weights", "notes"),
    params=("ips",),
    columns=("item", "weight"),
    title="The relevant items",
)
def ips_relevant(relevant_with_repeats: Rows, ips_weights: Array, notes: TableNotes, ips: str) -> Rows:
    """Return the relevant items, each as often as it counts, with its `weight`, 1 divided by its propensity."""
    weights = ips_weights[relevant_with_repeats["pair"]]
    n_without = int((weights == 0).sum())
    notes.count("no_train_rows" if ips == POPULARITY else "no_propensity", n_without, len(weights))
    if ips != POPULARITY:
        notes.count("above_1", int((weights < 1).sum()) - n_without, len(weights) - n_without)
    return relevant_with_repeats.with_columns(weight=weights)


def _left_out(n: int, total: int, why: str, measures: str) -> str:
    """Return the sentence of a note on relevant items without a propensity, and the measures that leave them out."""
    have, them = ("has", "it") if n == 1 else ("have", "them")
    return f"{n:,} of {total:,} relevant user-item pairs {have} {why}: {measures} leave {them} out, as a hit and as a relevant item"


def _above_1(n: int, total: int) -> str:
    """Return the sentence of a note on propensities above 1 beside others; the scale of a whole column cancels out."""
    are = "is" if n == 1 else "are"
    mixed = f"{n:,} of {total:,} propensities of relevant user-item pairs in a column of ips {are} above 1, and the others are not"
    return f"{mixed}: check that shares, percent and counts are not mixed, which changes values" if n < total else ""


note_sentence(
    "no_train_rows",
    partial(_left_out, why="an item without train rows", measures="measures with ips=popularity, a gamma above -1 and no floor"),
)
note_sentence(
    "no_propensity",
    partial(_left_out, why="no number above 0 in a column that ips names", measures="measures with this column"),
)
note_sentence("above_1", _above_1)


def settings_of(params: Mapping[str, Scalar], truth_duplicates: str) -> dict[str, Scalar]:
    """Return the parameters of the tables of weights."""
    repeated = truth_duplicates if truth_duplicates in ("first", "last") else "best"
    return {"gamma": -1.0, **{name: params[name] for name in ("ips", "gamma", "floor", "count") if name in params}, "repeated": repeated}


def _refuse_settings(params: Mapping[str, Scalar], k: int | None) -> None:
    """Raise `ValueError` for popularity without γ, which has no usual value, and for settings of popularity beside a column."""
    if params["ips"] == POPULARITY:
        if "gamma" not in params:
            raise ValueError(
                "ips=popularity needs gamma, which has no usual value: write ips=popularity,gamma=NUMBER, where -1 weighs all items "
                "equally, and Yang et al. (2018) use 1.5 to 3"
            )
        return
    try:
        source_and_column(str(params["ips"]))
    except ValueError as error:
        raise ValueError(f"ips is {POPULARITY} or a column: {error}") from None
    if "gamma" in params or params["floor"]:
        raise ValueError(f"{'gamma' if 'gamma' in params else 'floor'} belongs to ips=popularity: {params['ips']} has the propensities")


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    ips = str(params["ips"])
    return ("train",) if ips == POPULARITY else (".".join(source_and_column(ips)),)


_PROPENSITY: Final = r" \\ P_i = <propensity>"
_PIECES: Final[Pieces] = {
    "propensity": lambda params: r"<power>" if params["ips"] == POPULARITY and not params["floor"] else "<other>",
    "other": lambda params: r"\max\bigl(<power>, \delta\bigr)" if params["ips"] == POPULARITY else r"v_i",
    "power": r"\Bigl(\frac{<count>}{\max_j <count_of_j>}\Bigr)^{(\gamma + 1)/2}",
    "count": {"users": "|V_i|", "rows": "n_i"},
    "count_of_j": lambda params: "n_j" if params["count"] == "rows" else "|V_j|",
}
under_exposure = partial(
    registry.metric,
    uses=("ips_hits", "ips_relevant", "n_relevant"),
    texts={"ips": Text(POPULARITY, "the propensities: popularity in train, or a column", "propensity", words=(POPULARITY,))},
    numbers={
        "gamma": Number(None, "how strongly popularity decides what is observed; -1: not at all", least=-1.0, most=5.0, symbol=r"\gamma"),
        "floor": Number(0.0, "the least propensity; the most popular item has 1", least=0.0, most=1.0, symbol=r"\delta"),
    },
    needs=_needs,
    validate=_refuse_settings,
    pooled=True,
    by_item=True,
)
LEFT_OUT: Final = "A user none of whose relevant items has a propensity is left out."


@under_exposure(
    "SNIPSRecall",
    family="accuracy",
    axes={"count": "popularity_count"},
    tex=tex(r"\sum_{i \in L_u \cap T_u} \frac{1}{P_i} \biggl/ \sum_{i \in T_u} \frac{1}{P_i}" + _PROPENSITY, **_PIECES),
    reference=f"{YANG}, the SNIPS estimator, averaged over users",
    left_out=LEFT_OUT,
)
def snips_recall(m: Measure) -> Ratio:
    """The share of the relevant items that are recommended, as if all had been shown equally often; use it beside Recall.

    It is also written Recall(ips=popularity,gamma=1.7). Test rows have more of what was shown more; the self-normalised inverse
    propensities (SNIPS) of Yang et al. undo this per user, and the value is the mean over users. With `average` = `micro` both sums are
    over all user-item pairs. There is no usual γ: `receval audit --gamma-curve` shows the values over γ. With γ = -1 it is Recall. With
    `ips`, a column such as `items.shown` or `rows.propensity`, P_i is a number above 0 in data.items, or in the test rows of the user.

    Edge cases: items without train rows have no propensity unless γ is -1 or `floor` is above 0: they are left out as hits and as relevant
    items, and counted; so are items without a number above 0 in the column. A user without any other relevant item is left out. Of several
    test rows of a pair the highest number counts. If each user has one relevant item, the weights cancel out, unless `average` is `micro`.
    """
    hits = _hits(m)
    return _by_weight(m, hits.exact_sum(hits["weight"], "1/P"))


@under_exposure(
    "SNIPSDCG",
    family="ranking",
    axes={"gain": "ndcg_gain", "discount": "ndcg_discount", "log_base": "ndcg_log_base", "count": "popularity_count"},
    bounds=(0.0, math.inf),
    tex=tex(
        r"\sum_{r=1}^{k} \frac{1}{P_{i_r}} \cdot \frac{<gain>}{<discount>} \biggl/ \sum_{i \in T_u} \frac{1}{P_i}" + _PROPENSITY,
        gain=GAINS,
        discount={"log_r_plus_1": r"\log_{<log_base>}(r + 1)", "log_max_r_2": r"\log_{<log_base>} \max(r, 2)"},
        **_PIECES,
    ),
    reference=f"{YANG}, the SNIPS estimator, averaged over users",
    left_out=LEFT_OUT,
)
def snips_dcg(m: Measure) -> Ratio:
    """The mean gain of the relevant items, as if all had been shown equally often; use it beside nDCG.

    It is also written DCG(ips=popularity,gamma=1.7). P_i, `ips` and `average` are as for SNIPSRecall, gain and discount as for DCG. With
    γ = -1 it is DCG/R, the DCG per relevant item, and not nDCG, which takes no propensities: its best possible list would be another one.

    Edge cases: as for SNIPSRecall. The value is at most 1 if no gain is above 1.
    """
    hits = _hits(m)
    gain, by = gain_of(str(m.params["gain"]), hits["gain"], m.offset), discount_at(m, hits["rank"])
    return _by_weight(m, hits.exact_sum(hits["weight"] * gain / by, "gain"))


def _hits(m: Measure) -> CutTable:
    """Return the hits with their weights."""
    return m.table("ips_hits", **settings_of(m.params, m.truth_duplicates))


def _by_weight(m: Measure, found: Array) -> Ratio:
    """Return sums over hits, divided by the weight of all relevant items; no value for a user whose relevant items have none."""
    relevant = m.table("ips_relevant", **settings_of(m.params, m.truth_duplicates))
    return Ratio(found, relevant.whole.exact_sum(relevant["weight"], "1/P"), where(m.n_relevant > 0, NO_VALUE, 0.0))
