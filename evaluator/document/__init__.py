"""What texts for people are made of, before they have a form: headings, paragraphs, lists, tables, figures.

`content` makes documents of records, `render` gives them a form. Nothing here knows of a screen, a page or a file.
"""

from __future__ import annotations

from .blocks import Alert, Bars, Block, Code, Document, Equation, Figure, Heading, Links, Paragraph, Points, Section, Sentences, Terms
from .marks import ARROWS, SIGNS, Mark
from .tables import Cell, Column, Interval, Role, Table, text_columns

__all__ = [
    "ARROWS",
    "SIGNS",
    "Alert",
    "Bars",
    "Block",
    "Cell",
    "Code",
    "Column",
    "Document",
    "Equation",
    "Figure",
    "Heading",
    "Interval",
    "Links",
    "Mark",
    "Paragraph",
    "Points",
    "Role",
    "Section",
    "Sentences",
    "Table",
    "Terms",
    "text_columns",
]
