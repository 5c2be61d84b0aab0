"""A document as one HTML page: no network, readable without scripts and without styles; or as an element of a notebook."""

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

from msgspec import Struct
from msgspec.structs import replace

from ..documents import document as doc
from ..documents.basic_charts import missing_text
from ..support.quoting import without_commands
from .drawing import as_svg, can_draw, script_bundle
from .mathml import as_mathml, with_symbols
from .whiskers import SHAPES, Scale, chart, picture
from .whiskers import safe as _safe

_ACTING: Final = re.compile("[<>&\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that could end an element, or that act when the page is read as text."""
_FILES: Final = Path(__file__).parent / "page"
_SPACE: Final = "\u00a0"
_DECIMAL: Final = re.compile(r"[+\u2212<-]?[\d,]*\.\d+(?: %)?")
_VALUES: Final = ("best", "untested", "second")
"""The marks of values that are not classes."""
_UNBROKEN: Final = ("interval", "counts", "verdict")
"""The roles of cells that are never broken into lines."""
_CLASSES: Final = re.compile(r'(?<= class=")[^"]*')


class Inserted(Struct, frozen=True):
    """A section of a page that is not a block of a document."""

    id: str
    title: str
    html: str


def as_html(document: doc.Document, *, interactive: bool = False) -> str:
    """Return the page: the blocks before the first section, links to the sections, and the rest; with `interactive`, also Vega.

    Without the extra only charts with panels are drawn, and a sentence at the end of the first section names those that are missing.
    The data of the tables are in the page as JSON.
    """
    has_extra = can_draw()
    absent = [block.id for block in _all(document) if isinstance(block, doc.Figure) and not _is_drawn(block, has_extra) and block.spec]
    blocks = tuple(_drawable(document, has_extra))
    if absent:
        place = next((place for place, block in enumerate(blocks) if isinstance(block, doc.Section)), len(blocks))
        blocks = (*blocks[:place], *_with_sentence(blocks[place : place + 1], missing_text(absent)), *blocks[place + 1 :])
    figures = [block for block in _all(blocks) if isinstance(block, doc.Figure)] if interactive else []
    bundle = script_bundle().replace("</script", "<\\/script").replace("<!--", "<\\!--") if figures else ""  # does not end its element
    scripts = [page_file("sort.js"), *([bundle, page_file("interactive.js")] if figures else [])]
    return page_of(blocks, scripts, "".join(_stored(blocks, figures)))


def page_of(
    blocks: doc.Document, scripts: Sequence[str], stored: str, *, style: str = "", inserted: Inserted | None = None, images: str = "data:"
) -> str:
    """Return the page of blocks, with its scripts and the data that they read.

    `inserted` comes after the first section, `style` are further rules, and `images` the sources of pictures that are allowed.
    """
    opening = tuple(takewhile(lambda block: not isinstance(block, doc.Section), blocks))
    first, others = (blocks[len(opening) : len(opening) + 1], blocks[len(opening) + 1 :])
    sections = [block for block in blocks if isinstance(block, doc.Section)]
    titles = [(section.id, section.title) for section in sections]
    titles[1:1] = [(inserted.id, inserted.title)] if inserted else []
    links = [_tag("a", _safe(title), href=f"#{id}") for id, title in titles]
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    marks = "".join(f'<g id="m-{name}">{shape}</g>' for name, shape in SHAPES.items())
    return page_file("frame.html").format(
        version=version("receval"),
        hashes="".join(f" 'sha256-{digest}'" for digest in hashes),
        images=images,
        title=_harmless(_safe(next((block.text for block in opening if isinstance(block, doc.Heading)), ""))),
        style=page_file("style.css") + style,
        marks=f'<svg width="0" height="0" aria-hidden="true"><defs>{marks}</defs></svg>',
        opening=_harmless(_written(opening)),
        contents=_harmless(_tag("nav", f"\n{_list(links)}", aria_label="Sections") + "\n" if links else ""),
        main=_harmless(_written(first) + (inserted.html if inserted else "") + _written(others)),
        scripts="".join((stored, *(f"<script>{script}</script>\n" for script in scripts))),
    )


def _harmless(elements: str) -> str:
    """Return elements in which no line of a text is one that GitHub would run."""
    return without_commands(elements, lambda sign: f"&#{ord(sign)};")


def _is_drawn(figure: doc.Figure, has_extra: bool) -> bool:
    return bool(figure.spec if has_extra else figure.panels)


def _with_sentence(sections: Sequence[doc.Block], text: str) -> Iterator[doc.Block]:
    """Yield a section with a sentence at its end; without a section, the sentence alone."""
    sentence = doc.Paragraph(text)
    yield from (replace(section, blocks=(*section.blocks, sentence)) for section in sections if isinstance(section, doc.Section))
    yield from () if sections else (sentence,)


def _drawable(blocks: Iterable[doc.Block], has_extra: bool) -> Iterator[doc.Block]:
    """Yield blocks with the charts that can be drawn; a section that has nothing but others is left out."""
    for block in blocks:
        if isinstance(block, doc.Section):
            kept = tuple(_drawable(block.blocks, has_extra))
            yield from [replace(block, blocks=kept)] if kept or not block.blocks else []
        elif not isinstance(block, doc.Figure):
            yield block
        elif _is_drawn(block, has_extra):
            yield block if has_extra else replace(block, spec={}, narrow=None)


def _all(blocks: Iterable[doc.Block]) -> Iterator[doc.Block]:
    """Yield all blocks, the blocks of a section after it."""
    for block in blocks:
        yield block
        if isinstance(block, doc.Section):
            yield from _all(block.blocks)


# Blocks


def _written(blocks: Iterable[doc.Block]) -> str:
    return "".join(map(_block, blocks))


def _block(block: doc.Block) -> str:
    match block:
        case doc.Heading(text, level):
            return _tag(f"h{level}", f"<bdi>{_safe(text)}</bdi>" if level == 1 else _safe(text)) + "\n"
        case doc.Paragraph(text):
            return _tag("p", with_symbols(text)) + "\n"
        case doc.Points(texts):
            return _list(map(_safe, texts)) + "\n"
        case doc.Sentences(texts):
            return _paragraphs(texts)
        case doc.Status(lines):
            said = (_tag("p", _safe(f"{doc.NEWS[level]}{text}"), class_=level) + "\n" for level, text in lines)
            return _tag("div", "\n" + "".join(said), class_="verdict") + "\n"
        case doc.Alert(severity, head, text, examples, details, advice, cures):
            more = " ".join((text, *examples, *details, advice))
            pasted = "".join(_tag("pre", _safe(line), tabindex="0") + "\n" for line in cures)
            return _tag("p", f"{_tag('b', _safe(head), class_=severity)} {_safe(more)}") + "\n" + pasted
        case doc.Terms(rows, about):
            return _paragraphs([about] if about else []) + _list(with_symbols(f"{term}: {text}") for term, text in rows) + "\n"
        case doc.Code(text):
            return _tag("pre", _safe(text), tabindex="0") + "\n"
        case doc.Equation(lines):
            return _tag("div", "\n" + "\n".join(as_mathml(line, "block") for line in lines) + "\n", class_="formulas", tabindex="0") + "\n"
        case doc.Links(title, names):
            return _paragraphs([f"{title}: {', '.join(names)}"])
        case doc.Bars(header):
            columns = (doc.Column(header, "key"), doc.Column("rows", "value"), doc.Column("share", "value"), doc.Column(""))
            return _table(doc.Table.from_texts(columns, block.cells()))
        case doc.Figure(id, caption, spec) if not spec:
            charts = (_tag("div", chart(block.panels, caption, size), class_=f"chart {size}") for size in ("broad", "slim"))
            return _tag("figure", "\n" + "\n".join((*charts, _tag("figcaption", _safe(caption)))) + "\n", id=id) + "\n\n"
        case doc.Figure(id, caption, spec):
            sizes = [("broad", spec), ("slim", block.narrow)] if block.narrow is not None else [("", spec)]
            charts = (
                _tag("div", as_svg(chart_spec), class_=f"chart {size}".strip(), role="img", aria_label=spec["description"])
                for size, chart_spec in sizes
            )
            return _tag("figure", "\n" + "\n".join((*charts, _tag("figcaption", _safe(caption)))) + "\n", id=id) + "\n\n"
        case doc.Table():
            return _table(block) + _paragraphs(block.notes)
        case doc.Section(id, title, blocks, folded):
            if folded:
                return _tag("details", f"\n{_tag('summary', _safe(title))}\n{_written(blocks)}", id=id) + "\n"
            head = _tag("h2", _safe(title), id=f"{id}-title")
            return _tag("section", f"\n{head}\n{_written(blocks)}", id=id, aria_labelledby=f"{id}-title") + "\n"


def _paragraphs(texts: Iterable[str]) -> str:
    return "".join(_tag("p", _safe(text)) + "\n" for text in texts)


def _list(items: Iterable[str]) -> str:
    return _tag("ul", "\n" + "".join(_tag("li", item) + "\n" for item in items)) + "\n"


def _wide(content: str, **about: str) -> str:
    """Return an element for content that may be wider than a page, which can be scrolled by keyboard."""
    return _tag("div", f"\n{content}\n", class_="wide", role="group", **about, tabindex="0")


# Tables


class _Slots(Struct, frozen=True):
    """Widths of the parts of the cells of a column, in characters: the number, its decimals, the spread, and the small text behind it."""

    number: int
    decimals: int
    spread: int
    behind: int
    is_drawn: bool

    @classmethod
    def from_cells(cls, cells: Sequence[doc.Cell]) -> _Slots:
        """Return the widths that fit all `cells`, before and after the decimal sign."""
        texts = [cell.text for cell in cells]
        decimals = max(map(_n_decimals, texts), default=0)
        number = max((len(text) - _n_decimals(text) for text in texts), default=0) + decimals
        spread = max((len(cell.spread) + 1 for cell in cells if cell.spread), default=0)
        behind = max((len(cell.note) + 2 * (cell.mark == "untested") for cell in cells), default=0)
        return cls(number, decimals, spread, behind, any(cell.drawn is not None for cell in cells))


def _n_decimals(text: str) -> int:
    """Return the number of characters of a number from its decimal sign on."""
    return len(text) - text.index(".") if _DECIMAL.fullmatch(text) else 0


def _table(table: doc.Table) -> str:
    """Return a table, with rows as columns if it may be turned and has fewer of them.

    Pictures of values of the same measure share a scale: those of a row of a table that may be turned, else of a column.
    """
    shown = table.transposed() if table.turns and len(table.columns) > len(table.rows) - table.apart else table
    columns = list(zip(*shown.rows, strict=True)) or [()] * len(shown.columns)
    across = [Scale.near(cell.drawn for cell in cells) for cells in columns]
    slots = [_Slots.from_cells(cells[: len(cells) - shown.apart]) for cells in columns]
    heads, lines = [], []
    for column, slot in zip(shown.columns, slots, strict=True):
        title = doc.with_arrow(f"{column.group} {column.title}".strip(), column.direction, _SPACE)
        heads.append(_tag("th", _safe(title), scope="col", class_=_side(column, slot)))
    for number, row in enumerate(shown.rows):
        heading = shown.rules.get(number)
        if heading:
            lines.append(_tag("tr", _tag("th", _safe(heading), scope="rowgroup", colspan=str(len(shown.columns)))))
        scales = [Scale.near(cell.drawn for cell in row)] * len(row) if shown.turns else across
        cells = enumerate(zip(row, shown.columns, scales, slots, strict=True))
        lines.append(_tag("tr", "".join(_cell(*cell, is_head=place == 0) for place, cell in cells)))
    named = f"{table.id}-caption" if table.id else ""
    parts = (
        _tag("caption", _safe(table.caption), id=named),
        _tag("thead", f"\n{_tag('tr', ''.join(heads))}\n"),
        _tag("tbody", "\n" + "".join(f"{line}\n" for line in lines)),
    )
    body = _tag("table", "\n" + "".join(f"{part}\n" for part in parts), id=table.id)
    return _wide(body, **({"aria_labelledby": named} if named else {"aria_label": table.caption})) + "\n\n"


def _side(column: doc.Column, slot: _Slots) -> str:
    """Return the class of the cells of a column: texts, numbers with text behind them (left-aligned), or numbers alone (right-aligned)."""
    return "t" if not column.is_number else "l" if slot.spread or slot.is_drawn else ""


def _cell(cell: doc.Cell, column: doc.Column, scale: Scale, slot: _Slots, *, is_head: bool) -> str:
    """Return text with sign and direction, the small text behind it, and the picture; the verdict or outcome is the class of the cell."""
    verdict = "" if cell.mark in _VALUES else cell.mark
    behind = f" {doc.SIGNS['untested']}" if cell.mark == "untested" else ""
    text = doc.with_arrow(f"{doc.SIGNS.get(verdict, '')} {cell.text}".lstrip(), cell.direction, _SPACE)
    if is_head or not column.is_number:
        safe = _safe(f"{text}{behind}").replace(" ", _SPACE) if column.role in _UNBROKEN else _safe(f"{text}{behind}")
        whole = _SPACE.join((safe, *([_tag("small", _safe(cell.note))] if cell.note else [])))
        if is_head:
            return _tag("th", whole, scope="row", class_=verdict)
        return _tag("td", whole, class_=f"t {verdict}".strip())
    side = _side(column, slot)
    missing = slot.decimals - _n_decimals(cell.text) if cell.text else 0
    small = f"{cell.note}{behind}".strip()
    drawn = "" if cell.drawn is None else picture(cell.drawn, scale, column.role == "interval")
    if not side:
        number = _tag("b", _safe(text)) if cell.mark == "best" else _safe(text)
        number = _tag("span", number, class_=f"p{missing}") if missing else number
        return _tag("td", f"{number}{_SPACE}{_tag('small', _safe(small))}" if small else number, class_=verdict)
    widths = f"n w{slot.number}{f' p{missing}' if missing else ''}"
    parts = [_tag("span", _tag("b", _safe(text)) if cell.mark == "best" else _safe(text), class_=widths)]
    if slot.behind and (small or cell.spread or drawn):
        parts.append(_tag("small", _safe(small), class_=f"n l w{slot.behind}"))
    if slot.spread and (cell.spread or drawn):
        parts.append(_tag("small", _safe(f"±{cell.spread}" if cell.spread else ""), class_=f"n w{slot.spread}"))
    return _tag("td", "".join((_SPACE.join(parts), f" {drawn}" if drawn else "")), class_=f"{side} {verdict}".strip())


# Elements, data and scripts


def _tag(name: str, content: str, **attributes: str) -> str:
    """Return an element with its non-empty attributes; `content` is HTML."""
    given = "".join(f' {key.strip("_").replace("_", "-")}="{_safe(value)}"' for key, value in attributes.items() if value)
    return f"<{name}{given}>{content}</{name}>"


def _stored(blocks: Iterable[doc.Block], figures: Sequence[doc.Figure]) -> Iterator[str]:
    """Yield the data for programs and scripts: tables by id, values in full precision, and the specs of interactive charts."""
    tables = [block for block in _all(blocks) if isinstance(block, doc.Table) and block.columns_of_data]
    yield stored_json("receval-data", {table.id: {**table.about, "columns": table.columns_of_data, "rows": table.data} for table in tables})
    if figures:
        under_the_pointer = {"mark": {"tooltip": {"content": "data"}}}
        specs = {figure.id: [figure.spec, *([] if figure.narrow is None else [figure.narrow])] for figure in figures}
        pointed = {
            id: [{**chart_spec, "config": {**chart_spec["config"], **under_the_pointer}} for chart_spec in some]
            for id, some in specs.items()
        }
        yield stored_json("receval-charts", pointed)


def stored_json(id: str, content: Any) -> str:
    """Return JSON in an element of the page, which no text in it can end."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    safe = _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _tag("script", safe, type="application/json", id=id) + "\n"


def page_file(name: str) -> str:
    """Return a script or a style sheet that pages contain."""
    with open(_FILES / name, encoding="utf-8") as file:
        return file.read()


# Notebooks


def for_notebook(document: Iterable[doc.Block]) -> str:
    """Return the document as an element of a notebook, as on a page, but without scripts, figures and ids, and with its own class names."""
    written = _written(_in_notebook(block) for block in _without_sections(document) if not isinstance(block, doc.Figure))
    own = _CLASSES.sub(lambda found: " ".join(f"receval-{name}" for name in found[0].split()), written)
    return f'<style>\n{page_file("notebook.css")}</style>\n<div class="receval-result">\n{own}</div>'


def _in_notebook(block: doc.Block) -> doc.Block:
    """Return a block without what only pages have: headings are below those of the notebook, and findings have no examples."""
    match block:
        case doc.Heading(text, level):
            return doc.Heading(text, level + 2)
        case doc.Alert():
            return replace(block, examples=(), details=(), advice="", cures=())
        case doc.Table():
            rows = tuple(tuple(replace(cell, drawn=None) for cell in row) for row in block.rows)
            return replace(block, id="", turns=False, rows=rows)
    return block


def _without_sections(document: Iterable[doc.Block]) -> Iterator[doc.Block]:
    """Yield the blocks with those of sections in their place, below a heading."""
    for block in document:
        if isinstance(block, doc.Section):
            yield doc.Heading(block.title, 2)
            yield from _without_sections(block.blocks)
        else:
            yield block
