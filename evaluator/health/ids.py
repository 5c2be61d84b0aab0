"""X03 and X04: ids that two files have in common, and those they would have if somebody mended them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import narwhals as nw

from ..frames import Frame
from .examiner import Examiner, Symptom, shared

_MENDED: Final[Mapping[str, Callable[[nw.Expr], nw.Expr]]] = {
    "white space": lambda text: text.str.strip_chars(),
    "case": lambda text: text.str.to_lowercase(),
    "leading zeros": lambda text: text.str.replace_all("^0+", ""),
    "a final .0": lambda text: text.str.replace_all(r"\.0+$", ""),
}


class Ids(NamedTuple):
    """The distinct ids (column `user` or `item`) of one role, and what the file calls them and stores them as."""

    role: str
    frame: Frame
    name: str
    stored: str


def ids(x: Examiner, column: str, own: Ids, others: Ids, known: Frame, *, model: str = "", must_meet: bool = False) -> list[Symptom]:
    """What is odd about the ids of `own` as they meet those of `others`; ids of `known` are fine wherever they come from.

    With `must_meet` there must be one that both have.
    """
    found: list[Symptom] = []
    if must_meet and x.asks("X03") and not x.size(own.frame.join(others.frame, on=column, how="semi")):
        n = x.size(own.frame)
        sentence = f"No {column} of {own.role} stands in {others.role}: {_shown(x, others, column)}; {_shown(x, own, column)}."
        found += x.symptom("X03", sentence, n, n, model=model)
    if not x.asks("X04"):
        return found
    if x.engine.collect(own.frame.head(0)).schema[column] == nw.String:
        found += _mendable(x, column, own, known, model)
    if own.stored != others.stored and not found:
        sentence = f"The {column} ids are {own.stored} in {own.role} and {others.stored} in {others.role}; they are compared as text."
        found += x.symptom("X04", sentence, x.size(own.frame), x.size(own.frame), model=model, severity="info")
    return found


def _mendable(x: Examiner, column: str, own: Ids, known: Frame, model: str) -> list[Symptom]:
    strange = own.frame.join(known, on=column, how="anti")
    if not x.size(strange):
        return []
    matches = _matched(strange, known, column, _all_mended)
    n, total = x.size(matches), x.size(own.frame)
    if not n:
        return []
    counts = {what: x.size(_matched(strange, known, column, mend)) for what, mend in _MENDED.items()}
    causes = ", ".join(f"{what} {count:,}" for what, count in counts.items() if count) or "several of these at once"
    sentence = f"{shared(n, total, f'{column} ids')} of {own.role} would be those of another file if they were mended ({causes})."
    some = x.engine.collect(matches.sort(column).head(5).select(column, "other")).rows()
    examples = tuple(f"{mine!r} is there as {other!r}" for mine, other in sorted(some))
    return x.symptom("X04", sentence, n, total, model=model, examples=examples, rows=lambda: matches)


def _all_mended(text: nw.Expr) -> nw.Expr:
    for mend in _MENDED.values():
        text = mend(text)
    return text


def _matched(strange: Frame, others: Frame, column: str, mend: Callable[[nw.Expr], nw.Expr]) -> Frame:
    """The `strange` ids that are those of `others` once both are mended, each once, with one of these as `other`."""
    theirs = others.select(other=nw.col(column), key=mend(nw.col(column))).group_by("key").agg(nw.col("other").min())
    return strange.select(column, key=mend(nw.col(column))).join(theirs, on="key", how="inner").drop("key")


def _shown(x: Examiner, ids: Ids, column: str) -> str:
    some = sorted(x.engine.collect(ids.frame.select(column).sort(column).head(3))[column].to_list())
    return f"{ids.role} ({ids.name!r}, {ids.stored}) has {', '.join(map(repr, some))}"
