"""What a result of several models ends with: which values cannot be told from the best ones, and a sentence or two on how sure that is."""

from __future__ import annotations

from ..comparison.beside_best import beside_best
from ..comparison.comparing import compare
from ..comparison.questions import Questions
from ..config import Loaded
from ..errors import RecevalError
from ..results.conclusions import conclusions
from ..results.result import Result
from .gathering import Gathered, with_baseline_folder

_MOST_SENTENCES = 2


def closing(result: Result, questions: Questions, config: Loaded | None = None) -> tuple[frozenset[tuple[str, str]], list[str]]:
    """The (model, measure) of best values and of those that cannot be told from them, and one or two sentences on how sure that is.

    With a baseline, which may be a folder seen from that of the `config`, the sentences are about the models against it. Nothing where the
    values of users are too many to be kept.
    """
    beside = beside_best(result, questions)
    if beside is None:
        return frozenset(), []
    if questions.baseline is None:
        return beside.alike(), beside.sentences()
    try:
        results, asked = with_baseline_folder(Gathered({"this run": result}, config), questions)
        said = conclusions(compare(results, asked))
    except RecevalError as error:
        return beside.alike(), [f"Not compared with {questions.baseline}: {error}"]
    more = [f"receval compare says it of {len(said) - 1} more."] if len(said) > _MOST_SENTENCES else []
    return beside.alike(), [*said[: _MOST_SENTENCES - len(more)], *more]
