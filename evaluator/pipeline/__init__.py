"""The arrows, once, top to bottom: the only room that knows the order."""

from . import diverse, exposed, judgements, weighing
from .auditing import audit
from .evaluation import Progress
from .explaining import explain
from .running import run

__all__ = ["Progress", "audit", "diverse", "explain", "exposed", "judgements", "run", "weighing"]
