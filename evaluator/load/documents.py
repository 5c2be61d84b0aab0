"""Convert JSON documents (arrays of records, lists by user, tables by column) into a temporary file with one object per line."""

from __future__ import annotations

import codecs
import io
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Final

from msgspec.structs import replace

from ..support.errors import DataError, NoRowsError
from ..support.patterns import regex
from ..support.temporary import folder_for_copies, new_copy
from . import sniff
from .columns import usual_roles
from .list_columns import may_hold_lists
from .opening import FAILURES
from .recode import not_unpacked, open_bytes, unpack
from .source_file import SourceFile

_BLOCK: Final = 1 << 20
_SPACE: Final = regex(r"[ \t\r\n]*")
_LINES: Final = (".ndjson", ".jsonl")
"""Endings of files with one object per line."""
_FIRST: Final = 20
"""Number of keys of an object that decide whether keys are columns or users."""


_WRAPPERS: Final = ("results", "recommendations", "predictions", "data", "users", "output", "outputs", "rows", "records", "lists", "runs")
"""Keys under which a document may hold everything."""


class _NoRows(Exception):
    """A value of the document is not a row, or not a list of a user."""

    hint = 'write records, [{"user": 1, "item": 2}], or lists by user, {"1": [2, 3]}, {"1": {"2": 0.5}} or {"1": [[2, 0.5]]}'


class _NotJson(_NoRows):
    """The text is not valid JSON from some line on (counted from 1)."""

    hint = "check that it is one JSON document, or one object per line"


def is_document(file: SourceFile) -> bool:
    """Return whether a JSON file is one document, unlike a file with one object per line."""
    try:
        start = sniff.first_bytes(file).removeprefix(codecs.BOM_UTF8).lstrip()
    except DataError:
        return False  # broken compression is reported when the file is inspected
    if not start.startswith(b"{"):
        return start.startswith(b"[")
    if any(ending.lower() in _LINES for ending in file.local.suffixes):
        return False
    first, _, rest = start.partition(b"\n")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return True
    holds_all = all(isinstance(value, list | dict) for value in record.values()) or _within(list(record.items())) is not None
    return not rest.strip() and holds_all


def is_by_user(path: Path) -> bool:
    """Return whether a JSON document has an entry for every user; false if it is broken."""
    try:
        with ExitStack() as scratch, open_bytes(unpack(path, scratch)) as packed:
            reader = _JsonReader(io.TextIOWrapper(packed, encoding="utf-8-sig"))
            return reader.first_letter() == "{" and not _names_columns(list(islice(reader.values(), _FIRST)))
    except (_NotJson, UnicodeError):
        return False


def as_objects(role: str, table: str, document: SourceFile, scratch: ExitStack) -> SourceFile:
    """Convert a JSON document into a file with one object per line, which lives as long as `scratch`.

    Raises `DataError` if the document is broken, or does not contain rows of `table`.
    """
    path, where, n_rows = document.local, f"{role}: {document}", 0
    target = scratch.enter_context(folder_for_copies()) / f"{path.name}.ndjson"
    try:
        with open_bytes(unpack(path, scratch)) as packed, io.TextIOWrapper(new_copy(target), encoding="utf-8") as written:
            reader = _JsonReader(io.TextIOWrapper(packed, encoding="utf-8-sig"))
            for row in _rows(reader, table):
                written.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
                n_rows += 1
    except _NoRows as error:
        raise DataError(f"{where}, {error}", error.hint) from None
    except UnicodeError as error:
        raise DataError(f"{where}, after record {n_rows}: not UTF-8 text ({error})", "set its encoding in the config") from None
    except ValueError:
        raise DataError(f"{where}, record {n_rows + 1}: a number is not finite", "remove the record, or give it a number") from None
    except (OSError, EOFError, zlib.error, *FAILURES) as error:
        raise not_unpacked(where, error, document) from None
    if not n_rows:
        raise NoRowsError(f"{where}: there are no rows")
    return replace(document, path=target, is_document=True)


def _rows(reader: _JsonReader, table: str) -> Iterator[Mapping[str, Any]]:
    if reader.first_letter() == "[":
        for number, element in enumerate(reader.values(), 1):
            if not isinstance(element, dict):
                raise _NoRows(f"record {number}: a JSON object was expected, not {_shown(element)}")
            yield element
        return
    entries = reader.values()
    first = list(islice(entries, _FIRST))
    held = _within(first)
    if isinstance(held, list):
        yield from held
        return
    if held is not None:
        first = list(held.items())
    if _names_columns(first):
        yield from _by_column(dict(chain(first, entries)))
    elif may_hold_lists(table):
        for user, of_user in chain(first, entries):
            yield from _user_rows(user, of_user, table)
    else:
        raise _NoRows(f"key {first[0][0]!r}: not a column name" if first else "an empty object")


def _within(entries: Sequence[tuple[str, Any]]) -> list[dict[str, Any]] | dict[str, Any] | None:
    """Return the records, or the entries of users, that an object holds beside facts about them: `{"model": "als", "results": […]}`.

    `None` if it has none or several of them, or under a key that does not say so: then its keys are users or columns.
    """
    holding = [(key, value) for key, value in entries if isinstance(value, list | dict)]
    if len(holding) != 1 or len(entries) >= _FIRST or any("user" in usual_roles(key) for key, _ in entries):
        return None
    key, value = holding[0]
    if key.lower() not in _WRAPPERS:
        return None
    if isinstance(value, list):
        return value if value and all(isinstance(element, dict) for element in value) else None
    return value if value and all(isinstance(element, list | dict) for element in value.values()) else None


def _names_columns(entries: Sequence[tuple[str, Any]]) -> bool:
    return any(usual_roles(key) & {"user", "item"} for key, _ in entries)


def _by_column(columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table stored by column, as pandas does: `{"user": {"0": 1}}`, `{"user": [1]}`."""
    values: dict[str, list[Any]] = {}
    keys: tuple[str, list[str]] | None = None
    for name, held in columns.items():
        if not isinstance(held, dict | list):
            raise _NoRows(f"key {name!r}: {_shown(held)} is not a column of values")
        if isinstance(held, dict):
            keys = keys or (name, list(held))
            if list(held) != keys[1]:
                raise _NoRows(f"key {name!r}: its rows differ from those of {keys[0]!r}")
        values[name] = list(held.values()) if isinstance(held, dict) else held
    (first, n_rows), *others = [(name, len(column)) for name, column in values.items()]
    for name, n in others:
        if n != n_rows:
            raise _NoRows(f"key {name!r}: {n:,} values, where {first!r} has {n_rows:,}")
    for row in zip(*values.values(), strict=True):
        yield dict(zip(values, row, strict=True))


def _user_rows(user: str, held: Any, table: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a user: a list of items, of pairs of an item and a number, or of records; or an object of items and numbers."""
    if not isinstance(held, dict | list):
        raise _NoRows(f"user {user!r}: {_shown(held)} is not a list of items")
    key, value_name, elements = _id(user), "prediction" if table == "predictions" else "rating", held
    if isinstance(held, dict):
        elements = [[_id(item), value] for item, value in held.items()]
        are_scores = all(value is None or (type(value) in (int, float) and -math.inf < value < math.inf) for value in held.values())
        are_ranks = [value for _, value in elements] in (list(range(len(elements))), list(range(1, len(elements) + 1)))
        if table == "lists" and are_scores and not are_ranks:  # highest first: an object has no order; ties keep the order of the file
            elements.sort(key=lambda pair: (pair[1] is not None, pair[1] or 0), reverse=True)
    for element in elements:
        if isinstance(element, dict):
            yield {"user": key, **element}
        elif not isinstance(element, list):
            yield {"user": key, "item": _item(user, element)}
        elif len(element) == 2 and (element[1] is None or type(element[1]) in (int, float)):
            yield {"user": key, "item": _item(user, element[0]), value_name: element[1]}
        else:
            raise _NoRows(f"user {user!r}: {_shown(element)} is neither an item nor a pair of an item and a number")


def _id(key: str) -> int | str:
    """Return the id of a key of an object: keys are always in quotes, so plain integers become integers, as in CSV."""
    return int(key) if sniff.is_integer(key) else key


def _item(user: str, value: Any) -> Any:
    if isinstance(value, float | bool):
        raise _NoRows(f"user {user!r}: {_shown(value)} cannot be an id")
    return value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


class _JsonReader:
    """Read the elements of an array, or the entries of an object, piece by piece; a duplicate key is an error, NaN is null."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._text, self._at, self._line = "", 0, 1
        self._decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)

    def first_letter(self) -> str:
        """Return the next character that is not white space; empty at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_on():
                return ""

    def values(self) -> Iterator[Any]:
        """Yield the elements of the next array, or the keys and values of the next object, which must end the document."""
        read: Callable[[], Any]
        start, end, read = ("[", "]", self._value) if self.first_letter() == "[" else ("{", "}", partial(self._entry, set()))
        self._skip(start)
        if self.first_letter() != end:
            yield read()
            while self.first_letter() == ",":
                self._skip(",")
                yield read()
        self._skip(end)
        if self.first_letter():
            raise _NotJson(f"line {self.line}: there is text after the end of the document")

    def _entry(self, keys: set[str]) -> tuple[str, Any]:
        if self.first_letter() != '"':
            raise _NotJson(f"line {self.line}: expected a key in double quotes")
        key = self._value()
        if key in keys:
            raise _NotJson(f"line {self.line}: the key {key!r} is given twice")
        keys.add(key)
        self._skip(":")
        return key, self._value()

    @property
    def line(self) -> int:
        """The line up to which the document was read."""
        return self._line + self._text.count("\n", 0, self._at)

    def _value(self) -> Any:
        self.first_letter()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._read_on():
                    continue
                self._at = error.pos
                raise _NotJson(f"line {self.line}: {error.msg}") from None
            except (ValueError, RecursionError) as error:
                raise _NotJson(f"line {self.line}: {error}") from None
            if end < len(self._text) or not self._read_on():  # a number may go on
                self._at = end
                return value

    def _skip(self, letter: str) -> None:
        there = self.first_letter()
        if there != letter:
            wrong = f"{letter!r} was expected, and {there!r} found" if there else f"it ends where {letter!r} was expected"
            raise _NotJson(f"line {self.line}: {wrong}")
        self._at += 1

    def _read_on(self) -> bool:
        """Read more text, at least as much as is not yet parsed; return whether there was any."""
        more = self._file.read(max(_BLOCK, len(self._text) - self._at))
        if more:
            self._line += self._text.count("\n", 0, self._at)
            self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} appears twice in one object")
    return record


def _constant(word: str) -> None:
    if word != "NaN":
        raise ValueError(f"{word} is not a finite number")
