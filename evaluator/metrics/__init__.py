"""The definitions, one family per file, and the registry they enter."""

from . import accuracy, auc, ranking
from .measure import Measure, Ratio, Reduction, Reductions
from .registry import METRICS, Metric, find, is_pooled, label, needs, parameters, parts, resolve

__all__ = [
    "METRICS",
    "Measure",
    "Metric",
    "Ratio",
    "Reduction",
    "Reductions",
    "accuracy",
    "auc",
    "find",
    "is_pooled",
    "label",
    "needs",
    "parameters",
    "parts",
    "ranking",
    "resolve",
]
