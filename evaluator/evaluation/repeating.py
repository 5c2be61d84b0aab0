"""Lists measured again and again against the same test data, as a trainer does after every epoch: everything else is read once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from operator import add
from typing import Any, Final

import polars as pl
from msgspec.structs import replace

from .. import load
from ..config.data_sources import UNNAMED, InMemory
from ..load.in_memory.frames import frame_of
from ..parts import Part
from ..parts.partitions import WholeUsers, cut
from ..parts.resources import side_by_side
from ..results.result import Row
from ..tables.ids import user_starts
from .files import Files, open_inputs
from .job import Job, Options
from .looking import deepest, seen_pairs
from .measured import PassTask, measure_part
from .models import evaluated
from .plan import Plan
from .request import Request
from .sources import SourceReader

ROLE: Final = f"data.recommendations.{UNNAMED}"
_ROWS_PER_PART: Final = 1_000_000
"""Fewer would keep two threads busy, and cost more in all: each part has its fixed cost, and threads get fresh memory from the system."""
_PLAIN: Final = Options(keep_users=False)


class RepeatedRun:
    """Measures lists of one model at a time, in memory as a single part, without health checks.

    `request` is one of any lists, which are not read; `columns` says which columns of lists are which.
    """

    def __init__(self, request: Request, columns: dict[str, str | int]) -> None:
        self._request, self._columns = request, columns
        self._plan = Plan.of(request.evaluation)
        self._depth = deepest(request.evaluation)
        self._files: dict[tuple[str, str], Files] = {}
        self._first = self._read(request)

    def rows(self, lists: Any) -> Sequence[Row]:
        """The values of lists, given as a table of any kind; `DataError` if they cannot be read."""
        where = f"{ROLE}: {InMemory(lists).kind}"
        seen = seen_pairs(where, lists, self._first.inputs.train)
        frame = frame_of(where, "lists", lists, columns=self._columns, depth=self._depth, seen=seen)
        source = load.look_at_frame(ROLE, "lists", frame, load.ReadOptions(columns=self._columns), InMemory(lists).kind)
        return self._measured(self._files_for(source), source)

    def _files_for(self, source: load.Source) -> Files:
        """What was read, with ids of the kind that goes with these lists."""
        kinds = load.common_kinds(self._first.inputs.with_models({UNNAMED: source}).all())
        key = (kinds["user"], kinds["item"])
        if key not in self._files:
            inputs = self._first.inputs.with_models({UNNAMED: source})
            self._files[key] = self._read(replace(self._request, look=lambda needs, stack, session: inputs))
        return self._files[key]

    def _read(self, request: Request) -> Files:
        return open_inputs(request, self._plan, lambda files: files)

    def _measured(self, files: Files, source: load.Source) -> Sequence[Row]:
        kinds = files.inputs.test.scan.kinds
        source = source.with_kinds({"user": kinds["user"], "item": kinds["item"]})
        files = replace(files, inputs=files.inputs.with_models({UNNAMED: source}))
        lists = SourceReader(self._request.folder, files.reader.tolerant).frame(source)
        starts = user_starts(lists["user"])
        users = lists["user"].gather(starts)
        if users.n_unique() < len(users):  # the rows of a user do not stand together
            lists = lists.sort("user", maintain_order=True)
            starts = user_starts(lists["user"])
            users = lists["user"].gather(starts)
        job = Job.of(self._request, self._plan, _PLAIN, files)
        parts = _parts(WholeUsers(lists, starts), files)
        found = reduce(add, side_by_side(partial(measure_part, PassTask(job.task)), parts))
        return evaluated(job, UNNAMED, found).rows


def _parts(lists: WholeUsers, files: Files) -> Iterator[Part]:
    """Parts of the users of lists, and one of those who have none and count all the same."""
    sides = files.sides_of(UNNAMED)
    for rows, starts in cut(lists, _ROWS_PER_PART):
        users = rows["user"].gather(starts)
        yield Part(rows, {role: side.rows_of(users) for role, side in sides.items()}, starts)
    counted = pl.concat([sides[role].users for role in files.last]).unique()
    others = counted.filter(~counted.is_in(lists.rows["user"].gather(lists.starts).implode()))
    if len(others) or not lists.rows.height:
        yield Part(lists.rows.clear(), {role: side.rows_of(others) for role, side in sides.items()})
