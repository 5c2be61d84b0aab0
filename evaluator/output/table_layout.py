"""How a table of models and measures is laid out on a screen: which of them are rows, which names are cut, where it is split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ..render.layout import aligned, to_the_right
from ..render.terminal import Screen, in_groups

_LEAST_NAME, _LEGIBLE = 14, 24
"""What is left at least of a name that is cut, and of the name of a row where the screen has room for it."""
_FRAME, _GAP = 4, 3
"""How many columns the frame and the names of rows take beside their text, and every further column."""
BEST: Final = "◂"
"""The sign of the best values, which are bold as well."""
_COST: Final = 8
"""How many lines a further table is worth: its own four, and as many for the eye that begins anew."""


class NumberCell(Struct, frozen=True):
    """A number as text, with what stands behind ± if there is that, and the sign of a value that is marked."""

    text: str = ""
    spread: str = ""
    mark: str = ""


class Head(Struct, frozen=True):
    """The name of a row or column: its key among the cells, how it is shown, and what follows it also when it is cut."""

    key: str
    shown: str
    suffix: str = ""

    @property
    def text(self) -> str:
        """The name with what follows it."""
        return f"{self.shown}{self.suffix}"


class Sheet(Struct, frozen=True):
    """A table: `corner` stands above the names of its rows, the last `apart` rows below a line; cells by the keys of row and column."""

    corner: str
    rows: tuple[Head, ...]
    columns: tuple[Head, ...]
    cells: Mapping[tuple[str, str], NumberCell]
    apart: int = 0

    def turned(self, corner: str) -> Sheet:
        """Rows as columns."""
        cells = {(column, row): cell for (row, column), cell in self.cells.items()}
        return Sheet(corner, self.columns, self.rows, cells)

    def column(self, head: Head, screen: Screen) -> tuple[str, ...]:
        """The cells of a column, aligned by the point, with the marks, and room for one where there is none."""
        cells = [self.cells.get((row.key, head.key), NumberCell()) for row in self.rows]
        numbers = aligned([cell.text for cell in cells[: len(cells) - self.apart]])
        texts = to_the_right([*numbers, *(cell.text for cell in cells[len(numbers) :])])
        spreads = aligned([cell.spread for cell in cells])
        width = max(map(cell_len, spreads), default=0)
        if width:
            plus_minus = screen.sign("±")
            behind = (f" {plus_minus} {spread:>{width}}" if spread else " " * (width + len(plus_minus) + 2) for spread in spreads)
            texts = tuple(f"{text}{more}" for text, more in zip(texts, behind, strict=True))
        if any(cell.mark for cell in cells):
            texts = tuple(f"{text} {screen.sign(cell.mark) if cell.mark else ' '}" for text, cell in zip(texts, cells, strict=True))
        return texts

    def widths(self, screen: Screen) -> list[int]:
        """How wide the columns are without their names, and without what is around them."""
        return [max(map(cell_len, self.column(head, screen)), default=0) for head in self.columns]

    def with_names(self, screen: Screen, row_room: int, column_room: int) -> Sheet:
        """The sheet with names that take at most so many columns of the screen."""
        return replace(self, rows=_cut(self.rows, screen, row_room), columns=_cut(self.columns, screen, column_room))

    def split(self, screen: Screen) -> list[Sheet]:
        """The sheet, or several that fit the screen, with all rows and about as many of the columns each."""
        if screen.width is None:
            return [self]
        room = screen.width - self.first_width()
        widths = [max(width, cell_len(head.text)) + _GAP for width, head in zip(self.widths(screen), self.columns, strict=True)]
        return [replace(self, columns=tuple(self.columns[number] for number in group)) for group in in_groups(widths, room)]

    def first_width(self) -> int:
        """How wide the names of rows are, with the frame."""
        return max(cell_len(name) for name in (self.corner, *(head.text for head in self.rows))) + _FRAME

    def drawn(self, screen: Screen) -> tuple[Table, int]:
        """The table, and how wide it is."""
        table = Table(box=screen.box, safe_box=False, header_style="bold")
        table.add_column(Text(self.corner), no_wrap=True)
        columns = []
        for head in self.columns:
            title, *cells = to_the_right([head.text, *self.column(head, screen)])
            table.add_column(Text(title), no_wrap=True)
            columns.append(cells)
        for number, row in enumerate(self.rows):
            if self.apart and number == len(self.rows) - self.apart:
                table.add_section()
            marked = [self.cells.get((row.key, head.key), NumberCell()).mark == BEST for head in self.columns]
            shown = [Text(texts[number], style="bold" if bold else "") for texts, bold in zip(columns, marked, strict=True)]
            table.add_row(Text(row.text), *shown)
        widths = (max(width, cell_len(head.text)) + _GAP for width, head in zip(self.widths(screen), self.columns, strict=True))
        return table, self.first_width() + sum(widths)


def _cut(heads: Sequence[Head], screen: Screen, room: int) -> tuple[Head, ...]:
    names = screen.cut_apart((head.shown for head in heads), (room - cell_len(head.suffix) for head in heads))
    return tuple(replace(head, shown=name) for head, name in zip(heads, names, strict=True))


def laid_out(forms: Sequence[Sheet], screen: Screen, longer: Sequence[Sheet] = ()) -> list[Sheet]:
    """The one of several forms of a table, the preferred one first, that suits a screen, split if it has to be.

    The first that fits as it is; else the first that fits when long names are cut; else one of the `longer` forms, which have more rows and
    are not as wide; else that of the fewest lines and tables.
    """
    if screen.width is None:
        return [forms[0]]
    for some in (forms, longer):
        for cuts in (False, True):
            for form in some:
                fitted = _fitted(form, screen, screen.width, cuts)
                if fitted:
                    return [fitted]
    column_room, row_rooms = max(_LEAST_NAME, screen.width // 4), (screen.width // 2, screen.width // 3)
    parts = [form.with_names(screen, max(_LEAST_NAME, room), column_room).split(screen) for form in forms for room in row_rooms]
    return min(parts, key=lambda sheets: sum(len(sheet.rows) + _COST for sheet in sheets))


def _fitted(form: Sheet, screen: Screen, width: int, cuts: bool) -> Sheet | None:
    """A form that fits a width, its names cut as little as possible if `cuts`: first those of columns, then those of rows."""
    longest_row = max(cell_len(head.text) for head in form.rows)
    pairs = [(least, cell_len(head.text)) for least, head in zip(form.widths(screen), form.columns, strict=True)]
    longest = max(name for _, name in pairs)
    least_row, least = (max(_LEAST_NAME, min(width // 3, _LEGIBLE)), _LEAST_NAME) if cuts else (longest_row, longest)
    for row_room in range(min(longest_row, width), min(least_row, longest_row) - 1, -1):
        first = max(cell_len(form.corner), row_room) + _FRAME
        for room in range(min(longest, width), min(least, longest) - 1, -1):
            if first + sum(max(cells, min(name, room)) + _GAP for cells, name in pairs) <= width:
                return form.with_names(screen, row_room, room)
    return None
