"""`EpochValues`: what an `Evaluator` returns for the lists of an epoch."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ..results.row import Row
from ..results.spellings import Definitions
from .arguments import CallArguments
from .evaluation_result import ByMeasure


class EvaluatorArguments(CallArguments, total=False):
    """The arguments of an `Evaluator`."""

    keep_users: bool


class EpochValues(ByMeasure[float | None]):
    """The value of each measure, as a dict.

    `rows` has the row of each measure, with `.n_users`. `per_user` is a frame with a row per user, as in results; it is `None` unless the
    `Evaluator` has `keep_users=True`.
    """

    def __init__(self, rows: Sequence[Row], definitions: Definitions, per_user: pl.DataFrame | None = None) -> None:
        """Take the rows of one model, the definitions of their measures, and per-user values."""
        super().__init__(((row.label, row.value) for row in rows), definitions)
        self.rows: ByMeasure[Row] = ByMeasure(((row.label, row) for row in rows), definitions)
        self.per_user = per_user
