"""`pl`: Polars, imported at its first use, so that configs can be checked where it is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Polars:
    """The module `polars`; each name that was asked for is kept."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("polars"), name)
        setattr(self, name, value)
        return value


pl = _Polars()
