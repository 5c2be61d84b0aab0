"""Compare and judge results from Python, as `receval compare` and `receval gate` do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import asdict, replace

from ..actions.compare import GatheredResults, MarginLike, choose, groups_named, margins_of, texts_of_groups
from ..actions.compare import compare as compare_gathered
from ..actions.judge import bases_of, gate_options, with_gates
from ..actions.slices import slices_of
from ..comparison.comparison_options import ComparisonOptions
from ..comparison.slicing import SliceOptions
from ..config.judgement import Compare, Gates, Inconclusive, MissingPolicy
from ..config.run_sections import ChartName
from ..config.stored_sections import gates_of
from ..documents import differences, gate_plan, gates
from ..documents import slices as slices_content
from ..documents.document import Document
from ..gates.demands import Baseline, Bases
from ..render.result_data import comparison_cells, gate_cells, slice_cells, slice_table
from ..results.comparison import Comparison, conclusions
from ..results.gate_plan import GatePlan, RulePlan, cells
from ..results.gates import Gate, Verdicts
from ..results.result import Result
from ..results.slices import Slices, UserSlice
from ..stats.difference import Failing, Settings
from ..storage.result_folder import load as load_folder
from ..support.errors import ConfigError
from ..support.synonyms import path_of, takes, wrong_type
from .arguments import names_of
from .charts import DrawnChart
from .display import WithCells
from .other_frames import PandasFrame, as_pandas
from .wording import errors_as_arguments, reworded

_OWN, _BASELINE = "result", "baseline"
RuleLike = str | Mapping[str, Any]
"""A rule: `"nDCG@10 max_loss 2%"`, or a mapping as in a config."""
BaselineLike = Result | str | os.PathLike[str] | Mapping[str, Result]


class ComparisonResult(WithCells, Comparison, frozen=True, kw_only=True):
    """Differences between models: `differences` (one record each), `losers`, `notes`; it prints as the table of `receval compare`.

    `results` are the compared results, `questions` the options of the comparison.
    """

    results: Mapping[str, Result]
    questions: ComparisonOptions

    @property
    def sentences(self) -> list[str]:
        """The conclusions, in a sentence or two for each pair."""
        return conclusions(self, with_groups=True)

    def to_polars(self) -> pl.DataFrame:
        """Return a row per difference, over all users and within groups."""
        rows = [difference.cells() for difference in (*self.differences, *self.by_group)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_pandas(self) -> PandasFrame:
        """Return `to_polars` as a pandas DataFrame; raise `MissingExtraError` if pandas is not installed."""
        return as_pandas(self.to_polars())

    @takes()
    def report(self, path: str | os.PathLike[str], *, title: str | None = None, interactive: bool = False) -> None:
        """Write the report of these models in the form of the ending: .html, .md, .tex, .xml (JUnit), .svg (a badge).

        It contains user ids only if the comparison has `losers`.
        """
        from .pages import comparison_content, write  # only here: most comparisons write no page

        write(
            path,
            self,
            self.results.values(),
            partial(comparison_content, self.results, self.questions, title=title),
            interactive=interactive,
        )

    @takes()
    def chart(self, kind: ChartName = "differences", of: str | Sequence[str] = ()) -> DrawnChart:
        """Draw `differences`, `over_k`, `gamma_curve` or another chart of `EvaluationResult.chart`."""
        from .pages import comparison_content, draw

        return draw(kind, of, partial(comparison_content, self.results, self.questions))

    _cells = comparison_cells

    def _document(self) -> Document:
        return differences.document(self, everything=True)


@takes()
def compare(
    results: Result | Mapping[str, Result | str | os.PathLike[str]],
    baseline: Result | str | os.PathLike[str] | None = None,
    *,
    baseline_model: str | None = None,
    models: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    margin: MarginLike | None = None,
    test: Any = "t",
    correction: Any = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    by: str | Sequence[Any] = (),
    cluster: str | None = None,
    common: bool = False,
    unpaired: bool = False,
    all_pairs: bool = False,
    losers: int = 0,
) -> ComparisonResult:
    """Compare the models of one result, or of results by name, each an evaluation or its folder.

    The models of one result are compared with `baseline`, by default that of its config (`compare.baseline`, else `gates.baseline`), else
    the first. With several results, each model is compared with that of the same name in the result named `baseline`, which may also be
    another result or its folder, or with the model `baseline_model` of that result. `models` chooses some of them, by names or patterns
    such as `bpr*`; the baseline stays. `measures` (default: all) are tested, and p values are corrected over them. `margin` is the largest
    difference that does not matter: `0.005`, `"1%"` of the base value, or a mapping by measure with a `default`. `by` and `cluster` name
    columns of groups of the evaluation. `common` compares on the users that count on both sides, `unpaired` compares means of different
    users, `all_pairs` compares all pairs of models. `losers` is the number of users with the largest losses to list, for each model and
    measure. `by=[["users.plan", "rows.event"]]` combines two of them. See docs/compare.md for the rest.

    Raises `ConfigError` for options about data that the results do not have, `DataError` for results that cannot be compared.
    """
    if isinstance(results, Result):
        results = {_OWN: results}
    if isinstance(results, str | os.PathLike) or not isinstance(results, Mapping):
        raise ConfigError("results must be one evaluation, or evaluations and folders by name: {'main': 'results/main', 'today': result}")
    if not isinstance(losers, int) or losers < 0:
        raise ConfigError(f"losers must be the number of users to list, a whole number from 0, not {losers!r}")
    loaded = {name: opened(f"the result {name!r}", result) for name, result in results.items()}
    with errors_as_arguments():
        loaded = choose(loaded, models, baseline if isinstance(baseline, str) else None, baseline_model)
    if isinstance(baseline, Result):
        loaded, baseline = {_BASELINE: baseline, **loaded}, _BASELINE
    options = ComparisonOptions(
        baseline=None if baseline is None else path_of("baseline", baseline, "a result, its folder, or the name of a result or a model"),
        baseline_model=baseline_model,
        measures=names_of(measures),
        margins=margins_of(margin),
        settings=Settings(test, correction, alpha, seed),
        cluster=cluster,
        common=common,
        unpaired=unpaired,
        all_pairs=all_pairs,
        losers=losers,
    )
    with errors_as_arguments():
        written_by = texts_of_groups(by)
        names = groups_named(loaded, written_by)
        options = replace(options, by=names, written_by=dict(zip(names, written_by, strict=True)))
        compared = compare_gathered(GatheredResults(loaded), options)
    comparison = replace(compared.comparison, notes=tuple(map(reworded, compared.comparison.notes)))
    return ComparisonResult.of_record(comparison, results=compared.results, questions=compared.options)


class GateVerdicts(WithCells, Verdicts, frozen=True):
    """Verdicts on rules: `passed`, and a `Gate` for each rule and model; it prints as the table of `receval gate`."""

    def __iter__(self) -> Iterator[Gate]:
        return iter(self.gates)

    def __len__(self) -> int:
        return len(self.gates)

    def to_polars(self) -> pl.DataFrame:
        """Return a row per gate."""
        return pl.DataFrame(self.to_dict()["gates"], infer_schema_length=None)

    def _cells(self) -> dict[str, Any]:
        return {"failed": self.failed(), "summary": self.summary(), **gate_cells(self.gates)}

    def _document(self) -> Document:
        return gates.document(self.gates, summary=False)

    def _in_notebook(self) -> Document:
        return gates.document(self.gates)

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self.summary()}"


@takes()
def gate(
    result: Result | str | os.PathLike[str],
    rules: RuleLike | Sequence[RuleLike] = (),
    *,
    baseline: BaselineLike | None = None,
    baseline_model: str | None = None,
    anchor: BaselineLike | None = None,
    models: str | Sequence[str] = (),
    if_missing: MissingPolicy | None = None,
    fail: Failing | None = None,
    inconclusive: Inconclusive | None = None,
    alpha: float | None = None,
    common: bool = False,
    cluster: str | None = None,
) -> GateVerdicts:
    """Judge `rules` on the models of a result, an evaluation or its folder.

    A rule is `"Recall@20 >= 0.25"`, `"nDCG@10 max_loss 2%"`, `"nDCG@10 min_gain 0 against popular"`, or a mapping; by default, the rules of
    the config of the result are judged. `baseline` is another result, alone or as `{"main": result}`, its folder, or a model of this
    result; each model is compared with the one of its name, or with `baseline_model`. `anchor` is a baseline that is updated less often:
    margins must hold against it too. `if_missing` says what to do if such a folder is missing: `error`, `warn` or `pass`. `models` are
    judged (default: all but reference lists and baselines). `fail` says when a margin fails: `shown_worse`, `shown_beyond` or `value` (see
    docs/gates.md). `inconclusive` (`warn` or `fail`) is the outcome of a rule that neither passes nor fails, by one-sided bounds at
    1 - `alpha`. Arguments that are not given are those of the config. `common`
    compares on the users that count on both sides; users with the same value in the column `cluster` are not independent. See
    docs/gates.md for the rest.

    Raises `ConfigError` for rules that cannot be read or judged, `DataError` for results that cannot be compared.
    """
    judged = opened("result", result)
    given = _rules(rules)
    options = {"if_missing": if_missing, "models": models, "fail": fail, "inconclusive": inconclusive, "alpha": alpha}
    with errors_as_arguments():
        demanded = _demanded(judged, given, baseline, baseline_model, anchor, options, common=common, cluster=cluster)
        return GateVerdicts(with_gates(judged, *demanded).gates)


class GatePlanResult(WithCells, GatePlan, frozen=True):
    """The plans of rules: how often each passes by the true change of a candidate; it prints as `receval gate --plan`."""

    def __iter__(self) -> Iterator[RulePlan]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def to_polars(self) -> pl.DataFrame:
        """Return a row per rule and true change."""
        return pl.DataFrame(
            [
                {"rule": rule.rule, "model": rule.model, "base": rule.base, "n_users": rule.n_users, **asdict(point)}
                for rule in self.rules
                for point in rule.points
            ]
        )

    _cells = cells
    _document = gate_plan.document


@takes()
def plan_gate(
    result: Result | str | os.PathLike[str],
    rules: RuleLike | Sequence[RuleLike] = (),
    *,
    baseline: BaselineLike | None = None,
    baseline_model: str | None = None,
    models: str | Sequence[str] = (),
    fail: Failing | None = None,
    inconclusive: Inconclusive | None = None,
    alpha: float | None = None,
    common: bool = False,
    cluster: str | None = None,
    seed: int = 0,
) -> GatePlanResult:
    """Return how often `rules` will pass, be inconclusive and fail, by the true change of a candidate, and the users they need.

    Arguments are those of `receval.gate`. The judged models and their `baseline` are used as a candidate and its baseline: their users
    are drawn again so that the true change is 0, or up to twice the limit, and judged as `gate` judges. Without a baseline these are two
    models of the result. The same `seed` gives the same plan. See docs/gates.md.

    Raises `ConfigError` for rules that cannot be judged, and if there is nothing to compare with, `DataError` for results that cannot be
    compared.
    """
    from ..actions.gate_plan import may_be_missing, plan_of  # only here: few calls plan

    judged = opened("result", result)
    given = _rules(rules)
    options = {"models": models, "fail": fail, "inconclusive": inconclusive, "alpha": alpha}
    with errors_as_arguments():
        section, compared, bases = _demanded(
            judged, given, baseline, baseline_model, None, options, common=common, cluster=cluster, allow=may_be_missing
        )
        return GatePlanResult.of_record(plan_of(judged, section, compared, bases=bases, is_given=baseline is not None, seed=seed))


def _rules(rules: Any) -> list[RuleLike]:
    """Return rules as a list; raise `TypeError` for another kind of value."""
    if not isinstance(rules, str | Mapping | Iterable) or hasattr(rules, "columns"):
        raise wrong_type("rules", "a rule such as 'nDCG@10 >= 0.2', or a list of rules", rules)
    return [rules] if isinstance(rules, str | Mapping) else list(rules)


def _demanded(
    result: Result,
    rules: Sequence[RuleLike],
    baseline: BaselineLike | None,
    baseline_model: str | None,
    anchor: BaselineLike | None,
    options: Mapping[str, Any],
    *,
    common: bool,
    cluster: str | None,
    allow: Callable[[Gates], Gates] = lambda section: section,
) -> tuple[Gates, Compare, Bases]:
    """Return the sections of the config of a result with what a call gives, and the bases; `allow` changes what may be missing."""
    path, place = (os.fspath(base) if isinstance(base, str | os.PathLike) else None for base in (baseline, anchor))
    section, compared = gates_of(result.config, gate_options(rules, path, baseline_model, place, **options))
    if not section.rules:
        raise ConfigError("there are no rules to judge", "give rules: ['nDCG@10 max_loss 2%']")
    if baseline is not None and path is None:
        section = section.model_copy(update={"baseline": None})
    bases = bases_of(allow(section) if baseline is None else section, Path(), result.models)
    if baseline is not None and path is None:
        bases = Bases(_base_of(baseline, baseline_model), bases.anchors)
    if anchor is not None and place is None:
        bases = Bases(bases.baseline, {**bases.anchors, "": replace(_base_of(anchor, None), is_anchor=True)})
    changes = {**({"users": "common"} if common else {}), **({"cluster": cluster} if cluster else {})}
    return section, compared.model_copy(update=changes), bases


class SlicesResult(WithCells, Slices, frozen=True):
    """Slices of users for whom a model is worse, or better, than for all others; it prints as the table of `receval slices`."""

    def __iter__(self) -> Iterator[UserSlice]:
        return iter(user_slice for search in self.searches for user_slice in search.slices)

    def __len__(self) -> int:
        return sum(len(search.slices) for search in self.searches)

    def to_polars(self) -> pl.DataFrame:
        """Return a row per tested slice."""
        return slice_table(self)

    _cells = slice_cells
    _document = slices_content.document


@takes()
def slices(
    result: Result,
    baseline: str | None = None,
    *,
    models: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    by: str | Sequence[Any] = (),
    depth: int = 2,
    alpha: float = 0.05,
    seed: int = 0,
    common: bool = False,
) -> SlicesResult:
    """Find groups of users for whom a model is worse, or better, than for all other users, as `receval slices`.

    Each model is compared with `baseline`, by default the first; a single model with its own mean. `models` chooses some, by names or
    patterns. `measures` are searched (default: the first), in the groups of users that the evaluation has (`receval.evaluate(…, by=[…])`),
    or those of `by`, and in pairs of them with a `depth` of 2. Slices are found on one half of the users, chosen by `seed`, and tested on
    the other half, corrected for all tested slices at `alpha`. `common` compares on the users that count on both sides.

    Raises `ConfigError` for folds or weights, and if the result has no groups of users.
    """
    settings = Settings(alpha=alpha, seed=seed)
    options = ComparisonOptions(baseline=baseline, measures=names_of(measures), settings=settings, common=common)
    with errors_as_arguments():
        chosen = choose({_OWN: result}, models, baseline)
        names = groups_named(chosen, texts_of_groups(by))
        found = slices_of(GatheredResults(chosen), SliceOptions(options, names, depth))
    return SlicesResult.of_record(found)


def opened(argument: str, result: Any) -> Result:
    """Return a result, or that of its folder; raise `TypeError` for another kind of value."""
    if isinstance(result, Result):
        return result
    if not isinstance(result, str | os.PathLike):
        raise wrong_type(argument, "what receval.evaluate returns, or the path of its folder", result)
    return load_folder(os.fspath(result))


def _base_of(baseline: Any, model: str | None) -> Baseline:
    """Return a baseline in memory; raise `ConfigError` for another kind of value."""
    named = baseline if isinstance(baseline, Mapping) else {"baseline": baseline}
    for name, result in named.items() if len(named) == 1 else ():
        if isinstance(name, str) and isinstance(result, Result):
            return Baseline(name, result, model)
    raise ConfigError(f"baseline: {type(baseline).__qualname__}", "give a result, {'main': result}, a folder, or the name of a model")
