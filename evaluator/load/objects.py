"""Files of one JSON object per line → how to scan them, and values that can be no id and no label: engines would read them as text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from ..errors import DataError
from . import list_columns, sniff
from .batches import batches
from .columns import FLAT, IDS, named
from .list_columns import ODD_ARRAY, fields_of, flattened, value_of
from .opening import FAILURES, unmapped
from .scan import Fields, ReadOptions, Scan
from .source_file import SourceFile, path_columns

_ODD_ID: Final = r'(?:[^"\d\sn-]|-?\d+[.eE]|"(?:[^"\\]|\\.)*\\u0000)'
"""The start of a value that is neither a text nor an integer nor null, or a text with a NUL character."""
_NO_LIST: Final = r"[^\[\sn]"
_ODD_LABEL: Final = r"[\[{]"
_LINES_PER_BATCH: Final = 10_000


def json_scan(role: str, table: str, files: Sequence[SourceFile], options: ReadOptions) -> Scan:
    """How to scan files of one JSON object per line; `DataError` if they cannot be read as `options` says."""
    names: dict[str, None] = {}
    records: list[dict[str, Any]] = []
    schema = _schema(files)
    fields = fields_of(schema) if list_columns.may_hold_lists(table) else {}
    for file in files:
        head = [_flat(record, fields) for record in first_objects(file)]
        records += head
        names |= dict.fromkeys(name for record in head for name in record)
    where = f"{role}: {files[0]}"
    stored = tuple(dict.fromkeys((*names, *(flattened(schema, fields) if fields else schema))))
    columns, label_columns = named(where, table, [*stored, *path_columns(files, stored)], options.columns, options.labels, True)
    held = {column: [record.get(name) for record in records] for column, name in columns.items()}
    listed = [column for column in columns if any(isinstance(one, list) for one in held[column])]
    _refuse_odd_values(role, files, columns | label_columns, listed if list_columns.may_hold_lists(table) else (), fields)
    nested = list_columns.as_list_columns(where, table, listed)
    samples = {} if nested else _samples(table, held, options)
    lists, in_lists = list_columns.text_lists(where, table, columns, samples, options.list_separator, nested=nested)
    values = {column: [json.dumps(one) for one in _values(held[column])] for column in columns} | in_lists
    return sniff.scan_of(
        where,
        files,
        options,
        columns | label_columns,
        stored,
        values,
        format="ndjson",
        kinds={column: sniff.kind_of(column, values[column], options.nulls) for column in columns},
        header=tuple(names),
        has_header=False,
        fields=fields,
        **lists,
        loose=bool(options.nulls or options.decimal_comma),
        decimal_comma=bool(options.decimal_comma),
    )


def schema_of_objects(files: Sequence[SourceFile], max_rows: int | None = None) -> pl.Schema:
    """Return the keys of JSON objects and the types that hold the values of the first `max_rows` objects, or of all of them.

    Raises what Polars raises where an object cannot be read.
    """
    return pl.scan_ndjson([unmapped(file.address) for file in files], infer_schema_length=max_rows).collect_schema()


def _schema(files: Sequence[SourceFile]) -> Mapping[str, pl.DataType]:
    """All keys, also those that occur only further on, such as a score that the first objects lack."""
    try:
        return schema_of_objects(files)
    except FAILURES:
        return {}  # the broken line is found, and named, when the rows are read


def _flat(record: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """An object with the fields of lists of objects as lists of their own."""
    if not fields:
        return record
    structs = {column for column, _ in fields.values()}
    plain = {name: value for name, value in record.items() if name not in structs}
    return plain | {name: value_of(record, name, fields) for name, (column, _) in fields.items() if column in record}


def _samples(table: str, held: Mapping[str, Sequence[Any]], options: ReadOptions) -> dict[str, list[str]]:
    """The texts of every column of text, and the users as text, if the items are text that may hold lists."""
    if not list_columns.may_hold_lists(table) or not options.may_split or not _are_texts(held["item"]):
        return {}
    return {
        column: ["" if value is None else str(value) for value in values]
        for column, values in held.items()
        if column == "user" or _are_texts(values)
    }


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values if value is not None)


def first_objects(file: SourceFile) -> list[dict[str, Any]]:
    """The first objects of a file; `DataError` names the line of what is none."""
    records = []
    for number, line in enumerate(sniff.head(file), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{file.line(number)}: not JSON ({error})") from None
        if not isinstance(record, dict):
            raise DataError(f'{file.line(number)}: a JSON object was expected, such as {{"user": 1, "item": 2}}')
        records.append(record)
    return records


def _values(held: Sequence[object]) -> list[object]:
    """The values of a column, lists taken apart."""
    return [element for value in held for element in (value if isinstance(value, list) else [value]) if element is not None]


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


def _refuse_odd_values(role: str, files: Sequence[SourceFile], columns: Mapping[str, str], listed: Collection[str], fields: Fields) -> None:
    """Return if no id or label of files of JSON objects is a value that can be none; `DataError` names the line of the first that is.

    The same for a key of a column that stands twice in one object.

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
                message = f"the key {min(repeated)!r} stands twice"
                raise DataError(
                    f"{role}: {file.line(number)}: {message}", "remove one of the two: readers of JSON take the one or the other"
                )
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
        return f"{key!r} is {value!r}, and in other rows a list", "write a list in every row, as [3]"
    wrong = [one for one in (value if isinstance(value, list) and listed else [value]) if not is_id(one)]
    return (f"{wrong[0]!r} cannot be an id", "ids are integers or text") if wrong else None


def is_id(value: object) -> bool:
    """Whether a value of JSON can be an id: a text, an integer, or null for none."""
    if isinstance(value, str):
        return "\0" not in value
    return value is None or (isinstance(value, int) and not isinstance(value, bool))
