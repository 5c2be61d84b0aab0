"""A config → its result."""

from __future__ import annotations

from ..config import Loaded
from ..result import Result
from .evaluation import Progress, evaluated
from .plan import Plan


def run(loaded: Loaded, progress: Progress | None = None) -> Result:
    """Evaluate the models of a config.

    Raises `DataError` if a file cannot be read or its content is wrong, and `MissingExtraError` if the engine is not there.
    """
    evaluation = loaded.config.evaluation
    with evaluated(loaded, Plan(evaluation.definitions, evaluation.aggregates, evaluation.composites), progress) as found:
        return found.result()
