"""What is predicted for every test rating."""

from __future__ import annotations

import numpy as np

from ..tables.graph import table
from ..tables.part import PartData
from ..tables.rows import Rows
from ..tables.test_ratings import TestRatings, scores_of
from ..tables.truth import TestPairs, TruthTable


@table(
    "ratings",
    uses=("part", "test_pairs", "test_ratings", "truth_table", "scored_pairs"),
    columns=("item", "rating", "prediction", "relevant"),
    title="The test ratings",
)
def ratings(part: PartData, test_pairs: TestPairs, test_ratings: TestRatings, truth_table: TruthTable, scored_pairs: Rows) -> Rows:
    """Every test rating (that of each row where every row counts), all of rank 1: `rating`, `prediction` (NaN without one), `relevant`.

    Of several predictions of a pair the highest counts; where there are no predictions they are the scores of the lists.
    """
    prediction = np.full(len(test_pairs), np.nan)
    if "predictions" in part:
        row, pair = test_pairs.lookup.find(part.pairs["predictions"])
        np.fmax.at(prediction, pair, part.rows("predictions").column("prediction").astype(np.float64)[row])
    else:
        prediction[scored_pairs["pair"]] = scores_of(scored_pairs)
    pair = test_ratings.pair
    columns = {
        "rank": np.ones(len(pair), dtype=np.int64),
        "rating": test_ratings.rating,
        "prediction": prediction[pair],
        "relevant": truth_table.relevant[pair],
    }
    return Rows(part.n_users, test_pairs.user[pair], columns, test_pairs.item.gather(pair))
