"""Folders of results, read back from Python."""

from __future__ import annotations

import os
from pathlib import Path

from ..disk.reading_back import load
from ..forks import refuse_lost_threads
from .evaluation_result import EvaluationResult


def load_results(folder: str | os.PathLike[str]) -> EvaluationResult:
    """Read the folder that `receval run -o FOLDER/` or `result.save` wrote; `DataError` if it is none, or not whole."""
    refuse_lost_threads()
    return EvaluationResult.of(load(Path(folder)))
