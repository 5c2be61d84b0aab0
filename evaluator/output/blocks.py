"""A page of headings, texts and tables, and its two forms: Markdown, and text for the screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final, TextIO

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..render.layout import aligned, to_the_right
from ..render.markdown import without_tags
from ..render.terminal import CODE, FORMULA, UNBOUNDED, Screen, in_groups
from .figures import Bars, Figures, bar_cells, bars_table, beside, figures_table

_PROSE: Final = 100
_NAME: Final = 14
"""How long a name may be in a table of numbers on a narrow screen."""
_LEAST: Final = 36
"""How wide the last column of a grid must be to stand beside the others."""


class Heading(Struct, frozen=True):
    """A heading; level 1 is the title of a page."""

    text: str
    level: int = 1


class Prose(Struct, frozen=True):
    """A paragraph."""

    text: str


class FormulaBlock(Struct, frozen=True):
    """Lines that keep their shape; `language` is that of the block in Markdown."""

    text: str
    language: str = "text"


class MathBlock(Struct, frozen=True):
    """Lines of a formula in LaTeX, which a screen does not show."""

    lines: tuple[str, ...]


class Points(Struct, frozen=True):
    """A list of sentences."""

    texts: tuple[str, ...]


class Terms(Struct, frozen=True):
    """Terms, each with its explanation, below what they are about; `code` where the terms are words of the program."""

    rows: tuple[tuple[str, str], ...]
    about: str = ""
    code: bool = True


class Grid(Struct, frozen=True):
    """A table. Only the columns in `wraps` may take several lines, the last one in a table of its own if need be.

    The columns in `code` hold words of the program, those in `numbers` numbers, which stand to the right, aligned by the point.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wraps: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()


class Contents(Struct, frozen=True):
    """Links to the headings of those names."""

    title: str
    names: tuple[str, ...]


Block = Heading | Prose | FormulaBlock | MathBlock | Points | Terms | Grid | Figures | Bars | Contents
Page = Sequence[Block]


def as_markdown(page: Page) -> str:
    """The page as Markdown."""
    return "\n\n".join("\n".join(_written(block)) for block in page) + "\n"


def _written(block: Block) -> Iterable[str]:
    """The lines of a block; of names in it nothing is taken for HTML or for the end of a line."""
    lines = _markdown(block)
    return lines if isinstance(block, FormulaBlock | MathBlock) else (without_tags(line).replace("\n", "⏎") for line in lines)


def _markdown(block: Block) -> Iterable[str]:
    match block:
        case Heading(text, level):
            return [f"{'#' * level} {text}"]
        case Prose(text):
            return [text]
        case FormulaBlock(text, language):
            return [f"```{language}", *text.splitlines(), "```"]
        case MathBlock(lines):
            return ["```math", r"\begin{gathered}", " \\\\\n".join(lines), r"\end{gathered}", "```"]
        case Points(texts):
            return [f"- {text}" for text in texts]
        case Terms(rows, about, code):
            return [*([about, ""] if about else []), *(f"- {f'`{term}`' if code else term}: {text}" for term, text in rows)]
        case Contents(title, names):
            return [f"{title}: " + " · ".join(f"[{name}](#{name.lower()})" for name in names)]
        case Grid(headers, rows, _, code, numbers):
            marked = (
                tuple(f"`{cell}`" if cell and header in code else cell for header, cell in zip(headers, row, strict=True)) for row in rows
            )
            sides = ("---:|" if header in numbers else "---|" for header in headers)
            return [_row(headers), "|" + "".join(sides), *map(_row, marked)]
        case Figures(headers, rows):
            return [_row(headers), "|---|" + "---:|" * (len(headers) - 1), *map(_row, rows)]
        case Bars(header):
            return [_row((header, "rows", "share", "")), "|---|---:|---:|---|", *map(_row, bar_cells(block, "█"))]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def show(page: Page, file: TextIO) -> str:
    """The page as text for `file`: fitted to a terminal; elsewhere nothing is broken, a paragraph or a row is a line."""
    screen = Screen.of(file)
    shapes = _Shapes(screen)
    drawn = [shape for block in page for shape in shapes.of(block)]
    lines = screen.draw((shape, max(screen.width or 0, shapes.least(shape))) for shape in drawn)
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"


class _Shapes(Struct, frozen=True):
    """Blocks as rich draws them on one screen."""

    screen: Screen

    def of(self, block: Block) -> list[RenderableType]:
        match block:
            case Heading(text, level):
                return [Text(self.screen.visible(text), style="bold" if level > 1 else "bold underline"), Text()]
            case Prose(text):
                return [self.prose(text), Text()]
            case FormulaBlock(text):
                lines = "\n".join(map(self.screen.visible, text.splitlines()))
                return [Padding(Text(lines, style=FORMULA), (0, 0, 1, 4), expand=False)]
            case MathBlock():
                return []
            case Points(texts):
                return [self.terms([("-", text) for text in texts]), Text()]
            case Terms(rows, about):
                return [*([self.prose(about)] if about else []), self.terms(rows), Text()]
            case Contents(title, names):
                return [self.prose(f"{title}: {', '.join(names)}"), Text()]
            case Figures():
                return [shape for one in beside(block, self.screen) for shape in (figures_table(one, self.screen), Text())]
            case Bars():
                return [bars_table(block, self.screen), Text()]
            case Grid():
                return [shape for grid in self.fitting(block) for shape in (self.table(grid), Text())]

    def prose(self, text: str) -> RenderableType:
        return Padding(self.marked(text), (0, self.margin(), 0, 0))

    def terms(self, rows: Iterable[tuple[str, str]]) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=self.screen.width is None)
        for term, text in rows:
            grid.add_row(Text(self.screen.visible(term), style="" if term == "-" else "bold"), self.marked(text))
        return Padding(grid, (0, self.margin(), 0, 2), expand=False)

    def margin(self) -> int:
        """What a screen has to the right of lines that are good to read."""
        return max((self.screen.width or 0) - _PROSE, 0)

    def fitting(self, grid: Grid) -> list[Grid]:
        """The grid, or several if the last column has no room beside the others, or if these have too many numbers."""
        if self.screen.width is None:
            return [grid]
        grid = self.with_short_names(grid) if grid.numbers else grid
        head, last = grid.headers[:-1], grid.headers[-1]
        if last not in grid.wraps or len(head) < 2:
            return self.beside(grid)
        first = replace(grid, headers=head, rows=tuple(row[:-1] for row in grid.rows if any(row[1:-1])))
        if self.have_room(grid):
            return [grid]
        rest = tuple((row[0], row[-1]) for row in grid.rows if row[-1])
        return [*self.beside(first), replace(grid, headers=(head[0], last), rows=rest)]

    def with_short_names(self, grid: Grid) -> Grid:
        """A grid of numbers without headers and first cells that are long for the screen."""
        width = self.screen.width or 0
        n_keys = [header in grid.numbers for header in grid.headers].index(True)
        headers = self.screen.cut_apart(map(self.screen.visible, grid.headers), repeat(max(_NAME, width // 4)))
        shorter = {header: self.shorter(row[index] for row in grid.rows) for index, header in enumerate(grid.headers[:n_keys])}
        rows = (
            (*(shorter[header][cell] for header, cell in zip(grid.headers[:n_keys], row, strict=False)), *row[n_keys:]) for row in grid.rows
        )
        names = dict(zip(grid.headers, headers, strict=True))
        wraps, code, numbers = (frozenset(names[header] for header in some) for some in (grid.wraps, grid.code, grid.numbers))
        return Grid(headers, tuple(rows), wraps, code, numbers)

    def shorter(self, cells: Iterable[str]) -> dict[str, str]:
        """What is shown of each of some names in the first columns of a table."""
        names = list(dict.fromkeys(cells))
        room = max(_NAME, (self.screen.width or 0) // 3)
        return dict(zip(names, self.screen.cut_apart(map(self.screen.visible, names), repeat(room)), strict=True))

    def beside(self, grid: Grid) -> list[Grid]:
        """The grid, or several with the columns before its numbers and as many of the others as fit."""
        if not grid.numbers:
            return [grid]
        n_keys = [header in grid.numbers for header in grid.headers].index(True)
        columns = list(zip(grid.headers, *grid.rows, strict=True))
        widths = [max(map(cell_len, aligned(column) if column[0] in grid.numbers else column)) + 3 for column in columns]
        groups = in_groups(widths[n_keys:], (self.screen.width or 0) - sum(widths[:n_keys]) - 1)
        chosen = ([*range(n_keys), *(n_keys + index for index in group)] for group in groups)
        tables = (tuple(tuple(row[index] for index in some) for row in (grid.headers, *grid.rows)) for some in chosen)
        return [replace(grid, headers=headers, rows=tuple(rows)) for headers, *rows in tables]

    def have_room(self, grid: Grid) -> bool:
        """Whether the columns before the last one fit without taking several lines, and leave it room."""
        unbroken = max(cell_len(row[-1]) for row in grid.rows)
        others = sum(max(cell_len(cell) for cell in column) + 3 for column in list(zip(grid.headers, *grid.rows, strict=True))[:-1])
        return self.screen.width is None or others + min(unbroken, _LEAST) + 4 <= self.screen.width

    def table(self, grid: Grid) -> Table:
        table = Table(box=self.screen.box, safe_box=False, header_style="bold")
        breaks = grid.wraps if self.screen.width is not None else frozenset()
        if breaks and grid.headers[-1] in grid.wraps and self.have_room(grid):
            breaks = frozenset(grid.headers[-1:])
        columns = []
        for header, *texts in zip(grid.headers, *grid.rows, strict=True):
            cells = [self.screen.visible(text) for text in texts]
            whole, title, is_number = header not in breaks, self.screen.visible(header), header in grid.numbers
            units = [title, *(unit for cell in cells for unit in ([cell] if whole else cell.split()))]
            if is_number:
                title, *cells = to_the_right([title, *aligned(cells)])
            table.add_column(Text(title), no_wrap=whole, min_width=max(map(cell_len, units)))
            columns.append(cells)
        for row in zip(*columns, strict=True):
            table.add_row(*map(_code, row))
        return table

    def least(self, shape: RenderableType) -> int:
        """The least width at which nothing of a shape is cut off."""
        measured = UNBOUNDED.measure(shape)
        return measured.maximum if self.screen.width is None else measured.minimum

    def marked(self, text: str) -> Text:
        """Text in which words of the program stand out; nothing in it is markup."""
        return _code(self.screen.visible(text))


def _code(text: str) -> Text:
    marked = Text(text)
    marked.highlight_regex(r"`[^`]+`", CODE)
    return marked
