"""The checks of a run: which are made, what the files have of that which they need, and what they find in each model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..errors import DataError
from ..health import (
    CheckTask,
    Context,
    Faults,
    SourceNames,
    Symptom,
    Tallies,
    comparisons,
    findings,
    in_order,
    over_whole_lists,
    refuse,
    untimed,
)
from ..measure.partial import Partial
from ..measure.tie_bounds import bounds, unbounded
from ..metrics.definition import Definition
from ..results.row import of_models
from .files import Files
from .inputs import Inputs
from .job import Job
from .measured import CHECKS, TIES
from .models import Evaluated
from .plan import tables_of
from .reference_lists import ReferenceLists
from .request import Request

_RELEVANT = [2, 3, 6, 7]
"""The cells of users with a relevant item."""


class Examined(Struct, frozen=True, eq=False):
    """What the checks that are made of a model know of it and find, and what there is to say beside."""

    checks: CheckTask
    tallies: Tallies
    context: Context
    symptoms: Sequence[Symptom]
    remarks: Sequence[str] = ()


class Findings(Struct, frozen=True, eq=False):
    """What checks find in all models and files, the worst first, what there is to say beside, and the needs that any model met."""

    symptoms: Sequence[Symptom]
    remarks: Sequence[str]
    available: frozenset[str]


def check_task_of(request: Request) -> CheckTask:
    """The checks of a request, before any file is looked at."""
    cutoffs = [one.k for one in request.evaluation.computed if one.metric.cut]
    return CheckTask(
        settings=request.health,
        policy=request.evaluation.policy.refused,
        cutoffs=tuple(k for k in dict.fromkeys(cutoffs) if k is not None),
    )


def checks_of_model(job: Job, source: load.Source, *, first: bool) -> CheckTask | None:
    """The checks that are made of a model, those of the files with the first one; `None` if there are none."""
    if not job.checks.on:
        return None
    files = job.files
    there = {
        "train": "train" in files.sides,
        "catalogue": "train" in files.sides or files.inputs.items is not None,
        "times": files.prepared.times is not None,
        "scores": "score" in source.columns,
        "ranks": "position" in source.columns,
        "cutoffs": bool(job.checks.cutoffs),
        "auc": any(map(over_whole_lists, job.plan.all)),
        "lists": bool(source.originals or source.given),
        "gains": any(one.truth.graded for one in job.plan.all) and "rating" in files.inputs.test.columns,
    }
    available = frozenset(need for need, is_there in there.items() if is_there)
    return replace(job.checks, available=available, files=first, keeps_rows=job.options.keep_failures)


def examined(job: Job, checks: CheckTask, model: Evaluated) -> Examined:
    """What checks find in a model, and in the files; `DataError` for what the policy refuses."""
    tallies: Tallies = model.partial.more[CHECKS]
    context = _context(job, model)
    symptoms = _accepted(job, findings(checks, tallies, context))
    timed = checks.files and job.files.prepared.times is not None
    return Examined(checks, tallies, context, symptoms, untimed(replace(context, counts=tallies.counts)) if timed else ())


def findings_of(job: Job, models: Sequence[Examined], references: ReferenceLists) -> Findings:
    """What checks find in every model, and then beside reference lists; `DataError` for what the policy refuses."""
    beside = [_compared(job, model, references) for model in models] if job.compares else []
    said = (*(one.remarks for one in models), [references.remark] if references.remark else [], *(one.remarks for one in beside))
    return Findings(
        symptoms=in_order(symptom for one in (*models, *beside) for symptom in one.symptoms),
        remarks=[remark for each in said for remark in each],
        available=frozenset[str]().union(*(model.checks.available for model in models)),
    )


def _compared(job: Job, model: Examined, references: ReferenceLists) -> Examined:
    name = model.context.model
    beside = {"best": references.best[name], "baseline": references.popular[name], "popularity_rule": references.popularity_rule}
    symptoms, remarks = comparisons(model.checks, model.tallies, replace(model.context, **beside))
    return replace(model, symptoms=_accepted(job, symptoms), remarks=of_models((name, f"{remark}.") for remark in remarks))


def _accepted(job: Job, symptoms: Sequence[Symptom]) -> Sequence[Symptom]:
    if not job.options.tolerant:
        refuse(symptoms)
    return symptoms


def _context(job: Job, model: Evaluated) -> Context:
    """What checks are given when all parts of a model are measured."""
    inputs, ties, sums = job.files.inputs, job.plan.ties, model.partial.more.get(TIES)
    sources = {"lists": inputs.models[model.name], "test": inputs.test, "train": inputs.train, "items": inputs.items}
    rows = dict(enumerate(model.by_definition))
    tied = bounds(ties, sums, model.partial.moments, rows, model.partial.ratios) if sums else {}
    return Context(
        model=model.name,
        prepared=job.files.prepared,
        definitions=job.plan.definitions,
        measured=model.by_definition,
        sources={role: _names_of(one) for role, one in sources.items() if one is not None},
        faults=_faults_of(job.files, model.name),
        bounds={label: one._asdict() for label, one in tied.items()},
        unbounded=unbounded(ties, sums, rows) if sums else {},
        shown=frozenset(definition.label for definition in job.plan.shown),
        twins=_twins(inputs, job.files.fingerprints, model.name) if "twins" in job.checks.wants else (),
    )


def _twins(inputs: Inputs, fingerprints: load.Fingerprints, model: str) -> tuple[str, ...]:
    """The roles of sources with the same bytes as the lists of a model: the test and the train file, and models before it.

    Only files of the same sizes are compared.
    """
    own = inputs.models[model]
    before = (inputs.models[name] for name in takewhile(lambda name: name != model, inputs.models))
    alike = [one for one in (inputs.test, inputs.train, *before) if one is not None and own.originals and _sizes(one) == _sizes(own)]
    return tuple(one.role for one in alike if _hashes(one, fingerprints) == _hashes(own, fingerprints))


def _sizes(source: load.Source) -> tuple[int, ...]:
    return tuple(file.size for file in source.originals)


def _hashes(source: load.Source, fingerprints: load.Fingerprints) -> tuple[str, ...]:
    return tuple(fingerprints.of(file.path) for file in source.originals)


def _names_of(source: load.Source) -> SourceNames:
    """What a source and its columns are called in findings."""
    stored = {column: "integers" if kind == "integer" else "text" for column, kind in source.stored.items()}
    return SourceNames(source.role, source.scan.names, stored)


def _faults_of(files: Files, model: str) -> list[Faults]:
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
        (model, "the file has no recognised rank or score column; the row order is the rank.")
        for model, source in files.inputs.models.items()
        if not {"position", "score"} & source.columns and not source.scan.lists
    ]
    return (*load.remarks(files.inputs.all()), *of_models(unordered), *files.remarks)


def refuse_nothing_relevant(source: load.Source, definitions: Sequence[Definition], found: Partial) -> None:
    """`DataError` if no measure that looks at the test file has a value, because no user has a relevant item.

    A measure that counts such users 0, or that looks at ratings whether they are relevant or not, has one.
    """
    looking = [i for i, one in enumerate(definitions) if one.population in ("test", "tested") or "test_pairs" in tables_of(one)]
    counting = [i for i in looking if (definitions[i].population, definitions[i].user_rules.no_relevant) == ("test", "drop")]
    if counting != looking or not looking or any(found.cells[i][_RELEVANT].sum() or found.valued[i].sum() for i in counting):
        return
    cells, choice = found.cells[looking[0]], definitions[looking[0]].truth
    least = f" of at least {choice.threshold:g}" if choice.threshold is not None else ""
    rules = {"above_zero": " above 0", "at_least_zero": " of at least 0", "at_least_one": " of at least 1"}
    wanted = least or rules.get(choice.rule, "")
    rating = f", that is, a rating{wanted}" if wanted and "rating" in source.columns else ""
    left_out = "" if choice.filter == "none" else "; test rows of users and items that are not in train or the catalogue are left out"
    n_test = int(cells[4:].sum())
    who = f"none of {n_test:,} users has a" if n_test > 1 else "its only user has no"
    raise DataError(f"{source.role}: {who} relevant item{rating}{left_out}")
