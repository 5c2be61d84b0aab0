"""Rows in memory, whatever holds them → Polars frames with the columns that a file would have."""

from .conversion import column_names, frame_of
from .matrices import Matrix, is_matrix

__all__ = ["Matrix", "column_names", "frame_of", "is_matrix"]
