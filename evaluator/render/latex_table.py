"""A table in LaTeX: with the rules of booktabs, in as many parts as it takes to fit the width and the height of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ..document import Cell, Column, Table, directed
from .latex_text import escaped, number, printable, prose

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
_MARKS: Final[Mapping[str, str]] = {"best": r"\textbf{%s}", "untested": r"\textbf{%s}", "second": r"\underline{%s}"}
_DAGGERS: Final[Mapping[str, str]] = {"\u2020": r"\dagger", "\u2021": r"\ddagger"}


class _Column(Struct, frozen=True):
    """A column in LaTeX: its head, the head of its `group`, which stands above several, and its cells.

    `width` is about how many characters the widest cell has, `raised` how many of them are raised behind a number. Texts stand to the left.
    """

    head: str
    group: str
    cells: tuple[str, ...]
    width: int
    raised: int = 0
    is_text: bool = False

    @staticmethod
    def of(column: Column, cells: Sequence[Cell]) -> _Column:
        group = directed(column.group, column.direction) if column.group else ""
        head = column.title if group else directed(column.title, column.direction)
        if not column.is_number:
            shown = shortened([directed(f"{cell.text} {cell.note}" if cell.note else cell.text, cell.direction) for cell in cells])
            return _Column(head, group, tuple(map(escaped, shown)), max(map(len, (head, *shown))), is_text=True)
        width = max((len(f"{cell.text} ± {cell.spread}" if cell.spread else cell.text) for cell in cells), default=0)
        return _Column(head, group, tuple(map(_number, cells)), width, max((len(cell.note) for cell in cells), default=0))


def _number(cell: Cell) -> str:
    """A number as it is marked, with its spread, and with what stands raised behind it, which takes no room."""
    shown = _MARKS.get(cell.mark, "%s") % number(cell.text)
    spread = rf"{{\scriptsize\,$\pm$\,{number(cell.spread)}}}" if cell.spread else ""
    return shown + spread + (rf"\rlap{{$^{{{_raised(cell.note)}}}$}}" if cell.note else "")


def _raised(note: str) -> str:
    letters = rf"\mathrm{{{note}}}" if note.isascii() and note.isalpha() else rf"\text{{{escaped(note)}}}"
    return _DAGGERS.get(note, letters)


def shortened(names: Sequence[str]) -> list[str]:
    """Names without the middle of long ones; where two would be the same with a number."""
    shown: dict[str, str] = {}
    for name in names:
        whole = printable(name)
        short = whole if len(whole) <= _LONGEST_NAME else f"{whole[: _LONGEST_NAME // 2]}\u2026{whole[-(_LONGEST_NAME // 2 - 4) :]}"
        n = 1 + sum(short == other.partition(" (")[0] for full, other in shown.items() if full != name)
        shown.setdefault(name, short if n == 1 else f"{short} ({n})")
    return [shown[name] for name in names]


def parts(table: Table, place: str = "htbp") -> list[str]:
    """Return the table as environments of LaTeX, as many as it takes; `place` says where they may stand."""
    columns = [_Column.of(column, [row[n] for row in table.rows]) for n, column in enumerate(table.columns)]
    n_keys = next((n for n, column in enumerate(table.columns) if column.role not in ("key", "name")), len(columns))
    keys, others = tuple(columns[:n_keys]), columns[n_keys:]
    room = WIDTH - sum(column.width + _GAP for column in keys)
    across = _balanced(others, max(room, WIDTH // 3))
    n_lines = len(table.rows)
    down = [range(start, min(start + _HEIGHT, n_lines)) for start in range(0, n_lines, _HEIGHT)] or [range(0)]
    pieces = [((*keys, *some), lines) for some in across for lines in down]
    rules = {**table.rules, **({n_lines - table.apart: ""} if table.apart else {})}
    last = replace(table, rules=rules, notes=(*table.notes, *_names_in_full(table)))
    tables = [*([replace(last, notes=())] * (len(pieces) - 1)), last]
    captions = [_caption(table, n, len(pieces)) for n in range(1, len(pieces) + 1)]
    return [_environment(some, lines, one, caption, place) for (some, lines), one, caption in zip(pieces, tables, captions, strict=True)]


def _names_in_full(table: Table) -> Iterator[str]:
    """A sentence for each name of the table that is not shown in full."""
    for n, column in enumerate(table.columns):
        names = [row[n].text for row in table.rows] if column.role == "name" else []
        shown = dict(zip(names, shortened(names), strict=True))
        yield from (f"{short} is {name}." for name, short in shown.items() if printable(name) != short)


def _caption(table: Table, n: int, of: int) -> tuple[str, str]:
    """The caption in LaTeX, and the label of one of several parts; those after the first refer to it."""
    label = f"tab:{table.id}"
    if of == 1:
        return prose(table.caption), label
    if n == 1:
        return prose(f"{table.caption} Part 1 of {of}."), f"{label}-1"
    return rf"{prose(table.caption.partition('. ')[0].rstrip('.'))}: part {n} of {of}, as Table~\ref{{{label}-1}}.", f"{label}-{n}"


def _balanced(columns: Sequence[_Column], room: int) -> list[list[_Column]]:
    """The columns in as few parts as have room, of about one width."""
    best = list(_across(columns, room))
    for narrower in range(room - 1, 0, -1):
        tried = list(_across(columns, narrower))
        if len(tried) > len(best):
            break
        best = tried
    return best


def _across(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    """The columns in parts that have room; those of a group stay together if they can."""
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


def _width(columns: Sequence[_Column]) -> int:
    """About how many characters columns have beside each other, with the heads of their groups."""
    width, group, start = 0, "", 0
    for column in columns:
        if column.group != group:
            group, start = column.group, width
        width += max(column.width, *map(len, _lines(column.head))) + column.raised + _GAP
        width = max(width, start + max(map(len, _lines(group, _OVER_SEVERAL))) + _GAP)
    return width


def _environment(columns: Sequence[_Column], lines: range, table: Table, caption: tuple[str, str], place: str) -> str:
    alignment = "".join("l" if column.is_text else _right(column) for column in columns)
    notes = [rf"\par\medskip\footnotesize\raggedright {' '.join(map(prose, table.notes))}"] if table.notes else []
    return "\n".join(
        (
            rf"\begin{{table}}[{place}]",
            r"\centering\small",
            rf"\caption{{{caption[0]}}}\label{{{caption[1]}}}\smallskip",
            rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
            r"\toprule",
            *_heads(columns),
            r"\midrule",
            *(text for line in lines for text in _line(line, columns, table.rules.get(line), line == lines.start)),
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
        )
    )


def _line(line: int, columns: Sequence[_Column], heading: str | None, is_first: bool) -> Iterator[str]:
    """A line of a table, below the rule and the heading that it has, if any."""
    if heading is not None and not is_first:
        yield r"\midrule"
    if heading:
        yield rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{\emph{{{escaped(heading)}}}}} \\"
    yield " & ".join(column.cells[line] for column in columns) + r" \\"


def _right(column: _Column) -> str:
    """The alignment of a column of numbers; behind it is space for what is raised."""
    return rf"r<{{\hspace{{{0.2 + 0.45 * column.raised:.2f}em}}}}" if column.raised else "r"


def _heads(columns: Sequence[_Column]) -> list[str]:
    """The line of groups, where several columns make one, with rules below them, and the line of heads."""
    if not any(column.group for column in columns):
        return [" & ".join(_stacked(column.head) for column in columns) + r" \\"]
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
        heads += (_stacked(one.head) for one in columns[place - 1 : place - 1 + span])
        place += span
    return [" & ".join(above) + r" \\", "".join(rules), " & ".join(heads) + r" \\"]


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
