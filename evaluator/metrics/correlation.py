"""How the scores of a list go with the ratings of the test file."""

from __future__ import annotations

import narwhals as nw

from .measure import Measure, defined
from .registry import metric


@metric(
    "Correlation",
    family="ranking",
    axes={"method": "correlation_method"},
    bounds=(-1.0, 1.0),
    needs=("ratings?",),
    population="tested",
    reference="Kendall, The treatment of ties in ranking problems, Biometrika 33(3), 1945; as in ClayRS metrics/ranking_metrics.py",
)
def correlation(m: Measure) -> nw.Expr:
    """The correlation of scores and test ratings, over the listed items that have both; the list is cut first.

    Correlation@k = Σ x·y / √(Σ x² · Σ y²), x = score - mean score, y = rating - mean rating

    By `method`: `pearson`; `spearman`, x and y being ranks instead, of which equal values share the mean; `kendall`, the sum running over
    pairs of items and x and y being 1, 0 or -1 as the first has the higher, an equal, or the lower value (tau-b).

    Edge cases: a user with less than two such items, or whose scores or ratings are all equal, is left out. An item that is listed twice
    counts at its best place.
    """
    duplicates, left_out = m.view.kept
    method = str(m.params["method"])
    table = m.table("agreement", k=m.k or 0, method=method, duplicates=duplicates, filter=left_out)
    x, y = nw.col("score"), nw.col("rating")
    total = table.sum(x * y, "product", score=x, rating=y)
    most = table.sum(x * x, "score squared").sqrt() * table.sum(y * y, "rating squared").sqrt()
    return defined(nw.max_horizontal(nw.min_horizontal(total, most), 0.0 - most), most)
