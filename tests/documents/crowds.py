"""Results built from rows: many models and measures, without files."""

from __future__ import annotations

import random
from collections.abc import Sequence

from receval import Result
from receval.metrics import find
from receval.results.result import Counts, Row

METRICS = ("Precision", "Recall", "nDCG", "MAP", "MRR", "HitRate", "Hits", "EPC", "ILD", "Gini")
CUTOFFS = (5, 10, 20, 100)


def result_of(rows: Sequence[Row], users: int = 1234) -> Result:
    """Return a result with these rows."""
    models = dict.fromkeys(row.model for row in rows)
    counts = {model: Counts(users, users, users, users) for model in models}
    better = {row.label: row.higher_is_better for row in rows}
    return Result(tuple(rows), counts, better, {}, (), {}, (), {})


def crowd(n_models: int = 30, metrics: Sequence[str] = METRICS, cutoffs: Sequence[int] = CUTOFFS) -> Result:
    """Return a result of models with names of all lengths; by default thirty models and forty measures."""
    draw = random.Random(7)
    rows = []
    for number in range(n_models):
        model = f"als_factors{2 ** (number % 8)}_reg{draw.choice(('0.1', '1e-3'))}{'_with_side_information' * (number % 5 == 0)}_{number}"
        for metric in metrics:
            for k in cutoffs:
                value = draw.random() ** 3 * (k if metric == "Hits" else 0.4)
                better = metric != "Gini"
                rows.append(Row(model, find(metric).name, k, "mean", value, 1234, better))
    return result_of(rows)
