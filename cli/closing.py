"""What a run of several models ends with. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import receval
from receval.comparison.beside_best import beside_best
from receval.comparison.comparing import compare
from receval.comparison.questions import Questions
from receval.errors import RecevalError
from receval.evaluation.gathering import Gathered, with_baseline_folder
from receval.results.conclusions import conclusions

MOST_VALUES = 30_000_000
"""How many values of users are kept, of all models together, to compare models at the end of a run: a quarter of a gigabyte."""
_MOST_SENTENCES = 2


def has_several(loaded: receval.Loaded) -> bool:
    """Whether a config may have several models."""
    given = loaded.config.data.recommendations
    return not isinstance(given, dict) or len(given) > 1


def most_values(loaded: receval.Loaded) -> int:
    """How many values are kept of each model."""
    given = loaded.config.data.recommendations
    return MOST_VALUES // max(1, len(given))


def closing(loaded: receval.Loaded, result: receval.Result) -> tuple[frozenset[tuple[str, str]], list[str]]:
    """The (model, measure) of best values and of those that cannot be told from them, and one or two sentences on how sure that is.

    With `compare.baseline` the sentences are about the models against it. Nothing where the values of users are too many to be kept.
    """
    questions = Questions.of(loaded.config.compare)
    beside = beside_best(result, questions)
    if beside is None:
        return frozenset(), []
    if questions.baseline is None:
        return beside.alike(), beside.sentences()
    try:
        results, asked = with_baseline_folder(Gathered({"this run": result}, loaded), questions)
        said = conclusions(compare(results, asked))
    except RecevalError as error:
        return beside.alike(), [f"Not compared with {questions.baseline}: {error}"]
    more = [f"receval compare says it of {len(said) - 1} more."] if len(said) > _MOST_SENTENCES else []
    return beside.alike(), [*said[: _MOST_SENTENCES - len(more)], *more]
