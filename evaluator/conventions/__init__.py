"""Conventions: each is one YAML file that gives every axis a value; a convention may extend another."""

from .axes import AXES, PROTOCOL
from .axis import Axis
from .convention import DEFAULT, SCRIPTS, Convention, builtin_names, is_path, load, packaged_names, script_names, with_scripts

__all__ = [
    "AXES", "DEFAULT", "PROTOCOL", "SCRIPTS", "Axis", "Convention", "builtin_names", "is_path", "load", "packaged_names", "script_names",
    "with_scripts",
]  # fmt: skip
