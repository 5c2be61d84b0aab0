"""Which checks are made of a request, and what its files have of that which checks need."""

from __future__ import annotations

from collections.abc import Sequence

from .. import load
from ..health import CheckTask, SourceNames
from ..metrics.definition import Definition
from .files import Files
from .inputs import Inputs
from .request import Request


def check_task_of(request: Request) -> CheckTask:
    """The checks of a request, before any file is looked at."""
    cutoffs = [one.k for one in request.evaluation.computed if one.metric.cut]
    return CheckTask(
        settings=request.health,
        policy=request.evaluation.policy.refused,
        cutoffs=tuple(k for k in dict.fromkeys(cutoffs) if k is not None),
    )


def available_needs(files: Files, source: load.Source, definitions: Sequence[Definition], checks: CheckTask) -> frozenset[str]:
    """What the files of a model have of that which checks need."""
    inputs: Inputs = files.inputs
    graded = any(one.truth.graded for one in definitions)
    there = {
        "train": "train" in files.sides,
        "catalogue": "train" in files.sides or inputs.items is not None,
        "times": files.prepared.times is not None,
        "scores": "score" in source.columns,
        "ranks": "position" in source.columns,
        "cutoffs": bool(checks.cutoffs),
        "gains": graded and "rating" in inputs.test.columns,
    }
    return frozenset(need for need, is_there in there.items() if is_there)


def names_of(source: load.Source) -> SourceNames:
    """What a source and its columns are called in findings."""
    stored = {column: "integers" if kind == "integer" else "text" for column, kind in source.stored.items()}
    return SourceNames(source.role, source.scan.names, stored)
