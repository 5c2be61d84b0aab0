"""What is kept of an evaluation, and what is said at its end."""

from __future__ import annotations

from typing import Final

from ..comparison.questions import Questions
from ..config import Loaded
from ..errors import RecevalError
from ..evaluation.running import run
from ..results.comparison import closing_sentences
from ..results.result import Result

MOST_VALUES: Final = 30_000_000
"""How many values of users are kept, of all models together, to compare models at the end of a run: a quarter of a gigabyte."""
_MOST_SENTENCES: Final = 2


def check(loaded: Loaded, *, keep_failures: bool = False) -> Result:
    """Make the health checks of a config, on all files that can be read."""
    return run(loaded, tolerant=True, keep_users=False, keep_failures=keep_failures)


def has_several(loaded: Loaded) -> bool:
    """Return whether a config may have several models."""
    given = loaded.config.data.recommendations
    return not isinstance(given, dict) or len(given) > 1


def most_values(loaded: Loaded) -> int:
    """How many values are kept of each model, where they are only for the conclusions."""
    return MOST_VALUES // max(1, len(loaded.config.data.recommendations))


def closing(result: Result, questions: Questions, config: Loaded | None = None) -> list[str]:
    """One or two sentences on which model of a result is best, by its conclusions; nothing without any.

    With a baseline, which may be a folder seen from that of the `config`, the sentences are about the models against it.
    """
    if not result.conclusions:
        return []
    if questions.baseline is None:
        return closing_sentences(result.conclusions)
    from ..comparison.comparing import compare  # only here: few runs name a baseline to compare with
    from ..results.comparison import conclusions
    from .gather import Gathered, with_baseline_folder

    try:
        results, asked = with_baseline_folder(Gathered({"this run": result}, config), questions)
        said = conclusions(compare(results, asked))
    except RecevalError as error:
        return [f"Not compared with {questions.baseline}: {error}"]
    more = [f"receval compare says it of {len(said) - 1} more."] if len(said) > _MOST_SENTENCES else []
    return [*said[: _MOST_SENTENCES - len(more)], *more]
