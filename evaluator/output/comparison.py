"""Texts of differences for the page and for LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..content.differences import number_text
from ..content.verdicts import NOT_JUDGED
from ..document import ARROWS
from ..results.comparison import Comparison
from ..stats.digits import signed
from ..stats.records import Difference


def interval_header(comparison: Comparison) -> str:
    """The head of the column of intervals."""
    return f"{100 * comparison.settings.level:g} % interval"


def number(value: float | None, digits: int, *, sign: bool = False) -> str:
    """A number of a table; a dash where there is none."""
    return number_text(value, digits, sign=sign)


def interval_text(one: Difference, digits: int) -> str:
    """The interval of a difference."""
    return "–" if one.interval is None else f"{signed(one.interval[0], digits)} to {signed(one.interval[1], digits)}"


def p_text(one: Difference) -> str:
    """The corrected p value, or the plain one of a measure that is not judged."""
    p = one.p if one.p_adjusted is None else one.p_adjusted
    return "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def counts_text(one: Difference) -> str:
    """For how many users the value is better, the same, and worse."""
    return "" if one.up is None or one.same is None or one.down is None else f"{one.up:,}/{one.same:,}/{one.down:,}"


def verdict_text(one: Difference, comparison: Comparison) -> str:
    """The verdict, a dash where there is none, or `(not judged)`."""
    return (one.verdict or "–") if one.subject.measure in comparison.judged else NOT_JUDGED


def measure_text(one: Difference) -> str:
    """The measure with the direction that is better."""
    arrow = ARROWS[one.subject.higher_is_better]
    return f"{one.subject.measure} {arrow}" if arrow else one.subject.measure


def notes_on(differences: Sequence[Difference]) -> Iterator[str]:
    """The footnotes of differences, each with the measures that it is about."""
    named: dict[str, list[str]] = {}
    for one in differences:
        for note in one.notes:
            named.setdefault(note, []).append(one.subject.measure)
    everything = len({one.subject.measure for one in differences})
    for note, measures in named.items():
        of_all = len(set(measures)) == everything
        yield note if of_all else f"{', '.join(dict.fromkeys(measures))}: {note}"
