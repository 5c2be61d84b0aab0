"""Document → Markdown. Nothing in names and sentences that quote others is used as Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Final

from ..document import (
    NEWS,
    SIGNS,
    Alert,
    Bars,
    Block,
    Cell,
    Code,
    Column,
    Equation,
    Heading,
    Links,
    Paragraph,
    Points,
    Section,
    Sentences,
    Status,
    Table,
    Terms,
    directed,
)
from ..quoting import on_one_line, visible

_ACTING: Final = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
"""Characters that Markdown takes for markup; an underscore within a word is none."""
_LEADING: Final = re.compile(r"(?:#{1,6}|[+-])(?:\s|$)")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_LINK: Final = re.compile(r"\]\(")
_CODE: Final = re.compile(r"(`[^`]*`)")
_BOLD: Final = ("best", "fail")


def as_markdown(document: Iterable[Block], *, quotes_nobody: bool = False) -> str:
    """Return the document as Markdown; one that `quotes_nobody` may have links, and Markdown of our own in headings."""
    return f"{_joined(document, quotes_nobody)}\n"


def markdown_text(text: str) -> str:
    """Return a text of other people's data for a line of Markdown: nothing in it is used as Markdown or HTML."""
    marked = _ACTING.sub(lambda found: f"\\{found[0]}", on_one_line(text).strip())
    return f"\\{marked}" if _LEADING.match(marked) else marked


def without_tags(markdown: str) -> str:
    """Return Markdown of our own with names in it that are not: what would be an HTML tag, outside of code, is text."""
    return _outside_code(_TAG, r"\\<", visible(markdown))


def _outside_code(pattern: re.Pattern[str], by: str, markdown: str) -> str:
    return "".join(part if part.startswith("`") else pattern.sub(by, part) for part in _CODE.split(markdown))


def _joined(document: Iterable[Block], ours: bool) -> str:
    return "\n\n".join(text for text in _written(document, ours) if text)


def _written(document: Iterable[Block], ours: bool) -> Iterator[str]:
    """Yield each block as text; notes of tables follow the next sentences below them."""

    def own(text: str) -> str:
        safe = without_tags(text)
        return (safe if ours else _outside_code(_LINK, r"]\\(", safe)).replace("\n", "⏎")

    notes: list[str] = []
    for is_alert, blocks in groupby(document, lambda block: isinstance(block, Alert)):
        if is_alert:
            yield "\n".join(line for block in blocks for line in _lines(block, own, ours))
            continue
        for block in blocks:
            if isinstance(block, Table):
                notes += block.notes
            if isinstance(block, Sentences):
                block, notes = Sentences((*notes, *block.texts)), []
            yield "\n".join(_lines(block, own, ours))
    yield "\n".join(_points(notes))


def _lines(block: Block, own: Callable[[str], str], ours: bool) -> Iterable[str]:
    match block:
        case Heading(text, level):
            return [f"{'#' * level} {text if ours else markdown_text(text)}"]
        case Paragraph(text):
            return [own(text)]
        case Points(texts):
            return [f"- {own(text)}" for text in texts]
        case Status(lines):
            return [f"- {NEWS[level]}{markdown_text(text)}" for level, text in lines]
        case Sentences(texts):
            return _points(texts)
        case Alert(_, head, text, examples, details):
            more = [f"For example: {'; '.join(examples)}."] if examples else []
            said = markdown_text(" ".join((text, *more, *(f"{detail}." for detail in details))))
            return [f"- **{head}** {said}"]
        case Terms(rows, about, code):
            return [*([own(about), ""] if about else []), *(own(f"- {f'`{term}`' if code else term}: {text}") for term, text in rows)]
        case Code(text, language):
            return [f"```{language}", *text.splitlines(), "```"]
        case Equation(lines):
            return ["```math", r"\begin{gathered}", " \\\\\n".join(lines), r"\end{gathered}", "```"]
        case Links(title, names):
            return [f"{title}: " + " · ".join(f"[{own(name)}](#{name.lower()})" for name in names)]
        case Bars(header, _):
            return [_row((own(header), "rows", "share", "")), "|---|---:|---:|---|", *map(_row, block.cells())]
        case Table():
            return _table(block, own)
        case Section(_, title, blocks, folded):
            body = _joined(blocks, ours)
            if folded:
                return [f"<details><summary>{escape(on_one_line(title))}</summary>", "", body, "", "</details>"]
            return [f"## {markdown_text(title)}", "", body]
        case _:
            return []


def _points(texts: Iterable[str]) -> list[str]:
    return [f"- {markdown_text(text)}" for text in texts]


def _table(table: Table, own: Callable[[str], str]) -> Iterator[str]:
    if table.caption:
        yield f"**{markdown_text(table.caption)}**\n"
    yield _row([_head(column) for column in table.columns])
    yield "|" + "".join("---:|" if column.is_number else "---|" for column in table.columns)
    for row in table.rows:
        yield _row([_cell(cell, column, own) for cell, column in zip(row, table.columns, strict=True)])


def _head(column: Column) -> str:
    return directed(markdown_text(f"{column.group} {column.title}"), column.direction)


def _cell(cell: Cell, column: Column, own: Callable[[str], str]) -> str:
    spread = f" ± {cell.spread}" if cell.spread else ""
    text = f"{directed(_text(cell.text, column, own), cell.direction)}{spread}"
    marked = f"**{text}**" if cell.mark in _BOLD else f"{text} {SIGNS[cell.mark]}" if cell.mark == "untested" else text
    return f"{marked} {markdown_text(cell.note)}" if cell.note else marked


def _text(text: str, column: Column, own: Callable[[str], str]) -> str:
    if column.role == "text" or column.is_number:
        return own(text).replace("|", "\\|")
    return own(f"`{text}`").replace("|", "\\|") if column.role == "code" and text else markdown_text(text)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
