"""How much memory rows may take before they go to temporary files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_UNITS: Final = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_UNKNOWN_MACHINE: Final = 8 * 10**9
"""The memory of a machine that does not tell."""


def parse_memory(text: str) -> int:
    """Return the bytes that a text such as `500MB`, `1.5 GB` or `2GiB` stands for.

    Units are B, kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB (powers of 1024), in upper or lower case.
    `ValueError` if it is no number with a unit, or less than one byte.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*", text)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None or (size := int(float(match[1]) * unit)) < 1:
        raise ValueError(f"{text!r} is not an amount of memory: write a number and a unit, such as 500MB, 1.5GB or 2GiB")
    return size


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
