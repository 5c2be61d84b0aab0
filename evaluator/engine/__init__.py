"""The engines, by name."""

from __future__ import annotations

from .base import Engine, Format, Kind, Order, ReadError, Scan

__all__ = ["Engine", "Format", "Kind", "Order", "ReadError", "Scan", "open_engine"]


def open_engine(name: str, *, master: str | None = None, remote: str | None = None) -> Engine:
    """Start the engine called `name`; `MissingExtraError` if what it needs is not installed."""
    if name == "spark":
        from .spark import SparkEngine

        return SparkEngine(master=master, remote=remote)
    from .polars import PolarsEngine

    return PolarsEngine()
