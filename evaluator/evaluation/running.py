"""Compute the result of a config: each model in one pass over its lists with its checks, then the reference lists. Long: all its steps."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache, partial
from importlib import metadata
from itertools import takewhile
from pathlib import Path
from typing import Any
from uuid import uuid4

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import health, load
from ..comparison.best_models import with_conclusions
from ..comparison.comparison_options import ComparisonOptions
from ..config import Loaded
from ..config.contradictions import unwritable_table
from ..engines import Part, RowFile, SortedRuns, whole_users
from ..health import CheckTask, Context, SourceNames, Symptom, Tallies
from ..load.faults import FaultTally
from ..load.source import n_bytes
from ..results.catalogue_bounds import CatalogueBounds
from ..results.notes import chosen_text
from ..results.repeats import over_folds, over_runs, without_infinite
from ..results.result import Result
from ..results.row import Candidates, sentences_with_models
from ..scoring.by_group import group_remarks, reversals
from ..scoring.measuring import EnrichedRows
from ..scoring.partial import Partial
from ..scoring.task import tables_of
from ..scoring.tie_bounds import bounds, unbounded
from ..support import plugins
from ..support.errors import ConfigError
from ..support.extras import version_of
from ..support.secrets import hidden_in_outputs, show
from ..support.synonyms import takes, wrong_type
from ..tables.graph import closure
from ..tables.prepared import GroupBy
from ..tables.rows import LISTS
from .cautions import cautions, refuse_nothing_relevant, remarks_on_order
from .files import Files, lazy_rows, open_inputs
from .input_files import describe
from .model_pass import CHECKS, ENRICHED, LIST_HASH, RANKS, TIES, TRUTH, PassTask, measure_frames, measure_part, user_rows
from .models import (
    EvaluatedModel,
    ReferenceLists,
    definitions_of,
    file_order_remark,
    finish_model,
    measure_reference_lists,
    names_of_groups,
    user_writer,
)
from .plan import Options, Request
from .progress import ModelProgress, Progress, Report, silent


@takes()
def run(
    loaded: Loaded,
    report: Report = silent,
    *,
    keep_failures: bool = False,
    tolerant: bool = False,
    keep_users: bool = True,
    enriched: Path | None = None,
    describes: bool = False,
    complete: bool = True,
    most_values: int | None = None,
    concludes: bool = True,
    per_user_table: str | None = None,
    features: tuple[GroupBy, ...] = (),
    user_file: RowFile | None = None,
) -> Result:
    """Evaluate the models of a config and run its health checks; with `data.folds`, in each fold.

    With `keep_failures` the result has the offending rows of failed checks, with `keep_users` the per-user values (none for a model with
    more than `most_values`); with `concludes` it names the best of several models. If `enriched` is given, the lists of each model go with
    their hits into a Parquet file of this folder. If the run `describes` its files, which reads them once more, the result has their
    description. A `tolerant` run accepts all that can be read: an error by the policy becomes a finding. A `complete` result has standard
    deviations and the fingerprint of the test set. The workers of Spark write the per-user values into the
    catalog table `per_user_table`, if given. Per-user values also have the groups of `features`, by which results are not split; they go
    into the `user_file`, if given, while parts are measured.

    Raises `DataError` for a file that cannot be read or is wrong, `MissingExtraError` if the engine is not installed.
    """
    if not isinstance(loaded, Loaded):
        raise wrong_type("loaded", "the result of receval.load_config", loaded)
    if per_user_table is not None and (problem := "it has no column for folds" if loaded.folds else unwritable_table(loaded.config)):
        raise ConfigError(f"per_user_table: {problem}")
    keeps = (keep_failures, tolerant, keep_users, most_values, enriched, describes, complete)
    options = Options(report, *keeps, per_user_table, features, user_file)

    def evaluate(config: Loaded) -> Result:
        return over_runs(open_inputs(Request.for_run(config, options), _evaluate_and_check), config.config.data.runs)

    results = {name: evaluate(fold) for name, fold in loaded.of_folds().items()}
    result = without_infinite(over_folds(results, loaded.resolved()) if results else evaluate(loaded))
    return with_conclusions(result, ComparisonOptions.from_config(loaded.config.compare)) if concludes else result


class CheckedModel(Struct, frozen=True, eq=False):
    """The health checks of a model: their tallies, context, findings and remarks."""

    checks: CheckTask
    tallies: Tallies
    context: Context
    symptoms: Sequence[Symptom]
    remarks: Sequence[str] = ()


class ModelRun(Struct, frozen=True, eq=False):
    """A model after the pass over its lists: its values, checks, sampled candidates with their bounds, and file of enriched lists."""

    values: EvaluatedModel
    checked: CheckedModel | None = None
    candidates: Candidates | None = None
    bounds: CatalogueBounds | None = None
    enriched: Path | None = None


def evaluate_models(files: Files) -> list[ModelRun]:
    """Evaluate the models one after the other, each in one pass over its lists."""
    request, sources, models = files.request, files.inputs.models, list[ModelRun]()
    plan, options = request.plan, request.options
    measure = _measure_on_this_machine if files.reader.session is None else _measure_on_spark
    bounding = None
    if request.evaluation.candidates is not None:
        from .catalogue_bounds import Bounding  # only here: few runs have bounds

        bounding = Bounding(request.evaluation.candidates, len(sources))
    of_users = UserTable(files) if options.per_user_table is not None else None
    for name, source in sources.items():
        first, checks = not models, checks_of_model(files, name, first=not models)
        pass_task = PassTask(
            task=files.task,
            ties=plan.ties if "tie_bounds" in request.checks.wants else None,
            checks=checks,
            for_reference_lists=request.compares,
            enriched=plan.definitions[0] if options.enriched is not None else None,
            hashes_truth=first and options.complete,
            hashes_lists=any(rule.compares for rule in request.loaded.config.gates.rules),
            counts_ranks=bounding is not None,
        )
        progress = ModelProgress(options.report, name, source, len(models) + 1, len(sources))
        found = files.reader.read_with_retries(source, partial(measure, name, files, pass_task, progress))
        if first:
            refuse_nothing_relevant(files.inputs.test, plan.definitions, found)
        enriched = None if options.enriched is None else options.enriched / f"{uuid4().hex}.parquet"  # folds share the folder
        if enriched is not None:
            found.more[ENRICHED].write(enriched)
        values = finish_model(files, name, found, plan, files.task)
        bounded = None if bounding is None else bounding.bounds(values, found.more[RANKS])
        models.append(ModelRun(values, *_checked(files, checks, values, bounded), bounded, enriched))
        if of_users is not None:
            of_users.add(name)
    if of_users is not None:
        of_users.write()
    options.report(Progress("", len(sources), len(sources)))
    return models


def _measure_on_this_machine(
    name: str, files: Files, pass_task: PassTask, progress: ModelProgress, source: load.Source, tally: FaultTally
) -> Partial:
    """Measure parts of whole users and merge the results; unsorted lists use at most the memory that the config allows."""

    def examine(batch: pl.DataFrame) -> None:
        if tally.add(batch):
            raise load.ReadAgain(lambda read: replace(read, counted_first=True))

    progress.begin()
    lists, sides, measure = lazy_rows(source), files.sides_of(name), partial(measure_part, pass_task)
    parts = whole_users(
        lists,
        sides,
        last=files.last,
        memory=files.request.loaded.config.engine.bytes,
        scratch=files.scratch,
        examine=examine,
        progress=progress.add,
        apart=source.users_apart,
        few=n_bytes(source) <= 4 << 20,
    )
    total, runs, move_users = None, SortedRuns(files.scratch, ENRICHED), user_writer(name, files, sides)
    with closing(parts):
        for made in files.processes.measure(measure, parts):
            kept = move_users(_move_enriched_to_disk(made, runs))
            total = kept if total is None else total + kept
    if total is None:
        nobody = Part(pl.DataFrame(schema=lists.collect_schema()), {role: side.frame.clear() for role, side in sides.items()})
        total = _move_enriched_to_disk(measure(nobody), runs)
    return total.with_more({ENRICHED: runs})


def _measure_on_spark(
    name: str, files: Files, pass_task: PassTask, progress: ModelProgress, source: load.Source, tally: FaultTally
) -> Partial | None:
    """Measure on the workers, which read the other sources again with the options that worked; `None` if rows are faulty."""
    from ..engines.spark.shuffle import measure_on_spark, ship  # only here: most runs need no Spark

    assert files.reader.session is not None
    work = ship(files.reader.session, partial(measure_frames, pass_task))
    made, counts = measure_on_spark(files.reader.session, work, {LISTS: source, **_sides_on_spark(name, files)}, last=files.last)
    tally.counts = counts[LISTS]
    runs = SortedRuns(files.scratch, ENRICHED)
    return made and _move_enriched_to_disk(made, runs).with_more({ENRICHED: runs})


def _sides_on_spark(name: str, files: Files) -> dict[str, load.Source]:
    """Return the other sources of a model by role, as this process read them."""
    of_run = {role: files.inputs.source(role) for role in files.sides} | {"predictions": files.inputs.predictions.get(name)}
    return {role: files.reader.for_workers(side) for role, side in of_run.items() if side is not None}


class UserTable:
    """The per-user values of all models in a table of Spark's catalog; the workers compute them once more and write them themselves."""

    def __init__(self, files: Files) -> None:
        """Raise `OutputError` if there is another table of this name."""
        from ..engines.spark.catalog_tables import refuse_other_table  # only here: most runs need no Spark

        self._files, self._frames = files, list[Any]()
        assert files.reader.session is not None
        assert files.request.options.per_user_table is not None
        self._session, self._table = files.reader.session, files.request.options.per_user_table
        refuse_other_table(self._session, self._table)

    def add(self, name: str) -> None:
        """Add the rows of a model whose lists were read without faults."""
        from ..engines.spark.shuffle import rows_on_spark, ship

        files, plan = self._files, self._files.request.plan
        indexes = {definition.label: index for index, definition in enumerate(plan.definitions)}
        shown = {
            definition.label: indexes[definition.label]
            for definition in plan.shown
            if not definition.metric.per_model and definition.label in indexes
        }
        lists, kind = files.inputs.models[name], "bigint" if files.inputs.test.scan.kinds["user"] == "integer" else "string"
        task = replace(files.task, keeps_values=True, most_values=None, group_columns=())
        work = ship(self._session, partial(user_rows, PassTask(task), name, shown))
        sources = {LISTS: files.reader.as_read.get(lists.role, lists), **_sides_on_spark(name, files)}
        schema = f"model string, user {kind}, n_relevant bigint, n_recommended bigint, measure string, value double"
        self._frames.append(rows_on_spark(self._session, work, sources, files.last, schema))

    def write(self) -> None:
        """Write the rows of all models, in place of those of an earlier run; raise `OutputError` if Spark cannot."""
        from ..engines.spark.catalog_tables import write_table
        from ..engines.spark.tuning import input_bytes, settings_for_size

        with settings_for_size(self._session, input_bytes(self._files.inputs.all())):
            write_table(self._session, self._frames, self._table)


def _move_enriched_to_disk(made: Partial, runs: SortedRuns) -> Partial:
    """Write the enriched lists to temporary files and return the partial without them: memory holds those of one part at a time."""
    more = dict(made.more)
    enriched: EnrichedRows | None = more.pop(ENRICHED, None)
    for frame in enriched.frames if enriched is not None else ():
        runs.add(frame)
    return replace(made, more=more)


def _evaluate_and_check(files: Files) -> Result:
    """Evaluate the models and reference lists over open files, and run the checks; values may be infinite."""
    request, runs = files.request, evaluate_models(files)
    plan, options, checks, loaded = request.plan, request.options, request.checks, request.loaded
    references = measure_reference_lists(files, [run.values for run in runs]) if request.compares else ReferenceLists()
    checked = [run.checked for run in runs if run.checked is not None]
    symptoms, of_checks = _findings_of(files, checked, references)
    available = frozenset[str]().union(*(model.checks.available for model in checked))
    models = [references.with_shares(model) for model in (*(run.values for run in runs), *references.models.values())]
    rows = tuple(row for model in models for row in model.rows)
    show(model.name for model in models)
    per_user = _values_of_users(files, models, references)
    of_order = sentences_with_models((run.values.name, sentence) for run in runs if (sentence := file_order_remark(run.values)))
    hashes = {run.values.name: run.values.partial.more.get(LIST_HASH) for run in runs}
    description = None
    if options.describes:
        from .describing import describe_inputs  # only here: few runs describe their files

        description = describe_inputs(files.inputs, files.reader)
    return Result(
        rows=rows,
        counts={model.name: model.counts for model in models},
        higher_is_better={row.label: row.higher_is_better for row in rows},
        per_user=per_user,
        inputs=describe(files.inputs, files.reader.n_rows, files.fingerprints, loaded.folder, loaded.variables),
        config=loaded.resolved(),
        remarks=remarks(files, models, (*of_order, *of_checks)),
        versions=versions(request),
        yardsticks=tuple(references.models),
        findings=tuple(symptom.finding for symptom in symptoms),
        examined=bool(checks.on),
        unmade=health.skipped_checks(checks, available),
        failures=health.failing_rows(symptoms) if options.keep_failures else {},
        enriched={run.values.name: run.enriched for run in runs if run.enriched is not None},
        description=description,
        by_group=tuple(row for model in models for row in model.by_group),
        definitions=definitions_of(models),
        truths={"": runs[0].values.partial.more[TRUTH].fingerprint} if options.complete else {},
        user_groups=tuple(by.name for by in plan.group_columns) if options.keep_users else (),
        candidates={run.values.name: run.candidates for run in runs if run.candidates is not None},
        catalogue_bounds={run.values.name: run.bounds for run in runs if run.bounds is not None},
        list_hashes={name: hashes_of_model.fingerprint for name, hashes_of_model in hashes.items() if hashes_of_model is not None},
        cautions=tuple(cautions(files)),
        variables=hidden_in_outputs(loaded.variables),
    )


def _values_of_users(files: Files, models: Sequence[EvaluatedModel], references: ReferenceLists) -> Mapping[str, pl.DataFrame]:
    """Return the per-user values of all models that have some: those of the file for them, and those in memory."""
    plan, file, groups = files.request.plan, files.request.options.user_file, names_of_groups(files)
    in_memory = {
        model.name: model.per_user((*plan.shown, *plan.within), groups)
        for model in models
        if files.request.options.keep_users and model.finished.user_values is not None
    }
    if file is None:
        return in_memory
    for name in (name for name in references.models if name in in_memory):
        file.begin(name)
        file.add(in_memory[name])
    stored = file.users()
    if in_memory.keys() <= stored.keys():
        return stored
    return {model.name: either[model.name] for model in models if model.name in (either := in_memory | dict(stored.items()))}


def checks_of_model(files: Files, name: str, *, first: bool) -> CheckTask | None:
    """Return the checks of a model, for the first model also those of the files; `None` if there are none."""
    request, source = files.request, files.inputs.models[name]
    if not request.checks.on and not request.checks.sees_candidates:
        return None
    there = {
        "test": not files.inputs.test.may_be_empty,
        "train": "train" in files.sides,
        "catalogue": "train" in files.sides or files.inputs.source("items") is not None,
        "times": files.prepared.times is not None,
        "scores": "score" in source.columns,
        "ranks": "position" in source.columns and "shelf" not in source.columns,
        "cutoffs": bool(request.checks.cutoffs),
        "auc": any(map(health.over_whole_lists, request.plan.all)),
        "ips": any("ips_relevant" in definition.tables for definition in request.plan.all),
        "lists": bool(source.originals or source.given),
        "relevance": any(
            definition.population == "test" or "truth_table" in closure(tables_of(definition)) for definition in request.plan.all
        ),
        "gains": any(definition.truth.graded for definition in request.plan.all) and "rating" in files.inputs.test.columns,
    }
    available = frozenset(need for need, is_there in there.items() if is_there)
    return replace(request.checks, available=available, files=first, keeps_rows=request.options.keep_failures)


def _checked(
    files: Files, checks: CheckTask | None, model: EvaluatedModel, catalogue: CatalogueBounds | None
) -> tuple[CheckedModel | None, Candidates | None]:
    """Return the checks of a model, if any is on, and its sampled candidates, if its lists look like these."""
    if checks is None:
        return None, None
    tallies, context = model.partial.more[CHECKS], replace(_context(files, model), catalogue=catalogue)
    candidates = health.candidates_of(checks, tallies, context)
    return _check_findings(files, checks, tallies, context) if checks.on else None, candidates


def _check_findings(files: Files, checks: CheckTask, tallies: Tallies, context: Context) -> CheckedModel:
    """Return the findings of checks in a model and in the files; raise `DataError` for a finding that the policy refuses."""
    symptoms = health.findings(checks, tallies, context)
    if not files.request.options.tolerant:
        health.refuse(symptoms)
    timed = checks.files and files.prepared.times is not None
    return CheckedModel(checks, tallies, context, symptoms, health.time_remarks(replace(context, counts=tallies.counts)) if timed else ())


def _findings_of(files: Files, models: Sequence[CheckedModel], references: ReferenceLists) -> tuple[Sequence[Symptom], Sequence[str]]:
    """Return the findings of all models, also against reference lists, worst first, and the remarks.

    Raises `DataError` for a finding that the policy refuses.
    """
    found = [symptom for model in models for symptom in model.symptoms]
    remarks = [remark for model in models for remark in model.remarks] + ([references.remark] if references.remark else [])
    for model in models if files.request.compares else ():
        name = model.context.model
        beside = {"best": references.best[name], "baseline": references.popular[name], "popularity_rule": references.popularity_rule}
        beside["baseline_depth"] = references.popular_depth
        symptoms, said = health.comparisons(model.checks, model.tallies, replace(model.context, **beside))
        if not files.request.options.tolerant:
            health.refuse(symptoms)
        found += symptoms
        remarks += sentences_with_models((name, f"{remark}.") for remark in said)
    remarks += sentences_with_models(health.shifted_ids(files.inputs.models, [symptom.finding for symptom in found]))
    return health.in_order(found), remarks


def _context(files: Files, model: EvaluatedModel) -> Context:
    """Return the context of checks after all parts of a model are measured."""
    plan, inputs, sums = files.request.plan, files.inputs, model.partial.more.get(TIES)
    sources = {"lists": inputs.models[model.name], "test": inputs.test, "train": inputs.source("train"), "items": inputs.source("items")}
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
        rows_by_measure=model.finished.rows,
        sources={
            role: SourceNames(
                source.role,
                source.scan.names,
                {column: stores.get(kind, "text") for column, kind in source.stored.items()},
                len(source.scan.paths),
                partial(load.model_column, source) if role == "lists" else lambda: None,
                os.path.basename(source.name.rstrip("/")),
                source.setting or source.role,
                source.keys_of_ids,
            )
            for role, source in sources.items()
            if source is not None
        },
        faults=[fault for fault in faults if fault is not None],
        bounds={label: tie_bounds._asdict() for label, tie_bounds in tied.items()},
        unbounded=unbounded(plan.ties, sums, rows) if sums else {},
        shown=frozenset(definition.label for definition in plan.shown),
        twins=_twins(files, model.name) if "twins" in files.request.checks.wants else (),
    )


def _twins(files: Files, model: str) -> tuple[str, ...]:
    """Return the roles of sources with the same bytes as the lists of a model: test, train, and earlier models.

    Sources with different filters, and models that read different columns, are not the same.
    """
    inputs, own_source = files.inputs, files.inputs.models[model]
    lists = own_source.originals

    def is_twin(source: load.Source) -> bool:
        if source.scan.where != own_source.scan.where:
            return False
        if source.table == own_source.table and source.scan.columns != own_source.scan.columns:
            return False
        if not lists or [file.size for file in source.originals] != [file.size for file in lists]:  # then no byte is read
            return False
        return all(
            files.fingerprints.hash_and_size(original.path) == files.fingerprints.hash_and_size(own.path)
            for original, own in zip(source.originals, lists, strict=True)
        )

    before = (inputs.models[name] for name in takewhile(lambda name: name != model, inputs.models))
    return tuple(source.role for source in (inputs.test, inputs.source("train"), *before) if source is not None and is_twin(source))


def remarks(files: Files, models: Iterable[EvaluatedModel], of_checks: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the remarks on the files and the values."""
    plan, doubt, inputs = files.request.plan, files.request.loaded.doubt, files.inputs
    about_files = (*((doubt,) if doubt else ()), *load.remarks(inputs.all()), *remarks_on_order(inputs), *files.remarks)
    models = list(models)
    own = [model for model in models if model.name in inputs.models]
    of_orders = reversals([row for model in own for row in model.rows], [row for model in own for row in model.by_group])
    groups = (*group_remarks(files.task, len(plan.shown)), *of_orders)
    data = files.request.loaded.config.data
    named = (*(data.recommendations or data.predictions or ()),) if data.all_models else (*inputs.models,)
    chosen = (chosen_text(named, inputs.n_models),) if data.models is not None and len(named) < inputs.n_models else ()
    about_values = sentences_with_models((model.name, f"{remark}.") for model in models for remark in model.remarks)
    return (*chosen, *about_files, *groups, *of_checks, *plan.remarks(inputs.source("train") is not None), *about_values)


def versions(request: Request) -> dict[str, str]:
    """Return the versions of receval, Python, the packages that receval needs, those that metrics come from, and the engine."""
    modules = (definition.metric.define.__module__ for definition in request.plan.all)
    return _installed_versions(request.loaded.config.engine.name) | plugins.origins(modules)


@cache
def _installed_versions(engine: str) -> dict[str, str]:
    """Return the versions of installed packages, looked up once per process."""
    needed = (requirement for requirement in metadata.requires("receval") or () if "extra ==" not in requirement)
    names = [re.split(r"[^A-Za-z0-9._-]", requirement)[0] for requirement in needed]
    versions_found = {"receval": version_of("receval"), "python": platform.python_version()} | {name: version_of(name) for name in names}
    if engine not in versions_found:
        for name in (engine, f"py{engine}"):
            with suppress(metadata.PackageNotFoundError):
                versions_found[name] = version_of(name)
    return versions_found
