"""The definitions, one family per file, and the registry they enter."""

from . import (  # noqa: F401, the registry is filled by importing the families
    accuracy,
    auc,
    bias_disparity,
    composite,
    correlation,
    coverage,
    diversity,
    exposure,
    fairness,
    judged,
    novelty,
    patience,
    policy,
    popularity,
    popularity_groups,
    ranking,
    rating,
    serendipity,
)
from .check import check
from .collected import Reduction, Reductions, Request, Table, View
from .definition import Counted, Definition, Lists, Relevance, Truth
from .measure import Measure, Ratio, plain
from .registry import METRICS, Many, Metric, Text, find
from .resolving import Load, resolve
from .side import Group, Side

__all__ = [
    "METRICS",
    "Counted",
    "Definition",
    "Group",
    "Lists",
    "Load",
    "Many",
    "Measure",
    "Metric",
    "Ratio",
    "Reduction",
    "Reductions",
    "Relevance",
    "Request",
    "Side",
    "Table",
    "Text",
    "Truth",
    "View",
    "check",
    "find",
    "plain",
    "resolve",
]
