"""How many of the listed items that are no hits score more than a hit, and how many score the same."""

from __future__ import annotations

import numpy as np

from ..tables import top_items  # noqa: F401, declares the table is_hit
from ..tables.array import Array, in_single_precision
from ..tables.graph import table
from ..tables.lists import Reading
from ..tables.rows import Rows


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
