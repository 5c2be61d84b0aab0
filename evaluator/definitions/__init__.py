"""The definitions of metrics as array code, one family per file. Importing it registers them, and the columns that they read."""

from ..tables import category_columns, item_columns, user_columns  # noqa: F401
from . import (  # noqa: F401
    accuracy,
    auc,
    bias_disparity,
    composite,
    correlation,
    coverage,
    diversity,
    exposure,
    fairness,
    item_tables,
    judged,
    novelty,
    patience,
    policy,
    popularity,
    popularity_groups,
    ranking,
    rating,
    serendipity,
    subtopics,
)
