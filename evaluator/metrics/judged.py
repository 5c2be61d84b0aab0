"""Ranking accuracy if not every item is judged, and if items have grades. Judged items are those in the user's test rows."""

from __future__ import annotations

from functools import partial

from ..support.lazy import np
from ..tables.array import Array
from ..tables.graph import table
from ..tables.hits import TestRatings
from ..tables.rows import Rows, counted_from_top, running_sum
from ..tables.truth import TruthTable
from . import registry
from .arrays import UNDEFINED, begins, divide, powers, where
from .measure import Measure, Ratio
from .notation import tex
from .registry import Number
from .table_views import CutTable


@table(
    "judged",
    uses=("judged_rows", "test_ratings", "truth_table", "n_relevant"),
    params=("negative",),
    columns=("rank", "item", "relevant", "judged", "found"),
    title="Listed items that are in the test file",
)
def judged_table(judged_rows: Rows, test_ratings: TestRatings, truth_table: TruthTable, n_relevant: Array, negative: str) -> Rows:
    """Return the listed items that are in the test file, with counts from the top.

    `known` is whether the row counts as a judgement. `judged`, `found` and `pooled` count, up to the row, the judged items, the relevant
    ones, and those with a rating below 0 that does not count as a judgement (`negative` = `pooled`). `n_relevant` and `n_other` are the
    numbers of the user's judged items, listed or not, that are relevant and that are not.
    """
    relevant = truth_table.relevant
    rating = test_ratings.rating_of_pair(len(relevant))
    counts = ~np.isnan(rating)
    known = counts & ~((rating < 0) & ~relevant) if negative == "pooled" else counts
    n_other = np.bincount(truth_table.pairs.user[known & ~relevant], minlength=judged_rows.n_users)
    rows = judged_rows.take(counts[judged_rows["pair"]])
    pair, user = rows["pair"], rows.user
    counted = {"judged": known[pair], "found": relevant[pair], "pooled": ~known[pair]}
    columns = {name: counted_from_top(np.cumsum(condition), user, rows.n_users) for name, condition in counted.items()}
    return rows.with_columns(relevant=relevant[pair], known=known[pair], n_relevant=n_relevant[user], n_other=n_other[user], **columns)


@table("hits_added_up", uses=("hits",))
def hits_added_up(hits: Rows) -> Rows:
    """Return the hits, each with the gain of the hits up to it (`gained`) and their DCG (`dcg`)."""
    gain = hits["gain"]
    return hits.with_columns(gained=running_sum(gain, hits.user), dcg=running_sum(gain / np.log2(hits["rank"] + 1), hits.user))


@table("ideal_added_up", uses=("ideal",))
def ideal_added_up(ideal: Rows) -> Rows:
    """Return the best possible list with the sums up to each row: `dcg`, and `cost` = Σ max(gain, 1)."""
    gain = ideal["gain"]
    dcg = running_sum(gain / np.log2(ideal["rank"] + 1), ideal.user)
    return ideal.with_columns(dcg=dcg, cost=running_sum(np.maximum(gain, 1.0), ideal.user))


@table("graded", uses=("hits_added_up", "ideal_added_up"), columns=("rank", "item", "gain", "gained", "cost"), title="The hits")
def graded(hits_added_up: Rows, ideal_added_up: Rows) -> Rows:
    """Return the hits, each with sums up to its rank of the list (`gained`, `dcg`) and of the best possible list (`cost`, `ideal_dcg`)."""
    hits, ideal = hits_added_up, ideal_added_up
    rank = hits["rank"]
    within = np.minimum(rank, hits["n_relevant"])
    row = ideal.starts()[_block(ideal)[hits.user]] + within - 1
    return hits.with_columns(ideal_dcg=ideal["dcg"][row], cost=ideal["cost"][row] + (rank - within))


@table("grade_changes", uses=("hits_added_up", "ideal_added_up"), columns=("rank", "ndcg"), title="The last rank of each ideal grade")
def grade_changes(hits_added_up: Rows, ideal_added_up: Rows) -> Rows:
    """Return the last rank of each grade in the best possible list, and nDCG there: `rank`, `ndcg`."""
    hits, ideal = hits_added_up, ideal_added_up
    gain, of_block = ideal["gain"], ideal.user
    ends = begins(gain[::-1], of_block[::-1])[::-1]
    points = ideal.take(ends & (gain > 0))
    block, starts = _block(ideal), points.starts()
    n_points = np.diff(starts)[block]
    user = np.repeat(np.arange(hits.n_users), n_points)
    point = np.arange(len(user)) - np.repeat(np.cumsum(n_points) - n_points, n_points) + starts[block[user]]
    rank = points["rank"][point]
    dcg = _dcg_up_to(hits, user, rank)
    return Rows(hits.n_users, user, {"rank": rank, "ndcg": dcg / points["dcg"][point]})


def _block(ideal: Rows) -> Array:
    """Return the block of rows of each user."""
    return np.arange(ideal.n_users) if ideal.group_of_user is None else ideal.group_of_user


def _dcg_up_to(hits: Rows, user: Array, rank: Array) -> Array:
    """Return the DCG of the hits of each of `user` up to each of `rank`."""
    width = max(int(hits["rank"].max(initial=0)), int(rank.max(initial=0))) + 1
    last = np.searchsorted(hits.user * width + hits["rank"], user * width + rank, side="right") - 1
    before = np.concatenate([hits["dcg"], [0.0]])  # index -1 means no hit
    return np.where(last >= hits.starts()[user], before[last], 0.0)


_NEGATIVE = {"negative": "judged_negative"}


def _judged(m: Measure) -> CutTable:
    return m.table("judged", negative=str(m.params.get("negative", "judged")))


metric = partial(registry.metric, family="ranking")
whole_list = partial(metric, cut=False)
of_judged = partial(metric, axes=_NEGATIVE)


@whole_list(
    "Bpref",
    uses=("judged", "n_relevant"),
    axes={**_NEGATIVE, "divisor": "bpref_divisor", "unjudged": "bpref_unjudged"},
    tex=tex(
        r"\frac{1}{|T_u|} \sum_{r=1}^{k} h_r \left(1 - \frac{\min(b_r - f_r, |T_u|)}{<divisor>}\right)",
        divisor={"min_r_n": r"\min(|J_u \setminus T_u|, |T_u|)", "r": "|T_u|"},
    ),
    reference="Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004; trec_eval m_bpref.c",
)
def bpref(m: Measure) -> Array:
    """How rarely items judged irrelevant rank above relevant ones; use it if most listed items have no judgement.

    Items without a judgement are skipped, and with `negative` = `pooled` those with a rating below 0. `divisor` = `r` is that of the paper.
    With `unjudged` = `undefined` the value is 0/0 without a judged item that is not relevant, unless the divisor is R.

    Edge cases: no hit counts 0, and so does R = 0; relevant items that are not listed add nothing. If the value of a user is undefined, so
    is the mean over users.
    """
    rows = _judged(m)
    above = rows["judged"] - rows["found"]  # judged, and not relevant
    by_r = m.params["divisor"] == "r"
    by = rows["n_relevant"] if by_r else np.minimum(rows["n_other"], rows["n_relevant"])
    each = 1.0 - divide(np.minimum(above, rows["n_relevant"]), by)
    value = divide(rows.sum(where(rows["relevant"], each, 0.0), "preferred"), m.n_relevant)
    if m.params["unjudged"] == "counts":
        return value
    alone = rows.tally(rows["relevant"] & (by == 0), "divides by 0")
    return where((alone > 0) | (m.n_relevant == 0), UNDEFINED, value)


@whole_list(
    "InfAP",
    uses=("judged", "n_relevant"),
    aliases=("InferredAP",),
    axes=_NEGATIVE,
    tex=tex(
        r"\frac{1}{|T_u|} \sum_{r=1}^{k} h_r \left(\frac{1}{r} + "
        r"\frac{b_r - 1<negative>}{r} \cdot \frac{f_r - 1 + \varepsilon}{b_r - 1 + 2\varepsilon}\right) \\ \varepsilon = 10^{-5}",
        negative={"judged": "", "pooled": " + o_r"},
    ),
    reference="Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006; trec_eval m_infap.c",
)
def inf_ap(m: Measure) -> Array:
    """Average precision, estimated from the judged items alone; use it if the judged items are a sample of all items.

    Items without a judgement are assumed to be like the judged ones.

    Edge cases: no hit counts 0, and so does R = 0.
    """
    tiny = 0.00001
    rows = _judged(m)
    rank, above = rows["rank"], rows["judged"] - 1.0
    inferred = 1.0 / rank + (above + rows["pooled"]) / rank * ((rows["found"] - 1.0 + tiny) / (above + 2 * tiny))
    return divide(rows.sum(where(rows["relevant"], inferred, 0.0), "precision"), m.n_relevant)


@metric(
    "Judged",
    uses=("judged", "reading"),
    tex=r"\frac{|L_u \cap J_u|}{|L_u|}",
    reference="ir_measures providers/judged.py",
)
def judged(m: Measure) -> Ratio:
    """The share of the recommended items that are in the user's test rows; use it to see how much of a list the test set can judge.

    Edge cases: an empty list counts 0.
    """
    return Ratio(_judged(m).count(), m.n_listed)


@of_judged(
    "Unjudged",
    uses=("judged", "reading"),
    aliases=("Hole",),
    higher_is_better=None,
    tex=r"\frac{|L_u \setminus J_u|}{k}",
    reference="trec_eval 10 m_unjudged.c; Hole@k of Thakur et al., BEIR, NeurIPS 2021",
)
def unjudged(m: Measure) -> Ratio:
    """The share of the first k ranks with an item that is not judged; use it to see how much of a value rests on missing judgements.

    Edge cases: the empty ranks of a list shorter than k count as judged. Without a cut-off k is the length of the list; an empty list
    counts 0.
    """
    return Ratio(m.n_listed - _known(m), m.depth)


@of_judged(
    "NumJudgedIrrelevant",
    uses=("judged",),
    aliases=("NumNonRelJudgedRet",),
    is_count=True,
    higher_is_better=False,
    tex=r"|L_u \cap (J_u \setminus T_u)|",
    reference="num_nonrel_judged_ret of trec_eval is its sum over users",
)
def num_judged_irrelevant(m: Measure) -> Array:
    """The number of recommended items that are judged and not relevant; use it to tell misses from items without a judgement.

    Edge cases: an empty list counts 0.
    """
    rows = _judged(m)
    return rows.tally(rows["known"] & ~rows["relevant"], "judged, not relevant")


@of_judged(
    "RBPResidual",
    uses=("judged", "reading"),
    aliases=("RBPResid",),
    numbers={"p": Number(0.8, "the patience: the probability that the reader goes on to the next item", most=0.999999, symbol="p")},
    higher_is_better=False,
    tex=r"1 - (1 - p) \sum_{r=1}^{k} [r \in J_u]\,p^{r-1}",
    reference="Moffat and Zobel, ACM TOIS 27(1), 2008; trec_eval 10 m_rbp_resid.c",
)
def rbp_residual(m: Measure) -> Array:
    """How much RBP could grow if all items without a judgement were relevant; use it to see how far RBP can be trusted.

    The ranks after the end of the list, or after k, count as not judged.

    Edge cases: 0 if all items of the list, cut at k, are judged, as in trec_eval; an empty list counts 0.
    """
    rows, p = _judged(m), float(m.params["p"])
    weight = powers(p, rows["rank"] - 1)
    seen = rows.sum(where(rows["known"], weight, 0.0), "patience")
    return where(m.n_listed - _known(m) > 0, 1.0 - (1.0 - p) * seen, 0.0)


def _known(m: Measure) -> Array:
    """Return the number of judged items in the list, cut at k."""
    rows = _judged(m)
    return rows.tally(rows["known"], "judged")


@whole_list(
    "G",
    uses=("graded", "ideal"),
    tex=r"\frac{1}{\sum_r g^*_r} \sum_{r=1}^{k} \frac{g_r}{\log_2\bigl(2 + \max(\sum_{q \le r} (\max(g^*_q, 1) - g_q), 0)\bigr)}",
    reference="trec_eval m_G.c",
)
def graded_gain(m: Measure) -> Array:
    """The share of the possible gain that the hits reach, reduced by what the list missed above them; use it as BinG with grades.

    If all grades are 1 it is BinG.

    Edge cases: no hit counts 0; an item of grade 0 adds nothing.
    """
    rows = m.table("graded")
    gain, by = rows["gain"], np.log2(np.maximum(rows["cost"] - rows["gained"], 0.0) + 2.0)
    return divide(rows.sum(gain / by, gain=gain, discount=by), m.ideal.sum(m.ideal["gain"], "gain"))


@whole_list(
    "NDCGRel",
    uses=("graded", "hits", "ideal"),
    aliases=("ndcg_rel",),
    tex=(
        r"\frac{1}{P} \biggl(\sum_{r \,:\, g_r > 0} \frac{D_r}{D^*_r} + \bigl(P - |\{r : g_r > 0\}|\bigr) \frac{D_k}{D^*_P}\biggr) \\ "
        r"D_r = \sum_{q=1}^{r} \frac{g_q}{\log_2(q + 1)}"
    ),
    reference="trec_eval m_ndcg_rel.c",
)
def ndcg_rel(m: Measure) -> Array:
    """The mean of nDCG over the ranks of the relevant items; use it to compare with ndcg_rel of trec_eval.

    D_k is that of the whole list, D*_P that of all relevant items.

    Edge cases: no hit counts 0; items that are not listed count as if they were at the end.
    """
    rows = m.table("graded")
    hit = rows["gain"] > 0
    listed = rows.sum(where(hit, divide(rows["dcg"], rows["ideal_dcg"]), 0.0), "nDCG so far")
    of_user = m.ideal.tally(m.ideal["gain"] > 0, "relevant")
    last = divide(_dcg(m.hits), _dcg(m.ideal))
    return divide(listed + (of_user - rows.tally(hit, "hit")) * last, of_user)


@whole_list(
    "Rndcg",
    uses=("grade_changes", "hits", "ideal", "reading"),
    axes={"users": "rndcg_users"},
    tex=(
        r"\mathrm{mean}_{m \in K} \frac{D_{\min(m, k)}}{D^*_m} \text{, with one more term } \frac{D_k}{D^*_P} \text{ if } k \ge P + 2 \\ "
        r"D_r = \sum_{q=1}^{r} \frac{g_q}{\log_2(q + 1)}"
    ),
    reference="trec_eval m_Rndcg.c",
)
def r_ndcg(m: Measure) -> Array:
    """The mean of nDCG over the ranks where the ideal list changes its grade; use it to compare with Rndcg of trec_eval.

    Edge cases: no hit counts 0; with `users` = `threshold` a user with no grade that reaches the threshold of the config counts 0.
    """
    points = m.table("grade_changes")
    n_points = points.count()
    grade = m.ideal["gain"]
    last = where(m.n_listed >= m.ideal.tally(grade > 0, "relevant") + 2, 1.0, 0.0)
    whole = divide(_dcg(m.hits), _dcg(m.ideal))
    value = divide(points.sum(points["ndcg"], "nDCG") + last * whole, n_points + where(n_points > 0, last, 0.0))
    if m.params["users"] == "any_grade":
        return value
    return where(m.ideal.max(grade, "grade") >= m.level, value, 0.0)


def _dcg(table: CutTable) -> Array:
    gain, by = table["gain"], np.log2(table["rank"] + 1)
    return table.sum(gain / by, gain=gain, discount=by)
