"""Tables of the files of a result for a paper: their sizes and hashes and what they hold; of many files one table with ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from ..results.description import TableDescription
from ..results.result import InputFile, Result
from .description import MOST_COLUMNS
from .description import document as files_hold
from .document import Column, Heading, Table

_TABLES_OF_FILES: Final = 3
"""Tables of a description that have a column per file."""


def tables_of_files(result: Result) -> Iterator[Table]:
    """Yield the sources with the size and the beginning of the hash of their files, and the description of the files."""
    files = [(source, file) for source in result.inputs for file in source.files]
    if len(files) > MOST_COLUMNS:
        yield _data_in_one(result)
        return
    rows = ((source.role, file.path, f"{source.rows:,}", f"{file.bytes:,}", file.short_hash) for source, file in files)
    columns = (Column("source", "key"), Column("file"), Column("rows", "counts"), Column("bytes", "counts"), Column("hash"))
    yield Table.from_texts(columns, rows, "Sources; the rows are those of all files of a source.", "inputs")
    blocks = files_hold(result.description) if result.description is not None else ()
    named = [(before, block) for before, block in pairwise(blocks) if isinstance(before, Heading) and isinstance(block, Table)]
    for place, (heading, table) in enumerate(named, 1):
        of_files = place <= _TABLES_OF_FILES
        shown = table.transposed() if of_files else table
        yield replace(shown, caption=f"{heading.text}.", id=f"data-{place}" if of_files else "data-overlaps")


def _data_in_one(result: Result) -> Table:
    """Return one table of many files: the files of a model or role in one row, those of several sources once, with ranges of numbers."""
    described: dict[str, list[TableDescription]] = {}
    for table in () if result.description is None else result.description.tables:
        described.setdefault(name_of_source(table.name), []).append(table)
    groups: dict[str, dict[str, InputFile]] = {}
    sizes: dict[str, list[int]] = {}
    for source in result.inputs:
        name = name_of_source(source.role)
        groups.setdefault(name, {}).update({file.hash: file for file in source.files})
        sizes.setdefault(name, []).append(source.rows)
    rows = []
    for name, files in groups.items():
        tables = described.get(name, [])
        numbers = [table.numbers for table in tables if table.numbers is not None]
        cells = (
            _ranged(sizes[name]),
            _ranged([file.bytes for file in files.values()]),
            _ranged([table.users for table in tables]),
            _ranged([table.items for table in tables]),
            f"{min(summary.least for summary in numbers):g} to {max(summary.most for summary in numbers):g}" if numbers else "",
        )
        rows.append((name, f"{len(files):,}", *cells))
    heads = ("files", "rows", "bytes", "users", "items", "ratings or scores")
    columns = (Column("source", "key"), *(Column(head, "counts") for head in heads))
    caption = "Sources, with the numbers of their files; the manifest of the results has the hash of each file."
    return Table.from_texts(columns, rows, caption, "inputs")


def name_of_source(source: str) -> str:
    """Return the model or role of a source without its fold and run, `knn` for `data.recommendations.knn.runs[0] of fold 1`."""
    name = source.partition(" of fold ")[0].removeprefix("data.").removeprefix("recommendations.")
    return name.partition(" (run ")[0].partition(".runs[")[0]


def _ranged(numbers: Sequence[int]) -> str:
    """Return whole numbers as their range; empty without any."""
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
