"""A config → its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Final
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from .. import load
from ..checks import CHECKS
from ..config import Loaded
from ..health import CheckTask, Context, Symptom, comparisons, failing_rows, findings, in_order, refuse, unmade, untimed
from ..measure.finishing import finish
from ..measure.group_rows import group_remarks, group_rows, groups_of
from ..measure.partial import Partial
from ..measure.task import Task
from ..measure.ties import bounds, unbounded
from ..names.yardstick_names import ORACLE
from ..results.definition import TruthFingerprint
from ..results.description import Description
from ..results.finite import without_infinite
from ..results.protocol import Protocol
from ..results.repeats import over_folds, over_runs
from ..results.result import Result
from ..results.wording import of_models
from ..tables.notes import sentences
from . import provenance
from .checking import available_needs, check_task_of, faults_of, names_of, remarks_on_files, twins
from .comparing import compared, with_shares
from .definitions import definitions_of
from .files import Files, with_files
from .inputs import describe
from .measured import CHECKS as TALLIES
from .measured import ENRICHED, TIES, TRUTH, PassTask
from .models import Evaluated, evaluated
from .options import Options
from .passes import pass_over
from .plan import Plan
from .progress import ModelProgress, Progress, Report, silent
from .protocols import protocols_of, with_protocols
from .refusals import refuse_nothing_relevant
from .request import Request

_PLAIN: Final = Options()
NO_VALUES: Final[Mapping[str, float]] = MappingProxyType({})


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
) -> Result:
    """Evaluate the models of a config, and make its health checks; with `data.folds` in each fold.

    With `keep_failures` the result has the offending rows of the checks that failed, with `keep_users` the values of every user (of a
    model with more than `most_values` none). The lists of each model go with their hits into a Parquet file of the folder `enriched`, if
    one is given; see `measure.enriched`. If the run `describes` its files, which reads them once more, the result has their description.
    A `tolerant` run refuses nothing that can be read: what the policy calls an error is a finding. A `complete` result has standard
    deviations and the fingerprint of truth. `DataError` for a file that cannot be read or is wrong, `MissingExtraError` without the engine.
    """
    options = Options(report, keep_failures, tolerant, keep_users, most_values, enriched, describes, complete)
    results = {name: evaluate(Request.of(fold), options) for name, fold in loaded.of_folds().items()}
    return without_infinite(over_folds(results, loaded.resolved()) if results else evaluate(Request.of(loaded), options))


def evaluate(request: Request, options: Options = _PLAIN) -> Result:
    """Evaluate the models of a request, whether its sources are files or frames; see `run`. Values may be infinite."""
    plan = Plan.of(request.evaluation, request.compare, request.gates)
    checks = check_task_of(request)
    looks = {"train", "catalogue", "times"} & checks.needs
    known = looks or request.evaluation.yardsticks.any
    result = with_files(
        request,
        plan,
        lambda files: Run(request, plan, files, options).result(),
        more_needs=(*(("known",) if known else ()), *(("train",) if options.enriched or options.describes else ())),
        times=checks.wants_times,
        tolerant=options.tolerant and checks.wants("R02"),
        all_of_train=bool(looks),
    )
    return over_runs(result, request.runs)


class Run(Struct, eq=False, dict=True):
    """One run over files: the models one after the other, each in one pass."""

    request: Request
    plan: Plan
    files: Files
    options: Options
    models: dict[str, Evaluated] = field(default_factory=dict)
    symptoms: list[Symptom] = field(default_factory=list)
    available: set[str] = field(default_factory=set)
    checks_of: dict[str, CheckTask] = field(default_factory=dict)
    yardsticks: tuple[str, ...] = ()
    enriched: dict[str, Path] = field(default_factory=dict)
    truths: dict[str, TruthFingerprint] = field(default_factory=dict)
    more_remarks: list[str] = field(default_factory=list)
    """What there is to say of rows without a time, and of yardsticks."""

    def result(self) -> Result:
        """Evaluate every model."""
        models = self.files.inputs.models
        for number, (name, source) in enumerate(models.items(), 1):
            self.model(name, source, ModelProgress(self.options.report, name, source, number, len(models)), first=number == 1)
        self.options.report(Progress("", len(models), len(models)))
        self.compare()
        return self._result()

    def compare(self) -> None:
        """Measure the yardsticks, and set the models beside them."""
        if not self.compares:
            return
        task, models = self.task, dict(self.models)
        others = compared(self.request, self.files, task, len(self.plan.shown), models, self.wanted_checks.wants("X14"))
        for name, (yardstick, measured) in others.shown.items():
            plan = Plan(yardstick.task.definitions, self.plan.aggregates)
            self.models[name] = self.evaluated(name, yardstick.task, measured, plan)
        self.yardsticks = tuple(others.shown)
        remark = others.remark()
        self.more_remarks += [remark] if remark else []
        for name, model in models.items():
            best = others.best(model)
            self.models[name] = with_shares(model, best, self.models.get(ORACLE))
            if name in self.checks_of:
                context = self.context(name, self.files.inputs.models[name], model, {}, best)
                context = replace(context, baseline=others.popular(model), popularity_rule=others.popularity_rule)
                found, remarks = comparisons(self.checks_of[name], model.partial.more[TALLIES], context)
                self.note(found)
                self.more_remarks += of_models((name, f"{remark}.") for remark in remarks)
        for name in others.shown:
            self.models[name] = with_shares(self.models[name], others.best_of(name, self.models[name]))

    @cached_property
    def wanted_checks(self) -> CheckTask:
        """The checks that the config wants."""
        return check_task_of(self.request)

    @cached_property
    def compares(self) -> bool:
        """Whether models are set beside yardsticks."""
        return self.request.evaluation.yardsticks.any or self.wanted_checks.wants("X13", "X14")

    @cached_property
    def task(self) -> Task:
        """What is measured of every part of a model."""
        return self.plan.task(self.files.prepared, self.options)

    def model(self, name: str, source: load.Source, progress: ModelProgress, *, first: bool) -> None:
        """Evaluate one model in one pass over its lists."""
        files, plan, task = self.files, self.plan, self.task
        checks = self.checks(source, first)
        ties = plan.ties if checks is not None and checks.wants("R04") else None
        hashes = first and self.options.complete
        enriched = self.plan.definitions[0] if self.options.enriched is not None else None
        found = pass_over(
            name, files, PassTask(task, ties, checks, self.compares, enriched, hashes), self.request.engine.bytes, progress.add
        )
        if hashes:
            self.truths[""] = found.more[TRUTH].fingerprint
        if first:
            refuse_nothing_relevant(files.inputs.test, plan.definitions, found)
        if self.options.enriched is not None:
            self.enriched[name] = self.options.enriched / f"{uuid4().hex}.parquet"  # folds share the folder
            found.more[ENRICHED].write(self.enriched[name])
        of_one = self.evaluated(name, task, found, plan)
        self.models[name] = of_one
        if checks is not None:
            self.checks_of[name] = checks
            sums, rows = found.more.get(TIES), dict(enumerate(of_one.by_definition))
            tied = bounds(ties, sums, found.moments, rows, found.ratios) if ties and sums else {}
            context = self.context(name, source, of_one, {label: one._asdict() for label, one in tied.items()})
            context = replace(context, unbounded=unbounded(ties, sums, rows) if ties and sums else {})
            self.note(findings(checks, found.more[TALLIES], context))
            if first and files.prepared.times is not None:
                self.more_remarks += untimed(replace(context, counts=found.more[TALLIES].counts))

    def evaluated(self, name: str, task: Task, found: Partial, plan: Plan) -> Evaluated:
        """The rows of one model, or of a yardstick."""
        numbers = self.files.prepared.numbers
        n_train_users = int(numbers["train_users"]) if self.files.inputs.train is not None and plan.needs_train else None
        predicted = plan.predicted if name in self.files.inputs.predictions else frozenset[int]()
        finished = partial(
            finish, partial=found, model=name, n_train_users=n_train_users, schemas=self.files.schemas(name), predicted=predicted
        )
        own = finished(replace(task, aggregates=())) if plan.composites else None
        groups = group_rows(task, found, name, len(plan.shown), plan.composites)
        of_model = evaluated(name, plan, found, finished(task), own, sentences(found.notes), groups)
        return with_protocols(of_model, self.protocols)

    @cached_property
    def protocols(self) -> Mapping[str, Protocol]:
        """By which definitions each measure is computed."""
        mean_rating = self.files.prepared.numbers.get("mean_rating")
        return protocols_of(self.request.evaluation, self.files.inputs.test.columns, mean_rating)

    @cached_property
    def twins(self) -> Mapping[str, Sequence[str]]:
        """The sources that have the same bytes as the lists of a model."""
        return twins(self.files.inputs, self.files.fingerprints) if self.wanted_checks.wants("X16") else {}

    def checks(self, source: load.Source, first: bool) -> CheckTask | None:
        """The checks that are made of a model, those of the files with the first one; `None` if there are none."""
        checks = self.wanted_checks
        if not checks.wants_any:
            return None
        available = available_needs(self.files, source, self.plan.all, checks)
        self.available |= available
        return replace(checks, available=available, files=first, keeps_rows=self.options.keep_failures)

    def context(
        self,
        name: str,
        source: load.Source,
        of_one: Evaluated,
        tied: Mapping[str, Mapping[str, float]],
        best: Mapping[str, float] = NO_VALUES,
    ) -> Context:
        """What checks are given at the end."""
        inputs = self.files.inputs
        sources = {"lists": source, "test": inputs.test, "train": inputs.train, "items": inputs.items}
        return Context(
            model=name,
            prepared=self.files.prepared,
            definitions=self.plan.definitions,
            measured=of_one.by_definition,
            sources={role: names_of(one) for role, one in sources.items() if one is not None},
            faults=faults_of(self.files, name),
            bounds=tied,
            best=best,
            shown=frozenset(definition.label for definition in self.plan.shown),
            twins=self.twins.get(name, ()),
        )

    def note(self, symptoms: Sequence[Symptom]) -> None:
        """Keep findings; `DataError` for one that the policy refuses."""
        if not self.options.tolerant:
            refuse(symptoms)
        self.symptoms += symptoms

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know beside the values."""
        groups = group_remarks(self.task, len(self.plan.shown))
        about_files = (*remarks_on_files(self.files), *groups, *self.more_remarks)
        about_values = of_models((model, f"{remark}.") for model, of_one in self.models.items() for remark in of_one.remarks)
        return (*self.request.remarks, *about_files, *self.plan.remarks(self.files.inputs.train is not None), *about_values)

    def _description(self) -> Description:
        """What the files hold."""
        from .describing import describe_inputs  # only here: few runs describe their files

        return describe_inputs(self.files.inputs, self.files.reader)

    def _result(self) -> Result:
        rows = [row for of_one in self.models.values() for row in of_one.rows]
        checks, found = self.wanted_checks, in_order(self.symptoms)
        examined = checks.wants_any
        groups = {number: (by, dict(groups_of(self.files.prepared, by))) for number, by in enumerate(self.plan.labels)}
        kept = {name: of_one for name, of_one in self.models.items() if self.options.keep_users and of_one.finished.user_values is not None}
        users = {name: of_one.per_user(self.plan.shown, groups) for name, of_one in kept.items()}
        return Result(
            rows=tuple(rows),
            counts={name: of_one.counts for name, of_one in self.models.items()},
            higher_is_better={row.label: row.higher_is_better for row in rows},
            per_user=users,
            inputs=describe(
                self.files.inputs, self.files.reader.n_rows, self.files.fingerprints, self.request.folder, self.request.variables
            ),
            config=self.request.description,
            remarks=self.remarks,
            versions=provenance.versions(self.request.engine.name, (definition.metric for definition in self.plan.all)),
            yardsticks=self.yardsticks,
            findings=tuple(symptom.finding for symptom in found),
            examined=examined,
            unmade=unmade(checks, self.available) if examined else dict.fromkeys(CHECKS, "off"),
            failures=failing_rows(found) if self.options.keep_failures else {},
            enriched=self.enriched,
            description=self._description() if self.options.describes else None,
            by_group=tuple(row for of_one in self.models.values() for row in of_one.by_group),
            definitions=definitions_of(self.models.values()),
            truths=self.truths,
            user_groups=tuple(by.name for by in self.plan.labels) if self.options.keep_users else (),
        )
