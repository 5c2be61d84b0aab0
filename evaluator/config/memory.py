"""An amount of memory, as a config writes it."""

from __future__ import annotations

import re
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
