"""What a gate found, in words: a remark for a table and a sentence that stands alone."""

from __future__ import annotations

from typing import Final

from .digits import percent, plain
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
    """The observed difference: `−1.9 %, at worst −5.3 %`, with the bound that decides; of a limit the value itself."""
    if test.kind in ("min", "max"):
        return "" if test.value is None else plain(test.value)
    if test.difference is None:
        return ""
    bound, word = (test.low, "worst") if test.meets else (test.high, "best")
    text = _size(test, test.difference, sign=True)
    return text if bound is None else f"{text}, at {word} {_size(test, bound, sign=True)}"


def remark(test: GateTest, measure: str = "the value") -> str:
    """Why the outcome is what it is, in a few words; nothing where that is plain."""
    if test.meets is None:
        return "no value to judge"
    if test.by_value:
        return "judged by the value" if test.kind in ("min", "max") else "no value per user: judged by the value"
    if test.outcome == "pass":
        return ""
    if test.outcome == "fail":
        return _violation(test)
    if test.n_changed == 0:
        return _unchanged(test, measure)
    return _doubt(test)


def gate_sentence(subject: Subject, test: GateTest) -> str:
    """One sentence that stands alone."""
    found, why = observed_text(test), remark(test, subject.measure)
    place = subject.measure if subject.group is None else f"{subject.measure} of {subject.by} {subject.group}"
    of_model = rule_text(f"{place} of {subject.model}", test)
    against = "" if test.kind in ("min", "max") else f" against {subject.base}"
    verdict = {"pass": "holds", "fail": "does not hold", "inconclusive": "is inconclusive", None: "cannot be judged"}[test.outcome]
    told = "; ".join(part for part in (found, why) if part)
    return f"“{of_model}{against}” {verdict}{f': {told}' if told else ''}."


def _violation(test: GateTest) -> str:
    """That the rule is shown to be violated."""
    if test.kind == "max_loss":
        return f"loss exceeds the limit of {_size(test, test.limit)}" if test.limit else "it is worse"
    return f"gain is below the limit of {_size(test, test.limit)}" if test.limit else "there is no gain"


def _unchanged(test: GateTest, measure: str) -> str:
    """What may be so among all users although no user of these changed: by the exact bound of a share of which none was seen."""
    share = 1 - (1 - test.level) ** (1 / test.n_users)
    start = f"no user changed; up to {_percentage(100 * share)} of users may have ({percent(test.level)})"
    if test.kind == "min_gain":
        return start if test.high is None else f"{start}: {measure} gains at most {_size(test, test.high)}"
    return start + ("" if test.low is None else f": {measure} loses at most {_size(test, -test.low)}") + _takes(test)


def _doubt(test: GateTest) -> str:
    """Why a rule is neither shown to hold nor to be violated."""
    if test.kind == "min_gain":
        return f"a gain of {_size(test, test.limit)} is possible but not shown" if test.limit else "a gain is possible but not shown"
    if test.detectable is None:
        return "too few users for an interval" if test.low is None else "the true loss may be smaller or larger"
    if test.relative and test.detectable >= 1:
        return f"{_users(test)} cannot rule out any loss{_takes(test)}"
    if test.detectable > test.limit:
        return f"{_users(test)} can only rule out losses above {_size(test, test.detectable)}{_takes(test)}"
    return f"the true loss may be below or above {_size(test, test.limit)}"


def _takes(test: GateTest) -> str:
    if test.needs is not None and test.detectable is not None and test.limit < test.detectable:
        limit = f"{_size(test, test.limit)} needs " if test.needs.users else ""
        return f"; {limit}{needs_text(test.needs)}"
    return "" if test.users_needed is None else f"; {_size(test, test.limit)} needs {test.users_needed:,} users"


def _users(test: GateTest) -> str:
    return "1 user" if test.n_users == 1 else f"{test.n_users:,} users"


def _percentage(number: float) -> str:
    return f"{number:.2g} %"


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
