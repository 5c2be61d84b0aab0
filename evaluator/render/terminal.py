"""`Screen`: width, signs and styles of the terminal, pipe or file of a text; it also makes foreign names harmless."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from io import BytesIO, StringIO, TextIOWrapper
from typing import Final, Literal, TextIO

from msgspec import Struct
from rich.box import ROUNDED, SIMPLE_HEAD, Box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, RenderableType
from rich.text import Text

from ..support.quoting import escaped, without_commands

_WORD: Final = re.compile(r"[\w.]+|[^\w.]")
"""A word of a measure, or a sign between words."""
_AGGREGATE: Final = re.compile(r" \(\w{1,8}\)$")
"""The suffix of a measure, such as ` (ci95)`, which stays if the name is cut."""
_LONGEST_MEASURE: Final = 200
"""A longer name is cut anywhere, because people do not write such names."""
_WORDS: Final = {
    "↑": "higher", "↓": "lower", "∞": "inf", "–": "-", "−": "-", "±": "+-", "…": "...", "◂": "<", "◃": "?",
    "→": "->", "·": "-", "×": "x", "≥": ">=", "≤": "<=",
}  # fmt: skip
"""Sign → its replacement in an output that cannot encode it."""
_ALIKE: Final = {":": "꞉", "#": "♯"}
"""Sign that would begin a command of GitHub → one that looks like it."""
_ASCII: Final = Box(str(SIMPLE_HEAD).replace("─", "-"), ascii=True)
_PROSE, _LEAST_PROSE = 100, 20
"""Largest and smallest width of a line of text."""
_NO_BREAK: Final = "\ue000"
"""A space at which no line breaks, while text is wrapped: rich breaks lines at every space of Unicode. Texts do not have it."""
CODE: Final = "color(31)"
FORMULA: Final = "color(28)"
"""Those of the 256 colours that are readable on white and on black."""
UNBOUNDED: Final = Console(force_jupyter=False, width=100_000, height=100)
"""A console without cuts and line breaks, to measure widths."""


class PlainText(TextIOWrapper):
    """File in memory for plain text: never a terminal, even if FORCE_COLOR and COLUMNS are set, as notebooks do for their programs."""

    def __init__(self) -> None:
        super().__init__(BytesIO(), encoding="utf-8")


class Screen(Struct, frozen=True):
    """A terminal, or a pipe or file, which has no width unless the variable COLUMNS gives one."""

    width: int | None
    is_terminal: bool
    encoding: str
    colours: Literal["auto"] | None

    @staticmethod
    def for_file(file: TextIO) -> Screen:
        """Return the screen of a file."""
        if isinstance(file, PlainText):
            return Screen(None, False, file.encoding, None)
        console = Console(force_jupyter=False, file=file)
        columns = os.environ.get("COLUMNS", "")
        bounded = console.is_terminal or (columns.isdecimal() and int(columns) > 0)
        colours: Literal["auto"] | None = "auto" if console.is_terminal and console.color_system else None
        return Screen(console.width if bounded else None, console.is_terminal, file.encoding or "ascii", colours)

    def encodes(self, text: str) -> bool:
        """Return whether `text` can be written."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    @property
    def box(self) -> Box:
        """The lines around tables: a frame on a terminal, elsewhere lines below heads."""
        if self.is_terminal and self.encodes("╭"):
            return ROUNDED
        return self.box_without_frame

    @property
    def box_without_frame(self) -> Box:
        """Lines below heads only."""
        return SIMPLE_HEAD if self.encodes("─") else _ASCII

    def visible(self, text: str) -> str:
        """Return `text` in one line with every character visible: control characters, and those that cannot be encoded, by their number."""
        shown = text if text.isascii() and text.isprintable() else "".join(map(escaped, text))
        if self.encodes(shown):
            return shown
        return "".join(
            character if self.encodes(character) else _WORDS.get(character) or character.encode("ascii", "backslashreplace").decode()
            for character in shown
        )

    def cut(self, name: str, room: int) -> str:
        """Return a name in at most `room` columns, with `…` instead of its middle if it is longer.

        A measure with parameters is cut between words if that leaves both of its ends; its aggregate stays.
        """
        if cell_len(name) <= room:
            return name
        aggregate = _AGGREGATE.search(name)
        if aggregate and room > 2 * len(aggregate[0]):
            return f"{self.cut(name[: aggregate.start()], room - len(aggregate[0]))}{aggregate[0]}"
        gap = self.visible("…")
        if "(" in name and len(name) <= _LONGEST_MEASURE and (ends := _ends_of_words(name, room - len(gap))):
            return gap.join(ends)
        left = max(room - len(gap), 2)
        start, end = set_cell_size(name, left - left // 2).rstrip(), set_cell_size(name[::-1], left // 2).rstrip()[::-1]
        return f"{start}{gap}{end}"

    def cut_apart(self, names: Iterable[str], rooms: Iterable[int]) -> tuple[str, ...]:
        """Return names cut to `rooms` columns each; of those that become equal, the later ones end in their number."""
        shown: list[str] = []
        for name, room in zip(names, rooms, strict=False):
            short, number = self.cut(name, room), 1
            while short in shown and short != name:
                number += 1
                short = f"{self.cut(name, room - len(str(number)) - 1)}#{number}"
            shown.append(short)
        return tuple(shown)

    def paragraph(self, text: Text, before: str = "", hanging: int = 2, before_style: str = "") -> list[tuple[RenderableType, int]]:
        """Return the lines of `text` behind `before`, of readable width; further lines are indented by `hanging`, or to the text."""
        left = max(cell_len(before), hanging)
        lines: Iterable[Text] = [text]
        if self.width is not None:
            room = max(min(self.width, _PROSE) - left, _LEAST_PROSE)
            lines = unbroken(text).wrap(Console(force_jupyter=False, width=self.width), room)
        drawn = [Text.assemble(" " * left if number else (before, before_style), line) for number, line in enumerate(lines)]
        return [(line, cell_len(line.plain)) for line in drawn]

    def draw(self, shapes: Iterable[tuple[RenderableType, int]]) -> str:
        """Return each shape, drawn in its width, as text without space at the ends of lines."""
        drawn = list(shapes)
        text = StringIO()
        wide = max([1, *(width for _, width in drawn)])
        # Given a width alone, rich does not keep to it everywhere; given a height too, it does.
        console = Console(
            force_jupyter=False, file=text, width=wide, height=100, force_terminal=self.is_terminal, color_system=self.colours
        )
        for shape, width in drawn:
            if isinstance(shape, Text) and self.colours is None and cell_len(shape.plain) <= width and "\n" not in shape.plain:
                text.write(f"{shape.plain}\n")  # as rich writes it, a hundred times as slowly
            else:
                console.print(shape, width=max(width, 1))
        lines = "".join(f"{line.rstrip()}\n" for line in text.getvalue().replace(_NO_BREAK, " ").splitlines())
        return without_commands(lines, lambda sign: self.visible(_ALIKE[sign]))


def unbroken(text: Text) -> Text:
    """Return a text in which a number and its `%` stay on one line; `Screen.draw` writes it with ordinary spaces."""
    together = text.copy()
    together.plain = text.plain.replace(" %", f"{_NO_BREAK}%")
    return together


def _ends_of_words(name: str, room: int) -> tuple[str, str] | None:
    """Return a start and an end of a name, of whole words, that fill most of `room` (at least half) and are most equal in length."""
    borders = [match.start() for match in _WORD.finditer(name)][1:]
    kept = [(name[:start], name[end:]) for start in borders for end in borders if start < end]
    fitting = [(cell_len(start), cell_len(end), start, end) for start, end in kept if room / 2 <= cell_len(start) + cell_len(end) <= room]
    if not fitting:
        return None
    *_, start, end = max(fitting, key=lambda pair: (pair[0] + pair[1], -abs(pair[0] - pair[1])))
    return start, end
