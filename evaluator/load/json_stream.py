"""The values of a large JSON document one after the other, without holding all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any, Final

_BLOCK: Final = 1 << 20
_SPACE: Final = re.compile(r"[ \t\r\n]*")


class NotJson(Exception):
    """The text is no JSON document; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class JsonReader:
    """Reads the elements of an array, or the entries of an object, piece by piece. A key that is given twice is an error, NaN is null."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._text, self._at, self._line = "", 0, 1
        self._decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)

    def first_letter(self) -> str:
        """The next letter that is no white space; empty at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_on():
                return ""

    def elements(self) -> Iterator[Any]:
        """The elements of the array that stands next, which ends the document."""
        return self._sequence("[", "]", self._value)

    def entries(self) -> Iterator[tuple[str, Any]]:
        """The keys and values of the object that stands next, which ends the document."""
        return self._sequence("{", "}", partial(self._entry, set()))

    def _sequence(self, start: str, end: str, read: Callable[[], Any]) -> Iterator[Any]:
        """What stands between two brackets, which end the document, as `read` gives one after the other."""
        self._skip(start)
        if self.first_letter() != end:
            yield read()
            while self.first_letter() == ",":
                self._skip(",")
                yield read()
        self._skip(end)
        if self.first_letter():
            raise NotJson(self.line, "there is text after the end of the document")

    def _entry(self, keys: set[str]) -> tuple[str, Any]:
        if self.first_letter() != '"':
            raise NotJson(self.line, "expected a key in double quotes")
        key = self._value()
        if key in keys:
            raise NotJson(self.line, f"the key {key!r} is given twice")
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
                raise NotJson(self._line + self._text.count("\n", 0, error.pos), error.msg) from None
            except (ValueError, RecursionError) as error:
                raise NotJson(self.line, str(error)) from None
            if end < len(self._text) or not self._read_on():  # a number may go on
                self._at = end
                return value

    def _skip(self, letter: str) -> None:
        found = self.first_letter()
        if found != letter:
            raise NotJson(self.line, f"{letter!r} was expected, and {found!r} found" if found else f"it ends where {letter!r} was expected")
        self._at += 1

    def _read_on(self) -> bool:
        """Read more text, as much again as is not done with; returns whether there was any."""
        more = self._file.read(max(_BLOCK, len(self._text) - self._at))
        if more:
            self._line += self._text.count("\n", 0, self._at)
            self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is twice in one object")
    return found


def _constant(word: str) -> None:
    if word != "NaN":
        raise ValueError(f"{word} is not a finite number")
