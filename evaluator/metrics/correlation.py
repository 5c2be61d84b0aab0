"""Agreement between the scores of a list and the ratings of the test file."""

from __future__ import annotations

from ..support.lazy import np, pl
from ..tables.array import Array
from ..tables.graph import table
from ..tables.hits import TestRatings, scores_of
from ..tables.rows import Rows
from .arrays import divide_or_missing
from .measure import Measure
from .notation import tex
from .registry import metric


@table(
    "agreement",
    uses=("scored_pairs", "test_ratings"),
    params=("k", "method"),
    columns=("item", "score", "rating"),
    title="Listed items with a rating",
)
def agreement(scored_pairs: Rows, test_ratings: TestRatings, k: int, method: str) -> Rows:
    """Return `score` and `rating` of the rated items among the first `k` (0: all), or of pairs of them, as the method compares them.

    All have rank 1. `pearson`: minus their means; `spearman`: their ranks minus the mean rank; `kendall`: 1, -1 or 0 if the first item of a
    pair has the larger, the smaller or an equal value.
    """
    listed = scored_pairs.take(scored_pairs[scored_pairs.cut] <= k) if k else scored_pairs
    index, rating = test_ratings.pair_ratings(listed["pair"])
    rows = listed.take(index)
    values = {"score": scores_of(rows), "rating": rating}
    if method == "kendall":
        return _pairs(rows, values)
    if method == "spearman":
        values = {name: _mean_ranks(column, rows.user) for name, column in values.items()}
    values = {name: _less_mean(column, rows) for name, column in values.items()}
    return Rows(rows.n_users, rows.user, {"rank": np.ones(len(rows), dtype=np.int64), **values}, rows.item)


def _pairs(rows: Rows, values: dict[str, Array]) -> Rows:
    """Return the pairs of rows of each user, with the sign of the difference of each of `values`."""
    ends = rows.starts()[1:][rows.user]
    index = np.arange(len(rows))
    n_after = ends - index - 1
    first = np.repeat(index, n_after)
    second = np.arange(len(first)) - np.repeat(np.cumsum(n_after) - n_after, n_after) + first + 1
    signs = {name: np.where(v[first] > v[second], 1.0, np.where(v[first] < v[second], -1.0, 0.0)) for name, v in values.items()}
    item = None if rows.item is None else rows.item.gather(first)
    return Rows(rows.n_users, rows.user[first], {"rank": np.ones(len(first), dtype=np.int64), **signs}, item)


def _mean_ranks(values: Array, user: Array) -> Array:
    """Return the rank of each value among those of the user, smallest first; ties share their mean rank."""
    frame = pl.DataFrame({"user": user, "value": values})
    return frame.select(pl.col("value").rank("average").over("user")).to_series().to_numpy()


def _less_mean(values: Array, rows: Rows) -> Array:
    """Return `values` minus their mean over the user; 0 if all values of the user are equal."""
    least, most = np.full(rows.n_users, np.inf), np.full(rows.n_users, -np.inf)
    np.minimum.at(least, rows.user, values)
    np.maximum.at(most, rows.user, values)
    count = np.maximum(np.bincount(rows.user, minlength=rows.n_users), 1)
    mean = np.bincount(rows.user, values, rows.n_users) / count
    return np.where((least < most)[rows.user], values - mean[rows.user], 0.0)


_COMPARED = {
    "pearson": (r"(s_{u,i} - \bar{s})", r"(y_{u,i} - \bar{y})"),
    "spearman": (r"(\rho_{u,i} - \bar{\rho})", r"(\rho'_{u,i} - \bar{\rho})"),
    "kendall": (r"\mathrm{sgn}(s_{u,i} - s_{u,j})", r"\mathrm{sgn}(y_{u,i} - y_{u,j})"),
}


@metric(
    "Correlation",
    family="ranking",
    uses=("agreement",),
    one_cutoff=True,
    axes={"method": "correlation_method"},
    bounds=(-1.0, 1.0),
    needs=("ratings?",),
    population="tested",
    tex=tex(
        r"\frac{<of> <x>\,<y>}{\sqrt{<of> <x>^2 \cdot <of> <y>^2}}",
        of=lambda params: r"\sum_{i,j \in L_u \cap J_u}" if params["method"] == "kendall" else r"\sum_{i \in L_u \cap J_u}",
        x=lambda params: _COMPARED[str(params["method"])][0],
        y=lambda params: _COMPARED[str(params["method"])][1],
    ),
    reference="Kendall, The treatment of ties in ranking problems, Biometrika 33(3), 1945; as in ClayRS metrics/ranking_metrics.py",
)
def correlation(m: Measure) -> Array:
    """How well the scores of a list agree with the test ratings of its items; use it if scores are meant to predict ratings.

    The sums run over the listed items that have a score and a test rating (of `kendall`, tau-b: over pairs of them); the list is cut first.

    Edge cases: a user is left out with fewer than two such items, or if all scores or all ratings are equal. An item that is listed twice
    counts at its best rank.
    """
    rows = m.table("agreement", k=m.cutoff or 0, method=str(m.params["method"]))
    x, y = rows["score"], rows["rating"]
    total = rows.sum(x * y, "product", score=x, rating=y)
    most = np.sqrt(rows.sum(x * x, "score squared")) * np.sqrt(rows.sum(y * y, "rating squared"))
    return divide_or_missing(np.maximum(np.minimum(total, most), -most), most)
