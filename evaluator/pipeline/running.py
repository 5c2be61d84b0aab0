"""A config → its result."""

from __future__ import annotations

from ..config import Loaded
from ..result import Result
from .evaluation import Progress, evaluated
from .plan import Plan


def run(loaded: Loaded, progress: Progress | None = None, *, keep_failures: bool = False, tolerant: bool = False) -> Result:
    """Evaluate the models of a config, and make its health checks.

    With `keep_failures` the result has the offending rows of the checks that failed. A `tolerant` run refuses nothing that can be read:
    what the policy calls an error is a finding. Raises `DataError` if a file cannot be read or its content is wrong, and
    `MissingExtraError` if the engine is not there.
    """
    evaluation = loaded.config.evaluation
    plan = Plan(evaluation.definitions, evaluation.aggregates, evaluation.composites)
    with evaluated(loaded, plan, progress, examined=True, tolerant=tolerant) as found:
        return found.result(keep_failures)
