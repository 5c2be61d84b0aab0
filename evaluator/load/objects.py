"""Scan files with one JSON object per line, and refuse values that cannot be ids or labels, which engines would read as text."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from ..support.errors import DataError
from . import list_columns, sniff
from .columns import FLAT, IDS, named, usual_roles
from .list_columns import ODD_ARRAY, fields_of, flat_types, value_of
from .made_columns import Nested, Wide, paths_in, side_by_side, with_made_values
from .opening import FAILURES, batches, unmapped
from .scan import FILTER_COLUMN, KEY_COLUMN, Fields, ReadOptions, Scan
from .source_file import SourceFile, path_columns

_ODD_ID: Final = r'(?:[^"\d\sn-]|-?\d+[.eE]|"(?:[^"\\]|\\.)*\\u0000)'
"""The start of a value that is neither text, integer nor null, or of a text with a NUL character."""
_NO_LIST: Final = r"[^\[\sn]"
_ODD_LABEL: Final = r"[\[{]"
_LINES_PER_BATCH: Final = 10_000


def json_scan(role: str, table: str, files: Sequence[SourceFile], options: ReadOptions) -> Scan:
    """Return the scan of files with one JSON object per line; raise `DataError` if they cannot be read with `options`."""
    where, objects = f"{role}: {files[0]}", [record for file in files for record in first_objects(file)]
    if list_columns.may_hold_lists(table):
        _refuse_users_as_keys(where, objects)
    schema = _schema(files)
    if not schema and any("." in str(name) for name in options.names):
        schema = pl.from_dicts(objects, infer_schema_length=None).schema
    paths = paths_in(schema, options)
    schema = {**schema, **paths.types}
    fields = {**fields_of(schema), **paths.fields} if list_columns.may_hold_lists(table) else {}
    flat = [_flat(dict(with_made_values(record, paths.nested, {})), fields) for record in objects]
    options, wide = side_by_side(where, list(dict.fromkeys([*(name for record in flat for name in record), *schema])), options)
    records = [with_made_values(record, {}, wide) for record in flat]
    names = dict.fromkeys(name for record in records for name in record)
    stored = tuple(dict.fromkeys((*names, *wide, *(flat_types(schema, fields) if fields else schema))))
    numbers = [] if any(isinstance(value, list) for record in records for value in record.values()) else _numbers(names, records)
    columns, label_columns = named(where, table, [*stored, *path_columns(files, stored)], options, None, numbers)
    held = {column: [record.get(name) for record in records] for column, name in columns.items()}
    listed = [column for column in columns if any(isinstance(value, list) for value in held[column])]
    made = Made(fields, paths.nested, wide)
    checked = {column: key for column, key in (columns | label_columns).items() if column not in options.integers}
    _refuse_odd_values(role, files, checked, listed if list_columns.may_hold_lists(table) else (), made)
    nested = list_columns.as_list_columns(where, table, listed)
    samples = {} if nested else _samples(table, held, options)
    lists, in_lists = list_columns.text_lists(where, table, columns, samples, options.list_separator, nested=nested)
    single = {
        column: [element for value in held[column] for element in (value if isinstance(value, list) else [value])] for column in columns
    }
    values = {column: [json.dumps(element) for element in ones if element is not None] for column, ones in single.items()} | in_lists
    booleans = sniff.booleans_in([text.strip('"') for text in values.get("rating", ())])
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
        nested=paths.nested,
        wide=wide,
        **lists,
        booleans=booleans,
        loose=booleans or bool(options.nulls or options.decimal_comma),
        decimal_comma=bool(options.decimal_comma),
    )


def _numbers(names: Iterable[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys all of whose values in the first objects are numbers."""
    values = {name: [record[name] for record in records if record.get(name) is not None] for name in names}
    return [name for name, ones in values.items() if ones and all(type(element) in (int, float) for element in ones)]


def _schema(files: Sequence[SourceFile]) -> Mapping[str, pl.DataType]:
    """Return all keys, including those that are missing in the first objects, such as a score."""
    try:
        return pl.scan_ndjson([unmapped(file.address) for file in files], infer_schema_length=None).collect_schema()
    except FAILURES:
        return {}  # the broken line is found, and named, when the rows are read


def _refuse_users_as_keys(where: str, objects: Sequence[Mapping[str, Any]]) -> None:
    """Raise `DataError` if each object is a user with a list: as keys they would be columns."""
    entries = [entry for record in objects for entry in record.items()]
    are_users = len({name for name, _ in entries}) == len(objects) > 1 and all(len(record) == 1 for record in objects)
    if are_users and all(isinstance(held, list | dict) and not usual_roles(name) for name, held in entries):
        raise DataError(
            f"{where}: each line has a key of its own, such as {entries[0][0]!r}, instead of the same columns",
            'write {"user": 1, "items": [2, 3]} on each line',
        )


def _flat(record: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Return an object with the fields of lists of objects as separate lists."""
    if not fields:
        return record
    structs = {column for column, _ in fields.values()}
    plain = {name: value for name, value in record.items() if name not in structs}
    return plain | {name: value_of(record, name, fields) for name, (column, _) in fields.items() if column in record}


def _samples(table: str, held: Mapping[str, Sequence[Any]], options: ReadOptions) -> dict[str, list[str]]:
    """Return the texts of every text column, and the users as text, if the items are text that may contain lists."""
    texts = {
        column: ["" if value is None else str(value) for value in values]
        for column, values in held.items()
        if column == "user" or all(value is None or isinstance(value, str) for value in values)
    }
    return texts if list_columns.may_hold_lists(table) and options.may_split and "item" in texts else {}


def first_objects(file: SourceFile) -> list[dict[str, Any]]:
    """Return the first objects of a file; raise `DataError` with the line of a value that is not an object."""
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


class _Object(dict[str, Any]):
    """A JSON object that records its duplicate keys."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = {key for key, n in Counter(key for key, _ in pairs).items() if n > 1}


class Made(NamedTuple):
    """How columns are made of keys: `fields` of lists of objects, values `nested` in objects, and lists of values side by side (`wide`)."""

    fields: Fields
    nested: Nested
    wide: Wide

    def path(self, key: str) -> tuple[str, ...]:
        """Return the keys of objects that lead to the value of a column."""
        return self.nested.get(key, (key,))


def _refuse_odd_values(role: str, files: Sequence[SourceFile], columns: Mapping[str, str], listed: Collection[str], made: Made) -> None:
    """Raise `DataError`, with the line, for the first value in files of JSON objects that cannot be an id or label.

    Duplicate keys of columns in one object are refused too.

    An id is a text or an integer, in the columns of `listed` a list of these; a label is any single value. `columns` maps canonical
    columns to keys, or to columns that are `made` of keys. Lines that are not JSON are reported when the rows are read.
    """
    cells = [(column, cell) for column, key in columns.items() for cell in made.wide.get(key, (key,))]
    lists = {column for column in listed if columns.get(column) not in made.wide}
    fields, patterns = made.fields, {}
    for column, key in cells:
        if key in fields:
            struct, field = fields[key]
            patterns[made.path(struct)[-1]] = _NO_LIST
            patterns |= {field: _ODD_ID} if column in IDS else {}
        elif column in IDS or column.startswith(KEY_COLUMN):
            patterns[made.path(key)[-1]] = ODD_ARRAY if column in lists else _ODD_ID
        elif column.startswith(("label_", FILTER_COLUMN)):
            patterns.setdefault(made.path(key)[-1], _ODD_LABEL)
    paths = [made.path(fields[key][0] if key in fields else key) for _, key in cells]
    keys = sorted({key for path in paths for key in path})
    inner = [fields[key] for _, key in cells if key in fields]
    odd = [rf"{_spellings(key)}\s*:\s*{pattern}" for key, pattern in patterns.items()]
    odd += [rf"{_spellings(key)}\s*:.*{_spellings(key)}\s*:" for key in keys]
    odd += [rf"{_spellings(key)}\s*:[^{{}}]*{_spellings(key)}\s*:" for _, key in inner]
    for file in files:
        for number, record in _objects_with(file.local, "|".join(odd)):
            values = with_made_values(record, made.nested, {})
            elements = [(value, key) for name, key in inner if isinstance(values.get(name), list) for value in values[name]]
            twice = {key for path in paths for key in _repeated(record, path)}
            twice |= {key for element, key in elements if isinstance(element, _Object) and key in element.repeated}
            if twice:
                message = f"{role}: {file.line(number)}: the key {min(twice)!r} is given twice"
                raise DataError(message, "remove one of them: JSON readers differ in which one they use")
            for column, key in cells:
                if problem := _problem(column, key, value_of(values, key, fields), column in lists):
                    raise DataError(f"{role}: {file.line(number)}: {problem[0]}", problem[1])


def _repeated(record: _Object, path: Sequence[str]) -> Iterator[str]:
    """Yield the keys of a path that an object has twice."""
    held: Any = record
    for key in path:
        if not isinstance(held, _Object):
            return
        if key in held.repeated:
            yield key
        held = held.get(key)


def _spellings(key: str) -> str:
    """Return a pattern for all spellings of a key in JSON."""
    return f"(?:{'|'.join(sorted({re.escape(json.dumps(key)), re.escape(json.dumps(key, ensure_ascii=False))}))})"


def _objects_with(path: Path, pattern: str) -> Iterator[tuple[int, _Object]]:
    """Yield the numbers, from 1, and objects of the lines in which a pattern occurs; none if the file cannot be read."""
    lines = pl.scan_lines(path, name="line", row_index_name="index", glob=False).filter(pl.col("line").str.contains(pattern))
    try:
        for batch in batches(lines, _LINES_PER_BATCH):
            for index, line in batch.select("index", "line").iter_rows():
                with suppress(ValueError, RecursionError):
                    record = json.loads(line.strip(), object_pairs_hook=_Object)
                    if isinstance(record, _Object):
                        yield index + 1, record
    except FAILURES:
        return


def _problem(column: str, key: str, value: Any, listed: bool) -> tuple[str, str] | None:
    """Return the problem of a value, with a hint; `None` if there is none."""
    if column.startswith(("label_", FILTER_COLUMN)):
        return (f"{key!r} is {value!r}, where text was expected", FLAT) if isinstance(value, dict | list) else None
    if (column not in IDS and not column.startswith(KEY_COLUMN)) or value is None:
        return None
    if listed and not isinstance(value, list):
        return f"{key!r} is {value!r}, but a list in other rows", "write a list in every row, such as [3]"
    wrong = [element for element in (value if listed else [value]) if not is_id(element)]
    return (f"{wrong[0]!r} cannot be an id", "ids are integers or text") if wrong else None


def is_id(value: object) -> bool:
    """Return whether a JSON value can be an id: a text, an integer, or null (missing)."""
    if isinstance(value, str):
        return "\0" not in value
    return value is None or (isinstance(value, int) and not isinstance(value, bool))
