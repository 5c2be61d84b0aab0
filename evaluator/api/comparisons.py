"""Results compared, from Python: what `receval compare` does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import asdict

from ..comparison.questions import Questions
from ..config.run_sections import ChartName
from ..content.differences import document
from ..disk.reading_back import load as load_folder
from ..errors import ConfigError
from ..render.judgement_data import comparison_cells
from ..render.screen import show
from ..render.terminal import PlainText
from ..results.comparison import Comparison
from ..results.result import Result
from ..session.compare import Compared, MarginLike, margins_of
from ..session.compare import compare as compare_gathered
from ..session.gather import Gathered
from ..stats.difference import Settings
from .sentences import told_of_arguments

_OWN, _BASELINE = "result", "baseline"


class ComparisonResult(Comparison, frozen=True, kw_only=True):
    """How models differ: `differences` (a record for each), `losers`, `notes`; printed it is the table of `receval compare`.

    `results` are what was compared, and `questions` what was asked of them.
    """

    results: Mapping[str, Result]
    questions: Questions

    @property
    def sentences(self) -> list[str]:
        """What is concluded, in a sentence or two for each pair."""
        from ..results.comparison import conclusions

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
        from .pages import write_comparison  # only here: most comparisons are no pages

        write_comparison(Compared(self, self.results, self.questions), path, title=title, interactive=interactive)

    def chart(self, kind: ChartName = "differences", of: str | Sequence[str] = ()) -> Any:
        """Draw `differences`, values `over_k`, the `distribution` over users, or the `trade_off`; see `EvaluationResult.chart`."""
        from .pages import draw_comparison

        return draw_comparison(Compared(self, self.results, self.questions), kind, of)

    def __repr__(self) -> str:
        return show(document(self), PlainText()).rstrip("\n")


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

    Of one result its models are compared with `baseline`, by default the first; of several each model with that of the same name in the
    result called `baseline`, which may be another result, or the folder of one. `measures` are judged together, all if none is named;
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
