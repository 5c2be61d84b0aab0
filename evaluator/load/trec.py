"""TREC files: runs (`qid Q0 docno rank score tag`) and qrels (`qid iter docno rel`), separated by white space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..errors import DataError

RUN: Final = ("qid", "Q0", "docno", "rank", "score", "tag")
QRELS: Final = ("qid", "iter", "docno", "rel")
_LAYOUTS: Final = {"lists": RUN, "policy": RUN, "predictions": RUN, "interactions": QRELS}
_GRADE: Final = 3
"""The most digits of a grade: a time stamp, which other files of four columns end in, has more."""


def layout(where: str, table: str) -> tuple[str, ...]:
    """The columns of the TREC file that a table is read from; `DataError` if there is no such file."""
    if table not in _LAYOUTS:
        raise DataError(f"{where}: TREC files hold judgements and recommendations, and nothing else", "say the format of this file")
    return _LAYOUTS[table]


def recognised(table: str, lines: Sequence[str]) -> bool:
    """Whether the first lines are those of a TREC file: of a run by its second field, Q0; of qrels by a 0 there and a small grade."""
    rows = [line.split() for line in lines if line.strip()]
    if _LAYOUTS.get(table) == RUN:
        return all(len(row) == len(RUN) and row[1].upper() == "Q0" for row in rows)
    if _LAYOUTS.get(table) == QRELS:
        return all(len(row) == len(QRELS) and row[1].upper() in ("0", "Q0") and _is_grade(row[3]) for row in rows)
    return False


def _is_grade(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and len(digits) <= _GRADE
