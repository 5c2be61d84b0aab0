"""Results → reports: what a report is made of, with the models compared where there are several, and its files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from .. import outputs
from ..comparison.bases import base_of
from ..comparison.best_models import with_conclusions
from ..comparison.comparing import compare, spreads_of_values
from ..comparison.pairing import sides_of
from ..comparison.questions import Questions, named, rows_of
from ..config import Loaded
from ..config.judgement import Compare
from ..config.run_sections import ReportConfig
from ..content import figures
from ..content.paper import paper_document, result_tables
from ..content.report import CHARTS, ReportContent
from ..content.report_page import report, summary
from ..content.values import NamedModel, models_of
from ..disk.stage import Stage, destination
from ..document import Document, Figure
from ..errors import ConfigError, RecevalError
from ..outputs import OutputForm
from ..render import drawing
from ..render.forms import rendered
from ..render.markdown import as_markdown
from ..render.user_templates import read_template
from ..render.user_templates import rendered as filled_template
from ..results.comparison import Comparison, closing_sentences
from ..results.description import Spread
from ..results.result import Result, columns_of
from .compare import Compared, Gathered, Read, Tell, changed_by, gather, path_of, with_baseline_folder
from .targets import PathLike, target_of, targets_of

Section = TypeVar("Section", Compare, ReportConfig)
_PRINTED: Final = Path("-")
"""Where a report goes that is printed."""
_CHARTS: Final = "report.charts"
SECTIONS: Final = ("report", "compare")
"""The sections of the config of a stored result that a report reads."""


class Reported(Struct, frozen=True, eq=False):
    """A report that was written: what it is made of, its bytes where it is `printed`, and the files."""

    content: ReportContent
    printed: bytes | None
    files: tuple[Path, ...]


def report_inputs(
    inputs: Sequence[str],
    asked: Mapping[str, Any],
    *,
    read: Read,
    tell: Tell,
    files: Sequence[PathLike] = (),
    more_files: Mapping[Path, OutputForm] | None = None,
    form: str | None = None,
    title: str | None = None,
    date: str | None = None,
    interactive: bool = False,
    template: str | None = None,
    overrides: Sequence[str] = (),
) -> Reported:
    """Report the results of folders and of a config into files, and in a `form` that is printed; see `changed_by` for what is `asked`.

    `overrides` of the `SECTIONS` change the configs of folders.
    """
    own = None
    if template is not None:
        text, name = read_template(Path(template).expanduser()), template
        own = OutputForm("report", "template", lambda content, path: filled_template(text, content, name, path), takes=("path",))
    targets = targets_of(files, "report", "latex", more=more_files, noun="report", template=own)
    printed = None if form is None else outputs.of_form(form, "report", "latex")
    rows = {**targets.files, **({} if printed is None else {_PRINTED: printed})}
    with Stage(targets.places) as stage:
        gathered = gather(inputs, read, tell, overrides)
        content = report_of_gathered(gathered, asked, source=path_of(inputs[0]), title=title, date=date)
        made: dict[Path, bytes] = {}
        for path, row in rows.items():
            if row.of == "latex" and len(gathered.results) > 1:
                raise ConfigError(f"-o {path}: a LaTeX report is for one result", "use receval compare -o FILE.tex for a comparison")
            subject = next(iter(gathered.results.values())) if row.of == "latex" else content
            made[path] = rendered(row, subject, interactive=interactive, path=path)
        stage.commit({destination(path): body for path, body in made.items() if path is not _PRINTED})
    return Reported(content, made.get(_PRINTED), tuple(targets.files))


def report_of(
    results: Mapping[str, Result], questions: Questions, wanted: ReportConfig, *, source: str = "", comparing: bool = True
) -> ReportContent:
    """What a report of some results is made of; several models are compared as `questions` say, unless without `comparing`.

    `RecevalError` if they cannot be compared.
    """
    labels = (label for result in results.values() for label in result.labels())
    charts = _named_charts(wanted.chosen or dict.fromkeys(CHARTS, ()), labels)
    is_one, first, spread_of = len(results) == 1, next(iter(results.values())), charts.get("distribution", ())
    if "distribution" in charts:  # of the first measure, unless another is named
        questions = replace(questions, spreads=spread_of or questions.measures[:1] or _typical(first))
    are_many = not is_one or len(first.models) - len(first.yardsticks) > 1
    has_base = questions.baseline is not None or (is_one and not base_of(results).is_default)
    comparison = compare(results, questions) if comparing and (are_many or has_base) else None
    spreads: tuple[Spread, ...] = ()
    if "distribution" in charts and comparison is None:
        named_in = [(result, label) for result in results.values() for label in spread_of or _typical(result)]
        spreads = tuple(spread for result, label in named_in for spread in spreads_of_values(result, label))
    if is_one and comparison is not None:
        results = {name: with_conclusions(result, questions) for name, result in results.items()}
    if is_one:
        models = models_of(next(iter(results.values())))
    else:
        sides = sides_of(results, questions.baseline, all_pairs=questions.all_pairs)
        models = tuple(NamedModel(side.name, side.result, side.model) for side in sides.all)
    return ReportContent(
        results=results,
        models=models,
        comparison=comparison,
        gates=tuple(gate for one in results.values() for gate in one.gates),
        spreads=spreads,
        closing=() if not is_one or (comparison is not None and has_base) else tuple(closing_sentences(models[0].result.conclusions)),
        source=source,
        given_title=wanted.title,
        charts=charts,
        show_users=questions.losers > 0,
        date=_date(wanted.date),
    )


def _date(wanted: str | None) -> str:
    """Return the date that the config or an option gives, else that of SOURCE_DATE_EPOCH; nothing without both: same input, same bytes."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if wanted is not None:
        return f"{datetime.now():%Y-%m-%d}" if wanted == "today" else wanted
    return f"{datetime.fromtimestamp(int(epoch), UTC):%Y-%m-%d}" if epoch.isascii() and epoch.isdigit() and len(epoch) < 12 else ""


def report_of_gathered(
    gathered: Gathered,
    asked: Mapping[str, Any],
    *,
    source: str = "",
    title: str | None = None,
    date: str | None = None,
    charts: Mapping[str, tuple[str, ...]] | None = None,
) -> ReportContent:
    """What the report of results from folders and of a config is made of.

    What is not `asked` (see `changed_by`) is as the config says, or that of the only folder. `RecevalError` where the models of one result
    cannot be compared with a baseline that was named, or those of several not with each other.
    """
    results = gathered.results
    compare_section, wanted = (Compare(), ReportConfig()) if len(results) > 1 else stored_sections(next(iter(results.values())))
    if gathered.config is not None:
        compare_section, wanted = gathered.config.config.compare, gathered.config.config.report
    questions = Questions.of(compare_section)
    changed = changed_by(questions, asked)
    named = {"title": title or wanted.title, "date": date or wanted.date}
    wanted = wanted.model_copy(update={**named, **({} if charts is None else {"charts": dict(charts)})})
    _named_charts(wanted.chosen, (label for result in results.values() for label in result.labels()))
    if len(results) == 1 and changed.baseline == questions.baseline:
        return _tolerant(gathered, changed, wanted, source)
    return report_of(*with_baseline_folder(gathered, changed), wanted, source=source)


def report_of_run(loaded: Loaded, result: Result) -> ReportContent:
    """What the report of a config that was just evaluated is made of: where its models cannot be compared the report says why."""
    gathered = Gathered({Path(loaded.name).stem or "run": result}, loaded)
    return _tolerant(gathered, Questions.of(loaded.config.compare), loaded.config.report, loaded.name)


def publish_on_github(content: ReportContent, file: str | None, tell: Callable[[str], None]) -> None:
    """Tell the lines in which GitHub looks for what failed, and add the summary of a report to the file that it names for a step."""
    from ..render.ci import append_summary, as_annotations  # only here: most reports are not made on GitHub

    tell(as_annotations(content))
    if file:
        append_summary(file, as_markdown(summary(content)))


def _tolerant(gathered: Gathered, questions: Questions, wanted: ReportConfig, source: str) -> ReportContent:
    """The report of one result; where its models cannot be compared it says why."""
    try:
        return report_of(*with_baseline_folder(gathered, questions), wanted, source=source)
    except RecevalError as error:
        plain = wanted.model_copy(update={"charts": dict.fromkeys(wanted.charts, ())})
        alone = report_of(gathered.results, replace(questions, baseline=None), plain, source=source, comparing=False)
        return replace(alone, uncompared=error.shown())


def comparison_page(comparison: Comparison, *, compared: Compared, relative: bool = False) -> Document:
    """The page of a comparison; differences have also a column in percent if `relative`."""
    return report(replace(report_of(compared.results, compared.questions, ReportConfig(), source=compared.source), relative=relative))


def stored_sections(result: Result) -> tuple[Compare, ReportConfig]:
    """What the config of a stored result asks of comparisons and reports; the defaults where this version does not read what it has."""

    def section(name: str, kind: type[Section]) -> Section:
        try:
            return kind.model_validate(result.config.get(name, {}))
        except ValueError:
            return kind()

    return section("compare", Compare), section("report", ReportConfig)


def tables(result: Result, *, is_document: bool = False) -> Document:
    """The tables of a result as its config asks for them, or a whole document; per-user values say which models are clearly different.

    By default each measure's best model is compared with all others; for letters every two models are, for daggers all with the baseline.
    """
    compare_section, wanted = stored_sections(result)
    questions, marks, comparison = replace(Questions.of(compare_section), common=True, by=()), wanted.latex.marks, None
    result = with_conclusions(result, questions)
    if marks != "none" and any(one.is_tested for one in result.conclusions):
        baseline = questions.baseline if questions.baseline in result.models else None  # models of a folder have no line in the table
        comparison = compare({"": result}, replace(questions, baseline=baseline, all_pairs=marks == "letters"))
    if is_document or wanted.latex.document:
        return paper_document(result, comparison, wanted.latex, sentences=closing_sentences(result.conclusions))
    return result_tables(result, comparison, wanted.latex)


def paper(result: Result) -> Document:
    """A result as a document, with its tables, definitions and data."""
    return tables(result, is_document=True)


def _typical(result: Result) -> tuple[str, ...]:
    """The first measure with per-user values, at its largest cut-off, where users differ most."""
    model = result.models[0]
    columns = columns_of(result.per_user, model) if model in result.per_user else ()
    rows = [row for row in rows_of(result, model).values() if row.measure in columns]
    of_metric = [row for row in rows if row.metric == rows[0].metric and row.aggregate == rows[0].aggregate]
    return tuple(row.label for row in sorted(of_metric, key=lambda row: row.k or 0)[-1:])


def _named_charts(charts: Mapping[str, Sequence[str]], labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The charts with the names that their measures have in results; `ConfigError` for one that there is not."""
    known = tuple(dict.fromkeys(labels))
    metrics = tuple(dict.fromkeys(label.rpartition("@")[0] or label for label in known))
    found: dict[str, tuple[str, ...]] = {}
    for chart, texts in charts.items():
        every = [label for text in texts for label in named(text, metrics if chart == "over_k" else known, f"{_CHARTS}: {chart}")]
        if chart == "trade_off" and every and len(every) != 2:
            raise ConfigError(f"{_CHARTS}: trade_off needs two measures, not {', '.join(every)}", "give two measures with their cut-offs")
        found[chart] = tuple(dict.fromkeys(every))
    return found


def refuse_unknown_charts(loaded: Loaded) -> None:
    """`ConfigError` for a chart of a measure that a config does not ask for, before anything is evaluated."""
    evaluation = loaded.config.evaluation
    if not evaluation.aggregates:  # with aggregates measures have more names than can be known here
        _named_charts(loaded.config.report.chosen, evaluation.labels)


def plot_inputs(
    inputs: Sequence[str],
    kind: str,
    of: Sequence[str],
    asked: Mapping[str, Any],
    *,
    read: Read,
    tell: Tell,
    output: PathLike,
    overrides: Sequence[str] = (),
) -> None:
    """Draw a chart of the results of folders and of a config into a file.

    `MissingExtraError` for a picture that cannot be drawn here, before anything is evaluated.
    """
    target, row = target_of(output, "chart", noun="chart")
    if "drawing" in row.needs:
        drawing.require()
    file = destination(target)
    with Stage([file.parent]) as stage:
        content = report_of_gathered(gather(inputs, read, tell, overrides), asked, source=path_of(inputs[0]), charts={kind: tuple(of)})
        stage.commit({file: rendered(row, chart_of(content, kind).spec)})


def chart_of(content: ReportContent, kind: str, what: str = "these results") -> Figure:
    """A chart of what a report is made of; `ConfigError` if there is nothing to show."""
    chart = figures.FIGURES[kind](content)
    if chart is None:
        raise ConfigError(f"there is no chart {kind} of {what}: {figures.NEEDS[kind]}")
    return chart
