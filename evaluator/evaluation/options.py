"""How a run is made, beside what its config says."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from .progress import Report, silent


class Options(Struct, frozen=True):
    """What a run keeps and reports, beside the result; see `running.run`."""

    report: Report = silent
    keep_failures: bool = False
    tolerant: bool = False
    keep_users: bool = True
    most_values: int | None = None
    """How many values of users are kept of a model, at most; with more none is."""
    enriched: Path | None = None
    describes: bool = False
    complete: bool = True
    """Whether the result has what only results that are kept need: standard deviations beside means, and the fingerprint of truth."""
