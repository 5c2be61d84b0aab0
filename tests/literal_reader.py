"""A slow, literal reader of lists: Python's own `csv` and `json`, ids as written, scores as exact integers.

It knows columns by position (user, item, score), reads every line with the same care, and raises `Refused` for an invalid row.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping

Row = tuple[str, str, int]


class Refused(Exception):
    """A file has an invalid row."""


def rows_of_csv(text: str, separator: str, has_header: bool) -> list[Row]:
    """Return the rows of separated text; raise `Refused` for a row of another width than the first, and for quotes that do not close."""
    if "\0" in text:
        raise Refused("NUL")
    try:
        first, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    except csv.Error as error:
        raise Refused(str(error)) from None
    rows = rows if has_header else [first, *rows]
    if any(len(row) != len(first) for row in rows):
        raise Refused("width")
    return [_row(*row[:3]) for row in rows]


def rows_of_ndjson(text: str) -> list[Row]:
    """Return the rows of lines of JSON; raise `Refused` for an id that is neither a text nor an integer."""
    rows = []
    for line in text.splitlines():
        record = json.loads(line)
        ids = [record["user"], record["item"]]
        if any(not isinstance(value, str | int) or isinstance(value, bool) or "\0" in str(value) for value in ids):
            raise Refused(line)
        rows.append(_row(*map(str, ids), str(record["score"])))
    return rows


def rows_of_trec(text: str) -> list[Row]:
    """Return the rows of a TREC run, by score; raise `Refused` for a line without exactly six fields."""
    fields = [line.split() for line in text.splitlines()]
    if any(len(row) != 6 for row in fields) or "\0" in text:
        raise Refused("fields")
    return [_row(row[0], row[2], row[4]) for row in fields]


def _row(user: str, item: str, score: str) -> Row:
    try:
        if not user or not item:
            raise Refused("no id")
        return user, item, int(score)
    except ValueError:
        raise Refused(score) from None


def mean(rows: Iterable[Row], relevant: Mapping[str, set[str]], value: Callable[[list[bool], int], float]) -> float:
    """Return the mean over test users of `value(hits, number of relevant items)`; lists are by falling score, missing ones empty."""
    lists: dict[str, list[tuple[int, str]]] = {}
    for user, item, score in rows:
        lists.setdefault(user, []).append((score, item))
    ranked = {user: [item for _, item in sorted(scored, reverse=True)] for user, scored in lists.items()}
    values = [value([item in items for item in ranked.get(user, [])], len(items)) for user, items in relevant.items()]
    return sum(values) / len(values)
