"""The axes on which metric definitions differ, with the values each may take.

An axis either belongs to the protocol, which all metrics share (in what order a list is read, what is relevant, who is
averaged over), or to the formula of some metrics, which then map a parameter to it.
"""

from __future__ import annotations

from typing import Final

from .axis import Axis
from .beyond import BEYOND_AXES
from .formula import FORMULA_AXES
from .judged import JUDGED_AXES
from .popularity import POPULARITY_AXES
from .protocol import PROTOCOL_AXES

AXES: Final[dict[str, Axis]] = {axis.name: axis for axis in (*PROTOCOL_AXES, *FORMULA_AXES, *POPULARITY_AXES, *BEYOND_AXES, *JUDGED_AXES)}

PROTOCOL: Final = tuple(axis.name for axis in PROTOCOL_AXES)
"""The axes that every metric has."""
