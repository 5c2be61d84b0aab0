"""Definitions of metrics as array code, one family per file, and the registry in which importing a family enters them."""

from . import (  # noqa: F401, importing a family enters its metrics, and its tables, into the registry
    accuracy,
    auc,
    bias_disparity,
    composite,
    concordance,
    correlation,
    coverage,
    diversity,
    exposure,
    fairness,
    item_tables,
    judged,
    novelty,
    own,
    patience,
    policy,
    popularity,
    popularity_groups,
    positions,
    propensity,
    ranking,
    rating,
    serendipity,
    shelves,
    subtopics,
    value,
)
from .definition import Definition
from .registry import METRICS, Many, Metric, Text, check, find
from .resolving import Load, resolve

__all__ = ["METRICS", "Definition", "Load", "Many", "Metric", "Text", "check", "find", "resolve"]
