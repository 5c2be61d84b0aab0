"""A result of two models."""

from __future__ import annotations

import pytest
import receval as library

MEASURE = "nDCG(gain=linear)@3"


@pytest.fixture(scope="package")
def evaluated() -> library.EvaluationResult:
    users = range(60)
    lists = {
        "old": {user: [9, user % 7] for user in users},
        "new.er": {user: [user % 7, 9] if user % 6 else [9, user % 7] for user in users},
    }
    test = {user: [user % 7] for user in users}
    return library.evaluate(test=test, recommendations=lists, metrics=[MEASURE, "nDCG@3", "HitRate@1"], health=False)
