"""Conventions: each is one YAML file that gives every axis a value; a convention may extend another."""

from .axes import AXES, PROTOCOL
from .axis import Axis
from .convention import DEFAULT, Convention, builtin_names, is_path, load

__all__ = ["AXES", "DEFAULT", "PROTOCOL", "Axis", "Convention", "builtin_names", "is_path", "load"]
