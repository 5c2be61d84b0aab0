"""Who was counted for each value, as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ledger import Ledger
from ..result import Result, Row
from .blocks import Block, Grid, Heading, Prose

_REASONS = ("without_list", "without_relevant", "without_truth", "without_hit", "of_others")
_WORDS = {
    "without_list": "without a list",
    "without_relevant": "without a relevant item",
    "without_truth": "without a test row",
    "without_hit": "without what the measure looks at",
    "of_others": "of other files than that whose users count",
}


def page(result: Result) -> list[Block]:
    """The ledgers: measures with the same users share a row; below, the values over some of the users where they differ."""
    rows = [row for row in result.rows if row.ledger is not None]
    grouped: dict[tuple[str, Ledger], list[str]] = {}
    for row in rows:
        grouped.setdefault((row.model, _of_users(row)), []).append(row.label)
    headers = ("model", "in truth", "in lists", "in both", "counted", "of these filled", "left out", "measures")
    cells = tuple((model, *_counts(ledger), _named(labels)) for (model, ledger), labels in grouped.items())
    blocks: list[Block] = [Heading("Who was counted", 2), Grid(headers, cells, frozenset({"measures"}))]
    parts = tuple(_values(rows))
    if parts:
        blocks += [
            Prose("Values over users with a list (covered), and over users whom train holds (warm), where not all that count are:"),
            Grid(("model", "measure", "all", "covered", "users", "warm", "users "), parts),
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
    return f"{total:,}" + (f": {said}" if said else "")


def _named(labels: Iterable[str]) -> str:
    names = list(dict.fromkeys(labels))
    return ", ".join(names)


def _values(rows: Iterable[Row]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        ledger = row.ledger
        assert ledger is not None
        if ledger.covered_value is None and ledger.warm_value is None:
            continue
        covered = ("", "") if ledger.covered_value is None else (f"{ledger.covered_value:.4f}", f"{ledger.covered:,}")
        warm = ("", "") if ledger.warm_value is None else (f"{ledger.warm_value:.4f}", f"{ledger.warm:,}")
        yield (row.model, row.label, "" if row.value is None else f"{row.value:.4f}", *covered, *warm)
