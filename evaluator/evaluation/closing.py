"""What a run of several models ends with: a sentence or two on which model is best, and how sure that is."""

from __future__ import annotations

from ..comparison.comparing import compare
from ..comparison.questions import Questions
from ..config import Loaded
from ..errors import RecevalError
from ..results.closing import closing_sentences
from ..results.conclusions import conclusions
from ..results.result import Result
from .gathering import Gathered, with_baseline_folder

_MOST_SENTENCES = 2


def closing(result: Result, questions: Questions, config: Loaded | None = None) -> list[str]:
    """One or two sentences on which model of a result is best, by its conclusions; nothing without any.

    With a baseline, which may be a folder seen from that of the `config`, the sentences are about the models against it.
    """
    if not result.conclusions:
        return []
    if questions.baseline is None:
        return closing_sentences(result.conclusions)
    try:
        results, asked = with_baseline_folder(Gathered({"this run": result}, config), questions)
        said = conclusions(compare(results, asked))
    except RecevalError as error:
        return [f"Not compared with {questions.baseline}: {error}"]
    more = [f"receval compare says it of {len(said) - 1} more."] if len(said) > _MOST_SENTENCES else []
    return [*said[: _MOST_SENTENCES - len(more)], *more]
