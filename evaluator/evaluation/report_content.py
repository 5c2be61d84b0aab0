"""Results → what a report is made of: the models under the names of a comparison, compared where there are several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from ..comparison.best_models import with_conclusions
from ..comparison.comparing import compare
from ..comparison.measures import rows_of
from ..comparison.questions import Questions
from ..comparison.sides import sides_of
from ..comparison.spreading import spreads_of_values
from ..config import Loaded
from ..config.comparing import Compare
from ..config.reporting import ReportConfig
from ..content.points import NamedModel
from ..content.report import CHARTS, ReportContent
from ..errors import RecevalError
from ..results.closing import closing_sentences
from ..results.gates import Gate
from ..results.result import Result
from ..results.users import columns_of
from .chart_measures import named_charts
from .gathering import Gathered, with_baseline_folder
from .reporting import latex_of

Section = TypeVar("Section", Compare, ReportConfig)


def report_of(
    results: Mapping[str, Result],
    questions: Questions,
    wanted: ReportConfig,
    *,
    source: str = "",
    gates: Sequence[Gate] = (),
    comparing: bool = True,
) -> ReportContent:
    """What a report of some results is made of; several models are compared as `questions` say, unless without `comparing`.

    `RecevalError` if they cannot be compared.
    """
    charts = named_charts(wanted.chosen or dict.fromkeys(CHARTS, ()), _labels(results))
    questions = _with_spreads(results, questions, charts)
    comparison = compare(results, questions) if comparing and _several(results, questions) else None
    if len(results) == 1 and comparison is not None:
        results = {name: with_conclusions(result, questions) for name, result in results.items()}
    concluded = next(iter(results.values())).conclusions if len(results) == 1 and questions.baseline is None else ()
    return ReportContent(
        results=results,
        models=_models(results, questions),
        comparison=comparison,
        gates=gates or tuple(gate for one in results.values() for gate in one.gates),
        spreads=() if comparison is not None else tuple(spread for one in results.values() for spread in _spreads(one, charts)),
        closing=tuple(closing_sentences(concluded)),
        source=source,
        given_title=wanted.title,
        charts=charts,
        show_users=questions.losers > 0,
    )


def report_of_gathered(
    gathered: Gathered,
    changed: Callable[[Questions], Questions],
    *,
    source: str,
    title: str | None,
    charts: Mapping[str, tuple[str, ...]] | None = None,
) -> ReportContent:
    """What the report of results from folders and of a config is made of.

    What is asked is said by the config, or that of the only folder, `changed` by the command line. `RecevalError` where the models of one
    result cannot be compared with a baseline that was named, or those of several not with each other.
    """
    compare_section, wanted = _asked_by(gathered)
    questions = Questions.of(compare_section)
    asked = changed(questions)
    wanted = wanted.model_copy(update={"title": title or wanted.title, **({} if charts is None else {"charts": dict(charts)})})
    named_charts(wanted.chosen, _labels(gathered.results))
    if len(gathered.results) == 1 and asked.baseline == questions.baseline:
        return _tolerant(gathered, asked, wanted, source)
    results, asked = with_baseline_folder(gathered, asked)
    return report_of(results, asked, wanted, source=source)


def report_of_run(loaded: Loaded, result: Result) -> ReportContent:
    """What the report of a config that was just evaluated is made of: where its models cannot be compared the report says why."""
    gathered = Gathered({Path(loaded.name).stem or "run": result}, loaded)
    return _tolerant(gathered, Questions.of(loaded.config.compare), loaded.config.report, loaded.name)


def _tolerant(gathered: Gathered, questions: Questions, wanted: ReportConfig, source: str) -> ReportContent:
    """The report of one result; where its models cannot be compared it says why."""
    try:
        results, questions = with_baseline_folder(gathered, questions)
        return report_of(results, questions, wanted, source=source)
    except RecevalError as error:
        plain = wanted.model_copy(update={"charts": dict.fromkeys(wanted.charts, ())})
        alone = report_of(gathered.results, replace(questions, baseline=None), plain, source=source, comparing=False)
        return replace(alone, uncompared=error.shown())


def stored_sections(result: Result) -> tuple[Compare, ReportConfig]:
    """What the config of a stored result asks of comparisons and reports."""
    return _section(result, "compare", Compare) or Compare(), _section(result, "report", ReportConfig) or ReportConfig()


def latex_of_gathered(gathered: Gathered, *, is_document: bool) -> bytes:
    """The only result in LaTeX, as its config asks for it."""
    compare, wanted = _asked_by(gathered)
    return latex_of(next(iter(gathered.results.values())), compare, wanted.latex, is_document=is_document or wanted.latex.document)


def _asked_by(gathered: Gathered) -> tuple[Compare, ReportConfig]:
    """What the config asks, or that of the only folder."""
    if gathered.config is not None:
        return gathered.config.config.compare, gathered.config.config.report
    return stored_sections(next(iter(gathered.results.values()))) if len(gathered.results) == 1 else (Compare(), ReportConfig())


def _section(result: Result, name: str, kind: type[Section]) -> Section | None:
    """A section of the config of a result; `None` if it has none that this version reads."""
    try:
        return kind.model_validate(result.config[name]) if name in result.config else None
    except ValueError:
        return None


def _labels(results: Mapping[str, Result]) -> list[str]:
    return [label for result in results.values() for label in result.labels()]


def _several(results: Mapping[str, Result], questions: Questions) -> bool:
    """Whether there is something to compare: several results or models, or a baseline that was named."""
    if len(results) > 1 or questions.baseline is not None:
        return True
    return any(len(result.models) - len(result.yardsticks) > 1 for result in results.values())


def _models(results: Mapping[str, Result], questions: Questions) -> tuple[NamedModel, ...]:
    """All models of one result; of several those that are compared."""
    if len(results) == 1:
        ((_, result),) = results.items()
        return tuple(NamedModel(model, result, model) for model in result.models)
    sides = sides_of(results, questions.baseline, all_pairs=questions.all_pairs)
    return tuple(NamedModel(side.name, side.result, side.model) for side in sides.all)


def _with_spreads(results: Mapping[str, Result], questions: Questions, charts: Mapping[str, tuple[str, ...]]) -> Questions:
    """The questions, also for the histogram of differences of a measure: the first one, unless another is named."""
    if "distribution" not in charts:
        return questions
    return replace(questions, spreads=charts["distribution"] or questions.measures[:1] or _typical(next(iter(results.values()))))


def _spreads(result: Result, charts: Mapping[str, tuple[str, ...]]) -> list[Any]:
    if "distribution" not in charts:
        return []
    labels = charts["distribution"] or _typical(result)
    return [spread for label in labels for spread in spreads_of_values(result, label)]


def _typical(result: Result) -> tuple[str, ...]:
    """The first measure with values of users, at its largest cut-off, where users differ most."""
    model = result.models[0]
    columns = columns_of(result.per_user, model) if model in result.per_user else ()
    rows = [row for row in rows_of(result, model).values() if row.measure in columns]
    of_metric = [row for row in rows if row.metric == rows[0].metric and row.aggregate == rows[0].aggregate]
    return tuple(row.label for row in sorted(of_metric, key=lambda row: row.k or 0)[-1:])
