"""`Table`: rows and columns of cells, without any form."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from .marks import Mark

Role = Literal["key", "name", "text", "code", "value", "difference", "interval", "p", "counts", "verdict"]
"""What a column holds. `key` names the row, `name` is given by people, `code` is words of the program; numbers stand to the right."""


class Interval(Struct, frozen=True):
    """What may be drawn of a cell: a value with its ends, the `margin` around 0 of a difference, and whether it is of a reference list.

    `mark` is the verdict that the shape of a difference says.
    """

    value: float | None
    low: float | None
    high: float | None
    margin: float | None = None
    hollow: bool = False
    mark: Mark = ""


class Cell(Struct, frozen=True):
    """`text` is what is read, `spread` follows ±, `note` stands small behind (letters, remarks), `mark` is a key of `SIGNS`.

    `value` is for sorting, `direction` the better direction of a measure that the cell names, `drawn` what a form that draws may draw.
    """

    text: str = ""
    spread: str = ""
    mark: Mark = ""
    note: str = ""
    direction: bool | None = None
    value: float | None = None
    drawn: Interval | None = None


class Column(Struct, frozen=True):
    """`title` is its head, `group` a head above several columns, `direction` the better direction of the measure that it holds.

    `yields` says in which order columns make room on a narrow screen: 0 stays, the highest goes first. `wraps` allows several lines.
    """

    title: str
    role: Role = "text"
    direction: bool | None = None
    group: str = ""
    yields: int = 0
    wraps: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the cells stand to the right."""
        return self.role in ("value", "difference", "interval", "p", "counts")


class Table(Struct, frozen=True):
    """Rows of cells below columns.

    `id` names the table in a page, `label` in references of LaTeX. `rules` are rows before which a line stands, with a heading or none. The
    `apart` last rows stand apart, such as that of the number of users. A table that `turns` may be shown with its rows as columns, below
    `corner` then. Where it does not fit a screen `narrow` may stand for it, or columns yield, whose titles are `left_out` then. `bare`
    tables have neither head nor frame on a screen.

    What programs read of it: `data` in `columns_of_data`, with what all rows have in common in `about`.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    id: str = ""
    rules: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    apart: int = 0
    turns: bool = False
    corner: str = ""
    narrow: Table | None = None
    left_out: tuple[str, ...] = ()
    bare: bool = False
    columns_of_data: tuple[str, ...] = ()
    data: Sequence[Sequence[Any]] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def of_texts(columns: Iterable[Column], rows: Iterable[Iterable[str]], caption: str = "") -> Table:
        """Return a table whose cells are nothing but texts."""
        return Table(tuple(columns), tuple(tuple(Cell(text) for text in row) for row in rows), caption)

    @property
    def n_keys(self) -> int:
        """Number of columns before the first one of numbers: they name the rows; all where there are no numbers."""
        return next((index for index, column in enumerate(self.columns) if column.is_number), len(self.columns))

    def turned(self) -> Table:
        """Return the table with its rows as columns, below `corner`."""
        first, *others = self.columns
        below = len(self.rows) - self.apart
        columns = (Column(row[0].text, "value" if number < below else "counts", row[0].direction) for number, row in enumerate(self.rows))
        heads = (Cell(column.title, direction=column.direction) for column in others)
        rows = zip(heads, *(row[1:] for row in self.rows), strict=True)
        return replace(
            self, columns=(Column(self.corner, first.role), *columns), rows=tuple(rows), corner=first.title, apart=0, turns=False
        )


def text_columns(*titles: str, wraps: Collection[str] = (), code: Collection[str] = ()) -> tuple[Column, ...]:
    """Return columns of texts: those in `wraps` may take several lines, those in `code` hold words of the program."""
    return tuple(Column(title, "code" if title in code else "text", wraps=title in wraps) for title in titles)
