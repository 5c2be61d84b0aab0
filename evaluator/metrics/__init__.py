"""The definitions, one family per file, and the registry they enter."""

from . import accuracy, auc, ranking
from .definition import Counted, Definition, Lists, Load, Relevance, Truth, check, resolve
from .measure import Measure, Ratio, Reduction, Reductions, Table, View, plain
from .registry import METRICS, Metric, find

__all__ = [
    "METRICS",
    "Counted",
    "Definition",
    "Lists",
    "Load",
    "Measure",
    "Metric",
    "Ratio",
    "Reduction",
    "Reductions",
    "Relevance",
    "Table",
    "Truth",
    "View",
    "accuracy",
    "auc",
    "check",
    "find",
    "plain",
    "ranking",
    "resolve",
]
