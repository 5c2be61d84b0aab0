"""Side inputs, read as frames → `Prepared`: popularity, categories, groups and distances, before any list is read."""

from .memberships import GroupColumn
from .side_inputs import SideFrames, SideNeeds, prepare_sides
from .values import ValueColumn

__all__ = ["GroupColumn", "SideFrames", "SideNeeds", "ValueColumn", "prepare_sides"]
