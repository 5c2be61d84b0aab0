"""Ways in which two files write the same id differently, and the ids that are the same once they are mended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Final

import polars as pl

Mending = Callable[[pl.Expr], pl.Expr]

MENDINGS: Final[Mapping[str, Mending]] = {
    "white space": lambda text: text.str.strip_chars(),
    "case": lambda text: text.str.to_lowercase(),
    "leading zeros": lambda text: text.str.replace("^0+", ""),
    "a final .0": lambda text: text.str.replace(r"\.0+$", ""),
}


def all_mended(text: pl.Expr) -> pl.Expr:
    """Text with everything mended."""
    return reduce(lambda mended, mend: mend(mended), MENDINGS.values(), text)


def matched(strange: pl.Series, known: pl.Series, mend: Mending) -> pl.DataFrame:
    """The `strange` ids that are `known` ones once both are mended, ascending: `id`, and as `other` the first of these."""
    key = mend(pl.col("id"))
    others = pl.DataFrame({"id": known}).group_by(key.alias("key")).agg(other=pl.col("id").min())
    own = pl.DataFrame({"id": strange}).with_columns(key=key)
    return own.join(others, on="key").select("id", "other").sort("id")
