"""Conventions: one YAML file each that gives every axis a value; a convention may extend another."""

from .axes import AXES, PROTOCOL, Axis
from .convention import Convention, known, load

__all__ = ["AXES", "PROTOCOL", "Axis", "Convention", "known", "load"]
