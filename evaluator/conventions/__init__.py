"""Conventions: one YAML file each that gives every axis a value; a convention may extend another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import yaml

from ..naming import Scalar
from .axes import AXES, Axis

__all__ = ["AXES", "Axis", "Convention", "known", "load"]


@dataclass(frozen=True)
class Convention:
    """A complete set of choices: a value for every axis."""

    name: str
    about: str
    axes: Mapping[str, Scalar]

    def __getitem__(self, axis: str) -> Scalar:
        return self.axes[axis]


@cache
def known() -> tuple[str, ...]:
    """The names of the conventions that come with receval."""
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in files(__package__).iterdir() if entry.name.endswith(".yaml")))


@cache
def load(name: str) -> Convention:
    """Read a convention by name; `ValueError` if it is unknown, gives an axis a wrong value or leaves one out."""
    if name not in known():
        raise ValueError(f"unknown convention {name!r}; known: {', '.join(known())}")
    content = yaml.safe_load((files(__package__) / f"{name}.yaml").read_text("utf-8"))
    axes: dict[str, Scalar] = dict(load(content["extends"]).axes) if "extends" in content else {}
    for axis, value in content["axes"].items():
        if axis not in AXES:
            raise ValueError(f"convention {name!r}: unknown axis {axis!r}")
        axes[axis] = AXES[axis].read(value)
    missing = AXES.keys() - axes.keys()
    if missing:
        raise ValueError(f"convention {name!r} leaves out {', '.join(sorted(missing))}")
    return Convention(content["name"], content["about"], MappingProxyType(axes))
