"""The AUC family: the share of (relevant, irrelevant) pairs that the list puts in the right order.

Rank minus hits up to that rank is the number of irrelevant items above a hit, so every AUC is a sum over hits.

R is the number of relevant items of the user, h the number of hits, a(r) = r - found(r) the places above the hit at rank r
that are no hits (an item that is given twice misses at its second place), N the number of negatives. By `ties` of the scores:
`list_order` as above; `strict`, a(r) are the places whose score is at least that of the hit, wherever they stand, so that a
tied pair is wrong; `half`, those with a higher score, and half of those with the same. By `negatives`:
`candidates`, those of the user that are not relevant, at least as many as stand above a hit; the candidates are the items of
the catalogue (`items`, else those of `train`) without the items that `train` holds for the user, and whatever the list holds,
cut at k. Or `train_items`: the items of `train`, less those it holds for the user, less R, whatever the list holds; a value may
then be below 0, where a list holds items that train does not. `norm` =
`n_negatives_plus_1` puts N + 1 in the place of N.
Candidates that the list leaves out are ranked below it; of these, relevant ones are ranked last and add nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..names.measure_strings import Scalar
from ..tables.array import Array, in_single_precision
from ..tables.graph import table
from ..tables.lists import Reading
from ..tables.rows import Rows
from .arrays import divide, where
from .measure import Measure, Ratio
from .notation import Pieces, tex
from .registry import metric


@table(
    "misses_by_score",
    uses=("reading", "hits", "is_hit"),
    params=("single",),
    columns=("rank", "item", "score", "higher", "tied"),
    title="The hits beside the misses of the list",
    reads_scores=True,
)
def misses_by_score(reading: Reading, hits: Rows, is_hit: Array, single: bool) -> Rows:
    """The hits, with the number of listed items that are no hits and have a `higher` score, or the same (`tied`), wherever they stand.

    Scores are compared in `single` or in double precision. In lists without scores the order of the list says which is higher.
    """
    row = reading.starts[hits.user] + (hits["real_rank"] if "real_rank" in hits else hits["rank"]) - 1
    if "score" not in reading.source.rows:
        misses = np.cumsum(~is_hit)
        before = np.concatenate([[0], misses])
        return hits.with_columns(higher=misses[row] - before[reading.starts[hits.user]], tied=np.zeros(len(hits), dtype=np.int64))
    score = in_single_precision(reading.score) if single else reading.score
    levels, level = np.unique(score, return_inverse=True)
    width = len(levels)
    missed = np.sort(reading.user[~is_hit] * width + level[~is_hit])
    own = hits.user * width + level[row]
    above, end = np.searchsorted(missed, own, side="right"), np.searchsorted(missed, (hits.user + 1) * width)
    return hits.with_columns(score=score[row], higher=end - above, tied=above - np.searchsorted(missed, own))


_AXES = {"norm": "auc_norm", "negatives": "auc_negatives", "ties": "auc_ties"}
_PIECES: Pieces = {
    "right": r"h_r \left(1 - \frac{a_r}{N_u}\right) \\ a_r = <ties>, \quad N_u = <negatives>",
    "ties": {
        "list_order": "r - f_r",
        "strict": r"|\{q : s_q \ge s_r, h_q = 0\}|",
        "half": r"|\{q : s_q > s_r, h_q = 0\}| + \tfrac{1}{2} |\{q : s_q = s_r, h_q = 0\}|",
    },
    "negatives": {
        "candidates": r"\max(|C_u \setminus T_u|<norm>, \max_r h_r\,a_r)",
        "train_items": r"|I_{\mathrm{train}} \setminus H_u| - |T_u|<norm>",
    },
    "norm": {"n_negatives": "", "n_negatives_plus_1": " + 1"},
}
HANLEY = "Hanley and McNeil, Radiology 143(1), 1982"


def _tables(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """The tables that an AUC reads."""
    negatives = ("n_unseen",) if params["negatives"] == "train_items" else ("n_candidates", "outside")
    return ("hits", "n_relevant", *negatives, *(() if _by_order(params) else ("misses_by_score",)))


def _by_order(params: Mapping[str, Scalar]) -> bool:
    """Whether the order of the list says which items stand above a hit, not their scores."""
    return params["ties"] == "list_order"


def _by_order_among_candidates(params: Mapping[str, Scalar]) -> bool:
    """Whether so, and no hit counts less than 0, so that one more among the first k is never worse."""
    return _by_order(params) and params["negatives"] == "candidates"


def _right_pairs(m: Measure) -> Array:
    """Σ over the hits with rank ≤ k of the share of negatives ranked below the hit."""
    more = 1 if m.params["norm"] == "n_negatives_plus_1" else 0
    if _by_order(m.params):
        hits = m.hits
        above = hits["rank"] - hits["found"]
    else:
        hits = m.table("misses_by_score", single=m.single_precision)
        above = hits["higher"] + hits["tied"] * (1.0 if m.params["ties"] == "strict" else 0.5)
    if m.params["negatives"] == "train_items":
        negatives = m.n_unseen - m.n_relevant + more
    else:  # a repeated item may put more above than there are
        negatives = np.maximum(m.n_negatives + more, hits.max(above, "misses above"))
    return hits.count() - divide(hits.sum(above, "misses above"), negatives)


@metric(
    "AUC",
    family="auc",
    axes={**_AXES, "over": "auc_average"},
    needs=("catalogue",),
    uses=_tables,
    pooled=True,
    cut=False,
    average="micro",
    tex=tex(r"\frac{1}{<over>} \sum_{r=1}^{k} <right>", over={"relevant": "|T_u|", "hits": r"|L_u \cap T_u|"}, **_PIECES),
    reference=HANLEY,
    ties=_by_order,
)
def auc(m: Measure) -> Ratio:
    """The share of (relevant, irrelevant) candidate pairs in the right order, every relevant item weighing the same.

    AUC = Σ_users Σ_{hits} (N - a(r))/N / Σ_users R

    With `over` = `hits` the sum is divided by the number of hits: relevant items that no list holds are left out.

    Edge cases: a user without negatives has nothing above its hits and counts h/R. Pooled over users (`micro`); the value
    of one user, and so the macro mean, is that of GAUC.
    """
    return Ratio(_right_pairs(m), m.n_relevant if m.params["over"] == "relevant" else m.hits.count())


@metric(
    "GAUC",
    family="auc",
    axes=_AXES,
    needs=("catalogue",),
    uses=_tables,
    pooled=True,
    cut=False,
    tex=tex(r"\frac{1}{|T_u|} \sum_{r=1}^{k} <right>", **_PIECES),
    reference="Zhu et al., Optimized cost per click in Taobao display advertising, KDD 2017 (user-wise AUC)",
    ties=_by_order,
)
def gauc(m: Measure) -> Ratio:
    """AUC of each user, averaged over users.

    GAUC_u = 1/R · Σ_{hits} (N - a(r))/N

    Edge cases: as for AUC.
    """
    return Ratio(_right_pairs(m), m.n_relevant)


@metric(
    "LAUC",
    family="auc",
    axes=_AXES,
    needs=("catalogue",),
    uses=_tables,
    pooled=True,
    tex=tex(r"\frac{1}{\min(|T_u|, k)} \sum_{r=1}^{k} <right>", **_PIECES),
    reference="limited AUC of Schröder, Thiele and Lehner, UCERSTI 2011, as computed by Elliot and WarpRec",
    ties=_by_order_among_candidates,
)
def lauc(m: Measure) -> Ratio:
    """AUC limited to the first k items of the list.

    LAUC@k = 1/min(R, k) · Σ_{hits, r≤k} (N - a(r))/N

    Edge cases: no hit among the first k counts 0.
    """
    return Ratio(_right_pairs(m), m.at_most_k(m.n_relevant))


@metric(
    "RocAuc",
    family="auc",
    uses=("hits", "reading"),
    tex=r"1 - \frac{1}{|L_u \cap T_u| \cdot |L_u \setminus T_u|} \sum_{r=1}^{k} h_r\,(r - f_r)",
    reference=HANLEY + "; inside the list as in RePlay",
)
def roc_auc(m: Measure) -> Array:
    """AUC inside the first k items of the list, its misses being the negatives.

    RocAuc@k = 1 - Σ_{hits, r≤k} a(r) / (misses · h_k), with misses = min(k, length) - h_k

    Edge cases: no hit counts 0; no miss above any hit counts 1, also where the list has no miss at all.
    """
    hits = m.hits.count()
    misses = m.n_listed - hits
    above = m.hits.sum(m.hits["rank"] - m.hits["found"], "misses above")
    return where(hits > 0, 1.0 - divide(above, misses * hits), 0.0)
