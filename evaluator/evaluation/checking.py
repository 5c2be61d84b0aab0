"""Which checks are made of a request, and what its files have of that which checks need."""

from __future__ import annotations

from collections.abc import Sequence

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
        "lists": bool(source.originals or source.given),
        "gains": graded and "rating" in inputs.test.columns,
    }
    return frozenset(need for need, is_there in there.items() if is_there)


def twins(inputs: Inputs, fingerprints: load.Fingerprints) -> dict[str, tuple[str, ...]]:
    """Of each model the roles of sources with the same bytes as its lists: the test and the train file, and models before it.

    Only files of the same sizes are read for it.
    """
    sources = [source for source in (inputs.test, inputs.train) if source is not None and source.originals]
    by_size: dict[tuple[int, ...], list[tuple[str | None, load.Source]]] = {}
    models = ((name, source) for name, source in inputs.models.items() if source.originals)
    for name, source in [*((None, source) for source in sources), *models]:
        by_size.setdefault(_sizes(source), []).append((name, source))
    found: dict[str, tuple[str, ...]] = {}
    for alike in by_size.values():
        by_bytes: dict[tuple[str, ...], tuple[str, ...]] = {}
        for name, source in alike if len(alike) > 1 else ():
            before = by_bytes.get(hashes := _hashes(source, fingerprints), ())
            by_bytes[hashes] = (*before, source.role)
            if name is not None and before:
                found[name] = before
    return found


def _sizes(source: load.Source) -> tuple[int, ...]:
    return tuple(file.size for file in source.originals)


def _hashes(source: load.Source, fingerprints: load.Fingerprints) -> tuple[str, ...]:
    return tuple(fingerprints.of(file.path) for file in source.originals)


def names_of(source: load.Source) -> SourceNames:
    """What a source and its columns are called in findings."""
    stored = {column: "integers" if kind == "integer" else "text" for column, kind in source.stored.items()}
    return SourceNames(source.role, source.scan.names, stored)


def faults_of(files: Files, model: str) -> list[Faults]:
    """Rows that were left out of the sources that are looked at with a model."""
    if not files.reader.passed_over:
        return []
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
