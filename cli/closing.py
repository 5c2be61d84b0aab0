"""What a run of several models ends with. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import receval
from receval.comparison.questions import Questions
from receval.evaluation.closing import closing as of_result

MOST_VALUES = 30_000_000
"""How many values of users are kept, of all models together, to compare models at the end of a run: a quarter of a gigabyte."""


def has_several(loaded: receval.Loaded) -> bool:
    """Whether a config may have several models."""
    given = loaded.config.data.recommendations
    return not isinstance(given, dict) or len(given) > 1


def most_values(loaded: receval.Loaded) -> int:
    """How many values are kept of each model."""
    given = loaded.config.data.recommendations
    return MOST_VALUES // max(1, len(given))


def closing(loaded: receval.Loaded, result: receval.Result) -> tuple[frozenset[tuple[str, str]], list[str]]:
    """The (model, measure) of the best values and of those that cannot be told from them, and one or two sentences."""
    return of_result(result, Questions.of(loaded.config.compare), loaded)
