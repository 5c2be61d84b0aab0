"""A config → its result: every model in one pass over its lists, then reference lists, then the result."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from uuid import uuid4

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load, plugins
from ..comparison.best_models import with_conclusions
from ..comparison.questions import Questions
from ..config import Loaded
from ..extras import version_of
from ..health import failing_rows, unmade
from ..load.tally import FaultTally
from ..measure.by_group import group_remarks, groups_of
from ..measure.measuring import EnrichedRows
from ..measure.partial import Partial
from ..parts import Part, SortedRuns, whole_users
from ..parts.resources import side_by_side
from ..results.repeats import over_folds, over_runs, without_infinite
from ..results.result import Result
from ..results.row import of_models
from ..tables.rows import LISTS
from .checking import Examined, checks_of_model, examined, findings_of, refuse_nothing_relevant, remarks_on_files
from .files import Files, lazy_rows, open_inputs
from .inputs import describe
from .measured import ENRICHED, TRUTH, PassTask, measure_frames, measure_part
from .models import Evaluated, definitions_of, evaluated
from .plan import Options, Request
from .progress import ModelProgress, Progress, Report, silent
from .reference_lists import ReferenceLists, measure_reference_lists


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
) -> Result:
    """Evaluate the models of a config, and make its health checks; with `data.folds` in each fold.

    With `keep_failures` the result has the offending rows of the checks that failed, with `keep_users` the values of every user (of a
    model with more than `most_values` none); of several models it then `concludes` which is best. The lists of each model go with their
    hits into a Parquet file of the folder `enriched`, if one is given. If the run `describes` its files, which reads them once more, the
    result has their description. A `tolerant` run refuses nothing that can be read: what the policy calls an error is a finding. A
    `complete` result has standard deviations and the fingerprint of the test set. `DataError` for a file that cannot be read or is
    wrong, `MissingExtraError` without the engine.
    """
    options = Options(report, keep_failures, tolerant, keep_users, most_values, enriched, describes, complete)

    def evaluate(one: Loaded) -> Result:
        return over_runs(open_inputs(Request.of_run(one, options), _evaluate_and_check), one.config.data.runs)

    results = {name: evaluate(fold) for name, fold in loaded.of_folds().items()}
    result = without_infinite(over_folds(results, loaded.resolved()) if results else evaluate(loaded))
    return with_conclusions(result, Questions.of(loaded.config.compare)) if concludes else result


class ModelRun(Struct, frozen=True, eq=False):
    """A model after the pass over its lists: its values, what checks find in it, and its file of enriched lists."""

    values: Evaluated
    examined: Examined | None = None
    enriched: Path | None = None


def evaluate_models(files: Files) -> list[ModelRun]:
    """Evaluate the models one after the other, each in one pass over its lists."""
    sources, report, models = files.inputs.models, files.request.options.report, []
    for number, (name, source) in enumerate(sources.items(), 1):
        models.append(_evaluate_model(files, name, ModelProgress(report, name, source, number, len(sources)), first=number == 1))
    report(Progress("", len(sources), len(sources)))
    return models


def _evaluate_model(files: Files, name: str, progress: ModelProgress, *, first: bool) -> ModelRun:
    request, checks = files.request, checks_of_model(files, name, first=first)
    plan, options = request.plan, request.options
    pass_task = PassTask(
        task=files.task,
        ties=plan.ties if "tie_bounds" in request.checks.wants else None,
        checks=checks,
        for_yardsticks=request.compares,
        enriched=plan.definitions[0] if options.enriched is not None else None,
        hashes_truth=first and options.complete,
    )
    measure = _measure_on_this_machine if files.reader.session is None else _measure_on_spark
    found = files.reader.read_with_retries(files.inputs.models[name], partial(measure, name, files, pass_task, progress))
    if first:
        refuse_nothing_relevant(files.inputs.test, plan.definitions, found)
    enriched = None if options.enriched is None else options.enriched / f"{uuid4().hex}.parquet"  # folds share the folder
    if enriched is not None:
        found.more[ENRICHED].write(enriched)
    values = evaluated(files, name, found, plan, files.task)
    return ModelRun(values, examined(files, checks, values) if checks is not None else None, enriched)


def _measure_on_this_machine(
    name: str, files: Files, pass_task: PassTask, progress: ModelProgress, source: load.Source, tally: FaultTally
) -> Partial:
    """Measure parts of whole users, and merge what was made of them; lists in no order take as much memory as the config says."""

    def examine(batch: pl.DataFrame) -> None:
        if tally.add(batch):
            raise load.ReadAgain(load.Source.with_count_first)

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
    )
    total, runs = None, SortedRuns(files.scratch, ENRICHED)
    for made in side_by_side(measure, parts):
        kept = _move_enriched_to_disk(made, runs)
        total = kept if total is None else total + kept
    if total is None:
        nobody = Part(pl.DataFrame(schema=lists.collect_schema()), {role: side.frame.clear() for role, side in sides.items()})
        total = _move_enriched_to_disk(measure(nobody), runs)
    return total.with_more({ENRICHED: runs})


def _measure_on_spark(
    name: str, files: Files, pass_task: PassTask, progress: ModelProgress, source: load.Source, tally: FaultTally
) -> Partial | None:
    """Measure on the workers, where the sources beside the lists are read again in the way that proved right; `None` if rows are faulty."""
    from ..parts.spark.shuffle import measured_on_spark, ship  # only here: most runs need no Spark

    assert files.reader.session is not None
    of_run = {role: files.inputs.of(role) for role in files.sides} | {"predictions": files.inputs.predictions.get(name)}
    sides = {role: files.reader.as_read.get(side.role, side) for role, side in of_run.items() if side is not None}
    work = ship(files.reader.session, partial(measure_frames, pass_task))
    made, counts = measured_on_spark(files.reader.session, work, {LISTS: source, **sides}, last=files.last)
    tally.counts = counts[LISTS]
    runs = SortedRuns(files.scratch, ENRICHED)
    return made and _move_enriched_to_disk(made, runs).with_more({ENRICHED: runs})


def _move_enriched_to_disk(made: Partial, runs: SortedRuns) -> Partial:
    """The same without the enriched lists, which go to temporary files: memory holds those of one part at a time."""
    more = dict(made.more)
    enriched: EnrichedRows | None = more.pop(ENRICHED, None)
    for frame in enriched.frames if enriched is not None else ():
        runs.add(frame)
    return replace(made, more=more)


def _evaluate_and_check(files: Files) -> Result:
    """Evaluate the models and reference lists over open files, and make the checks; values may be infinite."""
    request, runs = files.request, evaluate_models(files)
    plan, options, checks, loaded = request.plan, request.options, request.checks, request.loaded
    references = measure_reference_lists(files, [run.values for run in runs]) if request.compares else ReferenceLists()
    checked = [run.examined for run in runs if run.examined is not None]
    symptoms, of_checks = findings_of(files, checked, references)
    available = frozenset[str]().union(*(model.checks.available for model in checked))
    models = [references.with_shares(model) for model in (*(run.values for run in runs), *references.models.values())]
    rows = tuple(row for model in models for row in model.rows)
    groups = {number: (by, dict(groups_of(files.prepared, by))) for number, by in enumerate(plan.group_columns)}
    kept = (model for model in models if options.keep_users and model.finished.user_values is not None)
    description = None
    if options.describes:
        from .describing import describe_inputs  # only here: few runs describe their files

        description = describe_inputs(files.inputs, files.reader)
    return Result(
        rows=rows,
        counts={model.name: model.counts for model in models},
        higher_is_better={row.label: row.higher_is_better for row in rows},
        per_user={model.name: model.per_user(plan.shown, groups) for model in kept},
        inputs=describe(files.inputs, files.reader.n_rows, files.fingerprints, loaded.folder, loaded.variables),
        config=loaded.resolved(),
        remarks=remarks(files, models, of_checks),
        versions=versions(request),
        yardsticks=tuple(references.models),
        findings=tuple(symptom.finding for symptom in symptoms),
        examined=bool(checks.on),
        unmade=unmade(checks, available),
        failures=failing_rows(symptoms) if options.keep_failures else {},
        enriched={run.values.name: run.enriched for run in runs if run.enriched is not None},
        description=description,
        by_group=tuple(row for model in models for row in model.by_group),
        definitions=definitions_of(models),
        truths={"": runs[0].values.partial.more[TRUTH].fingerprint} if options.complete else {},
        user_groups=tuple(by.name for by in plan.group_columns) if options.keep_users else (),
    )


def remarks(files: Files, models: Iterable[Evaluated], of_checks: Iterable[str] = ()) -> tuple[str, ...]:
    """What to know beside the values."""
    plan, doubt = files.request.plan, files.request.loaded.doubt
    groups = group_remarks(files.task, len(plan.shown))
    about_values = of_models((model.name, f"{remark}.") for model in models for remark in model.remarks)
    about_plan = plan.remarks(files.inputs.train is not None)
    return (*((doubt,) if doubt else ()), *remarks_on_files(files), *groups, *of_checks, *about_plan, *about_values)


def versions(request: Request) -> dict[str, str]:
    """The versions of receval, Python, the packages that receval needs, those that metrics come from, and that of the engine."""
    modules = (definition.metric.define.__module__ for definition in request.plan.all)
    return _installed_versions(request.loaded.config.engine.name) | plugins.origins(modules)


@cache
def _installed_versions(engine: str) -> dict[str, str]:
    """The versions of what is installed, looked up once in a process."""
    versions_found = {"receval": version_of("receval"), "python": platform.python_version()}
    for requirement in metadata.requires("receval") or ():
        if "extra ==" not in requirement:
            name = re.split(r"[^A-Za-z0-9._-]", requirement)[0]
            versions_found[name] = version_of(name)
    if engine not in versions_found:
        for name in (engine, f"py{engine}"):
            with suppress(metadata.PackageNotFoundError):
                versions_found[name] = version_of(name)
    return versions_found
