"""What a gate found, in words: a remark for a table and a sentence that stands alone."""

from __future__ import annotations

from typing import Final

from .digits import plain
from .gates import GateTest
from .power import needs_text
from .records import Subject

_SIGNS: Final = {"min": "≥", "max": "≤"}


def rule_text(measure: str, test: GateTest) -> str:
    """The rule as people read it: `nDCG@10 loses at most 2 %`, `Recall@20 ≥ 0.25`."""
    if test.kind == "min" or test.kind == "max":
        return f"{measure} {_SIGNS[test.kind]} {plain(test.limit)}"
    if test.kind == "min_gain" and test.limit == 0:
        return f"{measure} gains"
    return f"{measure} {'loses at most' if test.kind == 'max_loss' else 'gains at least'} {_size(test, test.limit)}"


def observed_text(test: GateTest) -> str:
    """What was found: `−1.9 %, at worst −5.3 %`, with the bound that decides; the value itself of a limit."""
    if test.kind in ("min", "max"):
        return "" if test.value is None else plain(test.value)
    if test.difference is None:
        return ""
    bound, word = (test.low, "worst") if test.meets else (test.high, "best")
    text = _size(test, test.difference, sign=True)
    return text if bound is None else f"{text}, at {word} {_size(test, bound, sign=True)}"


def remark(test: GateTest) -> str:
    """Why the outcome is what it is, in a few words; nothing where that is plain."""
    if test.meets is None:
        return "no value to judge"
    if test.by_value:
        return "" if test.kind in ("min", "max") else "no value per user: judged by the value"
    if test.state == "likely":
        return f"likely, not shown{'' if test.users_needed is None else f': {_users(test)} can show {_size(test, test.detectable or 0.0)}'}"
    if test.state == "shown":
        return ""
    if test.kind == "min_gain":
        return "less than that" if test.state == "refuted" else "not seen"
    return "worse by more than that" if test.state == "refuted" else "likely worse by more than that"


def gate_sentence(subject: Subject, test: GateTest) -> str:
    """One sentence that stands alone."""
    found, why = observed_text(test), remark(test)
    place = subject.measure if subject.group is None else f"{subject.measure} of {subject.by} {subject.group}"
    of_model = rule_text(f"{place} of {subject.model}", test)
    against = "" if test.kind in ("min", "max") else f" against {subject.base}"
    verdict = {"pass": "holds", "warn": "is not shown", "fail": "does not hold", None: "cannot be judged"}[test.outcome()]
    return f"“{of_model}{against}” {verdict}" + (f": {found}" if found else "") + (f" ({why})" if why else "") + "."


def can_show(measure: str, test: GateTest) -> str | None:
    """What so many users can show: `350 users can show a margin of 5.2 % in Recall@20 (80 %); 2 % takes 2,330.`; else `None`."""
    if test.detectable is None:
        return None
    start = f"{_users(test)} can show a margin of {_size(test, test.detectable)} in {measure} (80 %)"
    if test.needs is not None and test.kind == "max_loss" and test.limit < test.detectable:
        limit = f"{_size(test, test.limit)} needs " if test.needs.users else ""
        return f"{start}; {limit}{needs_text(test.needs)}."
    return f"{start}." if test.users_needed is None else f"{start}; {_size(test, test.limit)} takes {test.users_needed:,}."


def _users(test: GateTest) -> str:
    return "1 user" if test.n_users == 1 else f"{test.n_users:,} users"


def _size(test: GateTest, number: float, sign: bool = False) -> str:
    """A loss, a gain or a margin, to the digit that shows on which side of the limit it is; the limit as it was given."""
    scale = 100 if test.relative else 1
    limit = -test.limit if test.kind == "max_loss" else test.limit
    text = plain(test.limit * scale) if number == test.limit else _apart(number * scale, limit * scale)
    return (f"+{text}" if sign and number > 0 else text) + (" %" if test.relative else "")


def _apart(number: float, limit: float) -> str:
    """Two significant digits, or as many more as it takes not to look like the limit."""
    digits = 2
    while float(f"{number:.{digits}g}") == limit != number and digits < 15:
        digits += 1
    form = f"#.{digits}g" if 1e-4 <= abs(number) < 10**digits else ".0f" if 1 <= abs(number) < 1e7 else f".{digits}g"
    text = f"{number:{form}}"
    return text.removesuffix(".").replace("-", "−")
