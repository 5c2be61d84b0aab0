"""`receval run`, with a progress bar on standard error, and `receval track` for its results."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any, Final

import click
import receval
from receval.support.outputs import Need, OutputForm, Subject, output_form

from . import options, output
from .watch import refuse_other_output, watch_config

_LARGE: Final = 50 << 20
_SUBJECTS: Final[tuple[Subject, ...]] = ("result", "latex", "report")
_LATEX: Final = ("latex", "latex-document")
_HASHED: Final[frozenset[Need]] = frozenset({"complete"})
"""What signatures need: the hash of the test set."""


_USUAL: Final = ("--test", "--train", "-m", "-k", "--threshold", "--convention", "--set", "--recs", "--format", "-o", "--by", "-v")
"""The options that `receval run --help` shows."""


@click.command(cls=options.Command, usual=_USUAL)
@options.config_argument
@options.plugin_option
@options.reading_options()
@options.format_option(*_SUBJECTS, help="The output format. Default: a table.")
@options.outputs_option(
    "Write the result to a file, in the format of its ending, or all result files into a folder, instead of output.dir of the config. "
    "report.tex is a whole LaTeX document, any other .tex file has the tables only.",
    metavar="FILE|DIR/",
)
@click.option(
    "--per-user",
    is_flag=True,
    help="Print per-user values instead of the table, with --format csv (default) or jsonl; also in the files of -o.",
)
@click.option(
    "--signature",
    is_flag=True,
    help="Also print the signature of each measure: one line with every setting that its value depends on; in LaTeX as notes of the table.",
)
@click.option(
    "--from-signature",
    "signatures",
    multiple=True,
    metavar="LINE",
    help="Evaluate the measure of this signature with its settings, instead of the evaluation of the config. May be repeated.",
)
@options.by_option("Also compute values within groups")
@click.option("--columns", multiple=True, metavar="M,M", help="The measures to show in the table: nDCG@10, or nDCG for all its cut-offs.")
@click.option("--sort", metavar="MEASURE", help="Sort the models in the table by a measure, best first.")
@click.option("--digits", type=click.IntRange(0, 12), metavar="N", help="Decimals of values in the table, except counts.")
@click.option(
    "--models-as-rows/--measures-as-rows",
    default=None,
    help="Rows of the table, also in LaTeX: models or measures. Default: what fits the screen; in LaTeX models.",
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only errors, failed and inconclusive gates (a line each), and the output of --format; --format table -q prints "
    "only the tables.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Also show all findings of the health checks, the users counted for each value, and the files read.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 also for warnings of the health checks, and for gates that are inconclusive or warn, or if none could be judged; "
    "--inconclusive fail counts only gates.",
)
@options.store_option
@options.ci_option
@click.option(
    "--if-missing",
    type=click.Choice(("error", "warn", "pass")),
    help="What to do if the baseline or anchor of the gates is missing: error (exit 3), warn, or pass (skip its rules).",
)
@options.fail_option
@options.inconclusive_option
@click.option(
    "--watch", is_flag=True, help="Run again whenever the config or one of its files changes, and print what changed; Ctrl-C ends it."
)
@click.option("--print-config", is_flag=True, help="Print the config with all defaults, then stop.")
@click.pass_context
def run(
    context: click.Context,
    /,
    config: str | None,
    read: options.ConfigReader,
    form: str | None,
    outputs: tuple[str, ...],
    per_user: bool,
    signature: bool,
    signatures: tuple[str, ...],
    by: tuple[str, ...],
    quiet: bool,
    verbose: bool,
    strict: bool,
    store: str | None,
    system: str,
    if_missing: str | None,
    fail: str | None,
    inconclusive: str | None,
    watch: bool,
    print_config: bool,
    **table: Any,
) -> None:
    """Evaluate recommendation files by a config or by options.

    Without a config: receval run --test t.csv --recs als=als.csv -m nDCG,Recall -k 5,10

    The table goes to standard output, with findings and verdicts; with --format only the result does, and findings and verdicts go to
    standard error, as messages always do. Exits with 1 if a gate or a health check of level error failed; the results are still written.
    """
    _refuse_contradictions(form, per_user, quiet and verbose, table, signature)
    read.overrides = (*read.overrides, *_of_latex(form, outputs, table["models_as_rows"], signature))
    read.signatures = read.own_signatures(signatures)
    of_gates = {name: value for name, value in (("if_missing", if_missing), ("fail", fail), ("inconclusive", inconclusive)) if value}
    load = partial(read, read.source(config), {"by": by}, quiet=quiet, gates=of_gates)
    if watch:
        refuse_other_output({"--format": form, "--per-user": per_user, "--print-config": print_config})
        watch_config(load, config, table, outputs, store, strict, quiet)
    loaded = load()
    if print_config:
        _print_config(loaded)
        return
    from receval.actions.run import run_config
    from receval.actions.show import Looks

    (looks := Looks(**table)).refuse_unknown(loaded)
    row = _row(form, per_user, quiet, has_files=bool(outputs))
    with _bar_for(loaded, quiet) as report:
        record = run_config(
            loaded,
            outputs=outputs,
            more_files=output.ci_files(system),
            per_user=per_user,
            needs=(frozenset() if row is None else row.needs) | (_HASHED if signature or signatures else frozenset()),
            reports=system != "none" or (row is not None and row.of == "report"),
            store_failures=store,
            strict=strict,
            progress=report,
        )
    _show(record, row, looks, quiet, verbose, signature)
    _say_signatures(record.result, signatures, quiet)
    output.publish(record.report, system)
    context.exit(_tracked(record, quiet).exit_code)


def _tracked(record: receval.RunRecord[receval.Result], quiet: bool) -> receval.RunRecord[receval.Result]:
    """Log a result with the trackers of its config, after its verdicts, and say where it is; raise the failure of either."""
    if record.failure is not None:
        raise record.failure
    from receval.actions.run import track_run

    output.say_verdicts(record, quiet=quiet)
    record = track_run(record)
    for outcome in record.tracked:
        output.tell_tracked(outcome, quiet=quiet)
    if record.failure is not None:
        raise record.failure
    return record


def _of_latex(form: str | None, outputs: Sequence[str], models_as_rows: bool | None, signature: bool) -> tuple[str, ...]:
    """Return the changes of the config that give tables in LaTeX the rows of the option, and signatures below them."""
    if form not in _LATEX and not any(path.endswith(".tex") for path in outputs):
        return ()
    rows = () if models_as_rows is None else (f"report.latex.rows={'models' if models_as_rows else 'measures'}",)
    return (*rows, *(("report.latex.signatures=true",) if signature else ()))


def _refuse_without_signature(form: str | None, signature: bool, per_user: bool) -> None:
    """Raise `UsageError` if `--signature` has no effect on what is printed."""
    if signature and (per_user or form not in (None, "table", "md", *_LATEX)):
        has = (
            f"--format {form} has them always"
            if form in ("json", "html")
            else f"use --format json, which has them always, not {form or 'csv'}"
        )
        raise click.UsageError(f"--signature prints signatures with a table; {has}")


def _say_signatures(result: receval.Result, signatures: Sequence[str], quiet: bool) -> None:
    """Say on standard error whether measures have the signatures that they were computed from."""
    if signatures and not quiet:
        from receval.actions.show import reproduced

        for sentence in reproduced(result, signatures):
            output.say(sentence)


def _refuse_contradictions(form: str | None, per_user: bool, is_quiet_and_verbose: bool, table: Mapping[str, Any], signature: bool) -> None:
    """Raise `UsageError` for options that contradict each other, or that have no effect on a form."""
    _refuse_without_signature(form, signature, per_user)
    if is_quiet_and_verbose:
        raise click.UsageError("-q and -v contradict each other: give only one")
    if per_user and form not in (None, "csv", "jsonl"):
        raise click.UsageError(f"--per-user prints csv or jsonl, not {form}")
    printed = form or ("csv" if per_user else "table")
    others = ("columns", "sort") if printed == "md" else ("models_as_rows",) if printed in _LATEX else ()
    given = [name for name, value in table.items() if value not in (None, ()) and name not in others]
    if printed != "table" and given:
        is_other_way = table["models_as_rows"] is False and given[0] == "models_as_rows"
        option = "--measures-as-rows" if is_other_way else f"--{given[0].replace('_', '-')}"
        hint = "; choose the measures with -m" if option == "--columns" else ""
        raise click.UsageError(f"{option} works only with the table, not with --format {printed}{hint}")


def _print_config(loaded: receval.Loaded) -> None:
    """Print the config with its defaults; raise an error if a chart has an unknown measure."""
    if loaded.config.report.charts:
        from receval.actions.report import refuse_unknown_charts

        refuse_unknown_charts(loaded)
    click.echo(loaded.resolved_yaml(), nl=False)


def _row(form: str | None, per_user: bool, quiet: bool, has_files: bool) -> OutputForm | None:
    """Return the form to print; `None` if `quiet` and none is given. Per-user values are printed unless `quiet` and in files."""
    if per_user and (form or not (quiet and has_files)):
        return output_form(form or "csv", "users")
    return None if quiet and form is None else output_form(form or "table", *_SUBJECTS)


def _show(
    record: receval.RunRecord[receval.Result], row: OutputForm | None, looks: Any, quiet: bool, verbose: bool, signature: bool
) -> None:
    """Print the result in its form, and signatures; findings of checks are above the table, or go to standard error."""
    result = record.result
    sentences = record.sentences_on(looks.apply(result)) if row is not None and row.form in ("table", "md") and row.of == "result" else []
    failing = ("error", "warn") if record.strict else ("error",)
    if row is not None and row.form == "table":
        output.tell([finding for finding in result.findings if quiet and finding.severity in failing], verbose=verbose)
        output.show(row, result, looks=looks, verbose=verbose, sentences=sentences, bare=quiet)
    else:
        levels = failing if quiet else ("error", "warn", "info") if verbose else ("error", "warn")
        output.tell([finding for finding in result.findings if finding.severity in levels], verbose=verbose)
        output.tell_cautions(result, quiet=quiet)
        if row is not None:
            if not quiet:
                output.tell_gates(result)
            output.show(row, record.report if row.of == "report" else result, looks=looks, sentences=sentences, signature=signature)
    if signature and (row is None or row.form == "table"):
        from receval.actions.show import signatures_text

        output.emit(f"{'' if row is None else chr(10)}{signatures_text(looks.apply(result))}".encode())
    output.say_without_charts(record.written, row, quiet=quiet)
    if not quiet:
        output.say_written(record.written, record.loaded.config.report.latex.document)


def _bar_for(loaded: receval.Loaded, quiet: bool) -> AbstractContextManager[Callable[[receval.Progress], None] | None]:
    """A bar on a terminal for a run that takes a while, since it has several models or large files, and otherwise nothing."""
    if quiet or not sys.stderr.isatty():
        return nullcontext()
    given = loaded.config.data.recommendations
    files = [file for _, source in loaded.config.data.sources() for path in source.path for file in glob(str(loaded.folder / path))]
    several = len(given) > 1 or not isinstance(given, dict) or bool(loaded.folds)
    return bar() if several or sum(Path(file).stat().st_size for file in files if os.path.exists(file)) > _LARGE else nullcontext()


@contextmanager
def bar() -> Iterator[Callable[[receval.Progress], None]]:
    """Show a bar as long as the context lasts, and yield the function that receives the progress of a run."""
    from receval.render.terminal import Screen
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    what, how_far = (TextColumn(text, markup=False) for text in ("{task.description}", "{task.fields[rows]}"))
    screen = Screen.for_file(sys.stderr)
    columns = (SpinnerColumn(), what, BarColumn(), how_far, TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("reading", total=None, rows="")

        def report(progress: receval.Progress) -> None:
            evaluated, rows = _how_far(progress)
            shown = screen.visible(evaluated)
            bars.update(task, description=shown, completed=progress.n_rows, total=progress.n_expected, rows=rows)

        yield report


def _how_far(progress: receval.Progress) -> tuple[str, str]:
    """Return a text on the current model, and one on the rows read, the expected number of rows, and the size of the files."""
    if not progress.model:
        return "writing results", ""
    which = f" ({progress.number} of {progress.n_models})" if progress.n_models > 1 else ""
    expected = f" of about {progress.n_expected:,}" if progress.n_expected else ""
    size = f", {progress.n_bytes / 1e6:,.0f} MB" if progress.n_bytes >= 500_000 else ""
    return f"evaluating {progress.model}{which}", f"{progress.n_rows:,}{expected} rows{size}"


@click.command(cls=options.Command)
@click.argument("folder", metavar="DIR")
@click.option(
    "--to",
    "trackers",
    multiple=True,
    metavar="TRACKER",
    help="mlflow, wandb, dvc, tensorboard, or with settings '{mlflow: {experiment: home}}'. Replaces those of the config. May be repeated.",
)
@click.option(
    "--step",
    type=click.IntRange(min=0),
    metavar="N",
    help="Log only the values, as those of epoch N. The latest run with the name in the setting 'run', or the run that MLFLOW_RUN_ID names,"
    " is continued.",
)
@options.models_option
@options.plugin_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def track(folder: str, trackers: tuple[str, ...], step: int | None, models: tuple[str, ...], quiet: bool) -> None:
    """Log results to experiment trackers: MLflow, Weights & Biases, TensorBoard, files for DVC.

    Give a folder that 'receval run -o DIR/' wrote. Values with their intervals are metrics; report, results and manifest are artifacts; no
    id of a user is among them. Exits with 2 if a tracker fails, with 4 if its extra is not installed.
    """
    from receval.actions.track import track_folder

    outcomes, chosen = track_folder(folder, trackers, step, models)
    if chosen and not quiet:
        output.say(chosen.rstrip("."))
    for outcome in outcomes:
        output.tell_tracked(outcome, quiet=quiet)
