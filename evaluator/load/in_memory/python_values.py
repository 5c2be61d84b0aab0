"""Convert Python dicts, lists and values into rows and columns: items by user, records, tables by column, and ids as in files.

A column gets the type that a library with typed columns would give it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from itertools import chain, islice
from typing import Any, Final, TypeGuard
from uuid import UUID

import numpy as np
import polars as pl

from ...config.data_sources import FEW_TEXTS
from ...support.errors import DataError, NoRowsError
from ...support.synonyms import FOLDS
from ..columns import CAST_IDS, names_by_position, usual_roles
from ..list_columns import may_hold_lists
from ..made_columns import is_named_in
from ..opening import FAILURES, joined

VALUES: Final = {"interactions": "rating", "lists": "score", "predictions": "prediction"}
"""The names of the numbers of items, in tables whose rows may contain lists."""
_SHAPES: Final = "write {user: [item, …]}, {user: {item: score}} or {user: [(item, score), …]}"
TABLE: Final = "give a frame, or a list of records"
"""What to do about rows that only a table has, such as distances."""
_RECORDS: Final = f"give records, [{{'user': 1, 'item': 2}}], or {_SHAPES[6:]}"
KEYS: Final = {"catalogue": "item", "people": "user"}
"""Kind of table → the column that identifies a row, if it is a single one."""
_SCALARS: Final = (str, int, float, bytes, UUID, Decimal, np.generic, type(None))
_NUMBERS: Final = (int, float, Decimal, np.number)
_LOOKED_AT: Final = 20
"""Number of keys that decide whether keys are columns or users."""
_NO_VALUE: Final = {"NoneType", "NAType", "NaTType"}
"""The types of missing values in Python and pandas."""
_DECODE: Final = (
    "decode the column: .cast(pl.String) in Polars, .str.decode('utf-8') in pandas; the 16 bytes of a UUID are str(uuid.UUID(bytes=value))"
)
_ID_HINT: Final = "ids are integers or text: convert them"


def from_mapping(where: str, table: str, rows: Mapping[Any, Any], columns: Mapping[str, Any]) -> pl.DataFrame:
    """Return the rows of a dict: a table by column, or items by user; for catalogues and users, a record for each id."""
    if not rows:
        raise NoRowsError(f"{where}: there are no rows")
    # An attribute with names of columns, as libraries have it, identifies a table, such as the split of a data set.
    tables = [
        name
        for name, held in islice(rows.items(), _LOOKED_AT)
        if any(are_names(getattr(held, key, None)) for key in ("column_names", "columns"))
    ]
    if tables:
        raise DataError(f"{where}: a dict of tables, {', '.join(map(repr, tables))}", f"choose one of them: data[{tables[-1]!r}]")
    if _names_columns(table, rows, columns):
        return _by_column(where, rows)
    if table in VALUES:
        return _by_user(where, table, rows)
    if table == "policy" and all(isinstance(number, _NUMBERS) for number in rows.values()):
        return row_frame(where, [("item", list(rows)), ("score", list(rows.values()))])
    if table in KEYS and all(isinstance(held, Mapping) and all(isinstance(name, str) for name in held) for held in rows.values()):
        return from_records(where, table, [{KEYS[table]: name, **held} for name, held in rows.items()])
    raise DataError(f"{where}: a dict of this kind is not a table", TABLE)


def users_without_items(where: str, table: str, rows: Any, columns: Mapping[str, Any]) -> pl.DataFrame | None:
    """Return the users of a dict whose list is empty and who have no rows; `None` if there are none, or it is not a dict by user."""
    if not isinstance(rows, Mapping) or _names_columns(table, rows, columns):
        return None
    users = [user for user, held in rows.items() if hasattr(held, "__len__") and not isinstance(held, str) and not len(held)]
    return row_frame(where, [("user", users)]) if users else None


def from_records(where: str, table: str, rows: Sequence[Any]) -> pl.DataFrame:
    """Return the rows of a list of dicts, of tuples in the order of the usual columns, or of ids of items or users."""
    if not len(rows):
        raise NoRowsError(f"{where}: there are no rows")
    first = rows[0]
    if isinstance(first, Mapping):
        odd = next((number for number, row in enumerate(rows, 1) if not isinstance(row, Mapping)), None)
        if odd is not None:
            raise DataError(f"{where}, row {odd}: {_shown(rows[odd - 1])} is not a record", "write a dict for each row")
        names = dict.fromkeys(name for row in rows for name in row)
        return row_frame(where, [(str(name), [row.get(name) for row in rows]) for name in names])
    if isinstance(first, tuple | list):
        names_of_row = names_by_position(where, table, len(first))
        odd = next((number for number, row in enumerate(rows, 1) if not isinstance(row, tuple | list) or len(row) != len(first)), None)
        if odd is not None:
            raise DataError(f"{where}, row {odd}: {_shown(rows[odd - 1])} does not have {len(first)} values like the first row")
        return row_frame(where, zip(names_of_row, zip(*rows, strict=True), strict=True))
    if table not in KEYS:
        is_of_items = table == "interactions" and isinstance(first, int)
        hint = (
            "give {user: item}; for users 0, 1, … it is dict(enumerate(items))" if is_of_items else _RECORDS if table in VALUES else TABLE
        )
        hint = f"join them into one table; for folds call {FOLDS}" if hasattr(first, "columns") else hint
        raise DataError(f"{where}: a list of {type(first).__name__} is not a table", hint)
    return row_frame(where, [(KEYS[table], rows)])


def refuse_unnamed_lists(where: str, table: str, rows: Sequence[Any]) -> None:
    """Raise `DataError` for lists of ids without users, which may also be rows of a table if they are integers; tuples are rows."""
    if not rows or not all(_are_ids(row) for row in rows):
        return
    names = names_of_rows(where, table, len(rows[0])) if len(set(map(len, rows))) == 1 else ()
    if not names:
        unnamed = "a list of items does not name its user" if len(rows) == 1 else f"{len(rows):,} lists of items do not name their users"
        raise DataError(
            f"{where}: {unnamed}",
            "give {user: [item, …]}; for users 0, 1, … it is dict(enumerate(lists))",
        )
    if all(not isinstance(cell, str) for row in rows for cell in row):
        raise DataError(
            f"{where}: lists of {len(names)} integers can be rows of {', '.join(names)}, or the items of users 0, 1, …",
            "give rows as tuples, or the items as {user: [item, …]}",
        )


def is_vector(value: Any) -> bool:
    """Return whether a value is an array of one dimension or a column, of any library, whose elements have no names."""
    if not any(hasattr(type(value), name) for name in ("shape", "tolist")):  # a frame of Spark Connect has any attribute, its type has not
        return False
    levels = getattr(getattr(value, "index", None), "names", ())  # of pandas: with a name they are columns
    has_names = bool(getattr(getattr(value, "dtype", None), "names", ())) or (
        are_names(levels) and any(level is not None for level in levels)
    )
    return not has_names and (len(getattr(value, "shape", ())) == 1 or (hasattr(value, "tolist") and not hasattr(value, "shape")))


def _are_ids(row: Any) -> bool:
    """Return whether a row is a list or an array of integers or texts."""
    if isinstance(row, np.ndarray):
        return row.ndim == 1 and row.dtype.kind in "iuU"
    return type(row) is list and all(type(cell) in (int, str) for cell in row)


def _names_columns(table: str, rows: Mapping[Any, Any], columns: Mapping[str, Any]) -> bool:
    """Return whether the keys of a dict are names of columns, not users."""
    keys = [key for key in islice(rows, _LOOKED_AT) if isinstance(key, str)]
    roles = frozenset[str]().union(*map(usual_roles, keys)) | {
        role for role, name in columns.items() if any(is_named_in(part, keys) for part in (name if isinstance(name, tuple) else (name,)))
    }
    wanted = {"user", "item"} if may_hold_lists(table) else {"user"} if table == "people" else {"item"}
    return wanted <= roles


def _by_column(where: str, rows: Mapping[Any, Any]) -> pl.DataFrame:
    for name, held in rows.items():
        if isinstance(held, str | Mapping | set | frozenset) or not hasattr(held, "__len__"):
            raise DataError(f"{where}: {_shown(held)} is not a column of values, for {name!r}")
    made = [column(where, str(name), held) for name, held in rows.items()]
    other = next((values for values in made if len(values) != len(made[0])), None)
    if other is not None:
        raise DataError(f"{where}: column {other.name!r} has {len(other):,} values, where {made[0].name!r} has {len(made[0]):,}")
    return row_frame(where, made)


def _by_user(where: str, table: str, rows: Mapping[Any, Any]) -> pl.DataFrame:
    """Return the items of each user, or items with numbers."""
    if table == "interactions" and all(isinstance(item, str) for item in rows.values()):
        if len(rows) <= FEW_TEXTS and all(isinstance(user, str) for user in rows):
            user, item = next(iter(rows.items()))
            texts = "a dict of a text" if len(rows) == 1 else f"a dict of {len(rows)} texts"
            raise DataError(
                f"{where}: {texts} can be the item of each user, or a section of a config with wrong keys",
                f"give items as lists, {{{_shown(user)}: [{_shown(item)}]}}, or a file as {{'path': FILE}}",
            )
        rows = {user: [item] for user, item in rows.items()}
    _refuse_items_or_columns(where, rows)
    held = [_in_order(where, table, user, given) for user, given in rows.items()]
    lengths = np.fromiter(map(len, held), np.int64, len(held))
    users = column(where, "user", list(rows)).gather(np.repeat(np.arange(len(held)), lengths))
    if held and all(isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype == held[0].dtype for values in held):
        return row_frame(where, [users, ("item", np.concatenate(held))])
    elements: list[Any] = list(chain.from_iterable(held))
    if not elements:
        raise NoRowsError(f"{where}: there are no rows")
    kinds = _kinds(elements)
    if kinds == {"item"}:
        return row_frame(where, [users, ("item", elements)])
    if kinds == {"pair"}:
        items, numbers = zip(*elements, strict=True)
        return row_frame(where, [users, ("item", items), (VALUES[table], numbers)])
    if kinds == {"record"}:
        records = from_records(where, table, elements)
        return row_frame(where, [users, *records.drop("user", strict=False).get_columns()])
    usual = _kind(elements[0])
    odd = next(index for index, element in enumerate(elements) if _kind(element) != usual or usual == "other")
    user = list(rows)[int(np.searchsorted(np.cumsum(lengths), odd, side="right"))]
    raise DataError(
        f"{where}, user {user!r}: {_shown(elements[odd])} is neither an item nor a pair of an item and a number as others", _SHAPES
    )


def _refuse_items_or_columns(where: str, rows: Mapping[Any, Any]) -> None:
    """Raise `DataError` if the keys of the first user can be items with numbers, or the columns of one record."""
    user, held = next(iter(rows.items()))
    roles = [usual_roles(key) if isinstance(key, str) else frozenset() for key in held] if isinstance(held, Mapping) else []
    if roles and all(roles) and any("item" in of_key for of_key in roles):
        raise DataError(
            f"{where}, user {_shown(user)}: the keys {', '.join(map(repr, held))} can be items, or the names of columns",
            "give a list of records for each user, {user: [{'item': 1}, …]}, or items as {user: [item, …]}",
        )


def _in_order(where: str, table: str, user: Any, held: Any) -> Any:
    """Return the elements of a user, in order; raise `DataError` if it is not a list, or has no order."""
    if isinstance(held, Mapping):
        pairs = list(held.items())
        if table == "lists":  # highest score first: a dict has no order, even for conventions that use the order of rows
            with suppress(TypeError, ValueError):  # a value that is not a number is refused later, where its place is known
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
    if is_vector(held):
        held = held.tolist() if hasattr(held, "tolist") else list(held) if isinstance(held, pl.Series) else np.asarray(held).tolist()
    if table == "interactions" and isinstance(held, int | np.integer) and not isinstance(held, bool):
        return [held]  # the only item that was held out
    if isinstance(held, str | bytes) or not hasattr(held, "__iter__") or not hasattr(held, "__len__"):
        raise DataError(f"{where}, user {_shown(user)}: {_shown(held)} is not a list of items", _SHAPES)
    return held if isinstance(held, list | tuple) else list(held)


def _kinds(elements: Sequence[Any]) -> set[str]:
    """Return the kinds of elements, by their types if all are items or pairs."""
    types = set(map(type, elements))
    if all(issubclass(kind, _SCALARS) for kind in types):
        return {"item"}
    if types <= {tuple, list} and set(map(len, elements)) == {2}:
        seconds = {type(second) for _, second in elements} - {type(None)}
        if all(issubclass(kind, _NUMBERS) for kind in seconds):
            return {"pair"}
    return {_kind(element) for element in elements}


def _kind(element: Any) -> str:
    if isinstance(element, _SCALARS):
        return "item"
    if isinstance(element, tuple | list) and len(element) == 2 and (element[1] is None or isinstance(element[1], _NUMBERS)):
        return "pair"
    return "record" if isinstance(element, Mapping) else "other"


def _shown(value: Any) -> str:
    text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return text if len(text) <= 60 else f"{text[:60]}…"


def names_of_rows(where: str, table: str, n_columns: int) -> tuple[str, ...]:
    """Return the names of the columns if an array with so many can be rows of users and items; empty otherwise."""
    with suppress(DataError):
        names = names_by_position(where, table, n_columns)
        return names if names[:2] == ("user", "item") else ()
    return ()


def _joined_keys(where: str, keys: Sequence[Any]) -> list[str | None]:
    """Return the ids of users that are tuples of values, such as (session, step), as several columns of a file give them."""
    sizes = {len(key) if isinstance(key, tuple) else 0 for key in keys}
    if len(sizes) > 1 or not all(isinstance(part, int | str | np.integer | None) for key in keys for part in key):
        raise DataError(
            f"{where}: ids of users are tuples of different kinds", "give each user as many integers or texts, as (session, step)"
        )
    parts = [[None if part is None else str(part) for part in of_keys] for of_keys in zip(*keys, strict=True)]
    frame = pl.DataFrame([pl.Series(f"{at}", texts, dtype=pl.String) for at, texts in enumerate(parts)])
    return frame.select(joined([pl.col(name) for name in frame.columns])).to_series().to_list()


def column(where: str, name: str, values: Any, *, nan_is_missing: bool = False) -> pl.Series:
    """Convert Python values or a NumPy array into a column: integers, numbers, text, dates, or lists of these.

    Integers and UUIDs mixed with text become text, as written. NaN is a number that is not finite, or missing if `nan_is_missing`. Tuples
    that name users, such as (session, step), become the texts that several columns of a file give. Raises `DataError` for values that a
    file cannot contain.
    """
    if isinstance(values, np.ndarray) and values.ndim == 1:
        if values.dtype.kind not in "OSU" and not values.dtype.hasobject:
            return _array_column(where, name, values, nan_is_missing)
        values = values.tolist()
    values = values if isinstance(values, list | tuple) else list(values)
    kinds = set(map(type, values))
    if name == "user" and tuple in kinds:
        values, kinds = _joined_keys(where, values), {str}
    if any(issubclass(kind, np.generic | np.ndarray) for kind in kinds):
        values = [value.item() if isinstance(value, np.generic | np.ndarray) and not value.ndim else value for value in values]
        kinds = set(map(type, values))
    if any(kind.__name__ in _NO_VALUE and kind is not type(None) for kind in kinds):
        values = [None if type(value).__name__ in _NO_VALUE else value for value in values]
    if Decimal in kinds and not all(value.is_finite() for value in values if isinstance(value, Decimal)):
        values = [float(value) if isinstance(value, Decimal) else value for value in values]
        kinds = set(map(type, values))
    if nan_is_missing and float in kinds:
        values = [None if isinstance(value, float) and value != value else value for value in values]
        kinds = set(map(type, values))
    kinds = {kind for kind in kinds if kind.__name__ not in _NO_VALUE}
    if kinds <= {int}:
        with suppress(OverflowError, TypeError, pl.exceptions.PolarsError):  # larger than 64 bits: ids are compared as written
            return pl.Series(name, values, dtype=pl.Int64)
    if kinds == {str}:
        return pl.Series(name, values, dtype=pl.String)
    if kinds <= {int, float, bool} and float in kinds:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    if kinds <= {int, str, UUID}:
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    if all(issubclass(kind, list | tuple | np.ndarray | pl.Series) for kind in kinds):
        return _lists(where, name, values)
    refused = next((kind for kind in kinds if issubclass(kind, set | frozenset)), None)
    if refused is not None:
        raise DataError(f"{where}: column {name!r} holds sets, but a set has no order", "write lists in the order of the ranks")
    mixed = ((int, float, bool, Decimal), (date,))  # the types that may be mixed in a column
    if len(kinds) == 1 or any(all(issubclass(kind, family) for kind in kinds) for family in mixed):
        with suppress(*FAILURES, TypeError, ValueError, OverflowError, AttributeError):
            return pl.Series(name, values, strict=True)
    shown = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise DataError(f"{where}: column {name!r} holds values of type {shown}", _ID_HINT)


def _lists(where: str, name: str, values: Sequence[Any]) -> pl.Series:
    """Return a column of lists, whose elements have one type, as in a column."""
    plain = [None if value is None else value.tolist() if isinstance(value, np.ndarray) else list(value) for value in values]
    inner = column(where, name, [value for held in plain if held is not None for value in held])
    if inner.dtype == pl.String:
        plain = [held and [None if value is None else str(value) for value in held] for held in plain]
    return pl.Series(name, plain, dtype=pl.List(inner.dtype), strict=False)


def _array_column(where: str, name: str, values: Any, nan_is_missing: bool) -> pl.Series:
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    if values.dtype.kind not in "biufMm":
        raise DataError(f"{where}: column {name!r} holds values of type {values.dtype}", _ID_HINT)
    if values.dtype.kind in "Mm":
        values = values.astype(f"{values.dtype.str[:3]}[us]".replace("<", ""))
    return pl.Series(name, np.ascontiguousarray(values), nan_to_null=nan_is_missing)


def row_frame(where: str, columns: Iterable[pl.Series | tuple[str, Any]]) -> pl.DataFrame:
    """Return a frame from columns, or from names with values; raise `DataError` if two have one name."""
    made = [part if isinstance(part, pl.Series) else column(where, *part) for part in columns]
    names = [series.name for series in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{where}: two columns are named {twice!r}", "rename one of them")
    return pl.DataFrame(made)


def are_names(value: Any) -> TypeGuard[Iterable[Any]]:
    """Return whether a value is a list or pandas index of names, not a column that a frame returns as attribute of the same name."""
    return isinstance(value, list | tuple) or isinstance(getattr(value, "nlevels", None), int)


def plain_ids(where: str, ids: pl.Series) -> pl.Series:
    """Convert ids stored as floats or Python objects into integers or text; raise `DataError` if they are neither.

    Whole floats become integers: pandas stores integers as floats if a value is, or was, missing. UUIDs become text.
    """
    if _inner(ids.dtype) == pl.Object:
        ids = column(where, ids.name, ids.to_list())
    dtype = _inner(ids.dtype)
    if dtype == pl.Object:
        shown = " and ".join(sorted({type(value).__name__ for value in ids.to_list()}))
        raise DataError(f"{where}: column {ids.name!r} holds values of type {shown} and cannot be an id", CAST_IDS)
    if dtype == pl.Binary:
        raise DataError(f"{where}: column {ids.name!r} holds bytes, and ids are integers or text", _DECODE)
    if dtype.is_float():
        _refuse_fractions(where, ids, dtype)
        return ids.cast(pl.List(pl.Int64) if ids.dtype.is_nested() else pl.Int64)
    return ids


def _inner(dtype: pl.DataType) -> Any:
    """Return the type of the elements of a list, or the type itself."""
    return dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype


def _refuse_fractions(where: str, ids: pl.Series, dtype: Any) -> None:
    """Raise `DataError` for floats that are not whole, or so large that two ids may have become one float."""
    single = ids.explode() if ids.dtype.is_nested() else ids
    is_odd = single.is_not_null() & ~(single.is_finite() & (single == single.floor()))
    if is_odd.any():
        shown = single.filter(is_odd)[0]
        raise DataError(f"{where}: {shown!r} in column {ids.name!r} cannot be an id", CAST_IDS)
    bits = {pl.Float64: 53, pl.Float32: 24}.get(type(dtype), 11)  # larger integers are not exact as floats
    large = [abs(number) for number in single.filter(single.abs() >= 2**bits).head(1).to_list()]
    if large:
        raise DataError(
            f"{where}: column {ids.name!r} stores ids as {dtype}, which cannot hold all integers from 2^{bits} on: it has {large[0]:.0f}",
            "read the ids as integers or text from the start",
        )
