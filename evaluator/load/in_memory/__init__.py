"""Rows in memory, whatever holds them → Polars frames with the columns that a file would have."""

from .conversion import column_names, frame_of
from .mappings import users_without_items
from .matrices import Matrix, is_matrix

__all__ = ["Matrix", "column_names", "frame_of", "is_matrix", "users_without_items"]
