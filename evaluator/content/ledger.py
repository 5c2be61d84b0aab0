"""Ledger of a result: the users who were counted for each value, and why others were not."""

from __future__ import annotations

from collections import Counter
from typing import Final

from msgspec.structs import replace

from ..document import Column, Document, Heading, Paragraph, Table, Terms
from ..results.result import Result
from ..results.row import Ledger
from .values import Formats

_WORDS: Final = {
    "without_list": "no list",
    "without_relevant": "no relevant item",
    "without_truth": "no test row",
    "without_value": "no value",
    "of_others": "of other files",
}
_PARTS: Final = (Column("model", "name"), Column("measure", "name"), Column("all"), Column("covered"), Column("warm"))


def document(result: Result) -> Document:
    """Return the ledgers: measures with the same users share a line; below, the values over some of the users where they differ."""
    rows = [(row, row.ledger) for row in (*result.rows, *result.repeated) if row.ledger is not None]
    formats = Formats.of(row for row, _ in rows)
    grouped: dict[tuple[str, Ledger], list[str]] = {}
    parts = []
    for row, ledger in rows:
        alike = replace(ledger, left_out_without_value=0, covered=0, covered_value=None, warm=None, warm_value=None)
        grouped.setdefault((row.source, alike), []).append(row.label)
        if ledger.covered_value is not None or ledger.warm_value is not None:
            some = ((ledger.covered_value, ledger.covered), (ledger.warm_value, ledger.warm))
            texts = ("" if value is None else f"{formats.text(row.label, value)} ({n:,})" for value, n in some)
            parts.append((row.source, row.label, f"{formats.text(row.label, row.value)} ({ledger.counted:,})".strip(), *texts))
    alone = Counter(model for model, _ in grouped)
    lines = tuple(
        (model, f"{_sentence(ledger)} ({'all measures' if alone[model] == 1 else ', '.join(dict.fromkeys(labels))})")
        for (model, ledger), labels in grouped.items()
    )
    head = (Heading("Who was counted", 2), Terms(lines, code=False))
    about = "Values, with their numbers of users: over users with a list (covered), and whom train holds (warm), where not all are:"
    return (*head, Paragraph(about), Table.of_texts(_PARTS, parts)) if parts else head


def _sentence(ledger: Ledger) -> str:
    """Return the ledger as a sentence.

    185 test users, 190 with a list, 170 both: 176 count, 14 (no list) filled in; 29 (no test row) left out.
    """
    text = f"{ledger.in_truth:,} test users, {ledger.in_lists:,} with a list, {ledger.in_both:,} both: {ledger.counted:,} count"
    for kind, total, joint, done in (("filled", ledger.filled, ", ", "filled in"), ("left_out", ledger.left_out, "; ", "left out")):
        counts = {word: n for reason, word in _WORDS.items() if (n := getattr(ledger, f"{kind}_{reason}", 0))}
        words = ", ".join(f"{n:,} {word}" if len(counts) > 1 else word for word, n in counts.items())
        text += f"{joint}{total:,} ({words}) {done}" if total else ""
    return text
