"""The lines of a text file, unpacked, decoded and counted as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO

from .csv_rows import csv_rows
from .recode import opened


class CountedLines:
    """The lines of a UTF-8 file, without its byte-order mark; `number` is that of the last line that was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        for line in self.file:
            self.number += 1
            yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")


def line_of_record(path: Path, separator: str, index: int) -> int:
    """The line, from 1, on which the record at `index`, from 0, of a file of separated text begins, where quoted fields span lines."""
    with opened(path) as file:
        lines = CountedLines(file)
        for _ in islice(csv_rows(lines, separator), index):
            pass
        return lines.number + 1
