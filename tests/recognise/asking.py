"""Ask the recogniser about files, and judge its answers by what the files mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from receval.load.scan import ReadOptions
from receval.load.source import open_source
from receval.load.source_file import SourceFile
from receval.recognise.evidence import Table
from receval.recognise.reading import FileReading
from receval.recognise.recogniser import Question, SourceRequest, recognise
from receval.recognise.sampled_rows import effect_of, rows_of
from receval.recognise.sampled_values import plain
from receval.recognise.sheets import look
from receval.support.errors import RecevalError

Verdict = Literal["right", "asked", "refused", "lost", "wrong"]
"""`lost`: asked, and no answer is right; `refused`: nothing was recognised."""


class Asked:
    """What the recogniser says of files: source → request, and its reading or question."""

    def __init__(self, test: Sequence[Path], lists: Sequence[Path], options: Mapping[Path, ReadOptions] | None = None) -> None:
        self.requests: dict[Path, SourceRequest] = {}
        with ExitStack() as scratch:
            for n, path in enumerate((*test, *lists)):
                table: Table = "interactions" if n < len(test) else "lists"
                source = ("data.test", "data.train")[n] if n < len(test) else f"data.recommendations.{path.stem}"
                given = (options or {}).get(path, ReadOptions())
                try:
                    opened = open_source(source, table, [str(path)], [SourceFile.from_path(path)], given, scratch)
                except RecevalError:
                    continue
                self.requests[path] = SourceRequest(source, table, opened.files[0], opened.format, given)
            self.found = recognise(list(self.requests.values()))
            self._meanings = {path: self._meant(path) for path in self.requests}

    def answer(self, path: Path) -> FileReading | Question | None:
        return self.found.get(self.requests[path].source) if path in self.requests else None

    def means(self, path: Path) -> Any:
        """Return what a file means as it is read: lists, or grades."""
        (meaning,) = self._meanings[path]
        return meaning

    def verdict(self, path: Path, truth: Mapping[Any, Any]) -> Verdict:
        found = self.answer(path)
        if found is None:
            return "refused"
        is_right = any(agrees(meaning, truth) for meaning in self._meanings[path])
        return ("right" if is_right else "wrong") if isinstance(found, FileReading) else "asked" if is_right else "lost"

    def _meant(self, path: Path) -> list[Any]:
        found, request = self.answer(path), self.requests[path]
        if found is None:
            return []
        sheets = look(request.file, request.format, request.options, whole=True)
        return [
            effect_of(rows_of(sheet, reading), request.table)
            for reading in ([found] if isinstance(found, FileReading) else found.readings)
            for sheet in sheets
            if (sheet.header, sheet.separator, sheet.format) == (reading.header, reading.separator, reading.format)
        ]


def agrees(meaning: Mapping[Any, Any], truth: Mapping[Any, Any]) -> bool:
    """Return whether a meaning is the truth, or that part of it which is in the first MiB of a file; `12.0` is 12."""
    meaning, truth = _plain(meaning), _plain(truth)
    n_read, n_true = (sum(len(value) if isinstance(value, list) else 1 for value in options.values()) for options in (meaning, truth))
    if n_read < 0.9 * min(n_true, 5_000):
        return False
    return all(_is_part(value, truth.get(key)) for key, value in meaning.items())


def _plain(meaning: Any) -> Any:
    """Return lists or grades with the ids of `12.0` as 12."""
    if isinstance(meaning, Mapping):
        return {_plain(key): _plain(value) for key, value in meaning.items()}
    if isinstance(meaning, tuple | list):
        return type(meaning)(map(_plain, meaning))
    return plain(meaning) if isinstance(meaning, str) else meaning


def _is_part(value: Any, whole: Any) -> bool:
    if not isinstance(value, list):
        return bool(value == whole)
    there = set(value)
    return whole is not None and value == [item for item in whole if item in there]
