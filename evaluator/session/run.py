"""A run: a config is evaluated and judged, its reports are made, and everything is saved; then it is tracked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ..config import Loaded
from ..content.report import ReportContent
from ..disk.own_inputs import refuse_overwriting
from ..disk.stage import Stage
from ..errors import ArgumentError, RecevalError
from ..evaluation.progress import Report, silent
from ..evaluation.running import run
from ..outputs import Need, OutputForm
from ..parts import Scratch
from ..results.result import Result
from . import save
from .records import Judge, RunRecord, Tracked
from .targets import PathLike, Targets, as_written, run_targets

MOST_VALUES: Final = 30_000_000
"""How many per-user values are kept, of all models together, to compare models at the end of a run: a quarter of a gigabyte."""
EVERYTHING: Final[frozenset[Need]] = frozenset({"users", "conclusions", "complete"})


def run_config(
    loaded: Loaded,
    *,
    outputs: Sequence[PathLike] = (),
    more_files: Mapping[Path, OutputForm] | None = None,
    per_user: bool = False,
    needs: frozenset[Need] = EVERYTHING,
    reports: bool = False,
    store_failures: PathLike | None = None,
    strict: bool = False,
    progress: Report | None = None,
) -> RunRecord[Result]:
    """Evaluate a config, judge its gates, make its reports and write everything; see `track_run` for its trackers.

    `outputs` are files, whose endings say their forms, and folders, beside those that the config names; with `per_user` files have the
    per-user values. The result has what `needs` say, and what the outputs need; with `reports` a report is made where no file is one.
    Whatever can be known before data are read is refused before.
    """
    _refuse_unknown(loaded)
    targets = run_targets(loaded, outputs, more_files, per_user=per_user)
    refuse_overwriting(loaded, [*as_written(loaded, targets), *save.failures_target(store_failures)])
    makes_report = reports or bool(targets.of("report"))
    formats = (loaded.config.output.per_user_formats or (("parquet",) if per_user else ())) if targets.folders else ()
    kept = needs | targets.needs | _needs_of(loaded, targets, users=bool(formats) or makes_report, per_user=per_user)
    judge = _judge(loaded, targets)
    with ExitStack() as stack:
        stage = stack.enter_context(Stage(targets.places))
        failures = stack.enter_context(save.failures_stage(store_failures))
        enriched = _enriched(loaded, targets, stack)
        result = _evaluated(
            loaded, kept - ({"conclusions"} if per_user else set()), enriched, store_failures is not None, progress or silent
        )
        result, failure = judge(result)
        report = _report(loaded, result) if makes_report else None
        save.save(result, report, targets, stage, formats)
        save.save_failures(result, store_failures, failures)
    written = (*targets.files, *targets.folders)
    return RunRecord(replace(result, enriched={}), report, strict, loaded=loaded, written=written, failure=failure)


def track_run(record: RunRecord[Result]) -> RunRecord[Result]:
    """Log the result of a run with the trackers of its config, unless the run failed; a required tracker that fails is its failure."""
    asked = record.loaded.config.track
    if not asked or record.failure is not None:
        return record
    from .track import track  # only here: most runs are not tracked

    tracked: list[Tracked] = []
    try:
        for one in track(record.result, asked, record.loaded.folder):
            tracked.append(one)
    except RecevalError as error:
        return replace(record, tracked=tuple(tracked), failure=error)
    return replace(record, tracked=tuple(tracked))


def _needs_of(loaded: Loaded, targets: Targets, *, users: bool, per_user: bool) -> frozenset[Need]:
    """What folders, gates, reports, trackers and documents need."""
    needs: set[Need] = {"complete", "conclusions"} if targets.folders else set()
    if users or per_user or loaded.config.gates.rules or loaded.config.track:
        needs.add("users")
    if users or loaded.config.gates.rules or loaded.config.track:
        needs.add("complete")
    if loaded.config.output.describe or (loaded.config.report.latex.document and targets.of("latex")):
        needs.add("description")
    return frozenset(needs)


def _evaluated(loaded: Loaded, needs: frozenset[Need], enriched: Path | None, keep_failures: bool, progress: Report) -> Result:
    """The result with what is needed of it; per-user values that are for the conclusions alone are kept as far as they are not many."""
    models, keeps = loaded.config.data.recommendations, "users" in needs
    concludes = "conclusions" in needs and (not isinstance(models, dict) or len(models) > 1)  # files may be several models
    return run(
        loaded,
        progress,
        keep_failures=keep_failures,
        keep_users=keeps or concludes,
        most_values=None if keeps else MOST_VALUES // max(1, len(models)),
        complete="complete" in needs,
        enriched=enriched,
        describes="description" in needs,
        concludes=concludes,
    )


def _enriched(loaded: Loaded, targets: Targets, stack: ExitStack) -> Path | None:
    """A temporary folder for the lists with their hits, where the config wants them."""
    wanted = loaded.config.output
    if not targets.folders and (wanted.enriched or wanted.describe):
        key = "enriched" if wanted.enriched else "describe"
        raise ArgumentError(f"output.{key} needs a folder: set output.dir in the config, or use -o DIR/")
    return stack.enter_context(Scratch()).folder if wanted.enriched else None


def _judge(loaded: Loaded, targets: Targets) -> Judge:
    """What judges the gates of a config, or leaves a result as it is where there are none."""
    if not loaded.config.gates.rules:
        return lambda result: (result, None)
    from .judge import judge_of_run  # only here: most runs have no gates

    return judge_of_run(loaded, targets.folders)


def _report(loaded: Loaded, result: Result) -> ReportContent:
    from .report import report_of_run  # only here: most runs make no report

    return report_of_run(loaded, result)


def _refuse_unknown(loaded: Loaded) -> None:
    """`ConfigError` for a chart of a measure that is not asked for, `MissingExtraError` for a required tracker that is not installed."""
    if loaded.config.report.charts:
        from .report import refuse_unknown_charts

        refuse_unknown_charts(loaded)
    if loaded.config.track:
        from ..trackers.choosing import refuse_without_extra

        for one in loaded.config.track:
            refuse_without_extra(one)
