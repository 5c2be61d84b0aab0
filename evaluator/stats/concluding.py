"""Verdicts on a family of differences, corrected for their number, and a sentence for each.

The sentences never say "significant", which readers take for "large"; nor the probability that a model is better; nor "no difference".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from msgspec.structs import replace

from .difference import CorrectionName, Difference, Settings, Verdict
from .power import detectable_difference
from .rare_changes import detectable_if_rare

_MOST_DECIMALS: Final = 9


def decimals(half_width: float | None) -> int | None:
    """Return the decimals that show two significant digits of an interval's half-width; `None`: four significant digits per number."""
    if half_width is None or not math.isfinite(half_width) or half_width <= 0:
        return None
    digits = 1 - math.floor(math.log10(half_width) + 1e-9)
    return max(0, digits) if digits <= _MOST_DECIMALS else None


def plain(number: float, n_decimals: int | None = None) -> str:
    """Format a number with a minus sign if it is below 0, and without one if it rounds to 0."""
    text = f"{number:.4g}" if n_decimals is None else f"{number:,.{n_decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def with_sign(number: float, n_decimals: int | None = None) -> str:
    """Format a number with its sign, plus or minus; 0 without one."""
    text = plain(number, n_decimals)
    return text if text.startswith("−") or float(text.replace(",", "")) == 0 else f"+{text}"


def percent(share: float) -> str:
    """Format a share as a percentage: `95 %`, `−5.3 %`."""
    return f"{plain(float(f'{100 * share:.6g}'))} %"


def users_text(n: int, n_folds: int = 0) -> str:
    """Format a number of users: `1 user`, `1,200 users`; if it is added up over folds, `1,200 users over 5 folds`."""
    users = "1 user" if n == 1 else f"{n:,} users"
    return f"{users} over {n_folds} folds" if n_folds > 1 else users


def group_text(by: str, group: str) -> str:
    """Return a group of a grouping: `train_count 0-2`, `users.plan free`, `cold users`."""
    return f"{group} users" if by == "cold" else f"{by} {group}"


def span(low: float, high: float, n_decimals: int | None) -> str:
    """Format the two ends of an interval; with signs if one is below 0 and the other above."""
    show = with_sign if low < 0 < high else plain
    return f"{show(low, n_decimals)} to {show(high, n_decimals)}"


def sentence_of(difference: Difference) -> str:
    """Return the sentence for a difference with its verdict."""
    if difference.verdict == "identical":
        return _identical(difference)
    if difference.difference is None or difference.family is None:
        return _unjudged(difference)
    if difference.verdict == "equivalent":
        return _equivalent(difference)
    return _inconclusive(difference) if difference.verdict == "inconclusive" else _shown(difference)


def has_few_changes(difference: Difference) -> bool:
    """Return whether too few independent units changed for a verdict."""
    units = difference.independent
    return units is not None and units.are_few


def _place(difference: Difference) -> str:
    """Return the measure, and the group if there is one."""
    subject = difference.subject
    return subject.measure if subject.group is None else f"{subject.measure} of {subject.by} {subject.group}"


def _identical(difference: Difference) -> str:
    subject = difference.subject
    users = "" if difference.n_changed is None else f" for {_users(difference)}"
    return f"{_place(difference)} of {subject.model} and of {subject.base} is identical{users}."


def _unjudged(difference: Difference) -> str:
    subject, d = difference.subject, difference.difference
    if d is None:
        missing = (difference.base_value is None) != (difference.value is None)
        reason = "one of the two has no value" if missing else "no user has a value for both"
        return f"{_place(difference)} of {subject.model} and of {subject.base} cannot be compared: {reason}."
    start = _comparison(difference)
    if difference.n_users == 1 and difference.n_changed is not None:
        return f"{start}, for one user only: this says nothing about other users."
    if difference.low is None:
        return f"{start}; there is no interval, so the error of this difference is unknown."
    return f"{start}{_counts(difference)}."


def _equivalent(difference: Difference) -> str:
    subject, bounds = difference.subject, _between(difference.bounds, 2 * difference.level - 1)
    start = f"{_place(difference)} of {subject.model} and of {subject.base} is equivalent within {_margin(difference)}: {bounds}"
    return f"{start}{'; it is not 0, but smaller than the margin' if difference.real else ''}."


def _inconclusive(difference: Difference) -> str:
    subject = difference.subject
    start = f"No clear difference between {subject.base} and {subject.model} in {_place(difference)}"
    if has_few_changes(difference):
        alike = "" if difference.units is None or difference.units.are_users else _alike(difference.units.changed)
        changed = f"{difference.n_changed:,} of {_users(difference)} changed{_both_ways(difference)}{alike}: too few for a verdict"
        exact = f" (exact p {plain(difference.p, 3)})" if difference.test == "permutation" and difference.p is not None else ""
        return f"{start}: {changed}{exact}."
    return f"{start}: {_between(difference.interval, difference.level)}.{_can_detect(difference)}"


def _alike(units: float) -> str:
    return f", which count like {max(1, round(units))} independent one{'s' if round(units) > 1 else ''}"


def _can_detect(difference: Difference) -> str:
    """Return a sentence on the smallest detectable difference; empty if it is not known."""
    if difference.detectable is None:
        return ""
    return f" {_users(difference)} can detect {plain(difference.detectable, _digits(difference.interval))} with 80 % power."


def _shown(difference: Difference) -> str:
    subject, d = difference.subject, difference.difference or 0.0
    if difference.verdict in ("better", "worse"):
        change = f"is {'higher' if d > 0 else 'lower'} by {_interval(difference)}"
        return f"{subject.model} is {difference.verdict} than {subject.base}: {_place(difference)} {change}{_counts(difference)}."
    return f"{_comparison(difference)}{_counts(difference)}; the measure has no better direction."


def _comparison(difference: Difference) -> str:
    """Return which value is higher, and by how much."""
    subject, d = difference.subject, difference.difference
    if d == 0:
        return f"{_place(difference)} of {subject.model} is equal to that of {subject.base}"
    word = "higher" if d is not None and d > 0 else "lower"
    return f"{_place(difference)} of {subject.model} is {word} than that of {subject.base} by {_interval(difference)}"


def _interval(difference: Difference) -> str:
    """Return the size of the difference and its interval, both without a sign if the sign is clear."""
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
    return f"the difference is between {with_sign(low, digits)} and {with_sign(high, digits)} ({percent(level)} interval)"


def _counts(difference: Difference) -> str:
    """Return the number of users for whom the value is higher, and lower; the direction of the mean comes first."""
    if difference.up is None or difference.down is None or difference.difference is None:
        return ""
    higher, lower = (difference.down, difference.up) if difference.subject.higher_is_better is False else (difference.up, difference.down)
    (most, more), (fewest, less) = ((higher, "higher"), (lower, "lower"))[:: 1 if difference.difference >= 0 else -1]
    among = f"all {_users(difference)}" if most == difference.n_users else f"{most:,} of {_users(difference)}"
    return f"; {more} for {among}" + (f", {less} for {fewest:,}" if fewest else "")


def _both_ways(difference: Difference) -> str:
    """Return the directions in which the few users changed."""
    if not difference.up or not difference.down:
        return f", all {'for the better' if difference.up else 'for the worse'}"
    return f", {difference.up} for the better and {difference.down} for the worse"


def _users(difference: Difference) -> str:
    return users_text(difference.n_users, difference.subject.n_folds)


def _margin(difference: Difference) -> str:
    return plain(difference.margin or 0.0)


def _digits(interval: tuple[float, float] | None) -> int | None:
    return None if interval is None else decimals((interval[1] - interval[0]) / 2)


def adjust(p_values: Sequence[float], method: CorrectionName, family: int | None = None) -> list[float]:
    """Correct the p values of a family, in the same order; none is below its own p value or above 1.

    - `holm`: no false alarm at all with probability 1 - α, under any dependence (Holm, 1979)
    - `bh`: the expected share of false alarms among the findings is at most α (Benjamini and Hochberg, 1995)
    - `by`: the same under any dependence (Benjamini and Yekutieli, 2001)
    - `none`: unchanged

    `family` is the number of hypotheses if it is larger than that of p values: the others count as not shown.

    Edge cases: `ValueError` if a p value is not within 0 and 1; leave out differences without a p value before.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p values must be between 0 and 1: {list(p_values)}")
    m = max(len(p_values), family or 0)
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    if method == "none":
        return list(p_values)
    if method == "holm":
        highest = 0.0
        for rank, i in enumerate(order):
            highest = adjusted[i] = max(highest, min(1.0, (m - rank) * p_values[i]))
        return adjusted
    if method == "bh" or method == "by":
        factor = math.fsum(1 / i for i in range(1, m + 1)) if method == "by" else 1.0
        lowest = 1.0
        for rank, i in reversed(list(enumerate(order, 1))):
            lowest = min(lowest, max(p_values[i], p_values[i] * m / rank * factor))
            adjusted[i] = lowest
        return adjusted
    assert_never(method)


def judge_family(differences: Sequence[Difference], settings: Settings, family: int | None = None) -> tuple[Difference, ...]:
    """Correct and judge a family of differences together: all measures and pairs in which a false alarm would count. The order stays.

    Claims of a difference are corrected for the number of tested differences, claims of equivalence for the number with a margin: each kind
    holds its level. Differences without a p value are not in the family, and have no verdict. `family` is the number of comparisons if it
    is larger than that of `differences`: the others count as not shown.
    """
    tested = [difference.p for difference in differences if difference.p is not None]
    size = max(len(tested), family or 0)
    adjusted = iter(adjust(tested, settings.correction, size))
    equivalent = [difference.p_equivalent for difference in differences if difference.p_equivalent is not None]
    adjusted_equivalent = iter(adjust(equivalent, settings.correction, len(equivalent) + size - len(tested)))
    finished = []
    for difference in differences:
        if difference.p_equivalent is not None:
            difference = replace(difference, p_equivalent_adjusted=next(adjusted_equivalent))
        if difference.p is not None:
            p_adjusted, comparisons = next(adjusted), 1 if settings.correction == "none" else size
            difference = replace(
                difference,
                p_adjusted=p_adjusted,
                family=size,
                correction=settings.correction,
                detectable=_detectable(difference, settings.alpha, comparisons),
                real=p_adjusted <= settings.alpha and not has_few_changes(difference),
            )
        difference = replace(difference, verdict=_verdict(difference, settings.alpha))
        finished.append(replace(difference, sentence=sentence_of(difference), notes=(*difference.notes, *_notes(difference))))
    return tuple(finished)


def usual_test(tested: Iterable[Difference], settings: Settings) -> str:
    """Return the method of most differences; the exact test for few changes counts only if there is no other."""
    methods = [conclusion.test or settings.test for conclusion in tested]
    usual = [method for method in methods if method != "permutation"] or methods or [settings.test]
    return max(dict.fromkeys(usual), key=usual.count)


def without_verdict(difference: Difference) -> Difference:
    """Return a difference outside of any family: with its interval and sentence, without a verdict."""
    return replace(difference, sentence=sentence_of(difference))


def _detectable(difference: Difference, alpha: float, comparisons: int) -> float | None:
    if not difference.se:
        return None
    detectable = detectable_difference(difference.se, alpha, difference.df if difference.df is not None else float("inf"), comparisons)
    units = difference.independent
    if not difference.reach or units is None:
        return detectable
    return max(detectable, detectable_if_rare(difference.se, units.n, difference.reach, alpha / comparisons))


def _verdict(difference: Difference, alpha: float) -> Verdict | None:
    # no user's value differs; of a model-level value, the value itself does not
    if difference.n_users > 0 and difference.difference == 0 and difference.n_changed == 0:
        return "identical"
    if difference.p_adjusted is None or difference.difference is None:
        return None
    if has_few_changes(difference):
        return "inconclusive"
    if difference.p_equivalent_adjusted is not None and difference.p_equivalent_adjusted <= alpha:
        return "equivalent"
    if not difference.real:
        return "inconclusive"
    if difference.subject.higher_is_better is None:
        return None
    return "better" if (difference.difference > 0) == difference.subject.higher_is_better else "worse"


def _notes(difference: Difference) -> list[str]:
    notes: list[str] = []
    interval = difference.interval
    if interval is None or difference.verdict in (None, "identical") or has_few_changes(difference):
        return notes
    leaves_zero_out, size = interval[0] > 0 or interval[1] < 0, min(map(abs, interval))
    if leaves_zero_out and not difference.real:
        n = difference.family
        uncorrected = "the interval is not corrected" if n == 1 else f"the interval is not corrected for {n:,} comparisons"
        notes.append(f"The interval excludes 0, but the test finds no difference ({uncorrected}).")
    elif difference.real and not leaves_zero_out:
        notes.append("The test finds a difference, but the interval, which is computed differently, includes 0.")
    elif difference.verdict in ("better", "worse") and difference.margin is not None and size < difference.margin:
        notes.append(f"The difference may be smaller than the margin of {difference.margin:g}.")
    return notes
