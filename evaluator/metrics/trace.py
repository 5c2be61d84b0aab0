"""`Trace`: what notes how the body of a metric comes to its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..tables.array import Array
from ..tables.rows import Cutoffs, Rows


class Trace(Protocol):
    """Notes what the body of a metric reads, to explain its value."""

    def sum_of_rows(
        self, table: str, rows: Rows, reduction: str, row: Array | None, label: str, parts: Mapping[str, Any], cutoffs: Cutoffs
    ) -> None:
        """Note that the rows of a table are reduced: `reduction` is `sum`, `max`, `tally` or `count`.

        `row` is the term of each row (`None`: each counts 1), `label` names it, `parts` are values that it is made of, by name.
        """
        ...

    def count(self, title: str, counts: Array) -> None:
        """Note that the body reads a count of each user; `title` says what is counted."""
        ...
