"""The blocks of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from .tables import Table


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


Block = Heading | Paragraph | Points | Terms | Code | Equation | Links | Bars | Figure | Table | Section
Document = tuple[Block, ...]
