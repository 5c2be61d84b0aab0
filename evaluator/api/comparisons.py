"""Results compared, from Python: what `receval compare` does."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..comparison.comparing import compare as compare_results
from ..comparison.questions import Questions
from ..config.comparing import DEFAULT
from ..errors import ConfigError
from ..names.margins import Margin
from ..output import blocks
from ..output import comparison as pages
from ..output.reading_back import load as load_folder
from ..output.screen import PlainText
from ..results.comparison import Comparison
from ..results.result import Result
from ..stats.records import Settings

MarginLike = float | str | Mapping[str, float | str]


class ComparisonResult(Comparison):
    """How models differ: `differences` (a record for each), `losers`, `notes`; printed it is the table of `receval compare`."""

    @property
    def sentences(self) -> list[str]:
        """What is concluded, in a sentence or two for each pair."""
        from ..results.conclusions import conclusions

        return conclusions(self)

    def to_polars(self) -> pl.DataFrame:
        """A row per difference, over all users and within groups."""
        rows = [one.cells() for one in (*self.differences, *self.by_group)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as `--format json` has it."""
        return pages.cells(self)

    def __repr__(self) -> str:
        return blocks.show(pages.page(self), PlainText()).rstrip("\n")


def compare(
    results: Result | Mapping[str, Result | str | os.PathLike[str]],
    baseline: str | None = None,
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
    result called `baseline`. `measures` are judged together, all if none is named; `margin` is how small a difference does not matter,
    `0.005` or `"1%"` of the base value, or by measure with a `default`. `by` and `cluster` name columns of groups that the
    evaluation was split by. `common` compares the users who count on both sides, `unpaired` means of different users, `all_pairs` every two
    models. The `losers` are so many users with the largest losses, for each model and measure. See docs/compare.md for the rest.

    `ConfigError` for a question about what the results do not have; `DataError` for results that cannot be compared.
    """
    if isinstance(results, Result):
        results = {"result": results}
    if isinstance(results, str | os.PathLike) or not isinstance(results, Mapping):
        raise ConfigError("results are one evaluation, or evaluations and folders by name: {'main': 'results/main', 'today': result}")
    loaded = {name: one if isinstance(one, Result) else load_folder(Path(one)) for name, one in results.items()}
    questions = Questions(
        baseline=baseline,
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
    made = compare_results(loaded, questions)
    return ComparisonResult(**{name: getattr(made, name) for name in Comparison.__dataclass_fields__})


def margins_of(margin: MarginLike | None) -> dict[str, Margin]:
    """Margins by measure; `ConfigError` for one that cannot be read."""
    if margin is None:
        return {}
    given = margin if isinstance(margin, Mapping) else {DEFAULT: margin}
    try:
        return {measure: Margin.read(size) for measure, size in given.items()}
    except ValueError as error:
        raise ConfigError(f"margin: {error}") from None
