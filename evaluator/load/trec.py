"""TREC files: runs (`qid Q0 docno rank score tag`) and qrels (`qid iter docno rel`), separated by white space.

As trec_eval reads them: lines that begin with # are comments, and whatever follows the tag of a run is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..errors import DataError

RUN: Final = ("qid", "Q0", "docno", "rank", "score", "tag")
QRELS: Final = ("qid", "iter", "docno", "rel")
_LAYOUTS: Final = {"lists": RUN, "policy": RUN, "predictions": RUN, "interactions": QRELS}
COMMENT: Final = "#"
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GRADE: Final = re.compile("-?[0-9]{1,3}")
"""A grade: a time stamp, which other files of four columns end in, has more digits."""


def layout(where: str, table: str) -> tuple[str, ...]:
    """The columns of the TREC file that a table is read from; `DataError` if there is no such file."""
    if table not in _LAYOUTS:
        raise DataError(
            f"{where}: TREC files can only contain judgements (qrels) and recommendations (runs)", "set the format of this file"
        )
    return _LAYOUTS[table]


def is_comment(line: str) -> bool:
    """Return whether a line is a comment."""
    return line.lstrip().startswith(COMMENT)


def numbered_rows(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return the line number and the fields of every line that is neither blank nor a comment."""
    return [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip() and not is_comment(line)]


def has_width(row: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether a row has the fields of these columns; behind the tag of a run there may be more."""
    return len(row) == len(names) or (tuple(names) == RUN and len(row) > len(RUN))


def recognised(table: str, lines: Sequence[str]) -> bool:
    """Whether the first lines are those of a TREC file: of a run by its second field, Q0; of qrels by a 0 there and a small grade."""
    rows = [row for _, row in numbered_rows(lines)]
    if _LAYOUTS.get(table) == RUN:
        return bool(rows) and all(_is_run_row(row) for row in rows)
    if _LAYOUTS.get(table) == QRELS:
        return bool(rows) and all(len(row) == len(QRELS) and row[1].upper() in ("0", "Q0") and _GRADE.fullmatch(row[3]) for row in rows)
    return False


def disabled_rows(lines: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return the numbers of the comments that would be rows of these columns without their #."""
    numbers = [names.index(name) for name in ("rank", "score", "rel") if name in names]
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if is_comment(line)]
    return [number for number, row in rows if has_width(row, names) and all(_NUMBER.fullmatch(row[index]) for index in numbers)]


def _is_run_row(row: Sequence[str]) -> bool:
    """Return whether a row has Q0 as its second field; one with words behind the tag also needs numbers where a run has them."""
    if not has_width(row, RUN) or row[1].upper() != "Q0":
        return False
    return len(row) == len(RUN) or bool(_NUMBER.fullmatch(row[3]) and _NUMBER.fullmatch(row[4]))
