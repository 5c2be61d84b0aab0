"""Tables in LaTeX: with the rules of booktabs, in as many parts as it takes to fit the width and the height of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from .escape import escaped, printable, prose

WIDTH: Final = 92
"""How many characters have room beside each other in a table."""
_HEIGHT: Final = 42
"""How many lines a table has at most, so that it fits on a page with its caption."""
_GAP: Final = 2
_LONGEST_NAME: Final = 30
_LONGEST_WORD: Final = 10
_OVER_SEVERAL: Final = 20
"""How long a line of the head of a group is at most."""
_NEXT: Final = r" \\ "
_BREAKS: Final = re.compile(r"(?<=[,;_ /|-])|(?=[(@])|(?<=[a-z])(?=[A-Z])")


class LatexColumn(Struct, frozen=True):
    """A column: its `head`, the `group` of columns that it stands in (with a heading of their own), and its cells in LaTeX.

    `width` is about how many characters the widest cell has, `raised` how many of them are raised behind a number. Texts stand to the left.
    """

    head: str
    cells: tuple[str, ...]
    width: int
    group: str = ""
    raised: int = 0
    is_text: bool = False


class LatexTable(Struct, frozen=True):
    """A table: its first columns stand in every part, the others as far as there is room.

    Before each line in `rules` stands a rule, and a heading unless that is empty. `caption`, headings and `notes` are texts, not LaTeX;
    notes stand below the last part. `label` names the table for references.
    """

    caption: str
    label: str
    keys: tuple[LatexColumn, ...]
    columns: tuple[LatexColumn, ...]
    rules: Mapping[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def text_column(head: str, texts: Sequence[str]) -> LatexColumn:
    """A column of names; of long ones the middle is left out."""
    shown = shortened(texts)
    return LatexColumn(head, tuple(map(escaped, shown)), max(map(len, (head, *shown))), is_text=True)


def shortened(names: Sequence[str]) -> list[str]:
    """Names without the middle of long ones; where two would be the same with a number."""
    shown: dict[str, str] = {}
    for name in names:
        whole = printable(name)
        short = whole if len(whole) <= _LONGEST_NAME else f"{whole[: _LONGEST_NAME // 2]}\u2026{whole[-(_LONGEST_NAME // 2 - 4) :]}"
        n = 1 + sum(short == other.partition(" (")[0] for full, other in shown.items() if full != name)
        shown.setdefault(name, short if n == 1 else f"{short} ({n})")
    return [shown[name] for name in names]


def names_in_full(names: Sequence[str]) -> list[str]:
    """A sentence for each name that is not shown in full."""
    pairs = dict(zip(names, shortened(names), strict=True))
    return [f"{short} is {name}." for name, short in pairs.items() if printable(name) != short]


def parts(table: LatexTable, place: str = "htbp", width: int = WIDTH) -> list[str]:
    """The table as environments of LaTeX, as many as it takes; `place` says where they may stand."""
    room = width - sum(column.width + _GAP for column in table.keys)
    across = _balanced(table.columns, max(room, width // 3))
    n_lines = len(table.keys[0].cells)
    down = [range(start, min(start + _HEIGHT, n_lines)) for start in range(0, n_lines, _HEIGHT)] or [range(0)]
    pieces = [(lines, columns) for columns in across for lines in down]
    made = []
    for n, (lines, columns) in enumerate(pieces, 1):
        piece = replace(table, columns=tuple(columns), notes=table.notes if n == len(pieces) else ())
        made.append(_environment(piece, lines, place, *_caption(table, n, len(pieces))))
    return made


def _caption(table: LatexTable, n: int, of: int) -> tuple[str, str]:
    """The caption in LaTeX and the label of one of several parts; those after the first refer to it."""
    if of == 1:
        return prose(table.caption), table.label
    if n == 1:
        return prose(f"{table.caption} Part 1 of {of}."), f"{table.label}-1"
    return (
        rf"{prose(table.caption.partition('. ')[0].rstrip('.'))}: part {n} of {of}, as Table~\ref{{{table.label}-1}}.",
        f"{table.label}-{n}",
    )


def _balanced(columns: Sequence[LatexColumn], room: int) -> list[list[LatexColumn]]:
    """The columns in as few parts as have room, of about one width."""
    best = list(_across(columns, room))
    for narrower in range(room - 1, 0, -1):
        tried = list(_across(columns, narrower))
        if len(tried) > len(best):
            break
        best = tried
    return best


def _across(columns: Sequence[LatexColumn], room: int) -> Iterator[list[LatexColumn]]:
    """The columns in parts that have room; those of a group stay together if they can."""
    groups: list[list[LatexColumn]] = []
    for column in columns:
        if groups and _is_in_group(column, groups[-1]) and _width([*groups[-1], column]) <= room:
            groups[-1].append(column)
        else:
            groups.append([column])
    part: list[LatexColumn] = []
    for group in groups:
        if part and _width([*part, *group]) > room:
            yield part
            part = []
        part = [*part, *group]
    yield part


def _is_in_group(column: LatexColumn, group: Sequence[LatexColumn]) -> bool:
    return bool(column.group) and group[0].group == column.group


def _width(columns: Sequence[LatexColumn]) -> int:
    """About how many characters columns have beside each other, with the heads of their groups."""
    width, group, start = 0, "", 0
    for column in columns:
        if column.group != group:
            group, start = column.group, width
        width += max(column.width, *map(len, _lines(column.head))) + column.raised + _GAP
        width = max(width, start + max(map(len, _lines(group, _OVER_SEVERAL))) + _GAP)
    return width


def _environment(table: LatexTable, lines: range, place: str, caption: str, label: str) -> str:
    columns = (*table.keys, *table.columns)
    alignment = "".join("l" if column.is_text else _right(column) for column in columns)
    rows = []
    for line in lines:
        heading = table.rules.get(line)
        rows += [r"\midrule"] if heading is not None and line != lines.start else []
        rows += [rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{\emph{{{escaped(heading)}}}}} \\"] if heading else []
        rows.append(" & ".join(column.cells[line] for column in columns) + r" \\")
    notes = [rf"\par\medskip\footnotesize\raggedright {' '.join(map(prose, table.notes))}"] if table.notes else []
    return "\n".join(
        (
            rf"\begin{{table}}[{place}]",
            r"\centering\small",
            rf"\caption{{{caption}}}\label{{{label}}}\smallskip",
            rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
            r"\toprule",
            *_heads(columns),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        )
    )


def _right(column: LatexColumn) -> str:
    """The alignment of a column of numbers; behind it is space for what is raised."""
    return rf"r<{{\hspace{{{0.2 + 0.45 * column.raised:.2f}em}}}}" if column.raised else "r"


def _heads(columns: Sequence[LatexColumn]) -> list[str]:
    """The line of groups, where several columns make one, with rules below them, and the line of heads."""
    if not any(column.group for column in columns):
        return [" & ".join(map(_head, columns)) + r" \\"]
    above: list[str] = []
    rules: list[str] = []
    heads: list[str] = []
    place = 1
    while place <= len(columns):
        column = columns[place - 1]
        span = 1
        while column.group and place + span <= len(columns) and columns[place + span - 1].group == column.group:
            span += 1
        above.append(rf"\multicolumn{{{span}}}{{c}}{{{_stacked(column.group, _OVER_SEVERAL)}}}" if column.group else "")
        rules += [rf"\cmidrule(lr){{{place}-{place + span - 1}}}"] if column.group else []
        heads += map(_head, columns[place - 1 : place - 1 + span])
        place += span
    return [" & ".join(above) + r" \\", "".join(rules), " & ".join(heads) + r" \\"]


def _head(column: LatexColumn) -> str:
    return _stacked(column.head)


def _stacked(head: str, longest: int = _LONGEST_WORD) -> str:
    lines = [escaped(line) for line in _lines(head, longest)]
    return lines[0] if len(lines) == 1 else rf"\begin{{tabular}}[b]{{@{{}}c@{{}}}}{_NEXT.join(lines)}\end{{tabular}}"


def _lines(head: str, longest: int = _LONGEST_WORD) -> list[str]:
    """A head in lines that are not too long, broken where its words and signs allow."""
    lines = [""]
    for part in _BREAKS.split(printable(head)):
        for start in range(0, len(part), longest) or (0,):
            piece = part[start : start + longest]
            fits = len((lines[-1] + piece).rstrip()) <= longest
            lines = [*lines[:-1], lines[-1] + piece] if fits else [*lines, piece]
    return [line.strip() for line in lines if line.strip()] or [""]
