"""Wait until files change: their size, their time of change or their inode, looked at twice a second."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Final

from ..support.file_states import State, state_of

SECONDS: Final = 0.5
"""The time between two looks at the files."""
_MOST_MISSING: Final = 10
"""A file that is missing for so many looks was removed; before that an editor may be about to rename a new one to its name."""

Stamps = dict[Path, State | None]
"""The state of each file; `None` for a missing one."""


def stamps_of(paths: Iterable[Path]) -> Stamps:
    """Return the stamps of files and folders, each once, in the order of their paths."""
    return {path: state_of(path) for path in sorted(set(paths))}


def wait_for_change(before: Stamps, paths: Callable[[], Collection[Path]], wait: Callable[[float], object]) -> tuple[Path, ...]:
    """Wait until some of the files that `paths` returns differ from their stamps `before`, and are stable; return the changed ones.

    Files are stable if two looks in a row are equal and no file has disappeared since `before`: many editors write a new file and rename
    it, or remove the old one first. A file that stays missing is a change after five seconds. `wait` waits for some seconds.
    """
    last, n_missing = before, 0
    while True:
        wait(SECONDS)
        now = stamps_of(paths() or before)
        is_gone = any(now.get(path) is None for path, stamp in before.items() if stamp is not None)
        n_missing = n_missing + 1 if is_gone else 0
        if now != before and now == last and (not is_gone or n_missing >= _MOST_MISSING):
            return tuple(path for path in sorted({*before, *now}) if before.get(path) != now.get(path))
        last = now
