"""How the scores of a list go with the ratings of the test file."""

from __future__ import annotations

import numpy as np

from ..tables.array import Array
from . import correlation_tables  # noqa: F401, declares the table
from .arrays import defined
from .measure import Measure
from .notation import tex
from .registry import metric

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
    """The correlation of scores and test ratings, over the listed items that have both; the list is cut first.

    Correlation@k = Σ x·y / √(Σ x² · Σ y²), x = score - mean score, y = rating - mean rating

    By `method`: `pearson`; `spearman`, x and y being ranks instead, of which equal values share the mean; `kendall`, the sum running over
    pairs of items and x and y being 1, 0 or -1 as the first has the higher, an equal, or the lower value (tau-b).

    Edge cases: a user with less than two such items, or whose scores or ratings are all equal, is left out. An item that is listed twice
    counts at its best place.
    """
    rows = m.table("agreement", k=m.cutoff or 0, method=str(m.params["method"]))
    x, y = rows["score"], rows["rating"]
    total = rows.sum(x * y, "product", score=x, rating=y)
    most = np.sqrt(rows.sum(x * x, "score squared")) * np.sqrt(rows.sum(y * y, "rating squared"))
    return defined(np.maximum(np.minimum(total, most), -most), most)
