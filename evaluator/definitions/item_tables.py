"""Placeholder until merged."""

from typing import Any

ITEM_TABLES: dict[str, Any] = {}
ItemSums = Any
