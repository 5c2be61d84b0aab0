"""Document → HTML for notebooks: tables that need no script, in classes of their own, with every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from ..document import ARROWS, SIGNS, Alert, Block, Cell, Heading, Paragraph, Points, Sentences, Table, directed

_STYLE: Final = (
    "<style>"
    ".receval-result{font-variant-numeric:tabular-nums}"
    ".receval-result table{border-collapse:collapse;margin:.5em 0}"
    ".receval-result th,.receval-result td{text-align:right;padding:.2em .8em}"
    ".receval-result th:first-child{text-align:left}"
    ".receval-result .receval-best{font-weight:bold}"
    ".receval-result .receval-notes{font-size:90%;opacity:.8}"
    "</style>"
)


def as_html(document: Iterable[Block]) -> str:
    """Return the document as an element of a notebook; notes of tables stand before the next sentences below them."""
    return f'{_STYLE}<div class="receval-result">{"".join(_parts(document))}</div>'


def _parts(document: Iterable[Block]) -> Iterator[str]:
    found: list[str] = []
    notes: list[str] = []
    for block in document:
        if found and not isinstance(block, Alert):
            yield _list("receval-findings", found)
            found = []
        match block:
            case Alert(_, head, text):
                found.append(f"{head}: {text}")
            case Sentences(texts):
                yield _list("receval-notes", [*notes, *texts])
                notes = []
            case Table():
                notes += block.notes
                yield _table(block)
            case Heading(text, level):
                yield f"<h{level}>{escape(text)}</h{level}>"
            case Paragraph(text):
                yield f"<p>{escape(text)}</p>"
            case Points(texts):
                yield _list("receval-points", texts)
    yield _list("receval-findings", found) + _list("receval-notes", notes)


def _table(table: Table) -> str:
    heads = "".join(f'<th scope="col">{escape(directed(column.title, column.direction))}</th>' for column in table.columns)
    lines = (
        f'<tr><th scope="row">{escape(_text(head))}</th>{"".join(f"<td{_class(cell)}>{escape(_text(cell))}</td>" for cell in cells)}</tr>'
        for head, *cells in table.rows
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _text(cell: Cell) -> str:
    spread = f"± {cell.spread}" if cell.spread else ""
    sign = SIGNS[cell.mark] if cell.mark == "untested" else ""
    return " ".join(part for part in (cell.text, ARROWS[cell.direction], spread, cell.note, sign) if part)


def _class(cell: Cell) -> str:
    return ' class="receval-best"' if cell.mark == "best" else ""


def _list(name: str, texts: Iterable[str]) -> str:
    entries = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="{name}">{entries}</ul>' if entries else ""
