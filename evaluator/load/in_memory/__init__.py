"""Rows in memory, whatever holds them → Polars frames with the columns that a file would have."""

from .conversion import frame_of
from .matrices import Matrix

__all__ = ["Matrix", "frame_of"]
