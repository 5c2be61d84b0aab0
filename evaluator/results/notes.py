"""Write sentences on which users count for values, and why some values are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from .measure_definition import MeasureDefinition
from .row import Counts, Row, listed, shortened

BY_FILE_ORDER: Final = "only the order of rows in the file"
"""The words for lists that are read in the order of the file; a sentence of a result that has them is also about a comparison."""
CHOSEN: Final = "models chosen: "
"""The words before the models that were chosen; a sentence of a result that has them is also about a comparison."""

_UNEVEN: Final = 0.01
"""Difference of the shares of users without a list from which models are not alike."""


def chosen_text(models: Sequence[str], total: int) -> str:
    """Say that only these of `total` models were chosen."""
    return f"{len(models):,} of {total:,} {CHOSEN}{listed(models)}."


def file_order_text(conventions: Sequence[str], n: int, total: int) -> str:
    """Say that `conventions` read lists in the order of the file, although `n` of `total` are in another order than ranks or scores."""
    use, lists = "uses" if len(conventions) == 1 else "use", f"{n:,} of {total:,} lists {'is' if n == 1 else 'are'}"
    fix = "Sort the rows of each list, or use a convention that reads ranks and scores"
    return f"{listed(conventions)} {use} {BY_FILE_ORDER}, and {lists} not in the order of ranks or scores: values can differ. {fix}."


def other_users_reason(row: Row) -> str:
    """Explain why other users count for a value than for the first measure, and name the setting that changes it; may be empty."""
    ledger = row.ledger
    if ledger is None:
        return ""
    reasons = []
    if row.aggregate == "mean" and row.n_users != ledger.counted:
        reasons.append("the sum is divided by the number of users in data.train; divisor=counted divides by the number of users that count")
    elif ledger.others:
        reasons.append("the users of another file; population=test averages over the test users")
    elif ledger.in_lists > ledger.in_both and not ledger.left_out_without_truth and not ledger.filled_without_truth:
        reasons.append("all users with a list, also without a test row; population=test leaves these out")
        if ledger.left_out_without_list:
            reasons.append("missing_lists=zero counts users without a list")
    if ledger.left_out_without_list and not reasons:
        reasons.append("users without a list do not count; missing_lists=zero counts them")
    if ledger.left_out_without_value:
        n = ledger.left_out_without_value
        reasons.append("1 user has no data for this measure" if n == 1 else f"{n:,} users have no data for this measure")
    return f" ({'; '.join(reasons)})" if reasons else ""


def combined_measure_texts(definitions: Mapping[str, MeasureDefinition]) -> Iterator[str]:
    """Say which measures average a combination of each user's values although a table shows another value of a part."""
    for name, definition in definitions.items():
        others = [label for label, part in definition.components.items() if part.average != definition.average]
        if definition.axes.get("f_of") == "users" and definition.average == "mean" and others:
            pooled = "is" if len(others) == 1 else "are"
            alone = f"{listed(others)} alone {pooled} pooled over users (micro)"
            yield f"{name} is the mean of each user's value; {alone}. {name} with of=means combines the two values of a table."


def undefined_reason(row: Row, counts: Counts | None = None) -> str:
    """Explain why there is no value although users count; `counts` are those of the first measure of the model."""
    n = row.ledger.filled_without_list if row.ledger else 0
    if counts and counts.empty:
        without = "a user without a list, or with" if n else "a user with"
        settings = "empty_truth=zero counts an empty list 0, empty_truth=as_no_relevant counts it as no relevant item"
        return f"{without} an empty list of test items has none; {settings}"
    if not n:
        return "there is nothing to compare or to divide by, or the result is infinite"
    who = "1 user without a list has" if n == 1 else f"{n:,} users without a list have"
    return f"{who} none; missing_lists=drop leaves such users out, missing_lists=zero counts them 0"


def relevant_text(counts: Counts, says_rest: bool = True) -> str:
    """Say how many test users have a relevant item, and, unless the measures count all of them, how the others count."""
    without = counts.test - counts.relevant - counts.empty
    if not without and counts.empty:
        return f"{counts.relevant:,} of {counts.test:,} test users {'has' if counts.relevant == 1 else 'have'} a relevant item."
    if not without:
        return f"All {counts.test:,} test users have a relevant item." if counts.test > 1 else "The only test user has a relevant item."
    done, listed = ("is left out", "it has") if without == 1 else ("are left out", "they have")
    if counts.irrelevant_count:
        counting = f"{'counts' if without == 1 else 'count'} {counts.irrelevant_value or 0}"
        done = counting + ("" if counts.missing_count else f" if {listed} a list")
    have, other = "has" if counts.relevant == 1 else "have", "one" if without == 1 else f"{without:,}"
    if not says_rest:
        return f"{counts.relevant:,} of {counts.test:,} test users {have} a relevant item."
    setting = "evaluation.policy.no_relevant"
    return f"{counts.relevant:,} of {counts.test:,} test users {have} a relevant item; the other {other} {done} ({setting})."


def empty_lists_text(counts: Counts) -> str:
    """Say how test users with an empty list of items count; empty if there are none, or if they count as having no relevant item."""
    n = counts.empty
    if n == 1:
        done = "has no defined value" if counts.empty_undefined else "counts 0"
        return f"1 test user has an empty list of items and {done} (empty_truth)."
    done = "have no defined value" if counts.empty_undefined else "count 0"
    return f"{n:,} test users have an empty list of items and {done} (empty_truth)." if n else ""


def _in_runs(numbers: Iterable[int]) -> tuple[str, int]:
    """Return a number, or the least and the greatest of several runs, in words; and a number for the choice of singular and plural."""
    low, *_, high = sorted([*numbers] * 2)
    return (f"{low:,}", low) if low == high else (f"{low:,} to {high:,}, by run,", max(2, high))


def missing_lists_text(counts: Counts) -> str:
    """Say how users without a list count; empty if all have one."""
    numbers, n = _in_runs(run.relevant - run.listed for run in counts.each)
    how = "undefined" if counts.missing_undefined else "zero" if counts.missing_count else "out"
    singular = {"undefined": "has no list and no defined value", "zero": "has no list and counts 0", "out": "has no list and is left out"}
    plural = {"undefined": "have no list and no defined value", "zero": "have no list and count 0", "out": "have no list and are left out"}
    return f"{numbers} of these users {(singular if n == 1 else plural)[how]} (evaluation.policy.missing_lists)." if n else ""


def uneven_lists_text(models: Mapping[str, Counts], *, key: str = " (evaluation.policy.missing_lists)") -> str:
    """Say how many users have no list for each of several models, and what they count by `key`; empty if the shares hardly differ."""
    shares = [(run.relevant - run.listed) / run.relevant for counts in models.values() for run in counts.each if run.relevant]
    if not shares or max(shares) - min(shares) < _UNEVEN:
        return ""
    without: dict[tuple[str, int], list[str]] = {}
    for name, counts in models.items():
        without.setdefault((_in_runs(run.relevant - run.listed for run in counts.each)[0], counts.relevant), []).append(name)
    numbers = "; ".join(f"{shortened(names)} {n} of {total:,}" for (n, total), names in without.items())
    first = next(iter(models.values()))
    done = "have no defined value" if first.missing_undefined else "count 0" if first.missing_count else "are left out"
    return f"Users without a list: {numbers}. They {done}{key}."


def untested_text(counts: Counts) -> str:
    """Say how many users with a list but no test row count; empty if none does."""
    numbers, n = _in_runs(run.untested for run in counts.each)
    stand = "user with a list is not in the test file and counts 0" if n == 1 else "users with a list are not in the test file and count 0"
    return f"{numbers} {stand} (evaluation.policy.no_truth)." if n else ""
