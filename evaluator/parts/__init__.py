"""Whole users: bring all rows of each user together, part by part, whatever the size and the order of the files."""

from .local import local_parts, partitioned_parts, whole_users
from .memory import default_memory
from .part import Part
from .scratch import Scratch
from .sides import SideTable
from .sorted_runs import SortedRuns
from .users import UsersApart

__all__ = [
    "Part",
    "Scratch",
    "SideTable",
    "SortedRuns",
    "UsersApart",
    "default_memory",
    "local_parts",
    "partitioned_parts",
    "whole_users",
]
