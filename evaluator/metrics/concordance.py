"""The order of predicted ratings beside that of the ratings: p(i) is the predicted rating of item i, t(i) its rating in the test file."""

from __future__ import annotations

from functools import partial

from ..support.lazy import np
from ..tables.array import Array
from ..tables.graph import table
from ..tables.rows import Rows, in_order, starts_of
from . import registry
from .arrays import add, begins, divide_or_missing, is_missing, where
from .measure import Measure, Ratio
from .notation import tex


@table(
    "concordance", uses=("ratings",), columns=("item", "rating", "prediction", "lower", "concordant"), title="The predicted test ratings"
)
def concordance(ratings: Rows) -> Rows:
    """Return the test ratings with a prediction, and of each the number of the user's others that are lower.

    `lower` counts those with a lower rating, `concordant` those whose prediction is lower too.
    """
    rows = ratings.take(~is_missing(ratings["prediction"]))
    return rows.with_columns(
        lower=_n_below(rows["rating"], rows.user, rows.n_users).astype(np.float64),
        concordant=_n_below_in_both(rows["rating"], rows["prediction"], rows.user, rows.n_users).astype(np.float64),
    )


def _n_below(values: Array, user: Array, n_users: int) -> Array:
    """Return for each row the number of rows of the same user with a lower value."""
    order = in_order(user, [(values, False)])
    found = np.empty(len(user), dtype=np.int64)
    found[order] = _first_of_run(values[order], user[order]) - starts_of(user, n_users)[user[order]]
    return found


def _first_of_run(values: Array, group: Array) -> Array:
    """Return for each row the index of the first row of its run of rows with the same value and group."""
    return np.maximum.accumulate(np.where(begins(values, group), np.arange(len(values)), 0))


def _n_below_in_both(values: Array, other: Array, user: Array, n_users: int) -> Array:
    """Return for each row the number of rows of the same user that are lower in both values.

    Two unequal whole numbers have the same leading bits down to the first that differs, which is 1 in the larger. So for each bit of the
    position of `one` it is enough to count, among the rows of a user with the same leading bits, those with a 0 below each row with a 1:
    as many passes as the largest position has bits, not one step for each pair.
    """
    position = _n_below(values, user, n_users)
    by_other = in_order(user, [(other, False)])
    total = np.zeros(len(user), dtype=np.int64)
    for bit in range(int(position.max(initial=0)).bit_length()):
        order = by_other[in_order(user[by_other], [(position[by_other] >> (bit + 1), False)])]
        key, leading = user[order], position[order] >> (bit + 1)
        starts = begins(key, leading)
        group = np.cumsum(starts) - 1
        is_zero = (position[order] >> bit & 1) == 0
        before = np.concatenate([[0], np.cumsum(is_zero)])
        lower = before[_first_of_run(other[order], group)] - before[np.flatnonzero(starts)[group]]
        total[order] += np.where(is_zero, 0, lower)
    return total


_KOREN = (
    "Koren and Sill, Collaborative filtering on ordinal user feedback, IJCAI 2013, section 5.2; as surprise.accuracy.fcp, which averages "
    "over pair_users=with_pairs"
)


def _pairs(m: Measure, row: Array, label: str) -> Ratio:
    """Return the sum of `row` over the user's ratings, of every user or of those where it is not 0."""
    total = m.table("concordance").sum(row, label)
    return Ratio(total, np.ones_like(total) if m.params["users"] == "all" else np.minimum(total, 1.0), None)


metric = partial(registry.metric, family="rating", needs=("predictions?", "ratings?"), cut=False, population="tested")


counted_pairs = partial(
    metric,
    is_count=True,
    uses=("concordance",),
    axes={"users": "pair_users"},
    reference=_KOREN,
)


@counted_pairs(
    "ConcordantPairs",
    tex=r"\sum_{i,j \in P_u} [y_{u,i} > y_{u,j}]\,[\hat{y}_{u,i} > \hat{y}_{u,j}]",
)
def concordant_pairs(m: Measure) -> Ratio:
    """The number of pairs of test ratings that the predictions order as the user does; use it to see the counts that FCP divides.

    The pairs are those of one user's test ratings with a prediction. With `users=with_pairs` the mean is over the users with at least one
    such pair.

    Edge cases: 0 for a user without such a pair, who is left out with `users=with_pairs`. Duplicates of a pair of user and item count as
    for MSE.
    """
    return _pairs(m, m.table("concordance")["concordant"], "concordant")


@counted_pairs(
    "DiscordantPairs",
    higher_is_better=False,
    tex=r"\sum_{i,j \in P_u} [y_{u,i} > y_{u,j}]\,[\hat{y}_{u,i} \le \hat{y}_{u,j}]",
)
def discordant_pairs(m: Measure) -> Ratio:
    """The number of pairs of test ratings that the predictions do not order as the user does; use it to see the counts that FCP divides.

    A pair with different ratings and the same prediction is discordant. The pairs and the parameter `users` are those of ConcordantPairs.

    Edge cases: as for ConcordantPairs.
    """
    rows = m.table("concordance")
    return _pairs(m, rows["lower"] - rows["concordant"], "discordant")


@metric(
    "FCP",
    uses=(),
    combines=("ConcordantPairs", "DiscordantPairs"),
    aliases=("FractionOfConcordantPairs",),
    tex=tex(r"\frac{M_1}{M_1 + M_2}"),
    reference=_KOREN,
)
def fcp(m: Measure) -> Array:
    """The share of pairs of test ratings that the predictions order as the user does; use it if only the order matters.

    M_1 and M_2 are the user's numbers of concordant and discordant pairs. Pooled over users (`micro`) they are the sums over users, as in
    the paper; with `ConcordantPairs(users=with_pairs)` and `DiscordantPairs(users=with_pairs)` they are means over the users with such a
    pair, as in Surprise, so that the two means may be over different users.

    Edge cases: a user without a pair of different ratings is left out. Equal predictions of different ratings are a discordant pair, so
    that constant predictions have the value 0.
    """
    concordant, discordant = (add(component) for component in m.components)  # a user who is left out of one of them has 0 of these pairs
    return divide_or_missing(concordant, concordant + discordant)


@table("label_pairs", uses=("judged_ratings",), columns=("item", "prediction", "relevant", "right"), title="The predicted test ratings")
def label_pairs(judged_ratings: Rows) -> Rows:
    """Return the predicted test ratings, and of each relevant one the user's irrelevant ones below it (`right`), equal ones half."""
    rows = judged_ratings.take(~is_missing(judged_ratings["prediction"]))
    order = in_order(rows.user, [(rows["prediction"], False)])
    user, prediction = rows.user[order], rows["prediction"][order]
    irrelevant = np.concatenate([[0], np.cumsum(rows["relevant"][order] <= 0)])  # of the rows before each
    first = _first_of_run(prediction, user)
    is_first = first == np.arange(len(first))
    ends = np.append(np.flatnonzero(is_first)[1:], len(first))[np.cumsum(is_first) - 1] if len(first) else first
    below = irrelevant[first] - irrelevant[starts_of(user, rows.n_users)[user]]
    right = np.empty(len(first), dtype=np.float64)
    right[order] = below + (irrelevant[ends] - irrelevant[first]) / 2.0
    return rows.with_columns(right=np.where(rows["relevant"] > 0, right, 0.0))


@metric(
    "LabelGAUC",
    uses=("label_pairs",),
    aliases=("ImpressionGAUC", "GroupedLabelAUC"),
    left_out="A user without both a relevant and an irrelevant predicted test row has no value (NaN) and is left out of the mean.",
    tex=(
        r"\frac{|P_u|\,a_u}{|P_u|} \\ a_u = \frac{1}{|P_u \cap T_u|\,|P_u \setminus T_u|} \sum_{i \in P_u \cap T_u} "
        r"\sum_{j \in P_u \setminus T_u} \bigl([\hat{y}_{u,i} > \hat{y}_{u,j}] + \tfrac{1}{2} [\hat{y}_{u,i} = \hat{y}_{u,j}]\bigr)"
    ),
    reference="Zhu et al., Optimized cost per click in Taobao display advertising, KDD 2017; Zhou et al., Deep interest network, KDD 2018",
)
def label_gauc(m: Measure) -> Ratio:
    """How often a user's clicked row has a higher prediction than a row without a click; use it for impressions with labels 0 and 1.

    The rows are those of one user in the test file that have a prediction. Pooled over users (`micro`), users are weighted by their number
    of rows, the impressions. LabelAUC compares rows of all users.

    Edge cases: a user whose rows are all relevant, or none of them, is left out, also of the weights.
    """
    rows = m.table("label_pairs")
    positive, every = rows.tally(rows["relevant"] > 0, "relevant"), rows.tally(rows["relevant"] >= 0, "rows")
    pairs = positive * (every - positive)
    weighted = where(pairs > 0, divide_or_missing(rows.sum(rows["right"], "below") * every, pairs), 0.0)
    return Ratio(weighted, where(pairs > 0, every, 0.0), None)
