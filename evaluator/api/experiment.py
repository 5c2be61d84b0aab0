"""`Experiment`: the values of several models by name, kept and printed as a table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Unpack

import polars as pl

from ..documents.document import Column, Table
from ..render.screen import show
from ..render.terminal import PlainText
from ..support.errors import ConfigError
from .calls import Evaluator
from .epoch_values import EpochValues, EvaluatorArguments


class Experiment:
    """Evaluate the lists of one model after the other on the same test data, keep the values by name, and print them as a table.

        experiment = receval.Experiment(test=test, metrics=["nDCG@10", "Recall@20"])
        experiment.add_result("als", als)
        experiment.add_result("knn", knn)
        print(experiment)

    The arguments are those of `receval.Evaluator`, which evaluates the lists. `receval.compare` tests whether differences are real.
    """

    def __init__(self, **arguments: Unpack[EvaluatorArguments]) -> None:
        """Read everything but the lists; raise `ConfigError` for wrong arguments, `DataError` for wrong data."""
        self._evaluator = Evaluator(**arguments)
        self._values: dict[str, EpochValues] = {}

    def add_result(self, name: str, lists: Any) -> EpochValues:
        """Evaluate the lists of a model, and keep and return their values; raise `ConfigError` if the name is taken."""
        if name in self._values:
            raise ConfigError(f"there is a result named {name!r} already", "choose another name")
        self._values[name] = self._evaluator(lists)
        return self._values[name]

    @property
    def values(self) -> Mapping[str, EpochValues]:
        """The values of each result, by its name."""
        return MappingProxyType(self._values)

    @property
    def results(self) -> pl.DataFrame:
        """The results as a frame: `name`, then a column for each measure."""
        rows = [{"name": name, **values} for name, values in self._values.items()]
        return pl.DataFrame(rows) if rows else pl.DataFrame(schema={"name": pl.String})

    def __str__(self) -> str:
        labels = list(dict.fromkeys(label for values in self._values.values() for label in values))
        columns = (Column("name", "name"), *(Column(label, "value") for label in labels))
        rows = ((name, *map(_shown, map(values.get, labels))) for name, values in self._values.items())
        return show((Table.from_texts(columns, rows),), PlainText()).rstrip("\n")


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
