"""What lists that are made as yardsticks are called, where a model has its name; the parentheses tell them from models."""

from __future__ import annotations

from typing import Final

ORACLE: Final = "(oracle)"
POPULARITY: Final = "(popularity)"
RANDOM: Final = "(random)"
YARDSTICK_NAMES: Final = (ORACLE, POPULARITY, RANDOM)
