"""A page of headings, texts and tables, and its two forms: Markdown, and text for the screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Final, Literal, TextIO

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .figures import Bars, Figures, bar_cells, bars_table, beside, figures_table
from .visible import without_tags

_PROSE: Final = 100
_LEAST: Final = 36
"""How wide the last column of a grid must be to stand beside the others."""
_UNBOUNDED: Final = Console(width=100_000, height=100)
_PLAIN: Final = {"↑": "higher", "↓": "lower", "∞": "inf", "–": "-"}


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of a page."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class FormulaBlock:
    """Lines that keep their shape."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Terms:
    """Terms, each with its explanation, below what they are about; `code` where the terms are words of the program."""

    rows: tuple[tuple[str, str], ...]
    about: str = ""
    code: bool = True


@dataclass(frozen=True)
class Grid:
    """A table. Only the columns in `wraps` may take several lines, the last one in a table of its own if need be.

    The columns in `code` hold words of the program.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wraps: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Contents:
    """Links to the headings of those names."""

    title: str
    names: tuple[str, ...]


Block = Heading | Prose | FormulaBlock | Points | Terms | Grid | Figures | Bars | Contents
Page = Sequence[Block]


def as_markdown(page: Page) -> str:
    """The page as Markdown."""
    return "\n\n".join("\n".join(_written(block)) for block in page) + "\n"


def _written(block: Block) -> Iterable[str]:
    """The lines of a block; of names in it nothing is taken for HTML."""
    lines = _markdown(block)
    return lines if isinstance(block, FormulaBlock) else map(without_tags, lines)


def _markdown(block: Block) -> Iterable[str]:
    match block:
        case Heading(text, level):
            return [f"{'#' * level} {text}"]
        case Prose(text):
            return [text]
        case FormulaBlock(text):
            return ["```text", *text.splitlines(), "```"]
        case Points(texts):
            return [f"- {text}" for text in texts]
        case Terms(rows, about, code):
            return [*([about, ""] if about else []), *(f"- {f'`{term}`' if code else term}: {text}" for term, text in rows)]
        case Contents(title, names):
            return [f"{title}: " + " · ".join(f"[{name}](#{name.lower()})" for name in names)]
        case Grid(headers, rows, _, code):
            marked = (
                tuple(f"`{cell}`" if cell and header in code else cell for header, cell in zip(headers, row, strict=True)) for row in rows
            )
            return [_row(headers), "|" + "---|" * len(headers), *map(_row, marked)]
        case Figures(headers, rows):
            return [_row(headers), "|---|" + "---:|" * (len(headers) - 1), *map(_row, rows)]
        case Bars(header):
            return [_row((header, "rows", "share", "")), "|---|---:|---:|---|", *map(_row, bar_cells(block, "█"))]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def show(page: Page, file: TextIO) -> str:
    """The page as text for `file`: fitted to a terminal; elsewhere nothing is broken, a paragraph or a row is a line."""
    screen = Console(file=file)
    plain = not encodes(file, "↑∞")
    shapes = _Shapes(screen, fancy=screen.is_terminal and encodes(file, "╭"), plain=not encodes(file, "█"))
    drawn = [shape for block in page for shape in shapes.of(block)]
    widths = [max(screen.width if screen.is_terminal else 0, shapes.least(shape)) for shape in drawn]
    text = StringIO()
    colours: Literal["auto"] | None = "auto" if screen.is_terminal and screen.color_system else None
    wide = max([1, *widths])
    console = Console(file=text, width=wide, height=100, force_terminal=screen.is_terminal, color_system=colours, highlight=False)
    for shape, width in zip(drawn, widths, strict=True):
        console.print(shape, width=width or 1)
    lines = "\n".join(line.rstrip() for line in text.getvalue().splitlines())
    shown = re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"
    for sign, word in _PLAIN.items() if plain else ():
        shown = shown.replace(sign, word)
    return shown


@dataclass(frozen=True)
class _Shapes:
    """Blocks as rich draws them on one screen."""

    screen: Console
    fancy: bool
    plain: bool

    def of(self, block: Block) -> list[RenderableType]:
        match block:
            case Heading(text, level):
                return [Text(text, style="bold" if level > 1 else "bold underline"), Text()]
            case Prose(text):
                return [self.prose(text), Text()]
            case FormulaBlock(text):
                return [Padding(Text(text, style="green"), (0, 0, 1, 4), expand=False)]
            case Points(texts):
                return [self.terms([("-", text) for text in texts]), Text()]
            case Terms(rows, about):
                return [*([self.prose(about)] if about else []), self.terms(rows), Text()]
            case Contents(title, names):
                return [self.prose(f"{title}: {', '.join(names)}"), Text()]
            case Figures():
                width = self.screen.width if self.screen.is_terminal else None
                return [shape for one in beside(block, width, self.fancy) for shape in (figures_table(one, self.fancy), Text())]
            case Bars():
                return [bars_table(block, self.screen.width if self.screen.is_terminal else None, self.plain), Text()]
            case Grid():
                return [shape for grid in self.fitting(block) for shape in (self.table(grid), Text())]

    def prose(self, text: str) -> RenderableType:
        return Padding(_marked(text), (0, self.margin(), 0, 0))

    def terms(self, rows: Iterable[tuple[str, str]]) -> RenderableType:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=not self.screen.is_terminal)
        for term, text in rows:
            grid.add_row(Text(term, style="" if term == "-" else "bold"), _marked(text))
        return Padding(grid, (0, self.margin(), 0, 2), expand=False)

    def margin(self) -> int:
        """What a terminal has to the right of lines that are good to read."""
        return max(self.screen.width - _PROSE, 0) if self.screen.is_terminal else 0

    def fitting(self, grid: Grid) -> list[Grid]:
        """The grid, or two if the last column has no room beside the others."""
        head, last = grid.headers[:-1], grid.headers[-1]
        if not self.screen.is_terminal or last not in grid.wraps or len(head) < 2:
            return [grid]
        first = replace(grid, headers=head, rows=tuple(row[:-1] for row in grid.rows if any(row[1:-1])))
        if self.have_room(grid):
            return [grid]
        rest = tuple((row[0], row[-1]) for row in grid.rows if row[-1])
        return [first, replace(grid, headers=(head[0], last), rows=rest)]

    def have_room(self, grid: Grid) -> bool:
        """Whether the columns before the last one fit without taking several lines, and leave it room."""
        unbroken = max(cell_len(row[-1]) for row in grid.rows)
        others = sum(max(cell_len(cell) for cell in column) + 3 for column in list(zip(grid.headers, *grid.rows, strict=True))[:-1])
        return others + min(unbroken, _LEAST) + 4 <= self.screen.width

    def table(self, grid: Grid) -> Table:
        table = Table(box=ROUNDED if self.fancy else SIMPLE_HEAD, safe_box=not self.fancy, header_style="bold")
        breaks = self.screen.is_terminal and grid.wraps
        if breaks and grid.headers[-1] in grid.wraps and self.have_room(grid):
            breaks = frozenset(grid.headers[-1:])
        for header, *cells in zip(grid.headers, *grid.rows, strict=True):
            whole = not breaks or header not in breaks
            units = [header, *(unit for cell in cells for unit in ([cell] if whole else cell.split()))]
            table.add_column(header, no_wrap=whole, min_width=max(map(cell_len, units)))
        for row in grid.rows:
            table.add_row(*(_marked(cell) for cell in row))
        return table

    def least(self, shape: RenderableType) -> int:
        """The least width at which nothing of a shape is cut off."""
        measured = _UNBOUNDED.measure(shape)
        return measured.minimum if self.screen.is_terminal else measured.maximum


def _marked(text: str) -> Text:
    """Text in which words of the program stand out; nothing in it is markup."""
    marked = Text(text)
    marked.highlight_regex(r"`[^`]+`", "cyan")
    return marked


def encodes(file: TextIO, text: str) -> bool:
    """Whether `text` can be written to `file`."""
    try:
        text.encode(file.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
