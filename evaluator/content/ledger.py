"""Ledger of a result: the users who were counted for each value, and why others were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..document import Column, Document, Heading, Paragraph, Table, Terms
from ..results.result import Result, Row
from ..results.row import Ledger
from .values import Formats

_REASONS = ("without_list", "without_relevant", "without_truth", "without_value", "of_others")
_WORDS = {
    "without_list": "no list",
    "without_relevant": "no relevant item",
    "without_truth": "no test row",
    "without_value": "no value",
    "of_others": "of other files",
}


_PARTS = (Column("model", "name"), Column("measure", "name"), Column("all"), Column("covered"), Column("warm"))


def document(result: Result) -> Document:
    """Return the ledgers: measures with the same users share a line; below, the values over some of the users where they differ."""
    rows = [row for row in (*result.rows, *result.repeated) if row.ledger is not None]
    grouped: dict[tuple[str, Ledger], list[str]] = {}
    for row in rows:
        grouped.setdefault((row.source, _of_users(row)), []).append(row.label)
    alone = Counter(model for model, _ in grouped)
    lines = tuple(
        (model, f"{_sentence(ledger)} ({'all measures' if alone[model] == 1 else ', '.join(dict.fromkeys(labels))})")
        for (model, ledger), labels in grouped.items()
    )
    head = (Heading("Users that were counted", 2), Terms(lines, code=False))
    parts = tuple(_values(rows))
    about = "Values and numbers of users: over users with a list (covered) and users in train (warm), if they differ from all:"
    return (*head, Paragraph(about), Table.of_texts(_PARTS, parts)) if parts else head


def _of_users(row: Row) -> Ledger:
    assert row.ledger is not None
    counts = {name: getattr(row.ledger, name) for name in Ledger.__struct_fields__ if not name.endswith("value")}
    return Ledger(**{**counts, "warm": None, "covered": 0})


def _sentence(ledger: Ledger) -> str:
    """Return the ledger as a sentence.

    185 test users, 190 with a list, 170 both: 176 count, 14 (no list) filled in; 29 (no test row) left out.
    """
    files = f"{ledger.in_truth:,} test users, {ledger.in_lists:,} with a list, {ledger.in_both:,} both"
    filled = f", {_why(ledger, 'filled', ledger.filled)} filled in" if ledger.filled else ""
    left_out = f"; {_why(ledger, 'left_out', ledger.left_out)} left out" if ledger.left_out else ""
    return f"{files}: {ledger.counted:,} count{filled}{left_out}"


def _why(ledger: Ledger, kind: str, total: int) -> str:
    reasons = {reason: getattr(ledger, f"{kind}_{reason}", 0) for reason in _REASONS}
    counts = {reason: n for reason, n in reasons.items() if n}
    words = ", ".join(f"{n:,} {_WORDS[reason]}" if len(counts) > 1 else _WORDS[reason] for reason, n in counts.items())
    return f"{total:,} ({words})"


def _values(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    formats = Formats.of(rows)
    for row in rows:
        ledger = row.ledger
        assert ledger is not None
        if ledger.covered_value is None and ledger.warm_value is None:
            continue
        covered = "" if ledger.covered_value is None else f"{formats.text(row.label, ledger.covered_value)} ({ledger.covered:,})"
        warm = "" if ledger.warm_value is None else f"{formats.text(row.label, ledger.warm_value)} ({ledger.warm:,})"
        value = formats.text(row.label, row.value)
        yield (row.source, row.label, f"{value} ({ledger.counted:,})".strip(), covered, warm)
