"""Side inputs, read as frames → `Prepared`: popularity, categories, groups and distances, before any list is read."""

from .sides import SideFrames, SideNeeds, prepare_sides

__all__ = ["SideFrames", "SideNeeds", "prepare_sides"]
