"""NumPy, Polars and the metadata of packages, each imported at its first use: a page on a metric needs none of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Module:
    """A module; each name that was asked for is kept."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[type[_Module], tuple[str]]:
        """Send the name of the module to another process, and nothing of its content."""
        return _Module, (self._name,)


np, pl, metadata = map(_Module, ("numpy", "polars", "importlib.metadata"))
