"""Sums over the rows of each user from the top of a table down to each row."""

from __future__ import annotations

import polars as pl

from .array import Array


def running_sum(values: Array, user: Array) -> Array:
    """Σ `values` over the rows of the same user up to and with each row, added up in the order of the rows.

    Each user is added up apart: what is left of a sum over all rows less that of the users before would lose digits.
    """
    frame = pl.DataFrame({"user": user, "value": values})
    return frame.select(pl.col("value").cum_sum().over("user")).to_series().to_numpy()
