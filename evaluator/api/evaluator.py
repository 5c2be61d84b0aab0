"""`Evaluator`: the values of lists again and again, as a trainer wants them after every epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import polars as pl

from ..errors import ConfigError
from ..evaluation.looking import masks_seen
from ..evaluation.repeating import RepeatedRun
from ..evaluation.request import Request
from ..load.in_memory import Matrix, is_matrix
from .arguments import NO_MATRIX, Arguments, loaded_from
from .sentences import told_of_arguments, warn

_NO_LISTS = pl.DataFrame(schema={"user": pl.Int64, "item": pl.Int64, "score": pl.Float64})


class Evaluator:
    """Evaluates lists of one model as often as wanted; test data and all that is known beside the lists are read once.

        evaluator = receval.Evaluator(test=test, metrics=["nDCG@10", "Recall@20"])
        for epoch in range(20):
            ...
            values = evaluator(lists)      # {"nDCG@10": 0.213, "Recall@20": 0.334}

    The arguments are those of `receval.evaluate`, without `recommendations`, `predictions`, `yardsticks`, `by`, `health` and `engine`. No
    health checks are made.
    """

    def __init__(self, **arguments: Unpack[Arguments]) -> None:
        """Read everything but the lists; `ConfigError` for wrong arguments, `DataError` for wrong data."""
        for name in ("recommendations", "predictions", "yardsticks", "by", "health", "engine"):
            if arguments.get(name) is not None:
                raise ConfigError(f"{name} does not work with an Evaluator, which evaluates lists of one model", "use receval.evaluate")
        columns: Mapping[str, Any] = arguments.get("columns") or {}
        shared = {column: name for column, name in columns.items() if not isinstance(name, Mapping)}
        of_lists = {column: name for column, name in shared.items() if column in ("user", "item", "score", "rank")}
        self._columns = {**of_lists, **columns.get("recommendations", {})}
        self._mask_seen = bool(arguments.get("mask_seen"))
        others = {name: columns[name] for name in columns if name != "recommendations"}
        with told_of_arguments():
            lists = Matrix(_NO_LISTS.to_numpy(), mask_seen=True) if self._mask_seen else _NO_LISTS
            loaded = loaded_from(None, Arguments(**{**arguments, "columns": others, "recommendations": lists, "health": False}))
            warn(loaded)
            assert masks_seen(loaded.config.data) == self._mask_seen
            self._run = RepeatedRun(Request.of(loaded), self._columns)

    def __call__(self, lists: Any) -> dict[str, float | None]:
        """The value of each measure for lists: a table of any kind, or a matrix of scores; `DataError` if they cannot be read."""
        if self._mask_seen and not is_matrix(lists):
            raise ConfigError("mask_seen: the lists are not a matrix of scores", NO_MATRIX)
        if self._mask_seen:
            lists = Matrix(lists.values, lists.users, lists.items, True) if isinstance(lists, Matrix) else Matrix(lists, mask_seen=True)
        with told_of_arguments():
            return {row.label: row.value for row in self._run.rows(lists)}
