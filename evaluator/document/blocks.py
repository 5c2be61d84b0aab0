"""The blocks of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from .tables import Table

LONGEST_BAR: Final = 30
"""How many signs the longest bar of a histogram has where nothing says how many fit."""
Severity = Literal["error", "warn", "info", "off"]


class Heading(Struct, frozen=True):
    """A heading; level 1 is the title of a document."""

    text: str
    level: int = 1


class Paragraph(Struct, frozen=True):
    """A paragraph."""

    text: str


class Points(Struct, frozen=True):
    """A list of sentences."""

    texts: tuple[str, ...]


class Sentences(Struct, frozen=True):
    """Sentences that may quote anything, a line each; `small` ones stand below the tables that they are about.

    Before them stand the notes of those tables, `if_cut` where names in them are cut, and `if_many` where a form makes four tables or more
    of them: it has fields for their number `n` and for the `width` that they fit.
    """

    texts: tuple[str, ...]
    small: bool = True
    if_cut: str = ""
    if_many: str = ""


class Alert(Struct, frozen=True):
    """A finding: its `head` says how grave it is and which check it is of, `text` what was found, `advice` what to do."""

    severity: Severity
    head: str
    text: str
    examples: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    advice: str = ""


class Terms(Struct, frozen=True):
    """Terms, each with its explanation, below what they are about; `code` where the terms are words of the program."""

    rows: tuple[tuple[str, str], ...]
    about: str = ""
    code: bool = True


class Code(Struct, frozen=True):
    """Lines that keep their shape; `language` is that of the block in Markdown."""

    text: str
    language: str = "text"


class Equation(Struct, frozen=True):
    """Lines of a formula in LaTeX, which a screen does not show."""

    lines: tuple[str, ...]


class Links(Struct, frozen=True):
    """Links to the headings of those names."""

    title: str
    names: tuple[str, ...]


class Bars(Struct, frozen=True):
    """A histogram: for each row its label and its number, drawn as a bar with its share of all."""

    header: str
    rows: tuple[tuple[str, int], ...]

    def cells(self, sign: str = "█", width: int = LONGEST_BAR) -> list[tuple[str, str, str, str]]:
        """Return label, number, share and bar of each row: the longest bar has `width` signs, and only that of 0 has none."""
        total, longest = sum(number for _, number in self.rows), max((number for _, number in self.rows), default=0)
        return [
            (label, f"{number:,}", f"{100 * number / max(total, 1):.1f} %", sign * -(-width * number // max(longest, 1)))
            for label, number in self.rows
        ]


class Figure(Struct, frozen=True):
    """A chart: its specification (Vega-Lite), and its caption."""

    id: str
    caption: str
    spec: Mapping[str, Any]


class Section(Struct, frozen=True):
    """Blocks under a heading of their own, at level 2; `folded` ones are opened by a click where a form can do that."""

    id: str
    title: str
    blocks: tuple[Block, ...] = ()
    folded: bool = False


Block = Heading | Paragraph | Points | Sentences | Alert | Terms | Code | Equation | Links | Bars | Figure | Table | Section
Document = tuple[Block, ...]
