"""What the files hold, as tables in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from ...results.description import Description
from ...results.result import Result
from ..description import page
from ..figures import Figures
from .escape import escaped
from .tabular import LatexColumn, LatexTable, text_column

_CAPTIONS = ("What the files hold.", "Rows per user.", "Rows per item.", "What the files have in common.")


def data_tables(description: Description) -> Iterator[LatexTable]:
    """The numbers of all files side by side."""
    figures = [block for block in page(description) if isinstance(block, Figures)]
    for place, (caption, one) in enumerate(zip(_CAPTIONS, figures, strict=False), 1):
        columns = [[row[column] for row in one.rows] for column in range(len(one.headers))]
        made = (
            LatexColumn(head, tuple(map(escaped, cells)), max(map(len, cells), default=0))
            for head, cells in zip(one.headers[1:], columns[1:], strict=True)
        )
        yield LatexTable(caption, f"tab:data-{place}", (text_column("", columns[0]),), tuple(made))


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


def _numbers(head: str, texts: list[str]) -> LatexColumn:
    return LatexColumn(head, tuple(map(escaped, texts)), max(map(len, texts), default=0))
