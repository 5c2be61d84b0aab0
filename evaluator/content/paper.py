"""A result and a comparison as a paper has them: tables alone, or a whole document with definitions, data and findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from ..config.run_sections import LatexStyle
from ..document import Alert, Block, Column, Document, Heading, Paragraph, Points, Section, Table
from ..results.comparison import Comparison, conclusions
from ..results.description import Description
from ..results.result import Result
from .description import document as files_hold
from .differences import LETTERS, groups_table, joined_table, letters_table, shows_pairs, subtitle, title
from .findings import alerts
from .paper_definitions import definitions
from .paper_values import achieved_tables, changes, group_tables, repeats_tables, values_table

PLAIN: Final = LatexStyle()
_TABLES_OF_FILES: Final = 3
"""Tables of a description that have a column per file."""


def result_tables(result: Result, comparison: Comparison | None = None, style: LatexStyle = PLAIN) -> Document:
    """Return the tables of a result, for a document of one's own; with a comparison also that of differences."""
    return (*_of_result(result, comparison, style), *_compared(comparison, style))


def comparison_tables(comparison: Comparison, style: LatexStyle = PLAIN) -> Document:
    """Return the tables of a comparison alone."""
    return tuple(_compared(comparison, style, with_results=False))


def paper_document(
    result: Result,
    comparison: Comparison | None = None,
    style: LatexStyle = PLAIN,
    title: str = "Evaluation of recommendations",
    sentences: Sequence[str] = (),
) -> Document:
    """Return a whole document: `sentences` on what is concluded (or those of the comparison), values, data, definitions, findings."""
    sentences = sentences or (conclusions(comparison) if comparison is not None else ())
    found = (
        ("Summary", _summary(result, sentences)),
        ("Results", _of_result(result, comparison, style)),
        ("Comparison", _compared(comparison, style)),
        ("Groups, folds and runs", (*repeats_tables(result, style.digits), *group_tables(result, style.digits))),
        ("Data", (_inputs(result), *_described(result.description))),
        ("Definitions", definitions(result)),
        ("Health checks", _findings(result)),
    )
    sections = (Section(name.partition(",")[0].lower().replace(" ", "-"), name, tuple(blocks)) for name, blocks in found)
    return (Heading(title), *(section for section in sections if section.blocks))


def _of_result(result: Result, comparison: Comparison | None, style: LatexStyle) -> Iterator[Table]:
    yield values_table(result, comparison, style)
    yield from achieved_tables(result)


def _compared(comparison: Comparison | None, style: LatexStyle, *, with_results: bool = True) -> Iterator[Table]:
    """The differences; of all pairs of many models the letters, which say the same in less room, unless they stand in the results."""
    if comparison is None:
        return
    if shows_pairs(comparison):
        yield joined_table(comparison)
    elif style.marks != "letters" or not with_results:
        caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}. {LETTERS}."
        yield replace(replace(letters_table(comparison, style.digits), corner="").turned(), caption=caption, notes=comparison.notes)
    if comparison.by_group:
        caption = f"Comparison of {title(comparison)}, within groups, corrected together."
        table = groups_table(comparison)
        yield replace(table, caption=caption, id="comparison-groups", rules=changes([row[0].text for row in table.rows]))


def _summary(result: Result, sentences: Sequence[str]) -> Iterator[Block]:
    n, labels = len(result.models) - len(result.yardsticks), len(result.labels())
    beside = f", beside {' and '.join(result.yardsticks)}" if result.yardsticks else ""
    version = f" with receval {result.versions['receval']}" if "receval" in result.versions else ""
    yield Paragraph(f"{n} model{'' if n == 1 else 's'}{beside}, {labels} measure{'' if labels == 1 else 's'}, evaluated{version}.")
    yield from (Points(tuple(texts)) for texts in (sentences, result.notes()) if texts)


def _inputs(result: Result) -> Table:
    """The sources, their rows, and of their files the size and the beginning of the hash."""
    rows = (
        (source.role, file.path, f"{source.rows:,}", f"{file.bytes:,}", file.sha256[:12])
        for source in result.inputs
        for file in source.files
    )
    columns = (Column("source", "key"), Column("file"), Column("rows", "counts"), Column("bytes", "counts"), Column("SHA-256"))
    caption = "Sources; the rows are those of all files of a source."
    return replace(Table.of_texts(columns, rows, caption), id="inputs")


def _described(description: Description | None) -> Iterator[Table]:
    """What the files hold, one line per file, and what they have in common."""
    blocks = files_hold(description) if description is not None else ()
    named = [(before, block) for before, block in pairwise(blocks) if isinstance(before, Heading) and isinstance(block, Table)]
    for place, (heading, table) in enumerate(named, 1):
        of_files = place <= _TABLES_OF_FILES
        shown = table.turned() if of_files else table
        yield replace(shown, caption=f"{heading.text}.", id=f"data-{place}" if of_files else "data-overlaps")


def _findings(result: Result) -> Iterator[Block]:
    """Findings of the health checks, without the examples, which name users."""
    yield from (replace(one, examples=(), details=()) for one in alerts(result.findings) if isinstance(one, Alert))
    if result.examined and not result.findings:
        yield Paragraph("No findings.")
