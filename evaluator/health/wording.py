"""Numbers in the sentences of findings."""

from __future__ import annotations


def several(count: int, what: str) -> str:
    """`1 user`, `12 users`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def shared(count: int, total: int, what: str) -> str:
    """`12 of 350 users (3.4 %)`."""
    percent = 100.0 * count / total if total else 0.0
    digits = 0 if percent >= 99.95 or percent == 0 else 1 if percent >= 0.1 else 3
    return f"{count:,} of {total:,} {what} ({percent:.{digits}f} %)"
