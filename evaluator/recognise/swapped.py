"""Refuse a test file and lists that were exchanged, where names and shapes of columns leave no doubt."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence

from ..load import without_endings
from ..load.column_words import words_of
from ..load.source_file import FrameFile
from ..support.errors import DataError
from ..syntax import yaml_text
from .evidence import MOST_GRADES
from .names import MOST, meanings
from .recogniser import SourceRequest
from .sampled_values import SampledColumn
from .sheets import Sheet

_TEST, _LISTS = "data.test", "data.recommendations."
_ORDERS = frozenset(("score", "rank"))
_SAYS_LISTS = frozenset(("score", "rank", "list", "estimate", "distance", "model"))
_SAYS_TEST = frozenset(("rating", "time", "truth"))
_TIMES = ("time", "date", "integer", "decimal")
_MOST_USERS = 0.95
_LEAST_USERS = 3
_DISTINCT = 0.8
"""Scores of a user differ, up to some ties; grades repeat."""


def refuse_swapped(requests: Sequence[SourceRequest], more: str = "") -> None:
    """Raise `DataError` if the test file is lists, and all lists are test files, by names and shapes; `more` is for the options to paste.

    Both must say so. The test file has a score or a rank that differs in most rows of a user, as many rows of nearly every user, and no
    rating and no time. The lists have a rating or a time, no score and no rank, and as many rows of every user only with both.
    """
    test = next((request for request in requests if request.source == _TEST), None)
    lists = [request for request in requests if request.source.startswith(_LISTS)]
    if (
        test is None
        or not lists
        or test.options.columns.keys() & {"rating"}
        or any(request.options.columns.keys() & {"score", "rank", "position"} for request in lists)
    ):
        return
    order = _order_of_lists(test)
    if order and all(map(_said_of_test, lists)):
        places = [
            f"{request.source}: {request.file} looks like a test set: it has {_said_of_test(request)}, and no score or rank"
            for request in lists
        ]
        raise DataError(
            [f"{_TEST}: {test.file} looks like lists: as many rows of each user with {order!r}, and no rating", *places],
            f"exchange the two{_exchanged(test, lists, more)}; if they are right, give columns: {{rating: {order}}} for {_TEST}, "
            f"or by {yaml_text.option(f'{_TEST}.columns.rating', order)}",
        )


def _exchanged(test: SourceRequest, lists: Sequence[SourceRequest], more: str) -> str:
    """Return the options to paste, exchanged; of tables in memory, and of several lists, none."""
    if len(lists) > 1 or any(isinstance(request.file.path, FrameFile) for request in (test, *lists)):
        return ""
    name, own = lists[0].source.removeprefix(_LISTS), str(lists[0].file)
    is_own = name == without_endings(os.path.basename(own))
    given = str(test.file) if is_own else f"{name}={test.file}"
    return f": --test {shlex.quote(own)} --recs {shlex.quote(given)}{more}"


def _sheet(request: SourceRequest) -> Sheet | None:
    """Return a file cut into columns, if they all have names."""
    named = [sheet for sheet in request.sheets if sheet.header is not False and all(column.is_named for column in sheet.columns)]
    return named[0] if named and len(named[0].columns) > 2 else None


def _said(column: SampledColumn) -> frozenset[str]:
    return frozenset(meanings(column.name))


def _rows_by_user(sheet: Sheet) -> list[list[int]]:
    """Return the rows of each user of a file of pairs; none if its columns of users and items are not clear."""
    users = [column for column in sheet.columns if "user" in _said(column) and not column.is_list]
    items = [column for column in sheet.columns if "item" in _said(column) and not column.is_list]
    return [*sheet.groups(users[0]).values()] if len(users) == len(items) == 1 else []


def _has_equal_lengths(rows: Sequence[Sequence[int]]) -> bool:
    _, n_usual = Counter(map(len, rows)).most_common(1)[0]
    return n_usual >= _MOST_USERS * len(rows)


def _order_of_lists(request: SourceRequest) -> str:
    """Return the column that says that a file is lists; empty if anything speaks against it."""
    sheet = _sheet(request)
    rows = _rows_by_user(sheet) if sheet is not None else []
    if sheet is None or len(rows) < _LEAST_USERS or not _has_equal_lengths(rows) or len(rows[0]) < 2:
        return ""
    if any(_said(column) & _SAYS_TEST and not _said(column) & _ORDERS for column in sheet.columns):
        return ""
    orders = [column for column in sheet.columns if _said(column) & _ORDERS and _orders_rows(column, rows)]
    return orders[0].name or "" if orders else ""


def _orders_rows(column: SampledColumn, rows: Sequence[Sequence[int]]) -> bool:
    """Return whether a column has another number in most rows of a user, as an order has and grades do not."""
    if column.is_list or any(number is None for number in column.numbers):
        return False
    n_distinct = sum(len({column.numbers[row] for row in some}) for some in rows)
    return n_distinct >= _DISTINCT * sum(map(len, rows))


def _said_of_test(request: SourceRequest) -> str:
    """Return what says that a file is a test set: its rating or time; empty if anything speaks against it."""
    sheet = _sheet(request)
    rows = _rows_by_user(sheet) if sheet is not None else []
    if sheet is None or len(rows) < _LEAST_USERS:
        return ""
    if any(_said(column) & _SAYS_LISTS for column in sheet.columns):
        return ""
    ratings = [column for column in sheet.columns if "rating" in words_of(column.name or "") and len(column.distinct) <= MOST_GRADES]
    times = [column for column in sheet.columns if meanings(column.name).get("time") == MOST and column.kind in _TIMES]
    is_like_lists = _has_equal_lengths(rows) and len(rows[0]) > 1 and not (ratings and times)  # a model may predict grades
    return "" if is_like_lists else " and ".join(repr(column.name) for column in (*ratings[:1], *times[:1]))
