"""A config → its result: every model in one pass, then reference lists, then the result."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Final
from uuid import uuid4

import polars as pl
from msgspec import Struct

from .. import plugins
from ..comparison.best_models import with_conclusions
from ..comparison.questions import Questions
from ..config import Loaded
from ..extras import version_of
from ..health import CheckTask, failing_rows, unmade
from ..measure.by_group import group_remarks, groups_of
from ..metrics import Metric
from ..results.repeats import over_folds, over_runs, without_infinite
from ..results.result import Result
from ..results.row import of_models
from .checking import Examined, Findings, check_task_of, checks_of_model, examined, findings_of, refuse_nothing_relevant, remarks_on_files
from .files import Files, open_inputs
from .inputs import describe
from .job import Job, Options
from .measured import ENRICHED, TRUTH
from .models import Evaluated, definitions_of, evaluated
from .passes import measure_lists
from .plan import Plan
from .progress import ModelProgress, Progress, Report, silent
from .reference_lists import ReferenceLists, measure_reference_lists
from .request import Request

_PLAIN: Final = Options()


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
    results = {name: evaluate(Request.of(fold), options) for name, fold in loaded.of_folds().items()}
    result = without_infinite(over_folds(results, loaded.resolved()) if results else evaluate(Request.of(loaded), options))
    return with_conclusions(result, Questions.of(loaded.config.compare)) if concludes else result


def evaluate(request: Request, options: Options = _PLAIN) -> Result:
    """Evaluate the models of a request, whether its sources are files or frames; see `run`. Values may be infinite."""
    plan, checks = Plan.of(request.evaluation, request.compare, request.gates), check_task_of(request)
    looks = {"train", "catalogue", "times"} & checks.needs
    known = looks or request.evaluation.yardsticks.any
    result = open_inputs(
        request,
        plan,
        partial(_evaluated, request, plan, options, checks),
        more_needs=(*(("known",) if known else ()), *(("train",) if options.enriched or options.describes else ())),
        times="times" in checks.needs,
        tolerant=options.tolerant and "faulty_rows" in checks.wants,
        all_of_train=bool(looks),
    )
    return over_runs(result, request.runs)


class ModelRun(Struct, frozen=True, eq=False):
    """A model after the pass over its lists: its values, what checks find in it, and its file of enriched lists."""

    values: Evaluated
    examined: Examined | None = None
    enriched: Path | None = None


def _evaluated(request: Request, plan: Plan, options: Options, checks: CheckTask, files: Files) -> Result:
    job = Job.of(request, plan, options, files, checks)
    runs = evaluate_models(job)
    references = measure_reference_lists(job, [run.values for run in runs]) if job.compares else ReferenceLists()
    found = findings_of(job, [run.examined for run in runs if run.examined is not None], references)
    return _result(job, runs, references, found)


def evaluate_models(job: Job) -> list[ModelRun]:
    """Evaluate the models one after the other, each in one pass over its lists."""
    sources, report, models = job.files.inputs.models, job.options.report, []
    for number, (name, source) in enumerate(sources.items(), 1):
        models.append(_evaluate_model(job, name, ModelProgress(report, name, source, number, len(sources)), first=number == 1))
    report(Progress("", len(sources), len(sources)))
    return models


def _evaluate_model(job: Job, name: str, progress: ModelProgress, *, first: bool) -> ModelRun:
    checks = checks_of_model(job, job.files.inputs.models[name], first=first)
    found = measure_lists(name, job.files, job.pass_task(checks, first=first), job.request.engine.bytes, progress)
    if first:
        refuse_nothing_relevant(job.files.inputs.test, job.plan.definitions, found)
    enriched = None if job.options.enriched is None else job.options.enriched / f"{uuid4().hex}.parquet"  # folds share the folder
    if enriched is not None:
        found.more[ENRICHED].write(enriched)
    values = evaluated(job, name, found)
    return ModelRun(values, examined(job, checks, values) if checks is not None else None, enriched)


def _result(job: Job, runs: Sequence[ModelRun], references: ReferenceLists, found: Findings) -> Result:
    request, plan, files, options = job.request, job.plan, job.files, job.options
    models = [references.with_shares(model) for model in (*(run.values for run in runs), *references.models.values())]
    rows = tuple(row for model in models for row in model.rows)
    description = None
    if options.describes:
        from .describing import describe_inputs  # only here: few runs describe their files

        description = describe_inputs(files.inputs, files.reader)
    return Result(
        rows=rows,
        counts={model.name: model.counts for model in models},
        higher_is_better={row.label: row.higher_is_better for row in rows},
        per_user=_per_user(job, models),
        inputs=describe(files.inputs, files.reader.n_rows, files.fingerprints, request.folder, request.variables),
        config=request.description,
        remarks=remarks(job, models, found.remarks),
        versions=versions(request.engine.name, (definition.metric for definition in plan.all)),
        yardsticks=tuple(references.models),
        findings=tuple(symptom.finding for symptom in found.symptoms),
        examined=bool(job.checks.on),
        unmade=unmade(job.checks, found.available),
        failures=failing_rows(found.symptoms) if options.keep_failures else {},
        enriched={run.values.name: run.enriched for run in runs if run.enriched is not None},
        description=description,
        by_group=tuple(row for model in models for row in model.by_group),
        definitions=definitions_of(models),
        truths={"": runs[0].values.partial.more[TRUTH].fingerprint} if options.complete else {},
        user_groups=tuple(by.name for by in plan.group_columns) if options.keep_users else (),
    )


def _per_user(job: Job, models: Iterable[Evaluated]) -> dict[str, pl.DataFrame]:
    """The values of every user, by model, where they are kept."""
    groups = {number: (by, dict(groups_of(job.files.prepared, by))) for number, by in enumerate(job.plan.group_columns)}
    kept = (model for model in models if job.options.keep_users and model.finished.user_values is not None)
    return {model.name: model.per_user(job.plan.shown, groups) for model in kept}


def remarks(job: Job, models: Iterable[Evaluated], of_checks: Iterable[str] = ()) -> tuple[str, ...]:
    """What to know beside the values."""
    groups = group_remarks(job.task, len(job.plan.shown))
    about_files = (*remarks_on_files(job.files), *groups, *of_checks)
    about_values = of_models((model.name, f"{remark}.") for model in models for remark in model.remarks)
    return (*job.request.remarks, *about_files, *job.plan.remarks(job.files.inputs.train is not None), *about_values)


def versions(engine: str, metrics: Iterable[Metric] = ()) -> dict[str, str]:
    """The versions of receval, Python, the packages that receval needs, those that `metrics` come from, and that of the engine."""
    return _installed_versions(engine) | plugins.origins(metric.define.__module__ for metric in metrics)


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
