"""What the files hold, as tables in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...content import description as content
from ...document import Table
from ...results.description import Description
from ...results.result import Result
from .escape import escaped
from .tabular import LatexColumn, LatexTable, text_column

_CAPTIONS = ("What the files hold.", "Rows per user.", "Rows per item.")


def data_tables(description: Description) -> Iterator[LatexTable]:
    """The numbers of all files, one line per file."""
    tables = [block for block in content.document(description) if isinstance(block, Table)]
    for place, (caption, one) in enumerate(zip(_CAPTIONS, tables, strict=False), 1):
        columns = tuple(_numbers(head.text, [cell.text for cell in cells]) for head, *cells in one.rows)
        yield LatexTable(caption, f"tab:data-{place}", (text_column("", [column.title for column in one.columns[1:]]),), columns)
    for in_common in tables[len(_CAPTIONS) :]:
        names, *shares = zip(*([cell.text for cell in row] for row in in_common.rows), strict=True)
        columns = tuple(_numbers(head.title, cells) for head, cells in zip(in_common.columns[1:], shares, strict=True))
        yield LatexTable("What the files have in common.", "tab:data-overlaps", (text_column("", names),), columns)


def inputs_table(result: Result) -> LatexTable:
    """The sources, their rows, and of their files the size and the beginning of the hash."""
    rows = [(source, file) for source in result.inputs for file in source.files]
    keys = (text_column("source", [source.role for source, _ in rows]),)
    columns = (
        text_column("file", [file.path for _, file in rows]),
        _numbers("rows", [f"{source.rows:,}" for source, _ in rows]),
        _numbers("bytes", [f"{file.bytes:,}" for _, file in rows]),
        text_column("SHA-256", [file.sha256[:12] for _, file in rows]),
    )
    return LatexTable("Sources; the rows are those of all files of a source.", "tab:inputs", keys, columns)


def _numbers(head: str, texts: Sequence[str]) -> LatexColumn:
    return LatexColumn(head, tuple(map(escaped, texts)), max(map(len, texts), default=0))
