"""The definitions of metrics as array code, one family per file."""

from . import (  # noqa: F401
    accuracy,
    auc,
    composite,
    correlation,
    coverage,
    diversity,
    judged,
    novelty,
    patience,
    policy,
    ranking,
    rating,
    serendipity,
    subtopics,
)
