"""What a run of several models ends with. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import receval
from receval.comparison.best_models import with_conclusions as concluded
from receval.comparison.questions import Questions
from receval.evaluation.closing import closing as of_result

_CONCLUDING = frozenset({"json", "md", "latex", "latex-document", "html"})
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


def concludes(loaded: receval.Loaded, forms: Iterable[str | None], folders: Sequence[Path], *, quiet: bool) -> bool:
    """Whether a run of several models says which is best: in a folder, in a form that marks or has it, or on the screen."""
    wanted = set(forms)
    return has_several(loaded) and (bool(folders) or not _CONCLUDING.isdisjoint(wanted) or (None in wanted and not quiet))


def with_conclusions(loaded: receval.Loaded, result: receval.Result) -> receval.Result:
    """The result with what is concluded of its models."""
    return concluded(result, Questions.of(loaded.config.compare))


def closing(loaded: receval.Loaded, result: receval.Result) -> list[str]:
    """One or two sentences on which model is best."""
    return of_result(result, Questions.of(loaded.config.compare), loaded)
