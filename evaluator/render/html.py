"""A document as one HTML page: no network, readable without scripts and without styles."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from markupsafe import escape
from msgspec.structs import replace

from ..document import (
    NEWS,
    SIGNS,
    Alert,
    Bars,
    Block,
    Cell,
    Code,
    Column,
    Document,
    Equation,
    Figure,
    Heading,
    Interval,
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
from ..quoting import visible
from .cell_pictures import CellScale, dot, forest, marks
from .drawing import as_svg, can_draw, script_bundle

_ACTING: Final = re.compile("[<>&\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What could end an element, or would act where the page is read as text."""
_FILES: Final = Path(__file__).parent / "page"
_SPACE: Final = "\u00a0"
_VALUES: Final = ("best", "untested", "second")
"""The marks of values, which are no classes."""
_UNBROKEN: Final = ("interval", "counts", "verdict")
"""The roles of cells that stay in one line, however narrow their column is."""
_FRAME: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="receval {version}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src{hashes}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{marks}
<header>
{opening}{contents}</header>
<main>
{main}</main>
<footer>
<p>Made by receval {version}. The numbers in full precision are in this page as JSON (<code>receval-data</code>).</p>
</footer>
{scripts}</body>
</html>
"""


def as_html(document: Document, *, interactive: bool = False) -> str:
    """Return the page: what stands before the first section, links to the sections, and the rest; an `interactive` one has Vega in it.

    Charts are drawn where the extra for it is installed. What programs read of the tables is in the page as JSON.
    """
    blocks = document if can_draw() else tuple(_without_figures(document))
    opening = tuple(takewhile(lambda block: not isinstance(block, Section), blocks))
    figures = [block for block in _all(blocks) if isinstance(block, Figure)] if interactive else []
    bundle = script_bundle().replace("</script", "<\\/script").replace("<!--", "<\\!--") if figures else ""  # does not end its element
    scripts = [_file("sort.js"), *([bundle, _file("interactive.js")] if figures else [])]
    return _FRAME.format(
        version=version("receval"),
        hashes="".join(f" '{_hash(script)}'" for script in scripts),
        title=_safe(next((block.text for block in opening if isinstance(block, Heading)), "")),
        style=_file("style.css"),
        marks=marks(),
        opening=_written(opening),
        contents=_contents([block for block in blocks if isinstance(block, Section)]),
        main=_written(blocks[len(opening) :]),
        scripts="".join((*_stored(blocks, figures), *(f"<script>{script}</script>\n" for script in scripts))),
    )


def _without_figures(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield blocks without charts, and without sections that have nothing else."""
    for block in blocks:
        if isinstance(block, Section):
            kept = tuple(_without_figures(block.blocks))
            yield from [replace(block, blocks=kept)] if kept else []
        elif not isinstance(block, Figure):
            yield block


def _all(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield all blocks, those of a section after it."""
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from _all(block.blocks)


def _contents(sections: Sequence[Section]) -> str:
    links = [_tag("a", _safe(one.title), href=f"#{one.id}") for one in sections]
    return _tag("nav", f"\n{_list(links)}", aria_label="Sections") + "\n" if links else ""


# Blocks


def _written(blocks: Iterable[Block]) -> str:
    return "".join(map(_block, blocks))


def _block(block: Block) -> str:
    match block:
        case Heading(text, level):
            return _tag(f"h{level}", f"<bdi>{_safe(text)}</bdi>" if level == 1 else _safe(text)) + "\n"
        case Paragraph(text):
            return _paragraphs([text])
        case Points(texts):
            return _list(map(_safe, texts)) + "\n"
        case Sentences(texts):
            return _paragraphs(texts)
        case Status(lines):
            said = (_tag("p", _safe(f"{NEWS[level]}{text}"), class_=level) + "\n" for level, text in lines)
            return _tag("div", "\n" + "".join(said), class_="verdict") + "\n"
        case Alert(severity, head, text, examples, details, advice):
            more = " ".join((text, *examples, *details, advice))
            return _tag("p", f"{_tag('b', _safe(head), class_=severity)} {_safe(more)}") + "\n"
        case Terms(rows, about):
            return _paragraphs([about] if about else []) + _list(_safe(f"{term}: {text}") for term, text in rows) + "\n"
        case Code(text):
            return _tag("pre", _safe(text), tabindex="0") + "\n"
        case Equation(lines):
            return _tag("pre", _safe("\n".join(lines)), tabindex="0") + "\n"
        case Links(title, names):
            return _paragraphs([f"{title}: {', '.join(names)}"])
        case Bars(header):
            columns = (Column(header, "key"), Column("rows", "value"), Column("share", "value"), Column(""))
            return _table(Table.of_texts(columns, block.cells()))
        case Figure():
            return _figure(block)
        case Table():
            return _table(block) + _paragraphs(block.notes)
        case Section():
            return _section(block)


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(_tag("p", _safe(text)) + "\n" for text in texts)


def _list(items: Iterable[str]) -> str:
    return _tag("ul", "\n" + "".join(_tag("li", item) + "\n" for item in items)) + "\n"


def _section(section: Section) -> str:
    title = _safe(section.title)
    if section.folded:
        return _tag("details", f"\n{_tag('summary', title)}\n{_written(section.blocks)}", id=section.id) + "\n"
    head = _tag("h2", title, id=f"{section.id}-title")
    return _tag("section", f"\n{head}\n{_written(section.blocks)}", id=section.id, aria_labelledby=f"{section.id}-title") + "\n"


def _figure(figure: Figure) -> str:
    chart = _tag("div", as_svg(figure.spec), class_="chart", role="img", aria_label=figure.spec["description"])
    wide = _tag("div", f"\n{chart}\n", class_="wide", role="group", aria_label=figure.caption, tabindex="0")
    return _tag("figure", f"\n{wide}\n{_tag('figcaption', _safe(figure.caption))}\n", id=figure.id) + "\n\n"


# Tables


def _table(table: Table) -> str:
    """Return a table, with rows as columns where it may turn and has fewer of them.

    Pictures of values share a scale with those of the same measure: it is a row of a table that may turn, and else a column.
    """
    shown = table.turned() if table.turns and len(table.columns) > len(table.rows) - table.apart else table
    across = [CellScale.over(_drawn(cells)) for cells in zip(*shown.rows, strict=True)]
    rows = (_row(row, shown.columns, [CellScale.over(_drawn(row))] * len(row) if shown.turns else across) for row in shown.rows)
    named = f"{table.id}-caption" if table.id else ""
    parts = (
        _tag("caption", _safe(table.caption), id=named),
        _tag("thead", f"\n{_tag('tr', ''.join(map(_head, shown.columns)))}\n"),
        _tag("tbody", "\n" + "".join(f"{_rule(shown, number)}{row}" for number, row in enumerate(rows))),
    )
    body = _tag("table", "\n" + "".join(f"{part}\n" for part in parts), id=table.id)
    about = {"aria_labelledby": named} if named else {"aria_label": table.caption}
    return _tag("div", f"\n{body}\n", class_="wide", role="group", **about, tabindex="0") + "\n\n"


def _head(column: Column) -> str:
    title = _safe(directed(f"{column.group} {column.title}".strip(), column.direction, _SPACE))
    return _tag("th", title, scope="col", class_="" if column.is_number else "t")


def _rule(table: Table, number: int) -> str:
    """Return the heading above a row, if it has one."""
    heading = table.rules.get(number)
    return _tag("tr", _tag("th", _safe(heading), scope="rowgroup", colspan=str(len(table.columns)))) + "\n" if heading else ""


def _drawn(cells: Iterable[Cell]) -> list[Interval]:
    return [cell.drawn for cell in cells if cell.drawn is not None]


def _row(cells: Sequence[Cell], columns: Sequence[Column], scales: Sequence[CellScale]) -> str:
    first, *others = (_content(cell, column, scale) for cell, column, scale in zip(cells, columns, scales, strict=True))
    left = ("" if column.is_number else "t " for column in columns[1:])
    classes = (f"{side}{_verdict(cell)}".strip() for side, cell in zip(left, cells[1:], strict=True))
    more = (_tag("td", content, class_=name) for content, name in zip(others, classes, strict=True))
    return _tag("tr", _tag("th", first, scope="row", class_=_verdict(cells[0])) + "".join(more)) + "\n"


def _verdict(cell: Cell) -> str:
    """Return the class of a cell: the verdict or the outcome that it is of."""
    return "" if cell.mark in _VALUES else cell.mark


def _content(cell: Cell, column: Column, scale: CellScale) -> str:
    """Return text with sign and direction, what is small behind it, and the picture."""
    sign = SIGNS.get(_verdict(cell), "")
    behind = f" {SIGNS['untested']}" if cell.mark == "untested" else ""
    text = _safe(directed(f"{sign} {cell.text}{behind}".lstrip(), cell.direction, _SPACE))
    text = text.replace(" ", _SPACE) if column.role in _UNBROKEN else text
    small = [part for part in (f"±{cell.spread}" if cell.spread else "", cell.note) if part]
    whole = _SPACE.join((_tag("b", text) if cell.mark == "best" else text, *(_tag("small", _safe(part)) for part in small)))
    picture = "" if cell.drawn is None else forest(cell.drawn) if column.role == "interval" else dot(cell.drawn, scale)
    return f"{whole} {picture}" if picture else whole


# Elements, data and scripts


def _tag(name: str, content: str, **attributes: str) -> str:
    """Return an element with its attributes, those that are not empty; `content` is HTML."""
    given = "".join(f' {key.strip("_").replace("_", "-")}="{_safe(value)}"' for key, value in attributes.items() if value)
    return f"<{name}{given}>{content}</{name}>"


def _safe(text: str) -> str:
    """Return text as HTML: nothing in it is an element, and characters that act are seen."""
    return str(escape(visible(text)))


def _stored(blocks: Iterable[Block], figures: Sequence[Figure]) -> Iterator[str]:
    """Yield what programs and scripts read: tables by id, values in full precision, and the specifications of interactive charts."""
    tables = [block for block in _all(blocks) if isinstance(block, Table) and block.columns_of_data]
    yield _json("receval-data", {one.id: {**one.about, "columns": one.columns_of_data, "rows": one.data} for one in tables})
    if figures:
        under_the_pointer = {"mark": {"tooltip": {"content": "data"}}}
        yield _json("receval-charts", {one.id: {**one.spec, "config": {**one.spec["config"], **under_the_pointer}} for one in figures})


def _json(id: str, content: Any) -> str:
    """Return JSON that stands in a page: no text in it can end the element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    safe = _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _tag("script", safe, type="application/json", id=id) + "\n"


def _file(name: str) -> str:
    with open(_FILES / name, encoding="utf-8") as file:
        return file.read()


def _hash(script: str) -> str:
    """Return the name by which a policy allows a script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"
