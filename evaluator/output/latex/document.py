"""A result as a document in LaTeX: what was found, by which definitions, on which data; and its tables alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ...config.reporting import LatexStyle
from ...content.differences import MOST_PAIRED
from ...content.findings import titled
from ...content.values import Formats
from ...results.comparison import Comparison
from ...results.conclusions import conclusions
from ...results.result import Result
from .caption import caption_of, definitions_in_short
from .data import data_tables, inputs_table
from .definitions import definition_sections, notation, protocol_choices
from .differences import differences_table, groups_table, letters_table
from .escape import comment, escaped, prose
from .marks import Tested, marks_of
from .table import achieved_table, group_tables, repeats_tables, values_table
from .tabular import LatexTable, names_in_full, parts

PLAIN: Final = LatexStyle()
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
    "Tables made by receval. In the preamble of the document that takes them in:",
    r"\usepackage[utf8]{inputenc}",
    r"\usepackage[T1]{fontenc}",
    r"\usepackage{textcomp,amsmath,amssymb,array,booktabs}",
)


def as_latex(result: Result) -> bytes:
    """The tables of a result, or a whole document, in the style of its config; no models are compared."""
    style = LatexStyle.model_validate(result.config.get("report", {}).get("latex", {}))
    return document_as_latex(result, style=style) if style.document else tables_as_latex(result, style=style)


def tables_as_latex(result: Result, comparison: Comparison | None = None, tested: Tested | None = None, style: LatexStyle = PLAIN) -> bytes:
    """The tables of a result, for a document of one's own; with a comparison also that of differences."""
    return _joined(
        (comment(_NEEDED), *_environments((*_of_result(result, comparison, tested, style), *_compared(comparison, style))))
    ).encode()


def comparison_as_latex(comparison: Comparison, style: LatexStyle = PLAIN) -> bytes:
    """The tables of a comparison alone."""
    return _joined((comment(_NEEDED), *_environments(_compared(comparison, style, with_results=False)))).encode()


def document_as_latex(
    result: Result,
    comparison: Comparison | None = None,
    tested: Tested | None = None,
    style: LatexStyle = PLAIN,
    title: str = "Evaluation of recommendations",
    sentences: Sequence[str] = (),
) -> bytes:
    """A whole document: `sentences` of what is concluded (by default those of the comparison), values, data, definitions, findings."""
    sentences = sentences or (conclusions(comparison) if comparison is not None else ())
    return _joined(
        (
            PREAMBLE.rstrip("\n"),
            rf"\title{{{escaped(title)}}}" + "\n" + r"\author{}" + "\n" + r"\date{}",
            r"\begin{document}" + "\n" + r"\maketitle",
            *_section("Summary", (_summary(result), _list(sentences), _list(result.notes()))),
            *_section("Results", _environments(_of_result(result, comparison, tested, style), "H")),
            *_section("Comparison", _environments(_compared(comparison, style), "H")),
            *_section(
                "Groups, folds and runs", _environments((*repeats_tables(result, style.digits), *group_tables(result, style.digits)), "H")
            ),
            *_section("Data", _environments((inputs_table(result), *_described(result)), "H")),
            *_section("Definitions", _definitions(result)),
            *_section("Health checks", (_findings(result),)),
            r"\end{document}",
        )
    ).encode()


def _of_result(result: Result, comparison: Comparison | None, tested: Tested | None, style: LatexStyle) -> Iterator[LatexTable]:
    formats = Formats.of(result.rows, style.digits)
    marks = marks_of(result, formats, style, comparison, tested)
    yield values_table(result, marks, formats, caption_of(result, marks), (*definitions_in_short(result), *names_in_full(result.models)))
    yield from achieved_table(result)


def _compared(comparison: Comparison | None, style: LatexStyle, *, with_results: bool = True) -> Iterator[LatexTable]:
    """The differences; of all pairs of many models the letters, which say the same in less room, unless they stand in the results."""
    if comparison is None:
        return
    if not comparison.letters or len(comparison.models) <= MOST_PAIRED:
        yield differences_table(comparison)
    elif style.marks != "letters" or not with_results:
        yield letters_table(comparison, style.digits)
    yield from groups_table(comparison)


def _environments(tables: Iterable[LatexTable], place: str = "htbp") -> list[str]:
    return [text for one in tables for text in parts(one, place)]


def _described(result: Result) -> Iterator[LatexTable]:
    return data_tables(result.description) if result.description is not None else iter(())


def _definitions(result: Result) -> Iterator[str]:
    yield r"\subsection*{Notation}" + "\n\n" + notation(result)
    yield ("In the descriptions of choices $R$ is $|T_u|$, the number of relevant items of the user.")
    yield from definition_sections(result)
    choices = protocol_choices(result)
    if choices:
        yield "\\subsection*{What all measures share}\n\nWhere a measure differs, it stands with the measure.\n\n\\begin{points}\n" + (
            choices + "\n\\end{points}"
        )


def _summary(result: Result) -> str:
    models = [model for model in result.models if model not in result.yardsticks]
    n = len(models)
    beside = f", beside {' and '.join(result.yardsticks)}" if result.yardsticks else ""
    labels = len(result.labels())
    version = f" with receval {result.versions['receval']}" if "receval" in result.versions else ""
    return prose(f"{n} model{'' if n == 1 else 's'}{beside}, {labels} measure{'' if labels == 1 else 's'}, evaluated{version}.")


def _findings(result: Result) -> str:
    """What the checks found, without the examples, which name users."""
    lines = []
    for finding in result.findings:
        advice = "" if finding.severity == "info" else f" {finding.advice[:1].upper()}{finding.advice[1:].rstrip('.')}."
        lines.append(rf"\item[{finding.severity} {finding.check}] {prose(titled(finding) + advice)}")
    if lines:
        return "\n".join((r"\begin{description}", *lines, r"\end{description}"))
    return "Nothing was found." if result.examined else ""


def _list(sentences: Sequence[str]) -> str:
    items = [rf"\item {prose(sentence)}" for sentence in sentences]
    return "\n".join((r"\begin{points}", *items, r"\end{points}")) if items else ""


def _section(title: str, texts: Iterable[str]) -> list[str]:
    """A section, if there is anything in it."""
    found = [text for text in texts if text]
    return [rf"\section{{{title}}}", *found] if found else []


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text.rstrip("\n") for text in texts) + "\n"
