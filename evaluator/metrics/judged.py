"""Ranking accuracy where not every item is judged, and where items have grades: judged is what the user's test rows hold.

R is the number of relevant items of the user, N the number of judged items that are not relevant. For the item at rank r, found(r) is the
number of relevant items up to r, judged(r) that of judged ones. b_1 ≥ b_2 ≥ … are the grades of the relevant items, 0 after the
last; g(r) is the grade of the relevant item at rank r, and 0 if there is none.
"""

from __future__ import annotations

import math

import narwhals as nw

from .collected import Table
from .measure import FOUND, GAIN, N_RELEVANT, ONE, RANK, ZERO, Measure, Ratio, divide
from .registry import metric

_NEGATIVE = {"negative": "judged_negative"}
_RELEVANT = nw.col("relevant") > 0
_ABOVE = nw.col("judged") - FOUND
"""The judged items that are not relevant above a relevant one."""


def _judged(m: Measure) -> Table:
    duplicates, left_out = m.view.kept
    return m.table("judged", "both", negative=str(m.params.get("negative", "judged")), duplicates=duplicates, filter=left_out)


@metric(
    "Bpref",
    family="ranking",
    axes={**_NEGATIVE, "unjudged": "bpref_unjudged"},
    cut=False,
    reference="Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004; trec_eval m_bpref.c",
)
def bpref(m: Measure) -> nw.Expr:
    """How few judged items that are not relevant stand above the relevant ones; what nobody judged is passed over.

    Bpref = 1/R · Σ_{r: relevant} (1 - min(a(r), R) / min(N, R)), a(r) = judged(r) - found(r)

    By `negative` a rating below 0 is `judged` not relevant, or was `pooled` only and is passed over. Without a judged item that is not
    relevant (N = 0) every listed relevant item counts 1 (`unjudged` = `counts`), or the value is 0/0 (`undefined`).

    Edge cases: no hit counts 0, and so does R = 0; relevant items that are not listed add nothing. An undefined value is NaN for the
    user, and the mean over users is not there.
    """
    table = _judged(m)
    least = nw.min_horizontal(nw.col("n_other"), N_RELEVANT)
    each = 1.0 - divide(nw.min_horizontal(_ABOVE, N_RELEVANT), least)
    value = divide(table.sum(nw.when(_RELEVANT).then(each).otherwise(ZERO), "preferred"), m.n_relevant)
    if m.params["unjudged"] == "counts":
        return value
    alone = table.tally(_RELEVANT & (nw.col("n_other") == 0), "divides by 0")
    return nw.when((alone > 0) | (m.n_relevant == 0)).then(nw.lit(math.nan)).otherwise(value)


@metric(
    "InfAP",
    family="ranking",
    aliases=("InferredAP",),
    axes=_NEGATIVE,
    cut=False,
    reference="Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006; trec_eval m_infap.c",
)
def inf_ap(m: Measure) -> nw.Expr:
    """Average precision, inferred from the judged items: those that nobody judged are taken to be like the judged ones.

    InfAP = 1/R · Σ_{r: relevant} (1/r + (j + u)/r · (f + ε)/(j + 2ε)), with f = found(r) - 1, j = judged(r) - 1, ε = 0.00001

    u is the number of items above with a rating below 0 where these were `pooled` only (`negative`), otherwise 0.

    Edge cases: no hit counts 0, and so does R = 0.
    """
    tiny = 0.00001
    above = nw.col("judged") - 1.0
    inferred = ONE / RANK + (above + nw.col("pooled")) / RANK * ((FOUND - 1.0 + tiny) / (above + 2 * tiny))
    return divide(_judged(m).sum(nw.when(_RELEVANT).then(inferred).otherwise(ZERO), "precision"), m.n_relevant)


@metric("Judged", family="ranking", reference="ir_measures providers/judged.py")
def judged(m: Measure) -> Ratio:
    """The share of the recommended items that are judged: that the user's test rows hold, relevant or not.

    Judged@k = judged(k) / l, l = min(k, length of the list)

    Edge cases: an empty list counts 0.
    """
    return Ratio(_judged(m).count(), m.n_listed * 1.0)


@metric("G", family="ranking", cut=False, reference="trec_eval m_G.c")
def graded_gain(m: Measure) -> nw.Expr:
    """The gains of the hits, each discounted by what the list has missed so far instead of by its rank.

    G = 1/Σ_i b_i · Σ_{r: relevant} g(r) / log2(2 + C(r) - S(r)), C(r) = Σ_{i≤r} max(b_i, 1), S(r) = Σ_{i≤r} g(i)

    With grades of 1 it is BinG. Edge cases: no hit counts 0; an item of grade 0 adds nothing.
    """
    missed = nw.max_horizontal(nw.col("cost") - nw.col("gained"), ZERO)
    by = (missed + 2.0).log(base=2.0)
    return divide(m.table("graded", "both").sum(GAIN / by, gain=GAIN, discount=by), m.ideal.sum(GAIN, "gain"))


@metric("NDCGRel", family="ranking", aliases=("ndcg_rel",), cut=False, reference="trec_eval m_ndcg_rel.c")
def ndcg_rel(m: Measure) -> nw.Expr:
    """NDCG averaged over the ranks of the relevant items.

    NDCGRel = 1/P · (Σ_{r: hit} DCG(r)/IDCG(r) + (P - h) · DCG/IDCG), P the items of grade above 0, h the hits among them

    DCG(r) = Σ_{i≤r} g(i)/log2(i + 1), and IDCG(r) the same for b; without r over the whole list, and over all relevant items.

    Edge cases: no hit counts 0; items that are not listed count as if they stood at the end.
    """
    table = m.table("graded", "both")
    hit = GAIN > 0
    listed = table.sum(nw.when(hit).then(divide(nw.col("dcg"), nw.col("ideal_dcg"))).otherwise(ZERO), "nDCG so far")
    of_user = m.ideal.tally(hit, "relevant")
    last = divide(_dcg(m.hits), _dcg(m.ideal))
    return divide(listed + (of_user - table.tally(hit, "hit")) * last, of_user)


@metric("Rndcg", family="ranking", axes={"users": "rndcg_users"}, cut=False, reference="trec_eval m_Rndcg.c")
def r_ndcg(m: Measure) -> nw.Expr:
    """NDCG averaged over the ranks at which the ideal list goes from one grade to the next, and at the end of the list.

    Rndcg = mean of DCG(min(c, n))/IDCG(c) over c = the number of items of at least grade v, for each grade v > 0 of the user

    n is the length of the list; DCG and IDCG as for NDCGRel. If n ≥ P + 2, P being the last c, the mean has one more term,
    DCG(n)/IDCG(P).

    Edge cases: no hit counts 0; with `users` = `threshold` a user none of whose grades reaches the threshold of the config counts 0.
    """
    points = m.table("grade_changes", "both")
    n_points = points.count()
    last = nw.when(m.n_listed >= m.ideal.tally(GAIN > 0, "relevant") + 2).then(ONE).otherwise(ZERO)
    whole = divide(_dcg(m.hits), _dcg(m.ideal))
    value = divide(points.sum(nw.col("ndcg"), "nDCG") + last * whole, n_points + nw.when(n_points > 0).then(last).otherwise(ZERO))
    if m.params["users"] == "any_grade":
        return value
    return nw.when(m.ideal.max(GAIN, "grade") >= m.view.level).then(value).otherwise(ZERO)


def _dcg(table: Table) -> nw.Expr:
    by = (RANK + 1).log(base=2.0)
    return table.sum(GAIN / by, gain=GAIN, discount=by)
