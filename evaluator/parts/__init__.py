"""Whole users: bring all rows of each user together, part by part, whatever the size and the order of the files."""

from .local import whole_users
from .memory import default_memory
from .part import Part
from .scratch import Scratch
from .sides import SideTable
from .sorted_runs import SortedRuns

__all__ = [
    "Part",
    "Scratch",
    "SideTable",
    "SortedRuns",
    "default_memory",
    "whole_users",
]
