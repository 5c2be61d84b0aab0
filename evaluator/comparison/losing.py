"""The users behind a mean: those who lose most."""

from __future__ import annotations

import numpy as np
import polars as pl

from .differing import Differing


def largest_losses(differing: Differing, label: str, n: int) -> pl.DataFrame | None:
    """The `n` users with the largest losses of a measure, largest first, equal ones in the order of their ids.

    Columns: user, with folds fold, base, model (the values), difference (model - base). `None` for a measure without values of users or
    without a better direction.
    """
    values, better = differing.sides_of(label), differing.row(differing.base, label).higher_is_better
    if values is None or differing.pairing is None or better is None:
        return None
    base, model = values
    difference = model - base
    loss = np.where(np.isfinite(difference), -difference if better else difference, 0.0)
    order = np.argsort(-loss, kind="stable")[:n]
    order = order[loss[order] > 0]
    columns = {"base": base[order], "model": model[order], "difference": difference[order]}
    return differing.pairing.keys[order].with_columns(**{name: pl.Series(column) for name, column in columns.items()})
