"""The progress of a run."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from ..load import Source
from ..load.source import expected_rows, n_bytes


class Progress(Struct, frozen=True):
    """Progress of a run: the model whose lists are read, its number among the models, and the number of rows read.

    `n_expected` is the approximate number of rows, `None` if unknown; `n_bytes` is the size of the files. After the last model, `model`
    is empty.
    """

    model: str
    number: int
    n_models: int
    n_rows: int = 0
    n_expected: int | None = None
    n_bytes: int = 0


Report = Callable[[Progress], None]
"""Shows the progress of a run."""


def silent(progress: Progress) -> None:
    """Show nothing."""


class ModelProgress:
    """Report the rows of one model as they are read; rows that are read again are not counted twice."""

    def __init__(self, report: Report, model: str, source: Source, number: int, n_models: int) -> None:
        self._report, self._n_read = report, 0
        self._now = Progress(model, number, n_models)
        if report is not silent:
            self._now = replace(self._now, n_expected=expected_rows(source), n_bytes=n_bytes(source))
        report(self._now)

    def begin(self) -> None:
        """Start at the first row, perhaps again."""
        self._n_read = 0

    def add(self, n_rows: int) -> None:
        """Report `n_rows` more rows, unless they were read before."""
        self._n_read += n_rows
        if self._n_read > self._now.n_rows:
            self._now = replace(self._now, n_rows=self._n_read)
            self._report(self._now)
