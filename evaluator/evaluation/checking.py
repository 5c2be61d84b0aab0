"""Which checks are made of a request, and what its files have of that which checks need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import load
from ..health import CheckTask, Faults, SourceNames, over_whole_lists
from ..metrics.definition import Definition
from ..results.wording import of_models
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
        "auc": any(map(over_whole_lists, definitions)),
        "gains": graded and "rating" in inputs.test.columns,
    }
    return frozenset(need for need, is_there in there.items() if is_there)


def twins(name: str, inputs: Inputs, fingerprints: load.Fingerprints) -> tuple[str, ...]:
    """The roles of sources with the same bytes as the lists of a model: models before it, the test and the train file."""
    own = inputs.models[name]
    before = list(inputs.models.values())[: list(inputs.models).index(name)]
    others = [source for source in (inputs.test, inputs.train, *before) if source is not None]
    alike = [source for source in others if source.paths and _sizes(source) == _sizes(own)]
    return tuple(source.role for source in alike if _hashes(source, fingerprints) == _hashes(own, fingerprints))


def _sizes(source: load.Source) -> list[int]:
    return [path.stat().st_size if isinstance(path, Path) else path.size for path in source.paths]


def _hashes(source: load.Source, fingerprints: load.Fingerprints) -> list[str]:
    return [fingerprints.of(path) for path in source.paths]


def names_of(source: load.Source) -> SourceNames:
    """What a source and its columns are called in findings."""
    stored = {column: "integers" if kind == "integer" else "text" for column, kind in source.stored.items()}
    return SourceNames(source.role, source.scan.names, stored)


def faults_of(files: Files, model: str) -> list[Faults]:
    """Rows that were left out of the sources that are looked at with a model."""
    of_models = {source.role: name for name, source in files.inputs.models.items()}
    return [
        Faults(role, of_models.get(role, ""), passed.places, passed.n_faulty, passed.n_rows, files.reader.faulty_rows(passed.source))
        for role, passed in files.reader.passed_over.items()
        if of_models.get(role, model) == model
    ]


def remarks_on_files(files: Files) -> tuple[str, ...]:
    """How ids and lists were read."""
    unordered = [
        (model, "the file has no rank and no score that is recognised; the order of its rows is the rank.")
        for model, source in files.inputs.models.items()
        if not {"position", "score"} & source.columns and not source.scan.lists
    ]
    return (*load.remarks(files.inputs.all()), *of_models(unordered), *files.remarks)
