"""Compare models over several data sets from Python, as `receval compare --across` does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import polars as pl

from ..actions.compare import choose
from ..actions.targets import target_of
from ..comparison.across import AcrossOptions, Complete
from ..comparison.across import compare_across as compare_results
from ..comparison.comparison_options import ComparisonOptions
from ..documents.across import document
from ..render.forms import rendered
from ..results.across import AcrossComparison, cells, rows
from ..results.result import Result
from ..stats.difference import CorrectionName, Settings
from ..storage.overwriting import Target
from ..storage.stage import Stage
from ..support.errors import ConfigError
from ..support.synonyms import path_of, takes
from .arguments import names_of
from .comparisons import opened
from .display import WithCells
from .wording import errors_as_arguments


class AcrossResult(WithCells, AcrossComparison, frozen=True, kw_only=True):
    """Models over several data sets: `differences` (one record each), `sentences`, `ranks`; it prints as `receval compare --across`.

    `results` are the compared results.
    """

    results: Mapping[str, Result]

    def to_polars(self) -> pl.DataFrame:
        """Return a row per measure, pair of models and data set, and one of their mean, without a data set."""
        head, *lines = rows(self)
        return pl.DataFrame(lines, schema=head, orient="row", infer_schema_length=None)

    @takes()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison in the form of the ending: .json, .csv, .md, .tex, .html, or .svg (the diagram of ranks)."""
        target, row = target_of(path_of("path", path), "across", noun="comparison")
        with errors_as_arguments(), Stage([Target(f"path {target}", target)], ()) as stage:
            stage.commit({target: rendered(row, self)})

    _cells = cells
    _document = document


@takes()
def compare_across(
    results: Mapping[str, Result | str | os.PathLike[str]],
    baseline: str | None = None,
    *,
    models: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    cluster: str | None = None,
    common: bool = False,
    all_pairs: bool = False,
    ranks: bool = False,
    complete: Complete | None = None,
) -> AcrossResult:
    """Compare the same models over data sets: `results` has an evaluation or its folder for each, by name.

    The models are compared with `baseline`, by default that of the configs, else the first. For each measure the relative changes on the
    data sets are combined, with an interval and the range on a further data set; data sets are the units. `ranks` also ranks the models,
    with Friedman's test and Wilcoxon's of each pair. `complete` leaves out the `models`, or the `data-sets`, for which results are
    missing. The other arguments are those of `compare`. See docs/how-to/data-sets.md.

    Raises `ConfigError` for fewer than two data sets, models or measures that there are not, `DataError` for missing results and for
    other definitions.
    """
    if isinstance(results, str | os.PathLike) or not isinstance(results, Mapping):
        raise ConfigError("results must be evaluations or their folders by name: {'ml1m': result, 'steam': 'results/steam'}")
    if complete not in (None, "models", "data-sets"):
        raise ConfigError(f"complete must be 'models' or 'data-sets', not {complete!r}")
    options = ComparisonOptions(
        baseline=baseline,
        measures=names_of(measures),
        settings=Settings(correction=correction, alpha=alpha),
        cluster=cluster,
        common=common,
        all_pairs=all_pairs,
    )
    loaded = {name: opened(f"the result {name!r}", result) for name, result in results.items()}
    with errors_as_arguments():
        chosen = choose(loaded, models, baseline)
        return AcrossResult.of_record(compare_results(chosen, AcrossOptions(options, ranks, complete)), results=chosen)
