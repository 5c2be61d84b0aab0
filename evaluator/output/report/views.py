"""What a page shows, as plain values that a template only has to write down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct, field

from ...document import Block, Code, Heading, Paragraph, Points, Table, Terms
from ..charts.style import Spec

Kind = Literal["text", "name", "number", "counts"]


class PageColumn(Struct, frozen=True):
    """A column of a table: its head, what it holds, and the direction that is better."""

    head: str
    kind: Kind = "number"


class PageCell(Struct, frozen=True):
    """A cell: its text, a remark in small letters, a picture (SVG), whether it is the best of its row, and the verdict it stands for."""

    text: str
    remark: str = ""
    picture: str = ""
    strong: bool = False
    verdict: str = ""


class PageTable(Struct, frozen=True):
    """A table; the first cell of each row is its head. `columns_of_data` and `data` are what programs read.

    `about` is what all of its rows have in common.
    """

    id: str
    caption: str
    columns: tuple[PageColumn, ...]
    rows: tuple[tuple[PageCell, ...], ...]
    columns_of_data: tuple[str, ...] = ()
    data: Sequence[Sequence[Any]] = ()
    about: Mapping[str, Any] = field(default_factory=dict)


class Picture(Struct, frozen=True):
    """A chart: its spec, and how it looks where it could be drawn."""

    id: str
    caption: str
    spec: Spec
    svg: str


class PageFold(Struct, frozen=True):
    """A part of a section that is folded up: points, tables, and text that keeps its lines."""

    title: str
    points: tuple[str, ...] = ()
    tables: tuple[PageTable, ...] = ()
    text: str = ""


class Section(Struct, frozen=True):
    """A part of the page under a heading."""

    id: str
    title: str
    prose: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[PageTable, ...] = ()
    folds: tuple[PageFold, ...] = ()


def section_of(id: str, title: str, blocks: Sequence[Block]) -> Section:
    """Blocks, as the other formats for people show them, as one section; headings become captions of tables."""
    prose: list[str] = []
    points: list[str] = []
    tables: list[PageTable] = []
    caption = title
    for block in blocks:
        match block:
            case Heading(text):
                caption = text
            case Paragraph(text) | Code(text):
                prose.append(text)
            case Points(texts):
                points += texts
            case Terms(rows, about):
                prose += [about] if about else []
                points += [f"{term}: {text}" for term, text in rows]
            case Table(columns, rows):
                heads = tuple(PageColumn(column.title, "number" if column.role == "value" else "text") for column in columns)
                cells = tuple(tuple(PageCell(cell.text) for cell in row) for row in rows)
                tables.append(PageTable(f"{id}-{len(tables) + 1}", caption, heads, cells))
    return Section(id, title, tuple(prose), tuple(points), tables=tuple(tables))


def data_of(sections: Sequence[Section]) -> Mapping[str, Any]:
    """What programs read of the page: the tables by id, values in full precision."""
    tables = [table for section in sections for table in (*section.tables, *(one for fold in section.folds for one in fold.tables))]
    return {table.id: {**table.about, "columns": table.columns_of_data, "rows": table.data} for table in tables if table.columns_of_data}
