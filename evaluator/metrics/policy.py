"""Counterfactual evaluation: hits weighted by how much likelier the model shows an item than the previous policy did."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..support.lazy import np, pl
from ..tables.array import Array
from ..tables.graph import TableNotes, note_sentence, table
from ..tables.hits import top_items
from ..tables.lists import Reading
from ..tables.prepared import Prepared
from ..tables.rows import PartData, Rows
from .arrays import divide
from .measure import Measure, Ratio
from .notation import tex
from .registry import Define, Number, metric
from .table_views import CutTable

note_sentence(
    "pairs_without_previous_score",
    lambda n, total: f"{n:,} of {total:,} recommended pairs are not in data.previous_policy; their previous score counts as 0",
)


@table(
    "weighted",
    uses=("reading", "part", "is_hit", "prepared", "notes"),
    params=("activation", "threshold", "depth"),
    columns=("rank", "item"),
    title="The items of the list",
    reads_scores=True,
)
def weighted(
    reading: Reading,
    part: PartData,
    is_hit: Array,
    prepared: Prepared,
    notes: TableNotes,
    activation: str,
    threshold: float,
    depth: int,
) -> Rows:
    """Return the recommended items down to `depth` (0: all), each once: `weight`, its `ratio` (NaN if before is 0), and `hit`.

    The weight is now / before, clipped to [1/threshold, threshold], and `threshold` where before is 0; of a duplicate the highest counts.
    """
    rows, index = top_items(reading, depth)
    previous = previous_scores(rows, part, prepared)
    unknown = np.isnan(previous)
    notes.count("pairs_without_previous_score", int(unknown.sum()), len(rows))
    now = _activate(reading.score[index], rows, activation)
    before = _activate(np.where(unknown, 0.0, previous), rows, activation)
    ratio = np.divide(now, before, out=np.full(len(rows), threshold), where=before != 0)
    weight = np.minimum(np.maximum(ratio, 1.0 / threshold), threshold)
    ratio = np.where(before != 0, ratio, np.nan)
    result = rows.with_columns(weight=weight, ratio=ratio, hit=is_hit[index].astype(np.float64))
    return _once(result) if reading.repeats else result


def previous_scores(rows: Rows, part: PartData, prepared: Prepared) -> Array:
    """Return the score of the previous policy for each row, NaN where it has none."""
    assert prepared.policy is not None
    keys = [column for column in ("user", "item") if column in prepared.policy.columns]
    listed = pl.DataFrame({"item": rows.item})
    if "user" in keys:
        listed = listed.with_columns(user=part.users.gather(rows.user))
    joined = listed.join(prepared.policy, on=keys, how="left", maintain_order="left")
    return joined["previous"].cast(pl.Float64).fill_null(np.nan).to_numpy()


def _activate(scores: Array, rows: Rows, activation: str) -> Array:
    """Return scores as they are (`none`), as 1/(1 + e^-x) (`sigmoid`), or as e^x / Σ e^x over the user's rows (`softmax`)."""
    if activation == "sigmoid":
        with np.errstate(over="ignore"):  # e^-x may be infinite; 1 divided by it is then 0
            return np.asarray(1.0 / (1.0 + np.exp(-scores)))
    if activation == "softmax":
        most = np.full(rows.n_users, -np.inf)
        np.maximum.at(most, rows.user, scores)
        powers = np.exp(scores - most[rows.user])  # minus the largest score, so that no power is infinite
        totals = np.bincount(rows.user, powers, rows.n_users)
        return np.asarray(powers / totals[rows.user])
    return scores


def _once(rows: Rows) -> Rows:
    """Return each item of a list once, at its best rank, with its highest weight; a hit is at its best rank."""
    assert rows.item is not None
    numbers = pl.DataFrame({"user": rows.user, "item": rows.item, "weight": rows["weight"]}).with_row_index("row")
    best = numbers.group_by("user", "item").agg(pl.col("row").min(), pl.col("weight").max()).sort("row")
    return rows.take(best["row"].to_numpy().astype(np.int64)).with_columns(weight=best["weight"].to_numpy())


SWAMINATHAN = (
    "Swaminathan and Joachims, The self-normalized estimator for counterfactual learning, NIPS 2015; RePlay experimental NCISPrecision"
)
_WEIGHT = r" \\ w_r = \min\left(\max\left(<activation>, \frac{1}{\tau}\right), \tau\right)"
_PIECES = {
    "activation": {
        "none": r"\frac{s_r}{s'_r}",
        "sigmoid": r"\frac{1 + e^{-s'_r}}{1 + e^{-s_r}}",
        "softmax": r"\frac{e^{s_r} / \sum_{<over>} e^{s_q}}{e^{s'_r} / \sum_{<over>} e^{s'_q}}",
    },
    "over": {"first_k": r"q \le k", "list": r"q \ge 1"},
}


def _table(m: Measure) -> CutTable:
    depth = (m.cutoff or 0) if m.params["over"] == "first_k" else 0
    return m.table("weighted", activation=str(m.params["activation"]), threshold=float(m.params["threshold"]), depth=depth)


def _weights(m: Measure) -> tuple[Array, Array]:
    """Return the weights of the hits, and the sum of all weights."""
    table = _table(m)
    return table.sum(table["weight"] * table["hit"], "weight of hits"), table.sum(table["weight"], "weight")


def _counterfactual(name: str, value: str, upper: float = 1.0) -> Callable[[Define], Define]:
    return metric(
        name,
        family="counterfactual",
        bounds=(0.0, upper),
        axes={"activation": "policy_activation", "over": "softmax_over"},
        numbers={"threshold": Number(10.0, "the largest weight; 1 divided by it is the smallest", least=1.0, symbol=r"\tau")},
        needs=("previous_policy",),
        uses=("weighted", "reading", "n_relevant", "ideal"),
        one_cutoff=True,
        tex=tex(value + _WEIGHT, **_PIECES),
        reference=SWAMINATHAN,
    )


@_counterfactual("NCISPrecision", value=r"\frac{\sum_{r=1}^{k} h_r\,w_r}{\sum_{r=1}^{k} w_r}")
def ncis_precision(m: Measure) -> Array:
    """Precision corrected for what the previous policy showed; use it if the test rows come from users who saw its lists.

    Every item counts by its weight (normalised capped importance sampling). The score of a pair that is not in data.previous_policy is 0
    before the `activation`, whose `sigmoid` is also called `logit`. If that is 0 after it, the weight is `threshold`; a negative ratio is
    clipped to 1/`threshold`.

    Edge cases: an empty list counts 0; a list shorter than k is judged by the items that it has.
    """
    return divide(*_weights(m))


@_counterfactual("NCISRecall", value=r"\frac{|L_u|}{|T_u|} \cdot \frac{\sum_{r=1}^{k} h_r\,w_r}{\sum_{r=1}^{k} w_r}", upper=math.inf)
def ncis_recall(m: Measure) -> Array:
    """Recall corrected for what the previous policy showed; use it with NCISPrecision if a list should miss little.

    Every hit counts by its weight relative to the mean weight of the list.

    Edge cases: an empty list counts 0; the value may be above 1 if hits weigh more than the rest.
    """
    hit, everything = _weights(m)
    return divide(divide(hit, everything) * m.n_listed, m.n_relevant)


@_counterfactual("NCISHitRate", value=r"\min\left(|L_u|\,\frac{\sum_{r=1}^{k} h_r\,w_r}{\sum_{r=1}^{k} w_r}, 1\right)")
def ncis_hit_rate(m: Measure) -> Array:
    """The share of users with a hit, corrected for what the previous policy showed; use it with NCISPrecision if one hit is enough.

    A hit counts by its weight relative to the mean weight of the list.

    Edge cases: an empty list counts 0.
    """
    hit, everything = _weights(m)
    return np.asarray(np.minimum(divide(hit, everything) * m.n_listed, 1.0))


@_counterfactual(
    "NCISnDCG",
    value=r"\frac{|L_u|}{\sum_{r=1}^{k} w_r} \sum_{r=1}^{k} \frac{h_r\,w_r}{\log_2(r + 1)} "
    r"\biggl/ \sum_{r=1}^{k} \frac{h^*_r}{\log_2(r + 1)}",
    upper=math.inf,
)
def ncis_ndcg(m: Measure) -> Ratio:
    """How close to the top the hits are, corrected for what the previous policy showed; use it with NCISPrecision if order matters.

    It is nDCG of binary relevance, in which every hit counts by its weight relative to the mean weight of the list.

    Edge cases: an empty list counts 0; the value may be above 1 if hits weigh more than the rest.
    """
    table = _table(m)
    gained = table.sum(table["weight"] * table["hit"] / np.log2(table["rank"] + 1), "gain")
    best = m.ideal.sum(1.0 / np.log2(m.ideal["rank"] + 1), "1/log2")
    return Ratio(divide(gained, table.sum(table["weight"], "weight")) * m.n_listed, best)
