"""Measure lists many times against the same test data, as a trainer does after every epoch; everything else is read once."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from functools import partial, reduce
from operator import add
from typing import Any, Final

import polars as pl
from msgspec.structs import replace

from .. import load
from ..config import Loaded
from ..config.data_sources import UNNAMED, InMemory
from ..engines import Part
from ..engines.partitions import WholeUsers, cut
from ..engines.resources import side_by_side
from ..load.in_memory.frames import frame_of
from ..load.in_memory.matrices import Matrix, positions_as_ids, refuse_wrong_positions, unnamed_columns
from ..load.in_memory.tensors import as_arrays
from ..results.row import default_cutoff
from ..support.errors import DataError
from ..support.quoting import one_line
from ..tables.ids import user_starts
from .files import Files, SourceReader, open_inputs
from .matrix_inputs import deepest, refuse_unknown_columns, seen_pairs
from .model_pass import PassTask, measure_part
from .models import EvaluatedModel, finish_model
from .plan import Options, Plan, Request, definitions_of

ROLE: Final = f"data.recommendations.{UNNAMED}"
_NAMES: Final = "If they are a matrix without user ids, row 0 is user 0: give receval.Matrix(lists, users=ids)."
_ITEMS: Final = "If they are numbers of rows or columns, convert them into the ids of the test set."
_FIRST_ROWS: Final = 10_000
"""Usually one of these rows has an item of the test set, and no other row is searched."""
_BATCH: Final = "If they are a batch, give the Evaluator only the test rows of its users."
_MISSING: Final = {
    "zero": "A user without a list counts as 0.",
    "drop": "A user without a list is left out.",
    "undefined": "With a user without a list the mean is not defined.",
}
_ROWS_PER_PART: Final = 1_000_000
"""Smaller parts would keep two threads busy, but cost more in total: each part has a fixed cost, and threads get fresh memory."""


class RepeatedRun:
    """Measure lists of one model at a time, in memory, without health checks.

    `loaded` is a config with any lists, which are not read; `columns` maps the columns of lists. With `keep_users` the models that it
    returns have per-user values.
    """

    def __init__(self, loaded: Loaded, columns: dict[str, str | int], keep_users: bool = False) -> None:
        evaluation = loaded.config.evaluation
        self._request, self._columns = (
            Request(loaded, Plan.from_config(evaluation), Options(keep_users=keep_users)),
            load.flat_columns(columns),
        )
        self._depth = deepest(evaluation)
        self._n_columns: int | None = None
        self._positions: dict[str, int] = {}
        self._warned = False
        self._warned_of_items = False
        self._files: dict[tuple[str, str], Files] = {}
        self._first = open_inputs(self._request, lambda files: files)
        self.definitions = definitions_of(self._request.plan.definitions)
        is_given = "top_k" in evaluation.model_fields_set
        cut = [
            definition.label
            for definition in evaluation.definitions
            if definition.k is not None and definition in evaluation.cut_at_top_k and not is_given
        ]
        self.remarks = (default_cutoff(cut),) if cut else ()

    def evaluated(self, lists: Any) -> EvaluatedModel:
        """Return the model of lists, given as a table of any kind; raise `DataError` if they cannot be read.

        Warns if none of their users, or none of their items, is in the test set.
        """
        paths = lists if isinstance(lists, list | tuple) else [lists]
        if paths and all(isinstance(path, str | os.PathLike) for path in paths):
            raise DataError(f"{ROLE}: an Evaluator reads no files", "read it first, for example with polars.read_parquet")
        kind = InMemory(lists).kind
        where = f"{ROLE}: {kind}"
        lists = as_arrays(where, lists)
        frame = self._frame(where, lists)
        source = load.look_at_frame(ROLE, "lists", frame, load.ReadOptions(columns=self._columns), kind)
        inputs = self._first.inputs.with_models({UNNAMED: source})
        kinds = load.common_kinds(inputs.all())
        key = (kinds["user"], kinds["item"])
        if key not in self._files:  # the other sources, with ids of the same kind as these lists
            self._files[key] = open_inputs(self._request, lambda files: files, inputs=inputs)
        files = self._files[key]
        self._refuse_wrong_positions(where, lists, files)
        of_test = files.inputs.test.scan.kinds
        source = source.with_kinds({"user": of_test["user"], "item": of_test["item"]})
        files = replace(files, inputs=files.inputs.with_models({UNNAMED: source}))
        read = SourceReader(files.reader.folder, files.reader.tolerant).frame(source)
        starts = user_starts(read["user"])
        users = read["user"].gather(starts)
        if users.n_unique() < len(users):  # the rows of a user are not contiguous
            read = read.sort("user", maintain_order=True)
            starts = user_starts(read["user"])
        text = self._few_in_common(where, users, files.sides_of(UNNAMED)["test"].users)
        if text:
            warnings.warn(text, UserWarning, stacklevel=5)
        parts = _parts(WholeUsers(read, starts), files)
        found = reduce(add, side_by_side(partial(measure_part, PassTask(files.task)), parts))
        model = finish_model(files, UNNAMED, found, self._request.plan, files.task)
        if not text and not all(row.value for row in model.rows):
            text = self._no_item_in_common(where, read["item"], files.sides_of(UNNAMED)["test"].frame["item"])
            if text:
                warnings.warn(text, UserWarning, stacklevel=5)
        return model

    def per_user(self, model: EvaluatedModel) -> pl.DataFrame:
        """Return the per-user values of a model that `evaluated` returned, as results have them."""
        return model.per_user(self._request.plan.shown, {})

    def batch(self, matrix: Matrix) -> pl.DataFrame:
        """Return the rows of a matrix with ids of its users, as `evaluated` reads them; raise `DataError` if they cannot be read."""
        where = f"{ROLE}: {InMemory(matrix).kind}"
        frame = self._frame(where, matrix)
        self._refuse_wrong_positions(where, matrix, self._first)
        return frame

    def _frame(self, where: str, lists: Any) -> pl.DataFrame:
        """Return the rows of lists; of a matrix of scores those down to the lowest rank that a measure reads."""
        seen = seen_pairs(where, lists, self._first.inputs.source("train"))
        frame = frame_of(where, "lists", lists, columns=self._columns, depth=self._depth, seen=seen)
        if (n_columns := unnamed_columns(lists)) != self._n_columns:
            refuse_unknown_columns(where, lists, self._first.inputs.test)
            self._n_columns = n_columns
        return frame

    def _refuse_wrong_positions(self, where: str, lists: Any, files: Files) -> None:
        positions = positions_as_ids("lists", lists)
        if positions != self._positions:
            tables = {role: side.frame for role, side in files.sides.items() if role in ("test", "train") and "item" in side.frame.columns}
            refuse_wrong_positions(where, positions, tables)
            self._positions = positions

    def _no_item_in_common(self, where: str, listed: pl.Series, tested: pl.Series) -> str:
        """Return a sentence with items of both sides if no listed item is in the test set, only once; else an empty text."""
        if (
            self._warned_of_items
            or not len(listed)
            or any(listed.head(n).is_in(tested.implode()).any() for n in (_FIRST_ROWS, len(listed)))
        ):
            return ""
        self._warned_of_items = True
        own, other = (", ".join(map(repr, ids.unique(maintain_order=True).head(3).to_list())) for ids in (listed, tested))
        sentence = f"no recommended item is in the test set: the lists have items {own}, the test set {other}. {_ITEMS}"
        return one_line(f"{where.removeprefix('data.')}: {sentence}")

    def _few_in_common(self, where: str, listed: pl.Series, tested: pl.Series) -> str:
        """Return a sentence with ids of both sides if no test user has a list or, only once, if some have none; else an empty text."""
        lost = tested.filter(~tested.is_in(listed.implode()))
        if not len(lost) or (self._warned and len(lost) < len(tested)):
            return ""
        self._warned = True
        own, other = (", ".join(map(repr, ids.head(3).to_list())) for ids in (listed, lost))
        have, names = "has" if len(lost) == 1 else "have", f" {_NAMES}" * (len(lost) * 2 > len(tested))
        sentence = (
            f"{len(lost):,} of {len(tested):,} test users {have} no list, such as {other}: the lists have {own}."
            f"{self._effect_of_missing()}{names} {_BATCH}"
        )
        if len(lost) == len(tested):
            sentence = f"no user of these lists is in the test set: the lists have {own}, the test set {other}. {_NAMES}"
        return one_line(f"{where.removeprefix('data.')}: {sentence}")

    def _effect_of_missing(self) -> str:
        """Return the sentence on what all measures do with a test user without a list; empty if they differ."""
        tests = ("test", "tested")
        effects = {
            definition.user_rules.missing_lists if definition.population in tests else "drop"
            for definition in self._request.plan.definitions
        }
        return f" {_MISSING[effects.pop()]}" if len(effects) == 1 else ""


def _parts(lists: WholeUsers, files: Files) -> Iterator[Part]:
    """Yield parts of the users with lists, then one part of the users who have no list but count."""
    sides = files.sides_of(UNNAMED)
    for rows, starts in cut(lists, _ROWS_PER_PART):
        users = rows["user"].gather(starts)
        yield Part(rows, {role: side.rows_of(users) for role, side in sides.items()}, starts)
    counted = pl.concat([sides[role].users for role in files.last]).unique()
    others = counted.filter(~counted.is_in(lists.rows["user"].gather(lists.starts).implode()))
    if len(others) or not lists.rows.height:
        yield Part(lists.rows.clear(), {role: side.rows_of(others) for role, side in sides.items()})
