"""Side inputs, read as frames → `Prepared`: popularity, categories, groups and distances, before any list is read."""

from .memberships import GroupColumn
from .side_inputs import SideFrames, SideNeeds, prepare_sides

__all__ = ["GroupColumn", "SideFrames", "SideNeeds", "prepare_sides"]
