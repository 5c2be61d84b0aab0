"""Document → LaTeX: a whole document, or tables for a document of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ..document import Alert, Block, Code, Document, Equation, Heading, Paragraph, Points, Section, Sentences, Table, Terms
from .latex_table import parts
from .latex_text import comment, documented, escaped, is_symbol, prose

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
_NEEDED: Final = (
    "Tables made by receval. The preamble of your document needs:",
    r"\usepackage[utf8]{inputenc}",
    r"\usepackage[T1]{fontenc}",
    r"\usepackage{textcomp,amsmath,amssymb,array,booktabs}",
)
_SYMBOLS: Final = (
    r"\begin{list}{}{\settowidth{\labelwidth}{$I_{\mathrm{train}}$}\setlength{\leftmargin}{\labelwidth}"
    r"\addtolength{\leftmargin}{\labelsep}\setlength{\itemsep}{0pt}\setlength{\parsep}{1pt}"
    r"\renewcommand{\makelabel}[1]{#1\hfil}}"
)


def as_latex(document: Document) -> str:
    """Return a whole document if its first block is a title; otherwise its tables alone, for a document of one's own."""
    match document:
        case (Heading(title, 1), *blocks):
            before = (rf"\title{{{escaped(title)}}}" + "\n\\author{}\n\\date{}", "\\begin{document}\n\\maketitle")
            texts = [PREAMBLE, *before, *_texts(blocks, "H"), r"\end{document}"]
        case _:
            texts = [comment(_NEEDED), *_texts(document, "htbp")]
    return "\n\n".join(text.rstrip("\n") for text in texts) + "\n"


def _texts(blocks: Iterable[Block], place: str) -> Iterator[str]:
    """Yield each block, findings that follow each other as one; tables may stand at `place`."""
    for is_finding, some in groupby(blocks, lambda block: isinstance(block, Alert)):
        if is_finding:
            yield _list("description", [_finding(block) for block in some if isinstance(block, Alert)])
        else:
            yield from (text for block in some for text in _in_latex(block, place))


def _in_latex(block: Block, place: str) -> Iterable[str]:
    """Return the texts of a block; links, bars and figures have none."""
    match block:
        case Heading(text, level):
            return [rf"\section{{{escaped(text)}}}" if level < 3 else rf"\subsection*{{{escaped(text)}}}"]
        case Section(_, title, blocks):
            return (rf"\section{{{escaped(title)}}}", *_texts(blocks, place))
        case Paragraph(text):
            return [documented(text)]
        case Points(texts):
            return [_list("points", [rf"\item {documented(text)}" for text in texts])]
        case Sentences(texts):
            return [_list("points", [rf"\item {prose(text)}" for text in texts])]
        case Terms(rows, about, code):
            return [*([documented(about)] if about else []), _terms(rows, code)]
        case Code(text):
            return [r" \\".join(rf"\texttt{{{escaped(line)}}}" + "\n" for line in text.splitlines())]
        case Equation(lines):
            return ["\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}"]
        case Table():
            return parts(block, place)
        case _:
            return []


def _list(environment: str, items: Iterable[str]) -> str:
    return "\n".join((rf"\begin{{{environment}}}", *items, rf"\end{{{environment}}}"))


def _terms(rows: Sequence[tuple[str, str]], code: bool) -> str:
    """Terms with their meanings; those that are all symbols stand narrower."""
    terms = [rf"\texttt{{{prose(term)}}}" if code else documented(term) for term, _ in rows]
    items = [rf"\item[{f'{{{term}}}' if ']' in term else term}] {documented(text)}" for term, (_, text) in zip(terms, rows, strict=True)]
    if all(is_symbol(term) for term, _ in rows):
        return "\n".join((_SYMBOLS, *items, r"\end{list}"))
    return _list("description", items)


def _finding(alert: Alert) -> str:
    advice = [f"{alert.advice[:1].upper()}{alert.advice[1:].rstrip('.')}."] if alert.advice else []
    return rf"\item[{prose(alert.head)}] {prose(' '.join((alert.text, *(f'{detail}.' for detail in alert.details), *advice)))}"
