"""Who was counted for each value, as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ledger import Ledger
from ..result import Result, Row
from .blocks import Block, Grid, Heading, Prose

_REASONS = ("without_list", "without_relevant", "without_truth", "without_hit", "of_others")
_WORDS = {
    "without_list": "no list",
    "without_relevant": "no relevant item",
    "without_truth": "no test row",
    "without_hit": "no hit",
    "of_others": "of other files",
}


def page(result: Result) -> list[Block]:
    """The ledgers: measures with the same users share a row; below, the values over some of the users where they differ."""
    rows = [row for row in result.rows if row.ledger is not None]
    grouped: dict[tuple[str, Ledger], list[str]] = {}
    for row in rows:
        grouped.setdefault((row.model, _of_users(row)), []).append(row.label)
    headers = ("", "model", "truth", "lists", "both", "counted", "filled", "left out", "measures")
    cells = tuple(
        (str(number), model, *_counts(ledger), ", ".join(dict.fromkeys(labels)))
        for number, ((model, ledger), labels) in enumerate(grouped.items(), 1)
    )
    blocks: list[Block] = [Heading("Who was counted", 2), Grid(headers, cells, frozenset({"filled", "left out", "measures"}))]
    parts = tuple(_values(rows))
    if parts:
        blocks += [
            Prose("Values, with their numbers of users: over users with a list (covered), and whom train holds (warm), where not all are:"),
            Grid(("model", "measure", "all", "covered", "warm"), parts),
        ]
    return blocks


def _of_users(row: Row) -> Ledger:
    assert row.ledger is not None
    counts = {name: getattr(row.ledger, name) for name in Ledger.__dataclass_fields__ if not name.endswith("value")}
    return Ledger(**{**counts, "warm": None, "covered": 0})


def _counts(ledger: Ledger) -> tuple[str, ...]:
    found = (ledger.in_truth, ledger.in_lists, ledger.in_both, ledger.counted)
    return (*(f"{n:,}" for n in found), _why(ledger, "filled", ledger.filled), _why(ledger, "left_out", ledger.left_out))


def _why(ledger: Ledger, how: str, total: int) -> str:
    reasons = {reason: getattr(ledger, f"{how}_{reason}", 0) for reason in _REASONS}
    said = ", ".join(f"{n:,} {_WORDS[reason]}" for reason, n in reasons.items() if n)
    return f"{total:,}: {said}" if said.count(",") else said or "0"


def _values(rows: Iterable[Row]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        ledger = row.ledger
        assert ledger is not None
        if ledger.covered_value is None and ledger.warm_value is None:
            continue
        covered = "" if ledger.covered_value is None else f"{ledger.covered_value:.4f} ({ledger.covered:,})"
        warm = "" if ledger.warm_value is None else f"{ledger.warm_value:.4f} ({ledger.warm:,})"
        value = "" if row.value is None else f"{row.value:.4f}"
        yield (row.model, row.label, f"{value} ({ledger.counted:,})".strip(), covered, warm)
