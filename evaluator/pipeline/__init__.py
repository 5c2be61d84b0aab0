"""The arrows, once, top to bottom: the only room that knows the order."""

from .auditing import audit
from .evaluation import Progress
from .explaining import explain
from .running import run

__all__ = ["Progress", "audit", "explain", "run"]
