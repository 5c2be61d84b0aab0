"""Run a config: evaluate and judge it, make its reports, save everything or nothing, then track it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ..checks import CHECKS, setting
from ..config import Config, Loaded
from ..config.odd_data import Health
from ..engines import RowFile, Scratch
from ..evaluation.progress import Report, silent
from ..evaluation.running import run
from ..render.forms import as_parquet, rendered
from ..render.result_data import is_long
from ..results.result import Result
from ..storage import result_folder
from ..storage.overwriting import Target, destination
from ..storage.own_inputs import baselines_of, inputs_of
from ..storage.stage import Stage
from ..support.errors import ArgumentError, ConfigError, RecevalError
from ..support.outputs import Need, OutputForm
from ..tables.prepared import GroupBy
from .outcome import RunRecord, TrackerOutcome, closing_of
from .targets import PathLike, Targets, run_targets

MOST_VALUES: Final = 30_000_000
"""Number of per-user values of all models that are kept to compare models at the end of a run: a quarter of a gigabyte."""
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

    `outputs` are files, whose endings set their forms, and folders, in addition to those of the config; with `per_user` files have the
    per-user values. The result has the `needs` and those of the outputs; with `reports`, a report is made even without a file. Errors that
    can be known before data are read are raised before.
    """
    config = loaded.config
    _refuse_unknown(loaded)
    targets = run_targets(loaded, outputs, more_files, per_user=per_user)
    of_failures = [Path(store_failures).expanduser()] if store_failures else []
    configured = {loaded.folder / Path(folder).expanduser(): f"output.dir: {folder}" for folder in (config.output.dir,) if folder}
    written = [*targets.written(result_folder.is_output_file, configured, of=loaded), *_failure_targets(loaded, store_failures)]
    makes_report = reports or bool(targets.files_for("report"))
    formats = (config.output.per_user_formats or (("parquet",) if per_user else ())) if targets.folders else ()
    kept = needs | targets.needs | _needs_of(loaded, targets, users=bool(formats) or makes_report, per_user=per_user)
    judge = _judge(loaded, strict=strict)
    failure: RecevalError | None = None
    with ExitStack() as stack:
        stage = stack.enter_context(Stage(written, chain(inputs_of(loaded), baselines_of(loaded))))
        enriched = _enriched_folder(loaded, targets, stack)
        user_file = _user_file(loaded, targets, formats, stage, stack)
        keeps_failures, concluded = store_failures is not None, kept - ({"conclusions"} if per_user else set())
        result = _evaluate(loaded, concluded, enriched, user_file, keeps_failures, progress or silent)
        if strict:
            result = replace(result, findings=tuple(finding.counted_strictly() for finding in result.findings))
        try:
            result = judge(result)
        except RecevalError as error:  # the values are written nevertheless
            failure = error
        report = None
        if makes_report:
            from .report import report_of_run  # only here: most runs make no report

            report = report_of_run(loaded, result)
        rows, stale = _failed_rows(result, of_failures)
        sentences = closing_of(loaded, result) if any("sentences" in row.takes for row in targets.files.values()) else []
        files: dict[Path, bytes | Path] = {
            destination(path): rendered(row, report if row.of == "report" else result, sentences=sentences)
            for path, row in targets.files.items()
        }
        for folder in targets.folders:
            of_folder = result_folder.contents(result, formats, users=None if user_file is None else user_file.file_of)
            files |= {folder / name: body for name, body in of_folder.items()}
            stale += result_folder.stale(folder, of_folder)
        if "users" in needs:  # the caller reads them when the file may be another one
            result = replace(result, per_user=dict(result.per_user.items()))
        stage.commit({**files, **rows}, gone=stale)
        if user_file is not None:
            user_file.path = next(iter(targets.folders)) / result_folder.USERS
    places = (*targets.files, *targets.folders)
    return RunRecord(replace(result, enriched={}), report, strict, loaded=loaded, written=places, failure=failure)


def track_run(record: RunRecord[Result]) -> RunRecord[Result]:
    """Log the result of a run with the trackers of its config, unless the run failed; a required tracker that fails sets its failure."""
    trackings = record.loaded.config.track
    if not trackings or record.failure is not None:
        return record
    from .track import track  # only here: most runs are not tracked

    tracked: list[TrackerOutcome] = []
    failure: RecevalError | None = None
    try:
        storage = record.loaded.config.output.storage
        for outcome in track(record.result, trackings, record.loaded.folder, inputs_of(record.loaded), storage=storage):
            tracked.append(outcome)
    except RecevalError as error:
        failure = error
    return replace(record, tracked=tuple(tracked), failure=failure)


def check_config(loaded: Loaded, store: PathLike | None = None) -> Result:
    """Run the health checks of a config on all files that can be read.

    The offending rows of failed checks are written into the folder `store`, if given.
    """
    folders = [Path(store).expanduser()] if store else []
    with Stage(_failure_targets(loaded, store), inputs_of(loaded)) as stage:
        result = run(loaded, tolerant=True, keep_users=False, keep_failures=store is not None)
        files, stale = _failed_rows(result, folders)
        stage.commit(files, gone=stale)
    return result


def select_checks(loaded: Loaded, patterns: Sequence[str]) -> Loaded:
    """Return a config in which only the checks run whose ids match a pattern, such as `R01` or `X*`.

    A selected check that the config turns off has its usual severity. Raises `ConfigError` for a pattern without a check.
    """
    selected: set[str] = set()
    for pattern in patterns:
        fitting = {id for id in CHECKS if fnmatchcase(id.upper(), pattern.strip().upper())}
        if not fitting:
            raise ConfigError(
                f"--select {pattern}: there is no such check", "write ids and patterns such as R01,X*; docs/checks.md lists all checks"
            )
        selected |= fitting

    def changed(config: Config) -> Config:
        given = config.health.settings
        kept = {id: setting(CHECKS[id]) if given[id].severity == "off" else given[id] for id in selected}
        off = {id: setting(check, "off") for id, check in CHECKS.items() if id not in selected}
        return config.model_copy(update={"health": Health.model_validate({**kept, **off})})

    folds = {name: changed(config) for name, config in loaded.folds.items()}
    return replace(loaded, config=changed(loaded.config), folds=folds)


def _needs_of(loaded: Loaded, targets: Targets, *, users: bool, per_user: bool) -> frozenset[Need]:
    """Return what folders, gates, reports, trackers and documents need in a result."""
    config = loaded.config
    needs: set[Need] = {"complete", "conclusions"} if targets.folders else set()
    needs |= {"users", "complete"} if users or config.gates.rules or config.track else set()
    needs |= {"users"} if per_user else set()
    if config.output.describe or (config.report.latex.document and targets.files_for("latex")):
        needs.add("description")
    return frozenset(needs)


def _evaluate(
    loaded: Loaded, needs: frozenset[Need], enriched: Path | None, user_file: RowFile | None, keep_failures: bool, progress: Report
) -> Result:
    """Evaluate a config with the needed parts of the result; per-user values that only conclusions need are kept up to `MOST_VALUES`."""
    data, keeps, table = loaded.config.data, "users" in needs, loaded.config.output.per_user_table
    models = data.recommendations
    may_be_several = data.has_model_column or not isinstance(models, dict) or len(models) > 1  # files may be several models
    concludes = "conclusions" in needs and may_be_several
    concludes &= table is None or keeps  # else the values do not come to this process
    return run(
        loaded,
        progress,
        features=_features(loaded),
        keep_failures=keep_failures,
        keep_users=keeps or concludes,
        most_values=None if keeps else MOST_VALUES // max(1, len(models)),
        complete="complete" in needs,
        enriched=enriched,
        user_file=user_file,
        describes="description" in needs,
        concludes=concludes,
        per_user_table=table,
    )


def _enriched_folder(loaded: Loaded, targets: Targets, stack: ExitStack) -> Path | None:
    """Return a temporary folder for the lists with their hits, if the config asks for them."""
    wanted = loaded.config.output
    if not targets.folders and (wanted.enriched or wanted.describe):
        key = "enriched" if wanted.enriched else "describe"
        raise ArgumentError(f"output.{key} needs a folder: set output.dir in the config, or use -o DIR/")
    return stack.enter_context(Scratch()).folder if wanted.enriched else None


def _user_file(loaded: Loaded, targets: Targets, formats: Sequence[str], stage: Stage, stack: ExitStack) -> RowFile | None:
    """Return the file for the per-user values that are written while measuring goes on; `None` if they are not written in its form."""
    folder = next(iter(targets.folders), None)
    if folder is None or "parquet" not in formats or is_long(loaded.resolved()) or loaded.folds or loaded.config.data.runs:
        return None
    place = stage.place_of(folder / result_folder.USERS)
    return None if place is None else stack.enter_context(RowFile(place))


def _judge(loaded: Loaded, *, strict: bool) -> Callable[[Result], Result]:
    """Return a function that adds the judged gates of a config to a result, or returns it unchanged if there are none."""
    if not loaded.config.gates.rules:
        return lambda result: result
    from .judge import judge_of_config  # only here: most runs have no gates

    return judge_of_config(loaded, strict=strict)


def _features(loaded: Loaded) -> tuple[GroupBy, ...]:
    """Return the groupings of users that rules on slices search."""
    if not any(rule.slices is not None for rule in loaded.config.gates.rules):
        return ()
    from .judge import features_of_rules  # only here: most runs have no gates

    return features_of_rules(loaded)


def _refuse_unknown(loaded: Loaded) -> None:
    """Raise `ConfigError` for an unknown measure of a chart or name, `MissingExtraError` for a required tracker that is not installed."""
    if loaded.config.report.names:
        from .report import refuse_names_of

        refuse_names_of(loaded)
    if loaded.config.report.charts:
        from .report import refuse_unknown_charts

        refuse_unknown_charts(loaded)
    if loaded.config.track:
        from ..trackers.choosing import refuse_without_extra

        for tracking in loaded.config.track:
            refuse_without_extra(tracking)


def _failure_targets(loaded: Loaded, store: PathLike | None) -> list[Target]:
    """Return the folder for the offending rows of failed checks, if there is one."""
    if not store:
        return []
    return [Target(f"--store-failures {store}", Path(store).expanduser(), _is_of_failures, storage=loaded.config.output.storage)]


def _failed_rows(result: Result, folders: Iterable[Path]) -> tuple[dict[Path, bytes], list[Path]]:
    """Return a Parquet file with the offending rows of each failed check, and the files of an earlier run to remove."""
    files = {folder / f"{name}.parquet": as_parquet(rows) for folder in folders for name, rows in result.failures.items()}
    earlier = (path for folder in folders for path in folder.glob("*.parquet") if _is_of_failures(path.name) and path not in files)
    return files, sorted(path for path in earlier if os.path.isfile(path) and not path.is_symlink())


def _is_of_failures(name: str) -> bool:
    """Return whether a run writes files with this name: `R01.parquet`, `R01.knn.parquet`, and `R01+2.parquet` for rows of another file."""
    return name.endswith(".parquet") and name.partition(".")[0].partition("+")[0] in CHECKS
