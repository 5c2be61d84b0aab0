"""Detection of forks of a process in which Polars has threads: a fork does not copy them, so the child would wait for them forever."""

from __future__ import annotations

import os
import sys
from typing import Final

_THREADS: Final = ("polars-", "async-executor")
"""Prefixes of the names of Polars' worker threads, before their numbers."""
_HELPERS: Final = ("polars-ooc",)
"""Prefixes of threads that exist from the import of Polars on, and that nothing waits for."""
_TASKS: Final = "/proc/self/task"


class _Forks:
    """State of forks: Polars had threads before the last one; this process has lost them."""

    had_threads = False
    lost_threads = False

    def before(self) -> None:
        self.had_threads = _has_threads()

    def in_child(self) -> None:
        self.lost_threads = self.lost_threads or self.had_threads


_FORKS: Final = _Forks()


def watch() -> None:
    """Observe every fork of this process from now on."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_FORKS.before, after_in_child=_FORKS.in_child)


def refuse_lost_threads() -> None:
    """Raise `MachineError` in a process that was forked after Polars had started its threads."""
    if _FORKS.lost_threads:
        from .errors import MachineError  # only here: `import receval` watches forks, and imports nothing else

        raise MachineError(
            "this process was forked after Polars started its threads; a fork does not copy threads, so it would wait forever",
            "start processes with multiprocessing.get_context('spawn'), or fork before Polars or receval is used",
        )


def _has_threads() -> bool:
    """Return whether Polars has started its threads; if the system does not list threads, whether it is imported."""
    if "polars" not in sys.modules:
        return False
    try:
        names = [_name(task) for task in os.listdir(_TASKS)]
    except OSError:
        return True
    return any(name.startswith(_THREADS) and not name.startswith(_HELPERS) for name in names)


def _name(task: str) -> str:
    """Return the name of a thread; empty if it has ended."""
    try:
        with open(f"{_TASKS}/{task}/comm", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
