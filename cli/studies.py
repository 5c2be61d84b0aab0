"""Studies of a config besides its values: `receval describe`, `check`, `validate`, `audit` and `explain`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

import click
import receval
from receval.support.outputs import output_form
from receval.support.quoting import sentence

from . import options
from .output import say, show, tell_cautions


@click.command(cls=options.Command)
@options.config_argument
@options.reading_options("overrides", "recommendations", "where", "target", "input_format")
@options.format_option("description", default="table", help="The output format.")
def describe(config: str | None, read: options.ConfigReader, form: str) -> None:
    """Describe the files of a config without evaluating anything.

    For the test and train files and the lists of each model: rows, users, items, density, ratings or scores with a histogram, how rows
    are spread over users and items, the time span, and what the files have in common. Rows with a missing value are left out and counted.
    Metrics, cut-offs and threshold change nothing here.

    Without a config: receval describe --test t.csv --recs als=als.csv; lists are not needed, but they need another file beside them.
    """
    from receval.actions.studies import describe

    missing = "Missing argument 'CONFIG': give a config, or --test, --train or --items FILE, and --recs NAME=FILE beside it for lists"
    source = read.source(config, ("test", "train", "items"), missing)
    show(output_form(form, "description"), describe(read(source, judges_gates=False, describes=True)))


@click.command(cls=options.Command)
@options.config_argument
@options.plugin_option
@options.reading_options()
@options.format_option("findings", default="table", help="Text, or JSON.")
@click.option("--select", metavar="ID,ID", help="Run only these checks, by ids and patterns: R01,X*. Default: all that are not off.")
@click.option("--strict", is_flag=True, help="Exit with 1 also for warnings, not only for errors.")
@options.store_option
@click.pass_context
def check(
    context: click.Context, config: str | None, read: options.ConfigReader, form: str, select: str | None, strict: bool, store: str | None
) -> None:
    """Run the health checks on the files of a config.

    All checks run, also on files that `receval run` refuses because of its policy. Exits with 1 if a check of level error failed.
    Instead of a config, the id of a check explains this check: receval check R01
    """
    if config is not None and not os.path.exists(config):
        from receval.actions.catalogue import look_up_check

        explained = look_up_check(config)
        if explained is not None:
            show(output_form(form, "catalogue"), explained)
            return
    from receval.actions.run import check_config, select_checks

    loaded = read(read.source(config), judges_gates=False)
    result = check_config(loaded if select is None else select_checks(loaded, select.split(",")), store)
    tell_cautions(result, quiet=False)
    show(output_form(form, "findings"), result)
    context.exit(1 if result.failed(strict) else 0)


@click.command(cls=options.Command)
@click.argument("measure", required=False, shell_complete=options.metric_names)
@options.config_argument
@options.plugin_option
@click.option("--user", required=True, help="The id of the user.")
@click.option(
    "--models", "--model", "model", metavar="NAME", shell_complete=options.model_names, help="The model. Not needed if there is only one."
)
@options.reading_options(without=("models",))
@options.format_option("explanation", default="table", help="The output format.")
def explain(measure: str | None, config: str | None, user: str, model: str | None, read: options.ConfigReader, form: str) -> None:
    """Show step by step how the value of one user is computed.

    MEASURE is a metric with its cut-off, such as 'nDCG@10' or 'MAP(convention=elliot)@5'; CONFIG the config with the files.
    With -m the measure is not an argument.
    """
    from receval.actions.studies import explain

    measure, config = _measure_and_config(measure, config, read.question.get("metrics", ()))
    loaded = read(read.source(config), metrics=(measure,), judges_gates=False)
    show(output_form(form, "explanation"), explain(loaded, measure, user, model))


def _measure_and_config(first: str | None, second: str | None, named: Sequence[str]) -> tuple[str, str | None]:
    """Return the measure and the config from two arguments, or from one argument and the value of `-m`."""
    if len(named) == 1 and second is None:
        return named[0], first
    if named:
        raise click.UsageError("Give one measure, as an argument or with -m nDCG@10.")
    if first is None or (second is None and os.path.exists(first)):
        raise click.UsageError("Missing argument 'MEASURE': receval explain nDCG@10 CONFIG --user ID.")
    return first, second


@click.command(cls=options.Command)
@click.argument("configs", nargs=-1, required=True, type=click.Path(), metavar="CONFIG...")
@options.plugin_option
@options.reading_options()
@click.option("--files", is_flag=True, help="Also check that the files exist; exit with 3 and list all that do not.")
def validate(configs: tuple[str, ...], read: options.ConfigReader, files: bool) -> None:
    """Check configs without opening any data; in a config with datasets, each of them.

    Prints every problem with its line and exits with 2, or prints that the config is valid. All given configs are checked; the exit code
    is that of the last wrong one.
    """
    from receval.config.data_sets import SeveralDataSetsError
    from receval.support.errors import RecevalError

    failure: RecevalError | None = None
    for config in configs:
        try:
            try:
                _validate(read(config), files)
            except SeveralDataSetsError as error:
                for name in error.names:
                    _validate(read.of_data_set(name)(config), files, name)
        except RecevalError as error:
            if failure is not None:
                say(failure.shown())
            failure = error
    if failure is not None:
        raise failure


def _validate(loaded: receval.Loaded, files: bool, data_set: str = "") -> None:
    """Print a summary of a valid config, for one of its data sets if it has several."""
    if files:
        from receval.actions.studies import refuse_missing_files

        refuse_missing_files(loaded)
    evaluation = loaded.config.evaluation
    data, counts = loaded.config.data, {"measure": len(evaluation.definitions) + len(evaluation.composites)}
    counts |= {} if data.has_model_column else {"model": len(data.recommendations)}
    if loaded.config.gates.rules:
        counts["gate"] = len(loaded.config.gates.rules)
    counted = ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
    of_data_set = f" with the data set {sentence(data_set)}" if data_set else ""
    click.echo(f"{sentence(loaded.name)}{of_data_set} is valid: {counted}{'; all files exist' if files else ''}")


@click.command(cls=options.Command)
@options.config_argument
@options.plugin_option
@options.reading_options(without=("convention",))
@click.option(
    "--convention",
    "conventions",
    multiple=True,
    metavar="NAME",
    shell_complete=options.convention_names,
    help="A convention to compare with that of the config; scripts: those of code that papers copy. Default: those of all libraries.",
)
@click.option(
    "--why",
    nargs=2,
    metavar="A B",
    shell_complete=options.convention_names,
    help="Explain the difference between two conventions, setting by setting.",
)
@click.option(
    "--find", "number", metavar="NUMBER", help="Find the conventions, measures and models that give a printed number, such as 0.1894."
)
@click.option(
    "--search",
    "searched",
    metavar="WHAT,WHAT",
    help="With --find: also search these settings: policies (duplicates, seen and unknown items), order (of lists, and of ties).",
)
@click.option("--gamma-curve", is_flag=True, help="Show Recall and DCG under exposure over gamma, and where two models cross.")
@options.by_option("Also audit the values within groups")
@options.format_option("audit", default="table", help="The output format.")
def audit(
    config: str | None,
    read: options.ConfigReader,
    conventions: tuple[str, ...],
    why: tuple[str, str] | None,
    number: str | None,
    searched: str | None,
    gamma_curve: bool,
    by: tuple[str, ...],
    form: str,
) -> None:
    """Compute the metrics of a config under every convention.

    Prints the values of each model under each convention, how far apart they are, and each pair of models whose order depends on the
    convention. The files are read only once. Values within groups are audited only with --by, whatever the config says.
    """
    from receval.actions.studies import audit_question, curve_measures, over_gamma

    if gamma_curve:
        if conventions or why or number is not None or by:
            raise click.UsageError("--gamma-curve looks at one convention and all users: leave out --convention, --why, --find and --by")
        source = read.source(config)
        loaded = read(source, {"metrics": curve_measures(read(source, quiet=True, judges_gates=False))}, judges_gates=False)
        show(output_form(form, "gamma-curve"), over_gamma(loaded))
        return
    if why and (conventions or number is not None):
        raise click.UsageError(f"--why names the two conventions that it compares: leave out {'--convention' if conventions else '--find'}")
    if why and why[0] == why[1]:
        raise click.UsageError(f"--why names two conventions, not {why[0]} twice")
    if searched is not None and number is None:
        raise click.UsageError("--search looks for a number: give it with --find 0.1894")
    if searched is not None and by:
        raise click.UsageError("--search looks at values over all users: leave out --by")
    if why and by:
        raise click.UsageError("--why explains values over all users: leave out --by")
    loaded = read(read.source(config), {"by": by}, judges_gates=False)
    subject, found = audit_question(loaded, conventions, why, number, searched, by_group=bool(by))
    command = "add" if config is None or read.changes or conventions else f"receval audit {shlex.quote(config)}"
    show(output_form(form, subject), found, command=command, spreadsheet_safe=loaded.config.output.spreadsheet_safe)
