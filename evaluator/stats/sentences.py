"""What is concluded of a difference, in one sentence that a person can pass on.

Never "significant", which is taken for "large"; never the probability that a model is better; never "no difference".
"""

from __future__ import annotations

from typing import Final

from .digits import decimals, percent, plain, signed, span
from .records import Difference

SPARSE_BELOW: Final = 10
"""Where fewer users changed the difference is inconclusive: chance may have left out those who change most. P is exact where it can be."""


def sentence_of(difference: Difference) -> str:
    """The sentence for a difference with its verdict."""
    if difference.verdict == "identical":
        return _identical(difference)
    if difference.difference is None or difference.family is None:
        return _unjudged(difference)
    if difference.verdict == "equivalent":
        return _equivalent(difference)
    return _inconclusive(difference) if difference.verdict == "inconclusive" else _shown(difference)


def has_few_changes(difference: Difference) -> bool:
    """Return whether too few users changed for a verdict."""
    return difference.n_changed is not None and difference.n_changed < SPARSE_BELOW


def _place(difference: Difference) -> str:
    """The measure, and the group if it is of one."""
    subject = difference.subject
    return subject.measure if subject.group is None else f"{subject.measure} of {subject.by} {subject.group}"


def _identical(difference: Difference) -> str:
    subject = difference.subject
    users = "" if difference.n_changed is None else f" for {_users(difference.n_users)}"
    return f"{_place(difference)} of {subject.model} and of {subject.base} is identical{users}."


def _unjudged(difference: Difference) -> str:
    subject, d = difference.subject, difference.difference
    if d is None:
        missing = (difference.base_value is None) != (difference.value is None)
        reason = "it has no value for one of them" if missing else "no user has a value of both"
        return f"{_place(difference)} of {subject.model} and of {subject.base} cannot be compared: {reason}."
    start = _comparison(difference)
    if difference.n_users == 1 and difference.n_changed is not None:
        return f"{start}, for one user, who says nothing of others."
    if difference.low is None:
        return f"{start}; without an interval nothing is known of its error."
    return f"{start}{_counts(difference)}."


def _equivalent(difference: Difference) -> str:
    subject, bounds = difference.subject, _between(difference.bounds, 2 * difference.level - 1)
    start = f"{_place(difference)} of {subject.model} and of {subject.base} is equivalent within {_margin(difference)}: {bounds}"
    return f"{start}{'; not 0, but smaller than the margin' if difference.real else ''}."


def _inconclusive(difference: Difference) -> str:
    subject = difference.subject
    start = f"No clear difference between {subject.base} and {subject.model} in {_place(difference)}"
    if has_few_changes(difference):
        changed = f"{difference.n_changed} of {_users(difference.n_users)} changed{_both_ways(difference)}: too few for a verdict"
        exact = f" (exact p {plain(difference.p, 3)})" if difference.test == "permutation" and difference.p is not None else ""
        return f"{start}: {changed}{exact}."
    return f"{start}: {_between(difference.interval, difference.level)}.{_can_detect(difference)}"


def _can_detect(difference: Difference) -> str:
    """What so many users can detect; empty where that is not known."""
    if difference.detectable is None:
        return ""
    return f" {_users(difference.n_users)} can detect {plain(difference.detectable, _digits(difference.interval))} with 80 % power."


def _shown(difference: Difference) -> str:
    subject, d = difference.subject, difference.difference or 0.0
    if difference.verdict in ("better", "worse"):
        change = f"is {'higher' if d > 0 else 'lower'} by {_interval(difference)}"
        return f"{subject.model} is {difference.verdict} than {subject.base}: {_place(difference)} {change}{_counts(difference)}."
    return f"{_comparison(difference)}{_counts(difference)}; neither more nor less of it is better."


def _comparison(difference: Difference) -> str:
    """By how much which value is the higher one."""
    subject, d = difference.subject, difference.difference
    if d == 0:
        return f"{_place(difference)} of {subject.model} is that of {subject.base}"
    word = "higher" if d is not None and d > 0 else "lower"
    return f"{_place(difference)} of {subject.model} is {word} than that of {subject.base} by {_interval(difference)}"


def _interval(difference: Difference) -> str:
    """The size of the difference with its interval, turned so that both are sizes where the sign is known."""
    d, interval = difference.difference or 0.0, difference.interval
    size = plain(abs(d), _digits(interval))
    if interval is None or interval[0] == interval[1]:
        return size
    low, high = interval
    ends = (-high, -low) if d < 0 and high <= 0 else interval
    return f"{size} ({percent(difference.level)} interval {span(*ends, _digits(interval))})"


def _between(interval: tuple[float, float] | None, level: float) -> str:
    low, high = interval or (0.0, 0.0)
    digits = _digits(interval)
    return f"the difference is between {signed(low, digits)} and {signed(high, digits)} ({percent(level)} interval)"


def _counts(difference: Difference) -> str:
    """For how many users it is higher, and lower: those of the direction of the mean first."""
    if difference.up is None or difference.down is None or difference.difference is None:
        return ""
    higher, lower = (difference.down, difference.up) if difference.subject.higher_is_better is False else (difference.up, difference.down)
    most, word, fewest = (higher, "lower", lower) if difference.difference >= 0 else (lower, "higher", higher)
    among = f"all {_users(difference.n_users)}" if most == difference.n_users else f"{most:,} of {_users(difference.n_users)}"
    return f", for {among}" + (f", and {word} for {fewest:,}" if fewest else "")


def _both_ways(difference: Difference) -> str:
    """In which directions the few who changed did."""
    if not difference.up or not difference.down:
        return f", all {'for the better' if difference.up else 'for the worse'}"
    return f", {difference.up} for the better and {difference.down} for the worse"


def _users(n: int) -> str:
    return "1 user" if n == 1 else f"{n:,} users"


def _margin(difference: Difference) -> str:
    return plain(difference.margin or 0.0)


def _digits(interval: tuple[float, float] | None) -> int | None:
    return None if interval is None else decimals((interval[1] - interval[0]) / 2)
