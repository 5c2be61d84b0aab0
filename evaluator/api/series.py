"""Many results from Python: over time, and side by side, as `receval history` and `receval leaderboard` show them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..actions import series as actions
from ..actions.compare import choose
from ..actions.targets import target_of
from ..comparison.series import leaderboard_of
from ..documents import series as documents
from ..render.forms import rendered
from ..results.result import Result
from ..results.series import History, Leaderboard, Order
from ..support.errors import ConfigError
from ..support.outputs import Subject
from ..support.synonyms import path_of, takes
from .arguments import names_of
from .charts import read_by, write_whole
from .comparisons import opened
from .display import WithCells
from .wording import errors_as_arguments

_WANTED: Final = "results must be folders, or evaluations and folders by name"
Results = Mapping[str, Result | str | os.PathLike[str]] | Sequence[str | os.PathLike[str]] | str | os.PathLike[str]
"""Results by name, each an evaluation or its folder; or folders, which have their own names; or one folder of such folders."""


class HistoryResult(WithCells, History, frozen=True, kw_only=True):
    """The history of models over runs: `lines` of a model and a measure, each with its `points`, `first_loss` and `last_good`.

    It prints as `receval history`.
    """

    results: Mapping[str, Result]

    @property
    def sentences(self) -> list[str]:
        """The losses that are shown, and where a new series begins."""
        return [*self.conclusions(), *self.changes()]

    def to_polars(self) -> pl.DataFrame:
        """Return a row per line and run."""
        return pl.DataFrame([row for line in self.lines for row in documents.rows_of_data(line)], infer_schema_length=None)

    @takes()
    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the history in the form of the ending: .html (a page with charts), .md or .json."""
        _write("history", path, self, self.results)

    _cells = History.cells
    _document = documents.document


class LeaderboardResult(WithCells, Leaderboard, frozen=True, kw_only=True):
    """All models of results, the best first in the first measure; it prints as `receval leaderboard`."""

    results: Mapping[str, Result]

    def to_polars(self) -> pl.DataFrame:
        """Return a row per model and measure, with the letters of the model."""
        cells = self.cells()["models"]
        named = ("rank", "name", "model", "run", "run_id")
        return pl.DataFrame(
            [{**{name: one[name] for name in named}, "measure": m, **value} for one in cells for m, value in one["values"].items()],
            infer_schema_length=None,
        )

    @takes()
    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the leaderboard in the form of the ending: .html, .md or .json."""
        _write("leaderboard", path, self, self.results)

    _cells = Leaderboard.cells
    _document = documents.leaderboard


@takes()
def history(
    results: Results,
    *,
    models: str | Sequence[str] = (),
    measures: str | Sequence[str] = (),
    accept: str | Sequence[str] = (),
    order: Order | None = None,
    alpha: float = 0.05,
) -> HistoryResult:
    """Return the values of models over many runs, and the first run in which a loss is shown, as `receval history` does.

    `results` are evaluations or folders by name, folders, or a folder of folders. Their `order` is `date` (`report.date`) if all have one,
    else `name`; it does not depend on the order in which they are given. Each run is compared with the last accepted one: the first, and
    from then on a run that is shown to be better, or that `accept` names. `models` and `measures` restrict the lines; p values are
    corrected over all of them.

    Raises `ConfigError` with fewer than two results, `DataError` if two have the same place in the order.
    """
    given, options = _given(results, models), actions.options_of(names_of(measures), alpha)
    if order not in (None, "date", "name"):
        raise ConfigError(f"order must be date or name, not {order!r}")
    with errors_as_arguments():
        made = actions.with_left_out(actions.history(given, options, order, names_of(accept)), _places(results))
    return HistoryResult.of_record(made, results=given)


@takes()
def leaderboard(
    results: Results, *, models: str | Sequence[str] = (), measures: str | Sequence[str] = (), alpha: float = 0.05
) -> LeaderboardResult:
    """Rank all models of many results, as `receval leaderboard` does; those that share a letter are not clearly different.

    `results` are evaluations or folders by name, folders, or a folder of folders, in any order.

    Raises `DataError` for results with other test data, definitions or candidates.
    """
    given = _given(results, models)
    with errors_as_arguments():
        made = actions.with_left_out(leaderboard_of(given, actions.options_of(names_of(measures), alpha)), _places(results))
    return LeaderboardResult.of_record(made, results=given)


def _places(results: Results) -> Sequence[str | os.PathLike[str]]:
    """Return the folders of results that were given without names."""
    return () if isinstance(results, Mapping) else [results] if isinstance(results, str | os.PathLike) else results


def _given(results: Any, models: str | Sequence[str]) -> dict[str, Result]:
    """Return results by name, with only some models."""
    if isinstance(results, Result) or not isinstance(results, Mapping | Sequence | os.PathLike):
        raise ConfigError(f"{_WANTED}: {{'monday': 'runs/monday', 'tuesday': result}}")
    if not isinstance(results, Mapping | str | os.PathLike) and any(isinstance(one, Result) for one in results):
        raise ConfigError(f"{_WANTED}, because an evaluation in a list has no name: {{'monday': result, 'tuesday': other}}")
    named = dict(results) if isinstance(results, Mapping) else {}
    for place in (one for given in _places(results) for one in actions.expanded(path_of("results", given))):
        if Path(place).name in named:
            raise ConfigError(
                f"two results are both named {Path(place).name}", "name them: {'main': 'results/main', 'today': 'other/main'}"
            )
        named[Path(place).name] = place
    with errors_as_arguments():
        return choose({name: opened(f"the result {name!r}", result) for name, result in named.items()}, models)


def _write(subject: Subject, path: str | os.PathLike[str], made: Any, results: Mapping[str, Result]) -> None:
    target, row = target_of(path_of("path", path), subject, noun=subject)
    write_whole(target, rendered(row, made), read_by(results.values()))
