"""Results compared and judged, from Python: what `receval compare` and `receval gate` do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import asdict, replace

from ..comparison.questions import Questions
from ..config.judgement import Inconclusive, MissingPolicy
from ..config.overrides import gates_of
from ..config.run_sections import ChartName
from ..content import differences, gates
from ..disk.result_folder import load as load_folder
from ..errors import ConfigError
from ..gates.demands import Baseline, Bases
from ..render.result_data import comparison_cells, gate_cells
from ..render.screen import show
from ..render.terminal import PlainText
from ..results.comparison import Comparison, conclusions
from ..results.gates import Gate, Verdicts
from ..results.result import Result
from ..session.compare import Gathered, MarginLike, margins_of
from ..session.compare import compare as compare_gathered
from ..session.judge import bases_of, gate_options, with_gates
from ..stats.difference import Settings
from .arguments import told_of_arguments

_OWN, _BASELINE = "result", "baseline"
RuleLike = str | Mapping[str, Any]
"""A rule: `"nDCG@10 max_loss 2%"`, or a mapping such as a config has."""
BaselineLike = Result | str | os.PathLike[str] | Mapping[str, Result]


class ComparisonResult(Comparison, frozen=True, kw_only=True):
    """How models differ: `differences` (a record for each), `losers`, `notes`; printed it is the table of `receval compare`.

    `results` are what was compared, and `questions` what was asked of them.
    """

    results: Mapping[str, Result]
    questions: Questions

    @property
    def sentences(self) -> list[str]:
        """What is concluded, in a sentence or two for each pair."""
        return conclusions(self)

    def to_polars(self) -> pl.DataFrame:
        """A row per difference, over all users and within groups."""
        rows = [one.cells() for one in (*self.differences, *self.by_group)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as `--format json` has it."""
        return comparison_cells(self)

    def report(self, path: str | os.PathLike[str], *, title: str | None = None, interactive: bool = False) -> None:
        """Write the page of `receval report` about these models, or the form that the ending says: .html, .md, .tex, .xml, .svg (a badge).

        Users are named only if the comparison was asked for `losers`.
        """
        from .pages import of_several, write  # only here: most comparisons are no pages

        write(path, self, partial(of_several, self.results, self.questions, title=title), interactive=interactive)

    def chart(self, kind: ChartName = "differences", of: str | Sequence[str] = ()) -> Any:
        """Draw `differences`, values `over_k`, the `distribution` over users, or the `trade_off`; see `EvaluationResult.chart`."""
        from .pages import draw, of_several

        return draw(kind, of, partial(of_several, self.results, self.questions))

    def __repr__(self) -> str:
        return show(differences.document(self, everything=True), PlainText()).rstrip("\n")


def compare(
    results: Result | Mapping[str, Result | str | os.PathLike[str]],
    baseline: Result | str | os.PathLike[str] | None = None,
    *,
    measures: str | Sequence[str] = (),
    margin: MarginLike | None = None,
    test: Any = "t",
    correction: Any = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    by: str | Sequence[str] = (),
    cluster: str | None = None,
    common: bool = False,
    unpaired: bool = False,
    all_pairs: bool = False,
    losers: int = 0,
) -> ComparisonResult:
    """Compare the models of one result, or results by name, each an evaluation or the folder of one.

    Of one result its models are compared with `baseline`, by default that of its config (`compare.baseline`, else `gates.baseline`), else
    the first; of several each model with that of the same name in the result called `baseline`, which may be another result, or the folder
    of one. `measures` are judged together, all if none is named;
    `margin` is how small a difference does not matter, `0.005` or `"1%"` of the base value, or by measure with a `default`. `by` and
    `cluster` name columns of groups that the evaluation was split by. `common` compares the users that count on both sides, `unpaired`
    means of different users, `all_pairs` every two models. The `losers` are so many users with the largest losses, for each model and
    measure. See docs/compare.md for the rest.

    `ConfigError` for a question about what the results do not have; `DataError` for results that cannot be compared.
    """
    if isinstance(results, Result):
        results = {_OWN: results}
    if isinstance(results, str | os.PathLike) or not isinstance(results, Mapping):
        raise ConfigError("results must be one evaluation, or evaluations and folders by name: {'main': 'results/main', 'today': result}")
    if not isinstance(losers, int) or losers < 0:
        raise ConfigError(f"losers must be the number of users to list, a whole number from 0, not {losers!r}")
    loaded = {name: one if isinstance(one, Result) else load_folder(Path(one)) for name, one in results.items()}
    if isinstance(baseline, Result):
        loaded, baseline = {_BASELINE: baseline, **loaded}, _BASELINE
    questions = Questions(
        baseline=None if baseline is None else os.fspath(baseline),
        measures=(measures,) if isinstance(measures, str) else tuple(measures),
        margins=margins_of(margin),
        settings=Settings(test, correction, alpha, seed),
        by=(by,) if isinstance(by, str) else tuple(by),
        cluster=cluster,
        common=common,
        unpaired=unpaired,
        all_pairs=all_pairs,
        losers=losers,
    )
    with told_of_arguments():
        compared = compare_gathered(Gathered(loaded), questions)
    return ComparisonResult(**asdict(compared.comparison), results=compared.results, questions=compared.questions)


class GateVerdicts(Verdicts, frozen=True):
    """What came of the rules: `passed`, and a `Gate` for each rule and model; printed it is the table of `receval gate`."""

    def __iter__(self) -> Iterator[Gate]:
        return iter(self.gates)

    def __len__(self) -> int:
        return len(self.gates)

    def to_polars(self) -> pl.DataFrame:
        """A row per gate."""
        return pl.DataFrame(self.to_dict()["gates"], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as `--format json` has it."""
        return {"failed": self.failed(), "summary": self.summary(), **gate_cells(self.gates)}

    def __repr__(self) -> str:
        return f"{show(gates.document(self.gates, summary=False), PlainText())}{self.summary()}"


def gate(
    result: Result | str | os.PathLike[str],
    rules: RuleLike | Sequence[RuleLike] = (),
    *,
    baseline: BaselineLike | None = None,
    baseline_model: str | None = None,
    anchor: BaselineLike | None = None,
    models: str | Sequence[str] = (),
    if_missing: MissingPolicy | None = None,
    inconclusive: Inconclusive | None = None,
    alpha: float | None = None,
    common: bool = False,
    cluster: str | None = None,
) -> GateVerdicts:
    """Say whether models may ship: judge `rules` about a result, an evaluation or the folder of one.

    A rule is written as `"Recall@20 >= 0.25"`, `"nDCG@10 max_loss 2%"` or `"nDCG@10 min_gain 0 against popular"`, or as a mapping; without
    any those of the config of the result are judged. `baseline` is another result, alone or as `{"main": result}`, the folder of one, or
    a model of this one; each model is compared with the one of its name, or with `baseline_model`. `anchor` is a baseline that is not
    renewed: margins must hold against it too. `if_missing` says what to do if such a folder is missing: `error`, `warn` or `pass`.
    `models` are those that are judged, all but yardsticks and baselines if none is named. `inconclusive` says what a rule does that is
    neither shown to hold nor to be violated, by one-sided bounds at 1 - `alpha`: `warn` or `fail`; what is not said here is as that config
    says. `common` judges the users that count on both sides; `cluster` names a column of groups that belong together. See docs/gates.md for
    the rest.

    `ConfigError` for rules that cannot be read or judged; `DataError` for results that cannot be compared.
    """
    judged = result if isinstance(result, Result) else load_folder(Path(result).expanduser())
    given = [rules] if isinstance(rules, str | Mapping) else list(rules)
    path, place = (os.fspath(one) if isinstance(one, str | os.PathLike) else None for one in (baseline, anchor))
    options = gate_options(given, path, baseline_model, place, if_missing, models=models, inconclusive=inconclusive, alpha=alpha)
    with told_of_arguments():
        section, compared = gates_of(judged.config, options)
        if not section.rules:
            raise ConfigError("there are no rules to judge", "give rules: ['nDCG@10 max_loss 2%']")
        if baseline is not None and path is None:
            section = section.model_copy(update={"baseline": None})
        bases = bases_of(section, Path(), judged.models)
        if baseline is not None and path is None:
            bases = Bases(_base_of(baseline, baseline_model), bases.anchors)
        if anchor is not None and place is None:
            bases = Bases(bases.baseline, {**bases.anchors, "": replace(_base_of(anchor, None), is_anchor=True)})
        changes = {**({"users": "common"} if common else {}), **({"cluster": cluster} if cluster else {})}
        return GateVerdicts(with_gates(judged, section, compared.model_copy(update=changes), bases).gates)


def _base_of(baseline: Any, model: str | None) -> Baseline:
    """Return a baseline in memory; `ConfigError` if it is none."""
    named = baseline if isinstance(baseline, Mapping) else {"baseline": baseline}
    for name, result in named.items() if len(named) == 1 else ():
        if isinstance(name, str) and isinstance(result, Result):
            return Baseline(name, result, model)
    raise ConfigError(f"baseline: {type(baseline).__qualname__}", "give a result, {'main': result}, a folder, or the name of a model")
