"""Document → Markdown. Names and quoted texts are never interpreted as Markdown or HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import escape
from itertools import groupby
from typing import Final

from ..documents import document as doc
from ..support.quoting import on_one_line, without_commands

_ACTING: Final = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")
"""Characters of markup in Markdown; an underscore within a word is not."""
_LEADING: Final = re.compile(r"(?:#{1,6}|[+-])(?:\s|$)")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_LINK: Final = re.compile(r"\]\(")
_CODE: Final = re.compile(r"(`[^`]*`)")


def as_markdown(document: Iterable[doc.Block], *, quotes_nobody: bool = False) -> str:
    """Return the document as Markdown; if it `quotes_nobody`, it may have links, and Markdown in headings."""
    return without_commands(f"{_joined(document, quotes_nobody)}\n", lambda sign: f"\\{sign}")


def markdown_text(text: str) -> str:
    """Return a text from data for a line of Markdown: it is never interpreted as Markdown or HTML."""
    marked = _ACTING.sub(lambda found: f"\\{found[0]}", on_one_line(text).strip())
    return f"\\{marked}" if _LEADING.match(marked) else marked


def _own(text: str, ours: bool) -> str:
    """Return Markdown of receval that contains names, on a line: outside of code, HTML tags become text.

    Links become text too, unless the text is entirely `ours`.
    """
    parts = _CODE.split(on_one_line(text))
    safe = (part if part.startswith("`") else _TAG.sub(r"\\<", part if ours else _LINK.sub(r"]\\(", part)) for part in parts)
    return "".join(safe)


def _joined(document: Iterable[doc.Block], ours: bool) -> str:
    return "\n\n".join(text for text in _written(document, ours) if text)


def _written(document: Iterable[doc.Block], ours: bool) -> Iterator[str]:
    """Yield each block as text; notes of tables follow the next sentences."""
    notes: list[str] = []
    for is_alert, blocks in groupby(document, lambda block: isinstance(block, doc.Alert)):
        if is_alert:
            yield "\n".join(line for block in blocks for line in _lines(block, ours))
            continue
        for block in blocks:
            if isinstance(block, doc.Table):
                notes += block.notes
            if isinstance(block, doc.Sentences):
                block, notes = doc.Sentences((*notes, *block.texts)), []
            yield "\n".join(_lines(block, ours))
    yield "\n".join(f"- {markdown_text(note)}" for note in notes)


def _lines(block: doc.Block, ours: bool) -> Iterable[str]:
    own = partial(_own, ours=ours)
    match block:
        case doc.Heading(text, level):
            return [f"{'#' * level} {text if ours else markdown_text(text)}"]
        case doc.Paragraph(text):
            return [own(text)]
        case doc.Points(texts):
            return [f"- {own(text)}" for text in texts]
        case doc.Status(lines):
            return [f"- {doc.NEWS[level]}{markdown_text(text)}" for level, text in lines]
        case doc.Sentences(texts):
            return [f"- {markdown_text(text)}" for text in texts]
        case doc.Alert(_, head, text, examples, details, _, cures):
            more = [f"For example: {'; '.join(examples)}."] if examples else []
            said = markdown_text(" ".join((text, *more, *(f"{detail}." for detail in details))))
            return [f"- **{head}** {said}", *(f"  - {own(f'`{line}`')}" for line in cures)]
        case doc.Terms(rows, about, code):
            return [*([own(about), ""] if about else []), *(own(f"- {f'`{term}`' if code else term}: {text}") for term, text in rows)]
        case doc.Code(text, language):
            fence = max(re.findall("`{3,}", text), key=len, default="``") + "`"
            return [f"{fence}{language}", *map(on_one_line, text.split("\n")), fence]
        case doc.Equation(lines):
            return ["```math", r"\begin{gathered}", " \\\\\n".join(lines), r"\end{gathered}", "```"]
        case doc.Links(title, names):
            return [f"{title}: " + " · ".join(f"[{own(name)}](#{name.lower()})" for name in names)]
        case doc.Bars(header, _):
            return [_row((own(header), "rows", "share", "")), "|---|---:|---:|---|", *map(_row, block.cells())]
        case doc.Table():
            return _table(block, own)
        case doc.Section(_, title, blocks, folded):
            body = _joined(blocks, ours)
            if folded:
                return [f"<details><summary>{escape(on_one_line(title))}</summary>", "", body, "", "</details>"]
            return [f"## {markdown_text(title)}", "", body]
        case _:
            return []


def _table(table: doc.Table, own: Callable[[str], str]) -> Iterator[str]:
    if table.caption:
        yield f"**{markdown_text(table.caption)}**\n"
    yield _row([doc.with_arrow(markdown_text(f"{column.group} {column.title}"), column.direction) for column in table.columns])
    yield "|" + "".join("---:|" if column.is_number else "---|" for column in table.columns)
    for row in table.rows:
        yield _row([_cell(cell, column, own) for cell, column in zip(row, table.columns, strict=True)])


def _cell(cell: doc.Cell, column: doc.Column, own: Callable[[str], str]) -> str:
    spread = f" ± {cell.spread}" if cell.spread else ""
    text = f"`{cell.text}`" if column.role == "code" and cell.text else cell.text
    is_own = column.is_number or column.role in ("text", "code")
    text = doc.with_arrow(own(text).replace("|", r"\|") if is_own else markdown_text(text), cell.direction) + spread
    marked = f"**{text}**" if cell.mark in ("best", "fail") else f"{text} {doc.SIGNS[cell.mark]}" if cell.mark == "untested" else text
    return f"{marked} {markdown_text(cell.note)}" if cell.note else marked


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
