"""Document → text for a terminal, a pipe or a file: fitted to a terminal; elsewhere each sentence or row is one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TextIO

from msgspec import Struct
from rich.cells import cell_len
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from ..documents import document as doc
from .layout import forms_of, has_room_for_texts, head_of, laid_out, names, texts_of, to_the_right, with_pictures
from .terminal import CODE, FORMULA, UNBOUNDED, Screen, unbroken

_PROSE: Final = 100
_LEAST_BAR, _WIDEST_BAR = 4, 60
_MANY: Final = 4
"""Number of tables from which a sentence says how to see less."""
_SEVERITIES: Final = {"error": "bold red", "warn": "bold color(166)", "info": f"bold {CODE}"}
"""Colours that are readable on white and on black."""
_STYLES: Final[dict[doc.Mark, str]] = {"best": "bold", "pass": "green", "fail": "bold red", "inconclusive": "yellow", "skipped": "dim"}
_Shape = tuple[RenderableType, int]
"""A shape, and its width."""


def show(document: Iterable[doc.Block], file: TextIO) -> str:
    """Return the document as text for `file`, with colour and frames only on a terminal that supports them."""
    lines = Screen.for_file(file).draw(_Drawing(Screen.for_file(file)).shapes(document))
    return f"{text}\n" if (text := re.sub(r"\n{3,}", "\n\n", lines).strip("\n")) else ""


class _Drawing(Struct, frozen=True):
    """Draw blocks with rich on one screen."""

    screen: Screen

    def shapes(self, document: Iterable[doc.Block]) -> Iterator[_Shape]:
        """Yield the shapes of each block, with an empty line between blocks unless they belong together."""
        drawn: list[doc.Table] = []
        whole: list[doc.Table] = []
        before: doc.Block | None = None
        for block in document:
            if before is not None and not _together(before, block):
                yield Text(), 1
            if isinstance(block, doc.Table):
                parts = [with_pictures(form, self.screen) for form in laid_out(block, self.screen)]
                drawn, whole = [*drawn, *parts], [*whole, block]
                yield from self.tables(parts)
            elif isinstance(block, doc.Sentences) and block.small:
                yield from self.notes(block, drawn, whole)
                drawn, whole = [], []
            else:
                yield from self.block(block)
            before = block
        if any(table.notes for table in drawn):
            yield from self.notes(doc.Sentences(()), drawn)

    def block(self, block: doc.Block) -> Iterable[_Shape]:
        match block:
            case doc.Heading(text, level):
                return [self.sized(Text(self.screen.visible(text), style="bold" if level > 1 else "bold underline"))]
            case doc.Paragraph(text):
                return [self.prose(text)]
            case doc.Code(text):
                lines = "\n".join(map(self.screen.visible, text.split("\n")))
                return [self.sized(Text(lines, style=FORMULA), 4)]
            case doc.Points(texts):
                return [self.terms([("-", text) for text in texts])]
            case doc.Status(lines):
                return [self.terms([("-", text) for _, text in lines])]
            case doc.Terms(rows, about):
                return [*([self.prose(about)] if about else []), self.terms(rows)]
            case doc.Links(title, linked):
                return [self.prose(f"{title}: {', '.join(linked)}")]
            case doc.Bars():
                return [self.bars(block)]
            case doc.Alert():
                return self.alert(block)
            case doc.Sentences():
                return self.notes(block)
            case doc.Section(_, title, blocks):
                return self.shapes((doc.Heading(title, 2), *blocks))
            case _:
                return []

    def notes(self, block: doc.Sentences, drawn: Sequence[doc.Table] = (), tables: Sequence[doc.Table] = ()) -> Iterator[_Shape]:
        """Yield sentences, below those on how `tables` above them were `drawn`."""
        texts = [*dict.fromkeys(note for table in drawn for note in table.notes)]
        whole = names(form for table in tables for variant in (table, table.narrow) if variant for form in forms_of(variant, self.screen))
        texts += [block.if_cut] if block.if_cut and not names(drawn) <= whole else []
        if block.if_many and _MANY <= len(drawn) > len(tables):
            texts.append(block.if_many.format(n=len(drawn), width=self.screen.width))
        for text in (*texts, *block.texts):
            yield from self.screen.paragraph(Text(self.screen.visible(text), style="dim" if block.small else ""))

    def alert(self, alert: doc.Alert) -> Iterator[_Shape]:
        """Yield the sentence of a finding, as many examples as fit in a line (at least one), its advice, and its cures, never broken."""
        style = _SEVERITIES[alert.severity]
        yield from self.screen.paragraph(Text(self.screen.visible(alert.text)), f"{alert.head}  ", before_style=style)
        n, room = len(alert.examples), (self.screen.width or 0) - len("  for example: ")
        while self.screen.width is not None and n > 1 and cell_len("; ".join(alert.examples[:n])) > room:
            n -= 1
        examples = [f"for example: {'; '.join(alert.examples[:n])}"] if n else []
        for line in (*examples, *alert.details, *([alert.advice] if alert.advice else [])):
            yield from self.screen.paragraph(Text(self.screen.visible(line), style="dim"), "  ", hanging=4)
        for line in map(self.screen.visible, alert.cures):
            yield Text(f"    {line}", style=FORMULA), cell_len(line) + 4

    def prose(self, text: str) -> _Shape:
        return self.sized(_code(self.screen.visible(text)), is_prose=True)

    def terms(self, rows: Iterable[tuple[str, str]]) -> _Shape:
        grid = RichTable.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=self.screen.width is None)
        for term, text in rows:
            grid.add_row(Text(self.screen.visible(term), style="" if term == "-" else "bold"), _code(self.screen.visible(text)))
        return self.sized(grid, 2, is_prose=True)

    def bars(self, bars: doc.Bars) -> _Shape:
        """Return a histogram as wide as the screen allows, within limits."""
        others = sum(max((cell_len(row[column]) for row in bars.cells()), default=0) + 2 for column in range(3)) + 2
        room = doc.LONGEST_BAR if self.screen.width is None else max(min(self.screen.width - others, _WIDEST_BAR), _LEAST_BAR)
        grid = RichTable.grid(padding=(0, 2))
        for justify in ("right", "right", "right", "left"):
            grid.add_column(justify=justify, no_wrap=True)
        for row in bars.cells("█" if self.screen.encodes("█") else "#", room):
            grid.add_row(*(Text(self.screen.visible(cell)) for cell in row))
        return self.sized(grid, 2)

    def tables(self, tables: Iterable[doc.Table]) -> Iterator[_Shape]:
        for number, table in enumerate(tables):
            if number:
                yield Text(), 1
            if table.caption and (table.bare or table.left_out):  # the heads that are left out may have said the same
                yield from self.screen.paragraph(Text(self.screen.visible(table.caption)))
            yield self.sized(self.table(table), 2 if table.bare else 0)
            if table.left_out:
                how = f"widen the window to {table.whole_width} columns, set COLUMNS={table.whole_width}, or use --format md"
                note = f"not shown at this width: {', '.join(column.title for column in table.left_out)}; to see all, {how}"
                yield from self.screen.paragraph(Text(note, style="dim"), "  ")

    def frame(self, gap: int) -> RichTable:
        """Return an empty table with its lines; those between columns need a gap of 3."""
        box = self.screen.box if gap > 2 else self.screen.box_without_frame
        return RichTable(box=box, safe_box=False, header_style="bold", padding=(0, 1, 0, gap - 2))

    def table(self, table: doc.Table) -> RichTable:
        grid = RichTable.grid(padding=(0, 2)) if table.bare else self.frame(table.gap)
        columns = []
        width, last = self.screen.width, table.columns[-1]
        alone = width is not None and last.wraps and has_room_for_texts(table, width)  # then no other column takes several lines
        for number, column in enumerate(table.columns):
            breaks = width is not None and column.wraps and (not alone or column is last)
            texts = ["" if table.bare else head_of(column, self.screen), *texts_of(table, number, self.screen)]
            words = [texts[0], *(word for text in texts[1:] for word in (text.split() if breaks else [text]))]
            title, *cells = to_the_right(texts) if column.is_number else texts
            widest = max(map(cell_len, words))
            if breaks:
                grid.add_column(Text(title), min_width=0 if table.bare else widest)
            else:  # of a width that is given rich measures no cell
                grid.add_column(Text(title), no_wrap=True, width=widest)
            columns.append(cells)
        for number, row in enumerate(table.rows):
            if number in table.rules or (table.apart and number == len(table.rows) - table.apart):
                grid.add_section()
            if table.rules.get(number):
                grid.add_row(Text(self.screen.visible(table.rules[number]), style="bold"))
            line = (texts[number] for texts in columns)
            grid.add_row(*(_code(text, _STYLES.get(cell.mark, "")) for text, cell in zip(line, row, strict=True)))
        return grid

    def sized(self, shape: RenderableType, left: int = 0, *, is_prose: bool = False) -> _Shape:
        """Return the shape behind `left` columns with the width of the screen, or the smallest one at which nothing is cut off.

        Lines of prose are kept short enough to read well.
        """
        right = max((self.screen.width or 0) - _PROSE, 0) if is_prose else 0
        padded = Padding(shape, (0, right, 0, left), expand=False) if left or right else shape
        measured = UNBOUNDED.measure(padded)
        return padded, max(self.screen.width or 0, measured.maximum if self.screen.width is None else measured.minimum)


def _together(before: doc.Block, after: doc.Block) -> bool:
    """Return whether there is no empty line between two blocks."""
    match before, after:
        case doc.Sentences(), doc.Sentences():
            return before.small == after.small
        case (doc.Alert(), doc.Alert() | doc.Sentences()) | (doc.Table(), doc.Sentences()):
            return True
        case doc.Sentences(), doc.Table():
            return after.bare
    return False


def _code(text: str, style: str = "") -> Text:
    """Return text in which words of the program stand out, and a number and its % sign stay on one line; nothing in it is markup."""
    marked = unbroken(Text(text, style=style))
    marked.highlight_regex(r"`[^`]+`", CODE)
    return marked
