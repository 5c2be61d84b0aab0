"""The AUC family: the share of (relevant, irrelevant) pairs that the list puts in the right order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..support.lazy import np
from ..syntax.measure_strings import Scalar
from ..tables.array import Array, in_single_precision
from ..tables.graph import table
from ..tables.lists import Reading
from ..tables.rows import Rows
from . import registry
from .arrays import divide, where
from .measure import Measure, Ratio
from .notation import Pieces, tex


@table(
    "misses_by_score",
    uses=("reading", "hits", "is_hit"),
    params=("single",),
    columns=("rank", "item", "score", "higher", "tied"),
    title="The hits, and the misses with a higher or the same score",
    reads_scores=True,
)
def misses_by_score(reading: Reading, hits: Rows, is_hit: Array, single: bool) -> Rows:
    """Return the hits, each with the number of misses in the whole list that have a `higher` score, or the same (`tied`).

    Scores are compared in `single` or in double precision. In lists without scores, the order of the list decides.
    """
    row = reading.starts[hits.user] + hits.real_rank - 1
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


_AXES = {
    "norm": "auc_norm",
    "negatives": "auc_negatives",
    "ties": "auc_ties",
    "unlisted": "auc_unlisted",
    "no_negatives": "auc_no_negatives",
}
_PIECES: Pieces = {
    "right": r"h_r \left(1 - \frac{a_r}{N_u}\right)<unlisted> \\ a_r = <ties>, \quad N_u = <negatives>",
    "ties": {
        "list_order": "r - f_r",
        "strict": r"|\{q : s_q \ge s_r, h_q = 0\}|",
        "half": r"|\{q : s_q > s_r, h_q = 0\}| + \tfrac{1}{2} |\{q : s_q = s_r, h_q = 0\}|",
    },
    "negatives": {
        "candidates": r"\max(|C_u \setminus T_u|<norm>, \max_r h_r\,a_r)",
        "train_items": r"|I_{\mathrm{train}} \setminus H_u| - |T_u|<norm>",
        "unseen_items": r"|I \setminus H_u| - |T_u|<norm>",
        "items": r"|I| - |T_u|<norm>",
    },
    "unlisted": {
        "wrong": "",
        "half": r" + \tfrac{1}{2} |T_u \setminus L_u| \frac{N_u - |L_u \setminus T_u|}{N_u}",
    },
    "norm": {"n_negatives": "", "n_negatives_plus_1": " + 1"},
}
HANLEY = "Hanley and McNeil, Radiology 143(1), 1982"


def _tables(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the tables that an AUC reads."""
    negatives = {"train_items": ("n_unseen",), "unseen_items": ("n_candidates",), "items": ("n_items",)}.get(
        str(params["negatives"]), ("n_candidates", "outside")
    )
    unlisted = ("reading",) if params.get("unlisted") == "half" else ()
    return ("hits", "n_relevant", *negatives, *unlisted, *(() if _by_order(params) else ("misses_by_score",)))


def _by_order(params: Mapping[str, Scalar]) -> bool:
    """Return whether the order of the list, not the scores, decides which items are above a hit."""
    return params["ties"] == "list_order"


def _has_bounds(params: Mapping[str, Scalar]) -> bool:
    """Return whether the number of pairs that are right follows from the ranks of the hits alone."""
    return _by_order(params) and params.get("unlisted") != "half"


def _right_pairs(m: Measure) -> tuple[Array, Array]:
    """Return Σ over the hits with rank ≤ k of the share of negatives that rank below the hit, and the number of negatives."""
    more = 1 if m.params["norm"] == "n_negatives_plus_1" else 0
    if _by_order(m.params):
        hits = m.hits
        above = hits["rank"] - hits["found"]
    else:
        hits = m.table("misses_by_score", single=m.single_precision)
        above = hits["higher"] + hits["tied"] * (1.0 if m.params["ties"] == "strict" else 0.5)
    if m.params["negatives"] == "train_items":
        negatives = m.n_unseen - m.n_relevant + more
    elif m.params["negatives"] == "unseen_items":
        negatives = m.user("n_candidates") + more
    elif m.params["negatives"] == "items":
        negatives = np.maximum(m.n_items - m.n_relevant + more, 0)
    else:  # with duplicates, more misses may be above a hit than there are negatives
        negatives = np.maximum(m.n_negatives + more, hits.max(above, "misses above"))
    right = hits.count() - divide(hits.sum(above, "misses above"), negatives)
    if m.params.get("unlisted") == "half":
        unlisted = np.maximum(negatives - (m.n_listed - hits.count()), 0)
        right = right + 0.5 * divide(np.maximum(m.n_relevant - hits.count(), 0) * unlisted, negatives)
    return right, negatives


def _ratio(m: Measure, right: Array, negatives: Array, n: Array) -> Ratio:
    """Return the share of right pairs of `n` relevant items; without negatives it has a value or none, by `no_negatives`."""
    if m.params["no_negatives"] == "counts":
        return Ratio(right, n)
    there = negatives > 0
    return Ratio(where(there, right, 0.0), where(there, n, 0.0), None)


metric = partial(registry.metric, family="auc")
of_catalogue = partial(metric, needs=("catalogue",), uses=_tables)


@of_catalogue(
    "AUC",
    axes={**_AXES, "over": "auc_average"},
    cut=False,
    average="micro",
    tex=tex(r"\frac{1}{<over>} \sum_{r=1}^{k} <right>", over={"relevant": "|T_u|", "hits": r"|L_u \cap T_u|"}, **_PIECES),
    reference=HANLEY,
    ties=_has_bounds,
)
def auc(m: Measure) -> Ratio:
    """How often a relevant item ranks above an irrelevant one; use it to judge the whole ranking, not only its top.

    It is the share of pairs of a relevant and an irrelevant candidate that are in the right order. Every relevant item weighs the same.
    Candidates are the items of the catalogue (data.items, else train) without those that the user has in train, plus the listed items, cut
    at k. Those that are not in the list rank below it, the relevant ones last, where they add nothing. An item that is listed twice is a
    miss at its second rank.

    Edge cases: a user without negatives has nothing above the hits, or is left out together with users without relevant items
    (`no_negatives`). With `negatives` = `train_items` a value may be below 0 if the list contains items that are not in train. Pooled over
    users (`micro`); the value of one user, and so the macro mean, is that of GAUC.
    """
    return _ratio(m, *_right_pairs(m), m.n_relevant if m.params["over"] == "relevant" else m.hits.count())


@of_catalogue(
    "GAUC",
    axes=_AXES,
    cut=False,
    tex=tex(r"\frac{1}{|T_u|} \sum_{r=1}^{k} <right>", **_PIECES),
    reference="Zhu et al., Optimized cost per click in Taobao display advertising, KDD 2017 (user-wise AUC)",
    ties=_has_bounds,
)
def gauc(m: Measure) -> Ratio:
    """The mean over users of their AUC; use it instead of AUC if every user should weigh the same, not every relevant item.

    Edge cases: as for AUC.
    """
    return _ratio(m, *_right_pairs(m), m.n_relevant)


@of_catalogue(
    "LAUC",
    axes={key: axis for key, axis in _AXES.items() if key not in ("unlisted", "no_negatives")},
    tex=tex(r"\frac{1}{\min(|T_u|, k)} \sum_{r=1}^{k} <right>", **{**_PIECES, "unlisted": ""}),
    reference="limited AUC of Schröder, Thiele and Lehner, UCERSTI 2011, as computed by Elliot and WarpRec",
    # with candidates as negatives no hit counts below 0, so that one more hit among the first k is never worse
    ties=lambda params: _has_bounds(params) and params["negatives"] == "candidates",
)
def lauc(m: Measure) -> Ratio:
    """AUC limited to the first k items of the list; use it if users see only the top.

    Edge cases: no hit among the first k counts 0.
    """
    return Ratio(_right_pairs(m)[0], m.at_most_k(m.n_relevant))


@metric(
    "RankingLoss",
    uses=("hits", "n_relevant", "reading", "misses_by_score"),
    aliases=("LabelRankingLoss",),
    higher_is_better=False,
    cut=False,
    tex=(
        r"\frac{1}{|T_u| \cdot |L_u \setminus T_u|} \biggl(\sum_{r=1}^{k} h_r\,|\{q : s_q \ge s_r, h_q = 0\}| + "
        r"|T_u \setminus L_u| \cdot |L_u \setminus T_u|\biggr)"
    ),
    reference="Tsoumakas, Katakis and Vlahavas, Mining multi-label data (2010); scikit-learn label_ranking_loss",
)
def ranking_loss(m: Measure) -> Array:
    """The share of pairs of a relevant and an irrelevant item in the wrong order; use it for lists of all candidates, with their scores.

    Pairs of equal scores are wrong. Relevant items that are not listed are below all misses. Without ties it is 1 minus the AUC inside the
    list.

    Edge cases: a list without a miss has no pairs and counts 0, the best value, also if it is empty: with lists of different lengths use
    GAUC, whose pairs do not depend on the list.
    """
    rows = m.table("misses_by_score", single=m.single_precision)
    hits = rows.count()
    misses = m.n_listed - hits
    missed = np.maximum(m.n_relevant - hits, 0.0)
    return divide(rows.sum(rows["higher"] + rows["tied"], "misses not below") + missed * misses, (hits + missed) * misses)


@metric(
    "RocAuc",
    uses=("hits", "reading"),
    tex=r"1 - \frac{1}{|L_u \cap T_u| \cdot |L_u \setminus T_u|} \sum_{r=1}^{k} h_r\,(r - f_r)",
    reference=HANLEY + "; inside the list as in RePlay",
)
def roc_auc(m: Measure) -> Array:
    """AUC inside the first k items of the list; use it to judge only the order of a list.

    The misses of the list are the negatives.

    Edge cases: no hit counts 0. Without a miss above any hit the value is 1, also if the list has no miss at all.
    """
    hits = m.hits.count()
    misses = m.n_listed - hits
    above = m.hits.sum(m.hits["rank"] - m.hits["found"], "misses above")
    return where(hits > 0, 1.0 - divide(above, misses * hits), 0.0)
