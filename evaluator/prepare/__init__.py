"""Side inputs, read as frames → `Prepared`: popularity, categories, groups and distances, before any list is read."""

from .item_values import ValueColumn
from .memberships import GroupColumn
from .side_inputs import SideFrames, SideNeeds, prepare_sides

__all__ = ["GroupColumn", "SideFrames", "SideNeeds", "ValueColumn", "prepare_sides"]
