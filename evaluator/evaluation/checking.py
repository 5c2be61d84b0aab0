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
from ..measure.task import tables_of
from ..measure.tie_bounds import bounds, unbounded
from ..metrics.definition import Definition
from ..results.row import of_models
from ..tables.graph import closure
from .files import Files
from .measured import CHECKS, TIES
from .models import Evaluated
from .reference_lists import ReferenceLists

_RELEVANT = [2, 3, 6, 7]
"""The cells of users with a relevant item."""


class Examined(Struct, frozen=True, eq=False):
    """What the checks that are made of a model know of it and find, and what there is to say beside."""

    checks: CheckTask
    tallies: Tallies
    context: Context
    symptoms: Sequence[Symptom]
    remarks: Sequence[str] = ()


def checks_of_model(files: Files, name: str, *, first: bool) -> CheckTask | None:
    """The checks that are made of a model, those of the files with the first one; `None` if there are none."""
    request, source = files.request, files.inputs.models[name]
    if not request.checks.on:
        return None
    there = {
        "train": "train" in files.sides,
        "catalogue": "train" in files.sides or files.inputs.of("items") is not None,
        "times": files.prepared.times is not None,
        "scores": "score" in source.columns,
        "ranks": "position" in source.columns,
        "cutoffs": bool(request.checks.cutoffs),
        "auc": any(map(over_whole_lists, request.plan.all)),
        "lists": bool(source.originals or source.given),
        "gains": any(one.truth.graded for one in request.plan.all) and "rating" in files.inputs.test.columns,
    }
    available = frozenset(need for need, is_there in there.items() if is_there)
    return replace(request.checks, available=available, files=first, keeps_rows=request.options.keep_failures)


def examined(files: Files, checks: CheckTask, model: Evaluated) -> Examined:
    """What checks find in a model, and in the files; `DataError` for what the policy refuses."""
    tallies: Tallies = model.partial.more[CHECKS]
    context = _context(files, model)
    symptoms = findings(checks, tallies, context)
    if not files.request.options.tolerant:
        refuse(symptoms)
    timed = checks.files and files.prepared.times is not None
    return Examined(checks, tallies, context, symptoms, untimed(replace(context, counts=tallies.counts)) if timed else ())


def findings_of(files: Files, models: Sequence[Examined], references: ReferenceLists) -> tuple[Sequence[Symptom], Sequence[str]]:
    """What checks find in every model, and then beside reference lists, the worst first, and what there is to say beside.

    `DataError` for what the policy refuses.
    """
    found = [symptom for one in models for symptom in one.symptoms]
    remarks = [remark for one in models for remark in one.remarks] + ([references.remark] if references.remark else [])
    for model in models if files.request.compares else ():
        name = model.context.model
        beside = {"best": references.best[name], "baseline": references.popular[name], "popularity_rule": references.popularity_rule}
        symptoms, said = comparisons(model.checks, model.tallies, replace(model.context, **beside))
        if not files.request.options.tolerant:
            refuse(symptoms)
        found += symptoms
        remarks += of_models((name, f"{remark}.") for remark in said)
    return in_order(found), remarks


def _context(files: Files, model: Evaluated) -> Context:
    """What checks are given when all parts of a model are measured."""
    plan, inputs, sums = files.request.plan, files.inputs, model.partial.more.get(TIES)
    sources = {"lists": inputs.models[model.name], "test": inputs.test, "train": inputs.train, "items": inputs.of("items")}
    rows = dict(enumerate(model.finished.rows))
    of_models = {source.role: name for name, source in inputs.models.items()}
    roles = [role for role in files.reader.n_rows if of_models.get(role, model.name) == model.name]
    faults = (files.reader.faults(role, of_models.get(role, "")) for role in roles)
    tied = bounds(plan.ties, sums, model.partial.moments, rows, model.partial.ratios) if sums else {}
    stores = {"integer": "integers"}
    return Context(
        model=model.name,
        prepared=files.prepared,
        definitions=plan.definitions,
        measured=model.finished.rows,
        sources={
            role: SourceNames(one.role, one.scan.names, {column: stores.get(kind, "text") for column, kind in one.stored.items()})
            for role, one in sources.items()
            if one is not None
        },
        faults=[one for one in faults if one is not None],
        bounds={label: one._asdict() for label, one in tied.items()},
        unbounded=unbounded(plan.ties, sums, rows) if sums else {},
        shown=frozenset(definition.label for definition in plan.shown),
        twins=_twins(files, model.name) if "twins" in files.request.checks.wants else (),
    )


def _twins(files: Files, model: str) -> tuple[str, ...]:
    """The roles of sources with the same bytes as the lists of a model: the test and the train file, and models before it.

    Only files of the same sizes are compared.
    """

    def sizes(source: load.Source) -> tuple[int, ...]:
        return tuple(file.size for file in source.originals)

    def hashes(source: load.Source) -> tuple[str, ...]:
        return tuple(files.fingerprints.of(file.path) for file in source.originals)

    inputs = files.inputs
    own = inputs.models[model]
    before = (inputs.models[name] for name in takewhile(lambda name: name != model, inputs.models))
    alike = [one for one in (inputs.test, inputs.train, *before) if one is not None and own.originals and sizes(one) == sizes(own)]
    return tuple(one.role for one in alike if hashes(one) == hashes(own))


def remarks_on_files(files: Files) -> tuple[str, ...]:
    """How ids and lists were read."""
    unordered = [
        (model, "the file has no rank and no score that is recognised; the order of its rows is the rank.")
        for model, source in files.inputs.models.items()
        if not {"position", "score"} & source.columns and not source.scan.lists
    ]
    return (*load.remarks(files.inputs.all()), *of_models(unordered), *files.remarks)


def refuse_nothing_relevant(source: load.Source, definitions: Sequence[Definition], found: Partial) -> None:
    """`DataError` if no measure that looks at the test file has a value, because no user has a relevant item.

    A measure that counts such users 0, or that looks at ratings whether they are relevant or not, has one.
    """
    looking = [i for i, one in enumerate(definitions) if one.population in ("test", "tested") or "test_pairs" in closure(tables_of(one))]
    counting = [i for i in looking if (definitions[i].population, definitions[i].user_rules.no_relevant) == ("test", "drop")]
    if counting != looking or not looking or any(found.cells[i][_RELEVANT].sum() or found.valued[i].sum() for i in counting):
        return
    cells, choice = found.cells[looking[0]], definitions[looking[0]].truth
    least = f" of at least {choice.threshold:g}" if choice.threshold is not None else ""
    rules = {"above_zero": " above 0", "at_least_zero": " of at least 0", "at_least_one": " of at least 1"}
    wanted = least or rules.get(choice.rule, "")
    rating = f", that is, a rating{wanted}" if wanted and "rating" in source.columns else ""
    left_out = "" if choice.filter == "none" else "; test rows of users and items that train or the catalogue does not hold are left out"
    n_test = int(cells[4:].sum())
    who = f"none of {n_test:,} users has a" if n_test > 1 else "its only user has no"
    raise DataError(f"{source.role}: {who} relevant item{rating}{left_out}")
