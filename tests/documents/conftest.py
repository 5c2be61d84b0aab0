"""Fixtures of contents: results, comparisons, and a TeX."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from receval.results.comparison import Comparison
from receval.stats.concluding import judge_family
from receval.stats.difference import VERDICTS, Settings, Subject
from receval.stats.two_models import compare_paired

from tests.papers import compiled, models, result
from tests.stats.compares import compare_wholes

__all__ = ["compiled", "models", "result"]
SETTINGS = Settings()


@pytest.fixture(scope="session")
def comparison():
    """Return a comparison with one measure per verdict, in the order of `VERDICTS`, a value of whole models, which has none; a group and a
    user who loses.
    """
    random = np.random.default_rng(0)
    base, noise = random.random(500), random.normal(0, 0.1, 500)
    values = {"better": base + 0.1, "worse": base - 0.1, "equivalent": base + 0.001, "identical": base, "inconclusive": base}
    values = {verdict: value if verdict == "identical" else value + noise - noise.mean() for verdict, value in values.items()}
    made = [
        compare_paired(Subject(f"M{place}@10", "main", "today"), base, values[verdict], SETTINGS, 0.05 if verdict == "equivalent" else None)
        for place, verdict in enumerate(VERDICTS)
    ]
    whole = compare_wholes(Subject("Coverage@10", "main", "today"), 0.1, 0.2, SETTINGS)
    group = compare_paired(Subject("M0@10", "main", "today", by="plan", group="free"), base[:50], values["better"][:50], SETTINGS)
    differences = judge_family([*made, whole], SETTINGS)
    measures = tuple(difference.subject.measure for difference in differences)
    return Comparison(
        base="main",
        models=("main", "today"),
        differences=differences,
        settings=SETTINGS,
        judged=measures,
        values={(difference.subject.measure, "main"): difference.base_value for difference in differences}
        | {(difference.subject.measure, "today"): difference.value for difference in differences},
        higher_is_better=dict.fromkeys(measures, True),
        by_group=judge_family([group], SETTINGS),
        losers={("today", "M1@10"): pl.DataFrame({"user": ["u7"], "base": [0.5], "model": [0.25], "difference": [-0.25]})},
    )
