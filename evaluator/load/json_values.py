"""JSON values that can be no id and no label, wherever they stand in a file: engines would read them as text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..errors import DataError
from .batches import batches
from .columns import IDS
from .list_fields import Fields, value_of
from .list_text import ODD_ARRAY
from .opening import FAILURES
from .source_file import SourceFile

_ODD_ID: Final = r'(?:[^"\d\sn-]|-?\d+[.eE]|"(?:[^"\\]|\\.)*\\u0000)'
"""The start of a value that is neither a text nor an integer nor null, or a text with a NUL character."""
_NO_LIST: Final = r"[^\[\sn]"
_ODD_LABEL: Final = r"[\[{]"
_LINES_PER_BATCH: Final = 10_000
FLAT: Final = "write one value per row, or one text in which the values are separated"


class _Object(dict[str, Any]):
    """A JSON object that knows which keys stand in it more than once."""

    repeated: frozenset[str]

    @classmethod
    def of(cls, pairs: list[tuple[str, Any]]) -> _Object:
        """The object of these keys and values."""
        made, n_keys = cls(pairs), Counter(key for key, _ in pairs)
        made.repeated = frozenset(key for key, n in n_keys.items() if n > 1)
        return made


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_Object.of)


def refuse_odd_values(role: str, files: Sequence[SourceFile], columns: Mapping[str, str], listed: Collection[str], fields: Fields) -> None:
    """Return if no id or label of files of JSON objects is a value that can be none; `DataError` names the line of the first that is.

    The same for a key of a column that is twice in one object.

    An id is a text or an integer, in the columns of `listed` a list of these; a label is any single value. `columns` maps canonical
    columns to keys, or to `fields` of lists of objects. Lines that are no JSON are left to those who read the rows.
    """
    patterns = {}
    for column, key in columns.items():
        if key in fields:
            struct, field = fields[key]
            patterns[struct] = _NO_LIST
            patterns |= {field: _ODD_ID} if column in IDS else {}
        elif column in IDS:
            patterns[key] = ODD_ARRAY if column in listed else _ODD_ID
        elif column.startswith("label_"):
            patterns[key] = _ODD_LABEL
    inner = [fields[key] for key in columns.values() if key in fields]
    keys = {fields[key][0] if key in fields else key for key in columns.values()}
    odd = [rf"{_spellings(key)}\s*:\s*{pattern}" for key, pattern in patterns.items()]
    odd += [rf"{_spellings(key)}\s*:.*{_spellings(key)}\s*:" for key in sorted(keys)]
    odd += [rf"{_spellings(key)}\s*:[^{{}}]*{_spellings(key)}\s*:" for _, key in inner]
    for file in files:
        for number, line in _lines_with(file.local, "|".join(odd)):
            try:
                record = _DECODER.decode(line.strip())
            except (ValueError, RecursionError):
                continue
            if repeated := _repeated(record, keys, inner):
                message = f"the key {min(repeated)!r} is given twice"
                raise DataError(f"{role}: {file.line(number)}: {message}", "remove one of them: JSON readers differ in which one they use")
            for column, key in columns.items():
                if isinstance(record, dict) and (problem := _problem(column, key, value_of(record, key, fields), column in listed)):
                    message, hint = problem
                    raise DataError(f"{role}: {file.line(number)}: {message}", hint)


def _repeated(record: object, keys: Collection[str], inner: Sequence[tuple[str, str]]) -> frozenset[str]:
    """Those of the `keys` that stand twice in an object, or in one of a list of objects, of which `inner` has the list and the key."""
    if not isinstance(record, _Object):
        return frozenset()
    listed = [(one, key) for name, key in inner if isinstance(record.get(name), list) for one in record[name]]
    twice = (one.repeated.intersection([key]) for one, key in listed if isinstance(one, _Object))
    return record.repeated.intersection(keys).union(*twice)


def _spellings(key: str) -> str:
    """A pattern for the ways in which writers of JSON spell a key."""
    return f"(?:{'|'.join(sorted({re.escape(json.dumps(key)), re.escape(json.dumps(key, ensure_ascii=False))}))})"


def _lines_with(path: Path, pattern: str) -> Iterator[tuple[int, str]]:
    """The numbers, from 1, and texts of the lines in which a pattern occurs; none if the file cannot be read."""
    lines = pl.scan_lines(path, name="line", row_index_name="index", glob=False).filter(pl.col("line").str.contains(pattern))
    try:
        for batch in batches(lines, _LINES_PER_BATCH):
            for index, line in batch.select("index", "line").iter_rows():
                yield index + 1, line
    except FAILURES:
        return


def _problem(column: str, key: str, value: object, listed: bool) -> tuple[str, str] | None:
    """What is wrong with a value, and what to do about it."""
    if column.startswith("label_"):
        return (f"{key!r} is {value!r}, where text was expected", FLAT) if isinstance(value, dict | list) else None
    if column not in IDS or value is None:
        return None
    if listed and not isinstance(value, list):
        return f"{key!r} is {value!r}, but a list in other rows", "write a list in every row, such as [3]"
    wrong = [one for one in (value if isinstance(value, list) and listed else [value]) if not is_id(one)]
    return (f"{wrong[0]!r} cannot be an id", "ids are integers or text") if wrong else None


def is_id(value: object) -> bool:
    """Whether a value of JSON can be an id: a text, an integer, or null for none."""
    if isinstance(value, str):
        return "\0" not in value
    return value is None or (isinstance(value, int) and not isinstance(value, bool))
