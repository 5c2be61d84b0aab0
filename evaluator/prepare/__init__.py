"""Side inputs, read as frames → `Prepared`: popularity, categories, groups and distances, before any list is read."""

from .memberships import GroupColumn
from .sides import SideFrames, SideNeeds, prepare_sides

__all__ = ["GroupColumn", "SideFrames", "SideNeeds", "prepare_sides"]
