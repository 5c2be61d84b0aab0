"""What is concluded of the differences of one family."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .corrections import adjust
from .power import detectable_difference
from .records import Difference, Settings, Verdict
from .sentences import has_few_changes, sentence_of


def corrected(differences: Sequence[Difference], settings: Settings, family: int | None = None) -> tuple[Difference, ...]:
    """Judge a family of differences together: all measures and pairs of which any false alarm would count. The order stays.

    Claims of a difference are corrected for how many differences are tested, and claims of equivalence for how many have a margin: each
    kind holds its level. Differences without a p value are not counted in the family, and have no verdict. `family` is how many
    comparisons there are, if more than were made: the others count as not shown.
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
        finished.append(_finished(replace(difference, verdict=_verdict(difference, settings.alpha))))
    return tuple(finished)


def unjudged(difference: Difference) -> Difference:
    """A difference outside of any family: shown with its interval, without a verdict."""
    return replace(difference, sentence=sentence_of(difference))


def _detectable(difference: Difference, alpha: float, comparisons: int) -> float | None:
    if not difference.se:
        return None
    return detectable_difference(difference.se, alpha, difference.df if difference.df is not None else float("inf"), comparisons)


def _is_identical(difference: Difference) -> bool:
    """Whether no user's value differs, or of a whole-model value the value itself."""
    return difference.n_users > 0 and difference.difference == 0 and difference.n_changed == 0


def _verdict(difference: Difference, alpha: float) -> Verdict | None:
    if _is_identical(difference):
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


def _finished(difference: Difference) -> Difference:
    return replace(difference, sentence=sentence_of(difference), notes=(*difference.notes, *_notes(difference)))


def _notes(difference: Difference) -> list[str]:
    notes: list[str] = []
    interval = difference.interval
    if interval is None or difference.verdict in (None, "identical") or has_few_changes(difference):
        return notes
    leaves_zero_out, size = interval[0] > 0 or interval[1] < 0, min(map(abs, interval))
    if leaves_zero_out and not difference.real:
        among = f"among {difference.family} comparisons chance does that too often" if difference.family != 1 else "its test does not"
        notes.append(f"The interval, which is of this difference alone, leaves 0 out, but {among}.")
    elif difference.real and not leaves_zero_out:
        notes.append("The test finds a difference, but the interval, which is made in another way, reaches 0.")
    elif difference.verdict in ("better", "worse") and difference.margin is not None and size < difference.margin:
        notes.append(f"The difference may be smaller than the margin of {difference.margin:g}.")
    return notes
