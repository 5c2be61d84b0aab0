"""The state of a file on this machine, by which a change is seen without reading the file."""

from __future__ import annotations

import os
from pathlib import Path

State = tuple[int, int, int, int]
"""Size in bytes, time of the last change in nanoseconds, and identity."""


def state_of(path: Path) -> State | None:
    """Return the current state of a file or folder; `None` if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev
