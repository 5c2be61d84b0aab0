"""Results → reports: the content of a report, with a comparison if there are several models, and its files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..comparison.bases import base_of, section_of
from ..comparison.best_models import closing_with_groups, with_conclusions
from ..comparison.comparing import compare, spreads_of_values
from ..comparison.comparison_options import ComparisonOptions, named, rows_of
from ..comparison.pairing import sides_of
from ..comparison.slicing import SliceOptions
from ..comparison.slicing import find_slices as find_slices_of
from ..config import Loaded
from ..config.judgement import Compare
from ..config.run_sections import ReportConfig
from ..documents import figures
from ..documents.display_names import names_of, refuse_unknown_names, with_names
from ..documents.document import Document, Figure
from ..documents.paper import paper_document, result_tables
from ..documents.precision_recall import CURVES, curve_metrics, has_levels
from ..documents.report import CHARTS, ReportContent
from ..documents.report_page import report, summary
from ..documents.values import NamedModel, models_of
from ..render import drawing
from ..render.forms import rendered
from ..render.markdown import as_markdown
from ..render.user_templates import has_expressions, read_template
from ..render.user_templates import rendered as filled_template
from ..results.comparison import Comparison, conclusions
from ..results.description import Spread
from ..results.gates import Gate, Verdicts
from ..results.result import Result, columns_of
from ..results.row import listed
from ..results.slices import Slices
from ..results.spellings import Definitions
from ..storage.overwriting import InputPath, Target, destination, shown
from ..storage.stage import Stage
from ..support import outputs
from ..support.errors import ConfigError, RecevalError
from ..support.outputs import OutputForm
from ..support.secrets import conceal, hidden_in_outputs
from . import compare as comparisons
from .targets import PathLike, target_of, targets_of

_PRINTED: Final = Path("-")
"""The target of a report that is printed."""
_CHARTS: Final = "report.charts"
SECTIONS: Final = ("report", "compare")
"""The sections of the config of a stored result that a report reads."""


class WrittenReport(Struct, frozen=True, eq=False):
    """A report that was written: its content, its bytes if it is `printed`, its files, and a remark on its template."""

    content: ReportContent
    printed: bytes | None
    files: tuple[Path, ...]
    remark: str = ""

    @property
    def has_documents(self) -> bool:
        """True if the config says that each file in LaTeX is a whole document."""
        return any(stored_sections(result)[1].latex.document for result in self.content.results.values())

    @property
    def failed_gates(self) -> str:
        """The summary of the gates, in a sentence, if one failed; else empty."""
        verdicts = Verdicts(tuple(self.content.gates))
        return f"{verdicts.summary()}; a report exits with 0, receval run and receval gate with 1" if verdicts.failed() else ""


def report_inputs(
    inputs: Sequence[str],
    arguments: Mapping[str, Any],
    *,
    read: comparisons.Read,
    tell: comparisons.Tell,
    files: Sequence[PathLike] = (),
    more_files: Mapping[Path, OutputForm] | None = None,
    form: str | None = None,
    title: str | None = None,
    date: str | None = None,
    interactive: bool = False,
    template: str | None = None,
    overrides: Sequence[str] = (),
    find_slices: bool = False,
) -> WrittenReport:
    """Write a report on folders and a config into files, and in a `form` that is printed; `arguments`: see `with_arguments`.

    The gates of the config are judged; the folders have those that were judged when they were written.
    `overrides` of the `SECTIONS` change the configs of folders. With `find_slices` users are searched for slices.
    """
    own, templates, remark, describes = None, list[InputPath](), "", False
    if template is not None:
        templates.append(InputPath("the template", Path(template).expanduser()))
        text, name = read_template(Path(template).expanduser()), template
        describes = "interactions" in text  # numbers of the files in `my_dict`
        if not has_expressions(text):
            remark = f"--template {name}: it has no expression, so that the output is a copy of it; docs/reports.md has the delimiters"
        own = OutputForm("report", "template", lambda content, path: filled_template(text, content, name, path), takes=("path",))
    targets = targets_of(files, "report", "latex", more=more_files, noun="report", template=own)
    printed = None if form is None else outputs.output_form(form, "report", "latex")
    rows = {**targets.files, **({} if printed is None else {_PRINTED: printed})}
    opened = comparisons.open_inputs(inputs, read, arguments, overrides)
    with Stage(targets.written(of=opened.config), (*templates, *opened.read())) as stage:
        gathered = comparisons.gather(
            opened, tell, judges_gates=True, features=comparisons.features_of_files if find_slices else None, describes=describes
        )
        content = report_of_gathered(gathered, arguments, source=comparisons.path_of(inputs[0]), title=title, date=date)
        content = replace(content, slices=_slices(gathered, arguments)) if find_slices else content
        made: dict[Path, bytes] = {}
        for path, row in rows.items():
            if row.of == "latex" and len(gathered.results) > 1:
                raise ConfigError(f"-o {path}: a LaTeX report is for one result", "use receval compare -o FILE.tex for a comparison")
            subject = next(iter(gathered.results.values())) if row.of == "latex" else content
            made[path] = rendered(row, subject, interactive=interactive, path=path)
        stage.commit({destination(path): body for path, body in made.items() if path is not _PRINTED})
    return WrittenReport(content, made.get(_PRINTED), tuple(targets.files), remark)


def report_of(
    results: Mapping[str, Result], options: ComparisonOptions, wanted: ReportConfig, *, source: str = "", comparing: bool = True
) -> ReportContent:
    """Return the content of a report on some results; several models are compared by `options`, unless `comparing` is false.

    Raises `RecevalError` if they cannot be compared.
    """
    labels = (label for result in results.values() for label in result.labels())
    charts = _named_charts(wanted.chosen or dict.fromkeys(_usual_charts(results), ()), labels, _definitions(results))
    is_one, first, spread_of = len(results) == 1, next(iter(results.values())), charts.get("distribution", ())
    if "distribution" in charts:  # shows the first measure, unless another is named
        options = replace(options, spreads=spread_of or options.measures[:1] or _typical(first, results.values()))
    are_many = not is_one or len(first.models) - len(first.yardsticks) > 1
    has_base = options.baseline is not None or (is_one and not base_of(results).is_default)
    comparison = compare(results, options) if comparing and (are_many or has_base) else None
    spreads: tuple[Spread, ...] = ()
    if "distribution" in charts and comparison is None:
        named_in = [(result, label) for result in results.values() for label in spread_of or _typical(result)]
        spreads = tuple(spread for result, label in named_in for spread in spreads_of_values(result, label))
    if is_one and comparison is not None:
        results = {name: with_conclusions(result, options) for name, result in results.items()}
    if is_one:
        models = models_of(next(iter(results.values())))
    else:
        sides = sides_of(results, options.baseline, options.baseline_model, all_pairs=options.all_pairs, unnamed=options.unnamed)
        models = tuple(NamedModel(side.name, side.result, side.model) for side in sides.all)
    return ReportContent(
        results=results,
        models=models,
        comparison=comparison,
        gates=_gates_of({label: result for label, result in results.items() if is_one or label != options.baseline}),
        spreads=spreads,
        closing=_closing(models[0].result, comparison if has_base else None, options) if is_one else (),
        source=source,
        given_title=wanted.title,
        charts=charts,
        show_users=options.losers > 0,
        date=_date(wanted.date),
    )


def _closing(result: Result, comparison: Comparison | None, options: ComparisonOptions) -> tuple[str, ...]:
    """Return the headline of a result, and after it the conclusions of its comparison with a baseline."""
    against = [] if comparison is None else conclusions(comparison, with_groups=True)
    return tuple(dict.fromkeys((*closing_with_groups(result, options), *against)))


def _gates_of(results: Mapping[str, Result]) -> tuple[Gate, ...]:
    """Return the gates of results; if several results have gates of one model, the model has the name of its result."""
    judged = {label: {gate.model for gate in result.gates} for label, result in results.items()}
    if sum(map(len, judged.values())) == len({model for models in judged.values() for model in models}):
        return tuple(gate for result in results.values() for gate in result.gates)
    return tuple(
        replace(gate, model=label if len(judged[label]) == 1 else f"{label}/{gate.model}")
        for label, result in results.items()
        for gate in result.gates
    )


def _date(wanted: str | None) -> str:
    """Return the date of the config or an option, else of SOURCE_DATE_EPOCH, else nothing: the same input gives the same bytes."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if wanted is not None:
        return f"{datetime.now():%Y-%m-%d}" if wanted == "today" else wanted
    return f"{datetime.fromtimestamp(int(epoch), UTC):%Y-%m-%d}" if epoch.isascii() and epoch.isdigit() and len(epoch) < 12 else ""


def report_of_gathered(
    gathered: comparisons.GatheredResults,
    arguments: Mapping[str, Any],
    *,
    source: str = "",
    title: str | None = None,
    date: str | None = None,
    charts: Mapping[str, tuple[str, ...]] | None = None,
) -> ReportContent:
    """Return the content of the report on results of folders and of a config.

    Options that `arguments` (see `with_arguments`) do not give are those of the config, or of the only folder. Raises `RecevalError` if
    the models of one result cannot be compared with a named baseline, or those of several results with each other.
    """
    results = gathered.results
    compare_section, wanted = Compare.model_construct(), ReportConfig.model_construct()
    if gathered.config is not None:
        compare_section, wanted = gathered.config.config.compare, gathered.config.config.report
    elif len(results) == 1:
        compare_section, wanted = stored_sections(next(iter(results.values())))
    options = ComparisonOptions.from_config(compare_section)
    changed = comparisons.with_arguments(options, arguments)
    named = {"title": title or wanted.title, "date": date or wanted.date}
    wanted = wanted.model_copy(update={**named, **({} if charts is None else {"charts": dict(charts)})})
    _named_charts(wanted.chosen, (label for result in results.values() for label in result.labels()), _definitions(results))
    if len(results) == 1 and changed.baseline == options.baseline:
        return _tolerant(gathered, changed, wanted, source)
    return report_of(*comparisons.with_baseline_folder(gathered, changed), wanted, source=source)


def _slices(gathered: comparisons.GatheredResults, arguments: Mapping[str, Any]) -> Slices:
    """Search the results of a report for slices, in the first tested measure."""
    section = gathered.config.config.compare if gathered.config is not None else Compare.model_construct()
    options = comparisons.with_arguments(ComparisonOptions.from_config(section), {**arguments, "losers": 0})
    results, options = comparisons.with_baseline_folder(gathered, options)
    return find_slices_of(results, SliceOptions(replace(options, measures=options.measures[:1])))


def report_of_run(loaded: Loaded, result: Result) -> ReportContent:
    """Return the content of the report on a config that was just evaluated; if its models cannot be compared, the report says why."""
    label = comparisons.label_of_config(loaded.name, loaded.config.compare.baseline) or "run"
    gathered = comparisons.GatheredResults({label: result}, loaded, unnamed=label)
    return _tolerant(gathered, ComparisonOptions.from_config(loaded.config.compare), loaded.config.report, loaded.name)


def publish_on_github(content: ReportContent, file: str | None, tell: Callable[[str], None]) -> None:
    """Print annotations of failures for GitHub with `tell`, and append the summary of a report to the summary file of the step."""
    from ..render.ci import append_summary, as_annotations  # only here: most reports are not made on GitHub

    content = conceal(content, hidden_in_outputs(), keys=True)
    tell(as_annotations(content))
    if file:
        append_summary(file, as_markdown(summary(content)))


def _tolerant(gathered: comparisons.GatheredResults, options: ComparisonOptions, wanted: ReportConfig, source: str) -> ReportContent:
    """Return the content of the report on one result; if its models cannot be compared, the report says why."""
    try:
        return report_of(*comparisons.with_baseline_folder(gathered, options), wanted, source=source)
    except RecevalError as error:
        plain = wanted.model_copy(update={"charts": dict.fromkeys(wanted.charts, ())})
        alone = report_of(gathered.results, replace(options, baseline=None), plain, source=source, comparing=False)
        return replace(alone, uncompared=error.shown())


def comparison_page(comparison: Comparison, *, compared: comparisons.ComparedResults, relative: bool = False) -> Document:
    """Return the page of a comparison; with `relative`, differences also have a column in percent."""
    content = report_of(compared.results, compared.options, ReportConfig.model_construct(), source=compared.source)
    return report(replace(content, relative=relative, slices=comparison.slices))


def stored_sections(result: Result) -> tuple[Compare, ReportConfig]:
    """Return the sections `compare` and `report` of a stored result; the defaults if this version cannot read them."""
    return section_of(result, "compare", Compare), section_of(result, "report", ReportConfig)


def tables(result: Result, *, is_document: bool = False) -> Document:
    """Return the LaTeX tables of a result by the settings of its config, or a whole document.

    Marks of clear differences come from per-user values. By default the best model of each measure is compared with all others; for
    letters all pairs are compared, for daggers all models with the baseline.
    """
    compare_section, wanted = stored_sections(result)
    options, marks, comparison = replace(ComparisonOptions.from_config(compare_section), common=True, by=()), wanted.latex.marks, None
    result = with_conclusions(result, options)
    if marks != "none" and any(conclusion.is_tested for conclusion in result.conclusions):
        baseline = options.baseline if options.baseline in result.models else None  # models of a folder have no row in the table
        comparison = compare({"": result}, replace(options, baseline=baseline, all_pairs=marks == "letters"))
    if is_document or wanted.latex.document:
        return paper_document(result, comparison, wanted.latex, sentences=closing_with_groups(result, options))
    return result_tables(result, comparison, wanted.latex)


def paper(result: Result) -> Document:
    """Return a result as a document, with its tables, definitions and data."""
    return tables(result, is_document=True)


def _typical(result: Result, beside: Iterable[Result] = ()) -> tuple[str, ...]:
    """Return the first measure with per-user values, at its largest cut-off, where users differ most; empty if there is none.

    Results `beside` it have the measure too.
    """
    model = result.models[0]
    columns = columns_of(result.per_user, model) if model in result.per_user else ()
    shared = set(result.labels()).intersection(*(report_content.labels() for report_content in beside))
    rows = [row for row in rows_of(result, model).values() if row.measure in columns and row.label in shared]
    of_metric = [row for row in rows if row.metric == rows[0].metric and row.aggregate == rows[0].aggregate]
    return tuple(row.label for row in sorted(of_metric, key=lambda row: row.k or 0)[-1:])


def _definitions(results: Mapping[str, Result]) -> Definitions:
    return {name: definition for result in results.values() for name, definition in result.definitions.items()}


def _usual_charts(results: Mapping[str, Result]) -> tuple[str, ...]:
    """Return the charts of a report that names none: all, but that of precision and recall only at levels, because over_k has the rest."""
    has_own = has_levels(row for result in results.values() for row in result.rows)
    return tuple(chart for chart in CHARTS if chart != "precision_recall" or has_own)


def _named_charts(charts: Mapping[str, Sequence[str]], labels: Iterable[str], definitions: Definitions) -> dict[str, tuple[str, ...]]:
    """Return the charts with the labels of their measures in results; raise `ConfigError` for a measure that does not exist."""
    known = tuple(dict.fromkeys(labels))
    metrics = tuple(dict.fromkeys(label.rpartition("@")[0] or label for label in known))
    of_curves, found = curve_metrics(known), dict[str, tuple[str, ...]]()
    for chart, texts in charts.items():
        shown = metrics if chart == "over_k" else (*of_curves, *known) if chart == "precision_recall" else known
        every = [label for text in texts for label in named(text, shown, f"{_CHARTS}: {chart}", definitions)]
        if chart == "trade_off" and every and len(every) != 2:
            raise ConfigError(f"{_CHARTS}: trade_off needs two measures, not {', '.join(every)}", "give two measures with their cut-offs")
        if chart == "precision_recall" and not {*every} <= {*of_curves}:
            others = listed([label for label in every if label not in of_curves])
            shows = f"precision_recall shows {listed(CURVES)}, not {others}"
            raise ConfigError(f"{_CHARTS}: {shows}", "name a metric without its cut-off and its level")
        found[chart] = tuple(dict.fromkeys(every))
    return found


def refuse_unknown_charts(loaded: Loaded) -> None:
    """Raise `ConfigError` for a chart of a measure that a config does not compute, before anything is evaluated."""
    from ..evaluation.plan import definitions_of  # only here: folders name their measures

    evaluation = loaded.config.evaluation
    if not evaluation.aggregates:  # with aggregates, measures have names that are not known here
        _named_charts(loaded.config.report.chosen, evaluation.labels, definitions_of(evaluation.definitions))


def refuse_names_of(loaded: Loaded) -> None:
    """Raise `ConfigError` for a name of a model or measure that a config does not have, before anything is evaluated."""
    evaluation, models = loaded.config.evaluation, comparisons.model_names(loaded)
    if models is not None and not evaluation.aggregates:  # otherwise files or aggregates give names that are not known here
        metrics = (label.rpartition("@")[0] or label for label in evaluation.labels)
        refuse_unknown_names(loaded.config.report.names, models, evaluation.labels, metrics)


def plot_inputs(
    inputs: Sequence[str],
    kind: str,
    of: Sequence[str],
    arguments: Mapping[str, Any],
    *,
    read: comparisons.Read,
    tell: comparisons.Tell,
    output: PathLike,
    overrides: Sequence[str] = (),
) -> None:
    """Write a chart of the results of folders and of a config into a file.

    Raises `MissingExtraError` for a picture that cannot be drawn here, before anything is evaluated.
    """
    target, row = target_of(output, "chart", noun="chart")
    if "drawing" in row.needs:
        drawing.require()
    opened = comparisons.open_inputs(inputs, read, arguments, overrides)
    storage = {} if opened.config is None else opened.config.config.output.storage
    with Stage([Target(f"-o {shown(target)}", target, storage=storage)], opened.read()) as stage:
        gathered = comparisons.gather(opened, tell)
        content = report_of_gathered(gathered, arguments, source=comparisons.path_of(inputs[0]), charts={kind: tuple(of)})
        stage.commit({destination(target): rendered(row, chart_of(content, kind).spec)})


def chart_of(content: ReportContent, kind: str, what: str = "these results") -> Figure:
    """Return a chart of the content of a report; raise `ConfigError` if there is nothing to show."""
    chart = figures.FIGURES[kind](content)
    if chart is None:
        raise ConfigError(f"there is no chart {kind} of {what}: {figures.NEEDS[kind]}", figures.ADVICE.get(kind))
    (renamed,) = with_names((chart,), names_of(content.results.values()))
    assert isinstance(renamed, Figure)
    return renamed
