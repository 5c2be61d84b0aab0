"""Rows of separated text as Python's `csv` reads them, without its limit of 131,072 characters for a field: a list may be longer."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Final

_LONGEST_FIELD: Final = 1 << 30


def csv_rows(lines: Iterable[str], separator: str, *, strict: bool = False) -> Iterator[list[str]]:
    """Yield the fields of each record; `csv.Error` for a broken one. The limit belongs to the process: it is as before between rows."""
    reader = csv.reader(lines, delimiter=separator, strict=strict)
    while True:
        before = csv.field_size_limit(_LONGEST_FIELD)
        try:
            row = next(reader, None)
        finally:
            csv.field_size_limit(before)
        if row is None:
            return
        yield row
