"""How much memory rows may take before they go to temporary files."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

_UNKNOWN_MACHINE: Final = 8 * 10**9
"""The memory of a machine that does not tell."""


@cache
def default_memory(root: Path = Path("/")) -> int:
    """Return a quarter of the memory of the machine, or of the container (cgroup) that this process runs in.

    `root` is where `proc` and `sys` are.
    """
    return min([_machine_memory(), *_limits(root)]) // 4


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN_MACHINE


def _limits(root: Path) -> list[int]:
    """Return the limits of the cgroups of this process and of those around them; what is no number is no limit."""
    files = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            folder, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        group = Path(path.lstrip("/"))
        files += [folder / part / name for part in (group, *group.parents)]
    return [int(text) for file in files if (text := _text(file).strip()).isdecimal()]


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
