"""Document → LaTeX that prints every text literally, with pdflatex and T1: a whole document, or tables alone. Long: block by block."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..documents import document as doc
from ..support.quoting import without_commands
from .mathml import is_symbol

PREAMBLE: Final = r"""\documentclass[11pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{\usepackage{mathptmx}}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{array,booktabs,float}
\setlength{\tabcolsep}{4pt}
\setlength{\emergencystretch}{3em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 1pt}
\renewcommand{\arraystretch}{1.05}
\newenvironment{points}{\begin{list}{\textbullet}{\setlength{\itemsep}{1pt}\setlength{\parsep}{0pt}\setlength{\topsep}{3pt}%
\setlength{\leftmargin}{1.5em}}}{\end{list}}
"""
_NEEDED: Final = r"""% Tables made by receval. The preamble of your document needs:
% \usepackage[utf8]{inputenc}
% \usepackage[T1]{fontenc}
% \usepackage{textcomp,amsmath,amssymb,array,booktabs}
"""
_SYMBOL_LIST: Final = (
    r"\begin{list}{}{\settowidth{\labelwidth}{$I_{\mathrm{train}}$}\setlength{\leftmargin}{\labelwidth}"
    r"\addtolength{\leftmargin}{\labelsep}\setlength{\itemsep}{0pt}\setlength{\parsep}{1pt}"
    r"\renewcommand{\makelabel}[1]{#1\hfil}}"
)
WIDTH: Final = 92
"""Number of characters across a table, unless the page has another width: those of A4 with margins of 2.5 cm."""
_NARROWEST: Final = 70
"""Number of characters across the narrowest of the usual pages: `article` without other margins (345 pt)."""
_BETWEEN_COLUMNS: Final = 4
_HEIGHT: Final = 42
"""Largest number of rows of a table that fits on a page with its caption."""
_GAP: Final = 2
_LEAST_GAP: Final = 0.8
"""The least gap between columns, in characters, of a table that takes the width of the text."""
_NARROWEST_FILLED: Final = 72
"""Number of characters across the narrowest page with these gaps."""
_LONGEST_NAME: Final = 30
_LONGEST_WORD: Final = 10
_OVER_SEVERAL: Final = 20
"""Largest length of a line of the head of a group."""
_NEXT: Final = r" \\ "
_BREAKS: Final = re.compile(r"(?<=[,;_ /|=(-])|(?=[(@])|(?<=[a-z])(?=[A-Z])")
_MARKS: Final[Mapping[str, str]] = {"best": r"\textbf{%s}", "untested": r"\textbf{%s}", "second": r"\underline{%s}"}
_DAGGERS: Final[Mapping[str, str]] = {"\u2020": r"\dagger", "\u2021": r"\ddagger"}
_NAMED: Final = {
    "math": "≠ neq ≤ leq ≥ geq ≈ approx ← leftarrow ↑ uparrow → rightarrow ↓ downarrow ∈ in ∩ cap ∪ cup ∑ sum ∏ prod √ surd ∞ infty ⋅ cdot "
    "⌊ lfloor ⌋ rfloor α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho "
    "σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega "
    "▲ blacktriangle",
    # The first three are commands; the others would print as other characters, alone or doubled.
    "text": "\\ backslash ^ asciicircum ~ asciitilde < less > greater | bar \" quotedbl ' quotesingle ` asciigrave",
}
"""Signs that LaTeX has as commands, each before its name."""


def _named(kind: str) -> Iterator[tuple[str, str]]:
    words = iter(_NAMED[kind].split())
    return zip(words, words, strict=True)


_SIGNS: Final = {
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u2212": "$-$",
    "\u2032": "$'$",
    **{sign: rf"$\{name}$" for sign, name in _named("math")},
}
_ESCAPES: Final = {
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    **{sign: rf"\text{name}{{}}" for sign, name in _named("text")},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # after the end of a row they would be read as its options
    **_SIGNS,
}
_KNOWN: Final = frozenset(chr(code) for code in range(0xA1, 0x17F)) - frozenset(
    "\u00ad\u00b8\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167"
) | frozenset("\u0218\u0219\u021a\u021b\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2021\u2022\u2026\u2030\u20ac\u2122")
"""The characters besides ASCII that pdflatex prints with the encoding T1."""
_UNKNOWN: Final = re.compile(rf"[^ -~{''.join(map(re.escape, sorted(_KNOWN | _SIGNS.keys())))}]+")
_LIGATURES: Final = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=[?!])(?=\\textasciigrave)")
_LONG: Final = 18
"""The length from which a word may be broken."""
_PIECES: Final = re.compile(r"[^._/=:-]{1,24}[._/=:-]*|[._/=:-]+")
_PERCENT: Final = re.compile(r"(?<=\d) %")
_MARKED: Final = re.compile(r"(\$`[^`]+`\$|`[^`]+`)")
_NUMBER: Final = re.compile(r"(-?)([\d.,]+|inf)(?:e([+-]\d+))?")


class Page(Struct, frozen=True):
    """The page of the user's document: number of characters across it (`None`: not known), and number of columns."""

    given: int | None = None
    columns: int = 1

    @property
    def width(self) -> int:
        """The number of characters across the page, also if it is not known."""
        return self.given or WIDTH

    @property
    def adapts(self) -> bool:
        """True if wide tables take the width of the text, because nobody knows it."""
        return self.given is None and self.columns == 1

    @property
    def room_of_column(self) -> int:
        """The number of characters across one column."""
        return (self.width - (self.columns - 1) * _BETWEEN_COLUMNS) // self.columns

    def environment(self, width: float) -> str:
        """Return the environment of a table of this width: with a star it spans all columns."""
        return "table*" if width > self.room_of_column and self.columns > 1 else "table"


_PAGE: Final = Page()
_OWN_PAGE: Final = Page(WIDTH)
"""The page of a whole document."""


def as_latex(document: doc.Document, page: Page = _PAGE) -> str:
    """Return a whole document if its first block is a title; otherwise only its tables, for the user's document with this `page`."""
    match document:
        case (doc.Heading(title, 1), *blocks):
            before = (rf"\title{{{escaped(title)}}}" + "\n\\author{}\n\\date{}", "\\begin{document}\n\\maketitle")
            texts = [PREAMBLE, *before, *_texts(blocks, "H", _OWN_PAGE), r"\end{document}"]
        case _:
            texts = [_NEEDED, *_texts(document, "htbp", page)]
    return without_commands("\n\n".join(text.rstrip("\n") for text in texts) + "\n", lambda sign: f"{{{sign}}}")


def _texts(blocks: Iterable[doc.Block], place: str, page: Page) -> Iterator[str]:
    """Yield the texts of blocks, consecutive findings as one list; `place` is the position of tables."""
    for is_finding, some in groupby(blocks, lambda block: isinstance(block, doc.Alert)):
        texts = [text for block in some for text in _in_latex(block, place, page)]
        yield from [_list("description", texts)] if is_finding else texts


def _in_latex(block: doc.Block, place: str, page: Page) -> Iterable[str]:
    """Return the texts of a block; links, bars and figures have none."""
    match block:
        case doc.Heading(text, level):
            return [rf"\section{{{escaped(text)}}}" if level < 3 else rf"\subsection*{{{escaped(text)}}}"]
        case doc.Section(_, title, blocks):
            return (rf"\section{{{escaped(title)}}}", *_texts(blocks, place, page))
        case doc.Paragraph(text):
            return [documented(text)]
        case doc.Points(texts):
            return [_list("points", [rf"\item {documented(text)}" for text in texts])]
        case doc.Sentences(texts):
            return [_list("points", [rf"\item {prose(text)}" for text in texts])]
        case doc.Alert(_, head, text, _, details, advice, cures):
            more = (*(f"{detail}." for detail in details), *([f"{advice[:1].upper()}{advice[1:].rstrip('.')}."] if advice else []))
            lines = "".join(rf" \texttt{{{escaped(line)}}}" for line in cures)
            return [rf"\item[{prose(head)}] {prose(' '.join((text, *more)))}{lines}"]
        case doc.Terms(rows, about, code):
            return [*([documented(about)] if about else []), _terms(rows, code)]
        case doc.Code(text):
            return [r" \\".join(rf"\texttt{{{escaped(line)}}}" + "\n" for line in text.split("\n"))]
        case doc.Equation(lines):
            return ["\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}"]
        case doc.Table():
            return parts(block, place, page)
        case _:
            return []


def _list(environment: str, items: Iterable[str]) -> str:
    return "\n".join((rf"\begin{{{environment}}}", *items, rf"\end{{{environment}}}"))


def _terms(rows: Sequence[tuple[str, str]], code: bool) -> str:
    """Return terms with their meanings; terms that are all symbols are set narrower."""
    terms = [rf"\texttt{{{prose(term)}}}" if code else documented(term) for term, _ in rows]
    items = [rf"\item[{f'{{{term}}}' if ']' in term else term}] {documented(text)}" for term, (_, text) in zip(terms, rows, strict=True)]
    are_symbols = all(is_symbol(term) for term, _ in rows)
    return "\n".join((_SYMBOL_LIST, *items, r"\end{list}")) if are_symbols else _list("description", items)


class _Column(Struct, frozen=True):
    """A column in LaTeX: its head, the head of its `group`, which spans several columns, and its cells.

    `width` is the approximate number of characters of the widest cell, `raised` the number of superscripts behind a number. Texts are
    left-aligned.
    """

    head: str
    group: str
    cells: tuple[str, ...]
    width: int
    raised: int = 0
    is_text: bool = False

    @staticmethod
    def from_cells(column: doc.Column, cells: Sequence[doc.Cell]) -> _Column:
        group = doc.with_arrow(column.group, column.direction) if column.group else ""
        head = column.title if group else doc.with_arrow(column.title, column.direction)
        if not column.is_number:
            shown = shortened([doc.with_arrow(f"{cell.text} {cell.note}" if cell.note else cell.text, cell.direction) for cell in cells])
            return _Column(head, group, tuple(map(escaped, shown)), max(map(len, (head, *shown))), is_text=True)
        width = max((len(f"{cell.text} ± {cell.spread}" if cell.spread else cell.text) for cell in cells), default=0)
        return _Column(head, group, tuple(map(_number, cells)), width, max((len(cell.note) for cell in cells), default=0))


def _number(cell: doc.Cell) -> str:
    """Return a number with its mark, its spread, and its note as a superscript of width 0."""
    shown = _MARKS.get(cell.mark, "%s") % number(cell.text)
    spread = rf"{{\scriptsize\,$\pm$\,{number(cell.spread)}}}" if cell.spread else ""
    is_letters = cell.note.isascii() and cell.note.isalpha()
    raised = _DAGGERS.get(cell.note, rf"\mathrm{{{cell.note}}}" if is_letters else rf"\text{{{escaped(cell.note)}}}")
    return shown + spread + (rf"\rlap{{$^{{{raised}}}$}}" if cell.note else "")


def shortened(names: Sequence[str]) -> list[str]:
    """Return names, long ones without their middle; if two would be equal, with a number."""
    shown: dict[str, str] = {}
    for name in names:
        whole = printable(name)
        short = whole if len(whole) <= _LONGEST_NAME else f"{whole[: _LONGEST_NAME // 2]}\u2026{whole[-(_LONGEST_NAME // 2 - 4) :]}"
        n = 1 + sum(short == other.partition(" (")[0] for full, other in shown.items() if full != name)
        shown.setdefault(name, short if n == 1 else f"{short} ({n})")
    return [shown[name] for name in names]


def parts(table: doc.Table, place: str = "htbp", page: Page = _PAGE) -> list[str]:
    """Return the table as one or more environments of LaTeX at `place`; the last one has the notes."""
    columns = [_Column.from_cells(column, [row[n] for row in table.rows]) for n, column in enumerate(table.columns)]
    n_keys = next((n for n, column in enumerate(table.columns) if column.role not in ("key", "name")), len(columns))
    keys, others = tuple(columns[:n_keys]), columns[n_keys:]
    room = max(page.width - sum(column.width + _GAP for column in keys), page.width // 3)
    n_lines = len(table.rows)
    down = [range(start, min(start + _HEIGHT, n_lines)) for start in range(0, n_lines, _HEIGHT)] or [range(0)]
    groups = _balanced(others, room)
    while (
        page.adapts
        and room > page.width // 3
        and any(_width((*keys, *some), _LEAST_GAP) - _LEAST_GAP > _NARROWEST_FILLED for some in groups)
    ):
        room -= 1
        groups = _balanced(others, room)
    pieces = [((*keys, *some), lines) for some in groups for lines in down]
    rules = {**table.rules, **({n_lines - table.apart: ""} if table.apart else {})}
    last = replace(table, rules=rules, notes=(*table.notes, *_names_in_full(table)))
    tables = [*([replace(last, notes=())] * (len(pieces) - 1)), last]
    captions = [_caption(table, n, len(pieces)) for n in range(1, len(pieces) + 1)]
    if groups[1:]:
        room_text = "it has to fit pages of 345 pt" if page.adapts else f"it is wider than {page.width} characters"
        captions[0] += f" % in parts, because {room_text}: report.latex.width sets the width"
    kind = page.environment(max((_width(some) - _GAP for some, _ in pieces), default=0))  # the same for all parts of a table
    fills = page.adapts and any(_width(some) - _GAP > _NARROWEST for some, _ in pieces)
    return [
        _environment(*piece, piece_table, caption, kind, place, fills)
        for piece, piece_table, caption in zip(pieces, tables, captions, strict=True)
    ]


def _names_in_full(table: doc.Table) -> Iterator[str]:
    """Yield a sentence for each name of the table that is not shown in full."""
    for n, column in enumerate(table.columns):
        names = [row[n].text for row in table.rows] if column.role == "name" else []
        shown = dict(zip(names, shortened(names), strict=True))
        yield from (f"{short} is {name}." for name, short in shown.items() if printable(name) != short)


def _caption(table: doc.Table, n: int, of: int) -> str:
    """Return the caption and the label of one of several parts; those after the first refer to it."""
    label = f"tab:{table.id}" if of == 1 else f"tab:{table.id}-{n}"
    caption = prose(table.caption if of == 1 else f"{table.caption.removesuffix('.')}. Part 1 of {of}.")
    if n > 1:
        caption = rf"{prose(table.caption.partition('. ')[0].rstrip('.'))}: part {n} of {of}, as Table~\ref{{tab:{table.id}-1}}."
    return rf"\caption{{{caption}}}\label{{{label}}}\smallskip"


def _balanced(columns: Sequence[_Column], room: int) -> list[list[_Column]]:
    """Return the columns in as few parts as fit, of about equal width."""
    best = list(_across(columns, room))
    for narrower in range(room - 1, 0, -1):
        tried = list(_across(columns, narrower))
        if len(tried) > len(best):
            break
        best = tried
    return best


def _across(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    """Yield the columns in parts that fit; those of a group stay together if possible."""
    groups: list[list[_Column]] = []
    for column in columns:
        is_of_last = groups and column.group and groups[-1][0].group == column.group
        if is_of_last and _width([*groups[-1], column]) <= room:
            groups[-1].append(column)
        else:
            groups.append([column])
    part: list[_Column] = []
    for group in groups:
        if part and _width([*part, *group]) > room:
            yield part
            part = []
        part = [*part, *group]
    yield part


def _width(columns: Sequence[_Column], gap: float = _GAP) -> float:
    """Return the approximate width of columns in characters, with the heads of their groups and a gap behind each column."""
    width, group, start = 0.0, "", 0.0
    for column in columns:
        if column.group != group:
            group, start = column.group, width
        width += max(column.width, *map(len, _lines(column.head))) + column.raised + gap
        width = max(width, start + max(map(len, _lines(group, _OVER_SEVERAL))) + gap)
    return width


def _environment(
    columns: Sequence[_Column], lines: range, table: doc.Table, caption: str, kind: str, place: str, fills: bool = False
) -> str:
    """Return some columns and rows of a table, with space for superscripts behind numbers; if it `fills` the line, with equal gaps."""
    spaces = (rf"<{{\hspace{{{0.2 + 0.45 * column.raised:.2f}em}}}}" if column.raised else "" for column in columns)
    alignment = "".join("l" if column.is_text else f"r{space}" for column, space in zip(columns, spaces, strict=True))
    texts = [*_heads(columns), r"\midrule"]
    for line in lines:
        heading = table.rules.get(line)
        if heading is not None and line != lines.start:
            texts.append(r"\midrule")
        if heading:
            texts.append(rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{\emph{{{escaped(heading)}}}}} \\")
        texts.append(" & ".join(column.cells[line] for column in columns) + r" \\")
    notes = [rf"\par\medskip\footnotesize\raggedright {' '.join(map(prose, table.notes))}"] if table.notes else []
    before = (
        rf"\begin{{{kind}}}[{place if kind == 'table' else 'tp'}]",
        r"\centering\small",
        caption,
        *([r"\setlength{\tabcolsep}{2pt}"] if fills else []),
        rf"\begin{{tabular*}}{{\linewidth}}{{@{{\extracolsep{{\fill}}}}{alignment}@{{}}}}"
        if fills
        else rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
        r"\toprule",
    )
    end = r"\end{tabular*}" if fills else r"\end{tabular}"
    return "\n".join((*before, *texts, r"\bottomrule", end, *notes, rf"\end{{{kind}}}"))


def _heads(columns: Sequence[_Column]) -> list[str]:
    """Return the line of groups, if columns are grouped, with rules below them, and the line of heads."""
    above: list[str] = []
    rules: list[str] = []
    for group, some in groupby(enumerate(columns, 1), lambda pair: pair[1].group or pair[0]):
        places = [place for place, _ in some]
        is_head = isinstance(group, str)
        above.append(rf"\multicolumn{{{len(places)}}}{{c}}{{{_stacked(str(group), _OVER_SEVERAL)}}}" if is_head else "")
        rules += [rf"\cmidrule(lr){{{places[0]}-{places[-1]}}}"] if is_head else []
    heads = " & ".join(_stacked(column.head) for column in columns) + r" \\"
    return [" & ".join(above) + r" \\", "".join(rules), heads] if rules else [heads]


def _stacked(head: str, longest: int = _LONGEST_WORD) -> str:
    lines = [escaped(line) for line in _lines(head, longest)]
    return lines[0] if len(lines) == 1 else rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{_NEXT.join(lines)}\end{{tabular}}"


def _lines(head: str, longest: int = _LONGEST_WORD) -> list[str]:
    """Return a head in lines of at most `longest` characters, broken at words and signs; a longer word makes all lines longer."""
    parts_of_head, lines = _BREAKS.split(printable(head)), [""]
    longest = max(longest, min(_LONG, max(len(part.rstrip()) for part in parts_of_head)))
    for part in parts_of_head:
        for start in range(0, len(part), longest) or (0,):
            piece = part[start : start + longest]
            fits = len((lines[-1] + piece).rstrip()) <= longest
            lines = [*lines[:-1], lines[-1] + piece] if fits else [*lines, piece]
    lines = [line.strip() for line in lines if line.strip()] or [""]
    if len(lines) > 1 and lines[-1] in doc.ARROWS.values():  # an arrow stays beside its measure
        lines[-2:] = [" ".join(lines[-2:])]
    return lines


def printable(text: str) -> str:
    """Return the text with characters unknown to pdflatex replaced by their numbers: `[U+1F600 FE0F]`."""
    return _UNKNOWN.sub(
        lambda found: f"[U+{' '.join(f'{ord(character):04X}' for character in found[0])}]", unicodedata.normalize("NFC", text)
    )


def escaped(text: str) -> str:
    """Return the text in LaTeX."""
    return _LIGATURES.sub("{}", "".join(_ESCAPES.get(character, character) for character in printable(text)))


def prose(text: str) -> str:
    """Return a sentence that may contain any quoted text; long words may be broken into lines, a number and its % may not."""
    words = _PERCENT.sub("\u00a0%", printable(text)).split(" ")
    return " ".join(escaped(word) if len(word) < _LONG else r"\allowbreak{}".join(map(escaped, _PIECES.findall(word))) for word in words)


def documented(text: str) -> str:
    """Return a sentence of receval: words of the program between backticks in typewriter font, symbols between $` and `$."""
    return "".join(_marked(part) if place % 2 else prose(part) for place, part in enumerate(_MARKED.split(text)))


def number(text: str) -> str:
    """Return a number as other forms print it, or the text that replaces it; two hyphens print the dash of a missing one."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return "--" if text == "\u2013" else escaped(text)
    minus, digits, exponent = found.groups()
    sign = "$-$" if minus else ""
    power = rf"$\cdot 10^{{{int(exponent)}}}$" if exponent else ""
    return sign + digits.replace("inf", r"$\infty$") + power


def _marked(text: str) -> str:
    """Return the text between backticks, with or without dollar signs around them."""
    if is_symbol(text):
        return f"${text[2:-2]}$"
    dollar = escaped("$") if text.startswith("$") else ""
    return rf"{dollar}\texttt{{{prose(text.strip('$')[1:-1])}}}{dollar}"
