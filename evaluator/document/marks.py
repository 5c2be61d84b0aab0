"""Marks of cells and their signs, the same in every form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

Mark = Literal["", "best", "untested", "second", "better", "worse", "equivalent", "identical", "inconclusive", "pass", "fail", "skipped"]
"""What a cell is marked as: the best value of its measure (tested or `untested`), the next one, or the verdict or outcome it stands for."""

SIGNS: Final[Mapping[str, str]] = MappingProxyType(
    {"best": "◂", "untested": "◃", "better": "●", "worse": "▼", "equivalent": "■", "identical": "■", "inconclusive": "◇"}
)
"""Mark → its sign, in the forms that show it as one."""
ARROWS: Final[Mapping[bool | None, str]] = MappingProxyType({True: "↑", False: "↓", None: ""})
"""Better direction of a measure → its sign."""
