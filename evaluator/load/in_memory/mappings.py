"""Dicts and lists of Python → rows: items by user, records, tables by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import chain, islice
from typing import Any, Final
from uuid import UUID

import numpy as np
import polars as pl

from ...errors import DataError, NoRowsError
from ..columns import names_by_position, usual_roles
from ..list_columns import may_hold_lists
from .values import are_names, array_column, column, row_frame

_SHAPES: Final = "write {user: [item, …]}, {user: {item: score}} or {user: [(item, score), …]}"
_VALUES: Final = {"interactions": "rating", "lists": "score", "predictions": "prediction"}
"""What the numbers of items are, in tables of which a row may hold a list."""
_SCALARS: Final = (str, int, float, bytes, UUID, Decimal, np.generic, type(None))
_NUMBERS: Final = (int, float, Decimal, np.number)
_LOOKED_AT: Final = 20
"""So many keys are looked at to tell columns from users."""


def from_mapping(where: str, table: str, rows: Mapping[Any, Any], columns: Mapping[str, str | int]) -> pl.DataFrame:
    """The rows of a dict: a table by column, or what each user has; of items and users, a record for each."""
    if not rows:
        raise NoRowsError(f"{where}: there are no rows")
    # What libraries call the names of the columns of a table tells one, such as the split of a data set.
    tables = [
        name
        for name, held in islice(rows.items(), _LOOKED_AT)
        if any(are_names(getattr(held, key, None)) for key in ("column_names", "columns"))
    ]
    if tables:
        raise DataError(f"{where}: a dict of tables, {', '.join(map(repr, tables))}", f"choose one of them: data[{tables[-1]!r}]")
    if _names_columns(table, rows, columns):
        return _by_column(where, rows)
    if table in _VALUES:
        return _by_user(where, table, rows)
    key = {"catalogue": "item", "people": "user"}.get(table)
    if key is not None and all(isinstance(held, Mapping) for held in rows.values()):
        return from_records(where, table, [{key: name, **held} for name, held in rows.items()])
    raise DataError(f"{where}: a dict of this kind is not a table", "give a frame, or a list of records")


def users_without_items(where: str, table: str, rows: Any, columns: Mapping[str, str | int]) -> pl.DataFrame | None:
    """The users of a dict whose list is empty, of which its rows say nothing; `None` if there are none, or if it is no dict by user."""
    if not isinstance(rows, Mapping) or _names_columns(table, rows, columns):
        return None
    users = [user for user, held in rows.items() if hasattr(held, "__len__") and not isinstance(held, str) and not len(held)]
    return row_frame(where, [column(where, "user", users)]) if users else None


def from_records(where: str, table: str, rows: Sequence[Any]) -> pl.DataFrame:
    """The rows of a list: of dicts, of tuples in the order of the usual columns, or of the ids of items or users."""
    if not len(rows):
        raise NoRowsError(f"{where}: there are no rows")
    first = rows[0]
    if isinstance(first, Mapping):
        names = dict.fromkeys(name for row in rows if isinstance(row, Mapping) for name in row)
        odd = next((number for number, row in enumerate(rows, 1) if not isinstance(row, Mapping)), None)
        if odd is not None:
            raise DataError(f"{where}, row {odd}: {_shown(rows[odd - 1])} is not a record", "write a dict for each row")
        return row_frame(where, [column(where, str(name), [row.get(name) for row in rows]) for name in names])
    if isinstance(first, tuple | list):
        names_of_row = names_by_position(where, table, len(first))
        odd = next((number for number, row in enumerate(rows, 1) if not isinstance(row, tuple | list) or len(row) != len(first)), None)
        if odd is not None:
            raise DataError(f"{where}, row {odd}: {_shown(rows[odd - 1])} does not have {len(first)} values like the first row")
        return row_frame(where, [column(where, name, values) for name, values in zip(names_of_row, zip(*rows, strict=True), strict=True)])
    key = {"catalogue": "item", "people": "user"}.get(table)
    if key is None:
        raise DataError(
            f"{where}: a list of {type(first).__name__} is not a table", f"give records, [{{'user': 1, 'item': 2}}], or {_SHAPES[6:]}"
        )
    return row_frame(where, [column(where, key, rows)])


def _names_columns(table: str, rows: Mapping[Any, Any], columns: Mapping[str, str | int]) -> bool:
    """Whether the keys of a dict are names of columns, and not users."""
    keys = [key for key in islice(rows, _LOOKED_AT) if isinstance(key, str)]
    roles = frozenset[str]().union(*map(usual_roles, keys)) | {role for role, name in columns.items() if name in keys}
    wanted = {"user", "item"} if may_hold_lists(table) else {"user"} if table == "people" else {"item"}
    return wanted <= roles


def _by_column(where: str, rows: Mapping[Any, Any]) -> pl.DataFrame:
    made = []
    for name, held in rows.items():
        if isinstance(held, str | Mapping | set | frozenset) or not hasattr(held, "__len__"):
            raise DataError(f"{where}: {_shown(held)} is not a column of values, for {name!r}")
        is_array = isinstance(held, np.ndarray) and held.ndim == 1
        made.append(array_column(where, str(name), held) if is_array else column(where, str(name), list(held)))
    other = next((one for one in made if len(one) != len(made[0])), None)
    if other is not None:
        raise DataError(f"{where}: column {other.name!r} has {len(other):,} values, where {made[0].name!r} has {len(made[0]):,}")
    return row_frame(where, made)


def _by_user(where: str, table: str, rows: Mapping[Any, Any]) -> pl.DataFrame:
    """What each user has: items, or items with numbers."""
    held = [_in_order(where, table, user, given) for user, given in rows.items()]
    lengths = np.fromiter(map(len, held), np.int64, len(held))
    users = column(where, "user", list(rows)).gather(np.repeat(np.arange(len(held)), lengths))
    if held and all(isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype == held[0].dtype for one in held):
        return row_frame(where, [users, array_column(where, "item", np.concatenate(held))])
    elements: list[Any] = list(chain.from_iterable(held))
    if not elements:
        raise NoRowsError(f"{where}: there are no rows")
    kinds = _kinds(elements)
    if kinds == {"item"}:
        return row_frame(where, [users, column(where, "item", elements)])
    if kinds == {"pair"}:
        items, numbers = zip(*elements, strict=True)
        return row_frame(where, [users, column(where, "item", items), column(where, _VALUES[table], numbers)])
    if kinds == {"record"}:
        records = from_records(where, table, elements)
        return row_frame(where, [users, *records.drop("user", strict=False).get_columns()])
    usual = _kind(elements[0])
    odd = next(index for index, element in enumerate(elements) if _kind(element) != usual or usual == "other")
    user = list(rows)[int(np.searchsorted(np.cumsum(lengths), odd, side="right"))]
    raise DataError(
        f"{where}, user {user!r}: {_shown(elements[odd])} is neither an item nor a pair of an item and a number as others", _SHAPES
    )


def _in_order(where: str, table: str, user: Any, held: Any) -> Any:
    """The elements that a user has, in order; `DataError` for what has none, or is no list."""
    if isinstance(held, Mapping):
        pairs = list(held.items())
        if table == "lists":  # the highest score first: a dict has no order of its own, whatever the convention reads lists by
            with suppress(TypeError):  # what is no number is refused where its place is known
                return sorted(
                    pairs, key=lambda pair: (True, pair[1]) if pair[1] is not None and pair[1] == pair[1] else (False, 0), reverse=True
                )
        return pairs
    if isinstance(held, set | frozenset):
        if table == "lists":
            raise DataError(f"{where}, user {user!r}: a set has no order", "write a list in the order of the ranks, or {item: score}")
        return sorted(held, key=lambda item: (isinstance(item, str), item))
    if isinstance(held, np.ndarray):
        return held if held.ndim == 1 and not held.dtype.hasobject else held.tolist()
    if isinstance(held, str | bytes) or not hasattr(held, "__iter__") or not hasattr(held, "__len__"):
        raise DataError(f"{where}, user {user!r}: {_shown(held)} is not a list of items", _SHAPES)
    return held if isinstance(held, list | tuple) else list(held)


def _kinds(elements: Sequence[Any]) -> set[str]:
    """The kinds of elements; seen by their types, where all are items or pairs."""
    types = set(map(type, elements))
    if all(issubclass(one, _SCALARS) for one in types):
        return {"item"}
    if types <= {tuple, list} and set(map(len, elements)) == {2}:
        seconds = {type(second) for _, second in elements} - {type(None)}
        if all(issubclass(one, _NUMBERS) for one in seconds):
            return {"pair"}
    return {_kind(element) for element in elements}


def _kind(element: Any) -> str:
    if isinstance(element, _SCALARS):
        return "item"
    if isinstance(element, tuple | list) and len(element) == 2 and (element[1] is None or isinstance(element[1], _NUMBERS)):
        return "pair"
    return "record" if isinstance(element, Mapping) else "other"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
