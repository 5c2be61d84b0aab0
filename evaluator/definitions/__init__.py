"""The definitions of metrics as array code, one family per file."""

from . import (  # noqa: F401
    accuracy,
    auc,
    composite,
    correlation,
    coverage,
    judged,
    novelty,
    patience,
    ranking,
    rating,
)
