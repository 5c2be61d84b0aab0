"""Parts of whole users: bring all rows of each user together, part by part, for files of any size and order."""

from .local import SideTable, whole_users
from .part import Part
from .resources import Scratch, default_memory
from .row_file import RowFile
from .sorted_runs import SortedRuns

__all__ = [
    "Part",
    "RowFile",
    "Scratch",
    "SideTable",
    "SortedRuns",
    "default_memory",
    "whole_users",
]
