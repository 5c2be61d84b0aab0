"""Comparisons and reports of results: `receval compare`, `report`, and `plot` for a single chart."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import click
import receval
from receval.support.outputs import output_form

from . import options
from .output import ci_files, emit, publish, say, say_without_charts, say_written, show, tell, tell_cautions

baseline_option = click.option(
    "--baseline",
    metavar="NAME|DIR",
    help="The model, result or folder that the others are compared with. Default: compare.baseline, gates.baseline, or the first.",
)

baseline_model_option = click.option(
    "--baseline-model",
    metavar="NAME",
    help="The model in the baseline folder that every model is compared with. Default: the model of the same name.",
)

_margin_option = click.option(
    "--margin", "margins", multiple=True, metavar="[M=]SIZE", help="The largest difference that does not matter: 0.005, or 1%."
)
_losers_option = click.option(
    "--losers", type=click.IntRange(min=0), default=0, metavar="N", help="List the N users with the largest losses over all test rows."
)
users_option = click.option(
    "--users",
    type=click.Choice(("same", "common")),
    help="same: refuse models that count different users; common: compare on the users in common.",
)


_USUAL_OF_COMPARE: Final = (
    "--baseline", "--all-pairs", "--across", "--measure", "--all", "--margin", "--by", "--test", "--set", "--recs", "--format", "-o",
)  # fmt: skip
"""The options that `receval compare --help` shows."""
_USUAL_OF_REPORT: Final = (
    "-o", "--format", "--interactive", "--template", "--title", "--baseline", "--measure", "--margin", "--losers", "--test", "--set",
    "--recs",
)  # fmt: skip
"""The options that `receval report --help` shows."""


@click.command(cls=options.Command, usual=_USUAL_OF_COMPARE)
@options.config_or_folder_argument("inputs", "[CONFIG|[NAME=]DIR]...", nargs=-1)
@baseline_option
@baseline_model_option
@click.option("--all-pairs", is_flag=True, help="Compare every pair of models; models that share a letter are not clearly different.")
@click.option("--across", is_flag=True, help="Each input is a data set: combine the changes of the same models over all of them.")
@click.option(
    "--ranks", is_flag=True, help="With --across: also rank the models; from enough data sets on with a diagram (also -o FILE.svg)."
)
@click.option(
    "--complete",
    type=click.Choice(("models", "data-sets")),
    help="With --across: leave out the models, or the data sets, for which results are missing.",
)
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to test and to print. May be repeated. Default: all.")
@click.option("--all", "everything", is_flag=True, help="Also print the measures that are not tested.")
@click.option("--relative", is_flag=True, help="Also print differences in percent of the baseline's value, with their intervals.")
@_margin_option
@options.by_option("Also compare within groups of users or of test rows, or combinations (users.plan*rows.event)")
@_losers_option
@options.find_slices_option
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="TEST|FILE",
    callback=options.tests_or_files,
    help="The test of paired differences: t (default), t-plain, permutation, bootstrap, bootstrap-t or wilcoxon. Or the test file: "
    "--test t.csv.",
)
@click.option(
    "--correction", type=click.Choice(("holm", "bh", "by", "none")), help="The correction for multiple comparisons. Default: holm."
)
@click.option("--alpha", type=float, help="Significance level. Default: 0.05.")
@users_option
@click.option("--unpaired", is_flag=True, help="Compare means of different users or different test data (Welch's test).")
@click.option(
    "--cluster", metavar="COLUMN", help="A column of data.users; its users with the same value are not independent: users.household."
)
@options.reading_options("overrides", "recommendations", "where", "target", "replace", without=("test",))
@options.format_option("comparison", help="The output format. Default: a table.")
@options.outputs_option("Also write to a file: .json, .csv, .md, .tex, .html, or a folder.", metavar="FILE|DIR/")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the output of --format.")
def compare(
    inputs: tuple[str, ...],
    read: options.ConfigReader,
    form: str | None,
    outputs: tuple[str, ...],
    quiet: bool,
    everything: bool,
    relative: bool,
    find_slices: bool,
    across: bool,
    **arguments: Any,
) -> None:
    """Compare models: differences, intervals and p values.

    Give a config (its models are compared), folders that 'receval run -o DIR/' wrote, or both: main=results/main today=results/today.
    Users are paired by id. Exits with 0 whatever the verdict.
    """
    if across:
        shown = {"all": everything, "relative": relative, "find_slices": find_slices}
        _compare_across(inputs, read, form, outputs, quiet, {**arguments, **shown})
        return
    for name in ("ranks", "complete"):
        if arguments.pop(name):
            raise click.UsageError(f"--{name} goes with --across: receval compare --across DIR DIR")
    from receval.actions.compare import compare_inputs

    arguments |= {"test": read.take_tests(arguments.pop("tests")), "models": read.models}

    def read_with_groups(path: str) -> receval.Loaded:
        groups = {"compared_by": arguments["by"], "cluster": arguments["cluster"]}
        return read(path, groups, quiet=quiet, metrics=arguments["measures"], judges_gates=False)

    sources, written = read.sources(inputs), {options.COMMAND_LINE: read.as_options()}
    shown = {"everything": everything, "relative": relative, "find_slices": find_slices}
    compared = compare_inputs(sources, arguments, read=read_with_groups, tell=tell, outputs=outputs, written=written, **shown)
    for result in compared.results.values():
        tell_cautions(result, quiet=quiet)
    row = output_form(form or "table", "comparison")
    if form is not None or not quiet:
        show(row, compared.comparison, **compared.form_arguments)
    for sentence in compared.looks:
        say(sentence)
    say_without_charts(outputs, row, quiet=quiet)


def _compare_across(
    inputs: tuple[str, ...],
    read: options.ConfigReader,
    form: str | None,
    outputs: tuple[str, ...],
    quiet: bool,
    arguments: dict[str, Any],
) -> None:
    """Compare models over data sets, and show the comparison."""
    from receval.actions.across import compare_inputs_across

    arguments |= {"test": read.take_tests(arguments.pop("tests")), "models": read.models}

    is_chosen = len(inputs) > 1 or any(override.startswith("dataset=") for override in read.overrides)

    def read_with_cluster(path: str, data_set: str | None = None) -> receval.Loaded:
        own = read if data_set is None and is_chosen else read.of_data_set(data_set)  # `dataset` in a config chooses for other commands
        return own(path, {"cluster": arguments["cluster"]}, quiet=quiet, metrics=arguments["measures"], judges_gates=False)

    compared = compare_inputs_across(read.sources(inputs), arguments, read=read_with_cluster, tell=tell, outputs=outputs)
    for result in compared.results.values():
        tell_cautions(result, quiet=quiet)
    if form is not None or not quiet:
        show(output_form(form or "table", "across"), compared.comparison, **compared.form_arguments)


def _date(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return a date in the form of reports."""
    if value is None:
        return None
    from receval.config.run_sections import report_date

    try:
        return str(report_date(value))
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


@click.command(cls=options.Command, usual=_USUAL_OF_REPORT)
@options.config_or_folder_argument("inputs", "[CONFIG|[NAME=]DIR]...", nargs=-1)
@options.outputs_option("Write the report: .html, .md, .tex (tables; report.tex: a whole document), .xml (JUnit), .svg (a badge).")
@options.format_option("report", "latex", help="Print the report in this format.")
@click.option("--interactive", is_flag=True, help="Include Vega in the page (0.9 MB), which shows numbers under the pointer.")
@click.option("--template", metavar="FILE.j2", help="Render your own Jinja template into the files of -o.")
@click.option("--title", help="The title. Default: the names of the models.")
@click.option(
    "--date",
    metavar="DATE",
    callback=_date,
    help="The date below the title: YYYY-MM-DD or today. Default: the date in SOURCE_DATE_EPOCH, or none.",
)
@baseline_option
@baseline_model_option
@click.option("--measure", "measures", multiple=True, metavar="M", help="A measure to test; the others are only shown. May be repeated.")
@_margin_option
@_losers_option
@options.find_slices_option
@options.plugin_option
@options.reading_options("overrides", "recommendations", "where", "target", "replace")
@options.ci_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def report(
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    form: str | None,
    interactive: bool,
    template: str | None,
    title: str | None,
    date: str | None,
    read: options.ConfigReader,
    system: str,
    quiet: bool,
    **arguments: Any,
) -> None:
    """Write a page for people, tables for a paper, or a file for programs.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated; two or more folders give the page of their
    comparison. User ids appear only with --losers. Always exits with 0 if the report is made.
    """
    from receval.actions.report import SECTIONS, report_inputs

    if not outputs and form is None and system == "none":
        raise click.UsageError("give an output file or a format: -o report.html, or --format md")
    looks: dict[str, Any] = {
        "find_slices": arguments.pop("find_slices"),
        "title": title,
        "date": date,
        "interactive": interactive,
        "template": template,
    }
    with options.hint_in_options({"the first time use --if-missing pass, or": "a report without gates: --set 'gates.rules=[]'; or"}):
        made = report_inputs(
            read.sources(inputs, SECTIONS),
            {**arguments, "models": read.models},
            overrides=read.overrides,
            read=partial(read, quiet=quiet),
            tell=tell,
            files=outputs,
            more_files=ci_files(system),
            form=form,
            **looks,
        )
    if made.printed is not None:
        emit(made.printed)
    publish(made.content, system)
    if made.failed_gates:
        say(made.failed_gates)
    if made.remark:
        say(f"warning: {made.remark}")
    say_without_charts(made.files, output_form(form, "report") if form else None, quiet=quiet)
    if not quiet:
        say_written(made.files, None if template else made.has_documents)


class _ChartChoice(click.Choice[str]):
    """The name of a chart; `-` is read as `_`."""

    def normalize_choice(self, choice: Any, ctx: click.Context | None) -> str:
        """Return a name as it is compared."""
        return super().normalize_choice(choice, ctx).replace("-", "_")


@click.command(cls=options.Command)
@click.argument(
    "chart",
    metavar="CHART",
    type=_ChartChoice(("over_k", "precision_recall", "gamma_curve", "differences", "trade_off", "distribution", "groups")),
)
@options.config_or_folder_argument("inputs", "[CONFIG|[NAME=]DIR]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Write the chart: .svg, .png, .pdf, or .json (its Vega-Lite specification).",
)
@click.option(
    "--of",
    multiple=True,
    metavar="M",
    help="A measure of the chart: a metric for over_k and precision_recall, two measures for trade_off. May be repeated.",
)
@baseline_option
@baseline_model_option
@_margin_option
@options.plugin_option
@options.reading_options("overrides", "recommendations", "where", "target", "replace")
def plot(chart: str, inputs: tuple[str, ...], output: str, of: tuple[str, ...], read: options.ConfigReader, **arguments: Any) -> None:
    """Draw one chart of a report.

    CHART is over_k (measures over the cut-offs), precision_recall, gamma_curve (measures under exposure over gamma), differences (from the
    baseline), trade_off (two measures), distribution (per-user values) or groups.

    Give a folder that 'receval run -o DIR/' wrote, or a config, which is evaluated. With several folders, models of the
    same name are compared. All forms except .json need the extra report.
    """
    from receval.actions.report import SECTIONS, plot_inputs

    sources = read.sources(inputs, SECTIONS)
    plot_inputs(sources, chart, of, {**arguments, "models": read.models}, overrides=read.overrides, read=read, tell=tell, output=output)
    say(f"wrote {output}")
